"""What is said of a culprit: what it is, which method changes it, and what to do.

Values in, sentences out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hippo.training.inquiry.culprits import RESUMING, Culprit, RunVariation
from hippo.training.inquiry.inventory import GLOBAL_GENERATOR


def explain(culprit: Culprit, variation: RunVariation, names: Sequence[str]) -> str:
    """Return what a culprit is, which method changes it, and what to do, in a sentence or two.

    Args:
      culprit: what was held differently.
      variation: in what the runs differed.
      names: the outermost names in the state.
    """
    return f"{_said(culprit, variation, names)}{_advice(culprit, variation, names)}"


def _said(culprit: Culprit, variation: RunVariation, names: Sequence[str]) -> str:
    name = _shown_name(culprit.name)
    verb = "are" if ", " in culprit.name or culprit.name.startswith("the ") else "is"
    values = (
        "" if culprit.through == culprit.other else f" ({culprit.through}, and {_other_run(variation)} {culprit.other})"
    )
    if not culprit.changed_by:
        return f"{name} {verb} not the same in both{values}"
    said = f"{name} {verb} changed by {culprit.changed_by}{values}"
    if not culprit.name.startswith("self.") or variation not in RESUMING or culprit.is_others:
        return said
    if culprit.kind == "buffer":
        return f"{said}, and is a buffer that the module's state_dict() leaves out"
    if culprit.kind == "mode":
        return said
    if _is_in(culprit.name, names):
        return f"{said}; state_dict() has it, but load_state_dict() does not bring it back"
    return f"{said} and {verb} not in state_dict()"


def _other_run(variation: RunVariation) -> str:
    if variation in RESUMING:
        return "after loading"
    return {
        RunVariation.AFTER_ANOTHER: "after another config",
        RunVariation.UNDISTURBED: "without evaluations",
        RunVariation.LOADER_WORKERS: "with other loader workers",
    }.get(variation, "in the other process")


def _advice(culprit: Culprit, variation: RunVariation, names: Sequence[str]) -> str:
    """Return what to do: by where it is kept, else by who changed it in which run, else by what it is."""
    place = culprit.name.split(" ")[0].split(".")[0].split("(")[0]
    advice = _advice_by_place(culprit, place) or _advice_by_run(culprit, variation, place) or _advice_by_kind(culprit)
    if advice:
        return advice
    if variation in RESUMING and _is_in(culprit.name, names):
        return ": set it there."
    if variation in RESUMING and not culprit.is_others:
        return ": return it there and load it in load_state_dict()."
    return ": make it the same in every process, from arguments, hyper-parameters and the global generators."


def _advice_by_place(culprit: Culprit, place: str) -> str:
    """Return what to do with what no trainer may change, wherever it is met; empty for all else."""
    if place == "process":
        return (
            ": a setting of the whole process is part of no state. Set it in build(), where it holds for the whole "
            "trial, and leave it alone afterwards."
        )
    if place in ("class", "module"):
        return (
            ": it outlives the trial, and is not there in another worker. Keep it in an attribute of the trainer that "
            "build() makes anew, and return it in state_dict() if train() changes it."
        )
    if place.endswith("_set"):
        return (
            ": a data set is shared by all trials of a worker, and copied into loader workers. Let a sample depend "
            "on its index and on the global generators alone; what training changes belongs to the trainer's state."
        )
    if culprit.name.startswith("self.hp["):
        return ": values of hyper-parameters are not to be changed in place; copy what you change."
    return ""


def _advice_by_run(culprit: Culprit, variation: RunVariation, place: str) -> str:
    """Return what to do where the run in which it differs, or the method that changes it, tells; empty elsewhere."""
    if variation is RunVariation.HASH_SEED:
        return (
            ": it depends on the order of a set, or on hash() of a string, which PYTHONHASHSEED decides. Sort before "
            "numbering."
        )
    if variation is RunVariation.ELSEWHERE and place == "self":
        return ": it depends on the current folder or on environment variables. Give it by trainer_args."
    if variation in (RunVariation.AGAIN, RunVariation.ELSEWHERE) and not culprit.changed_by:
        return ": it is made of something that another process does not have, such as the time or a random seed."
    if culprit.changed_by == "setup()":
        return (
            ": setup() is called again after each load_state_dict(), and must be idempotent. Apply values there, and "
            "change nothing that is trained."
        )
    if culprit.changed_by == "state_dict()":
        return ": how often a state is taken depends on who asks. Let state_dict() return it, and do nothing else."
    if culprit.changed_by == "evaluate()" and variation not in RESUMING:
        return (
            ": how often an evaluation is taken depends on who asks. Leave the trainer in evaluate() as it was, or "
            "set in train() what train() needs, such as self.model.train()."
        )
    if variation is RunVariation.AFTER_ANOTHER:
        return ": build() must begin anew; make there what training changes, and not in __init__()."
    return ""


def _advice_by_kind(culprit: Culprit) -> str:
    """Return how such a thing is brought into the state; empty where it is like any other value."""
    if culprit.through == GLOBAL_GENERATOR:
        return (
            ": a copy of it, as a pickle makes one, is seeded by nobody. Draw from the global generator itself, or "
            "keep one of your own, in scikit-learn by random_state=0."
        )
    if culprit.kind == "generator":
        return f": return {_state_of_generator(culprit)} there and set it in load_state_dict()."
    if culprit.kind == "buffer":
        return ": register it with persistent=True, or save it in state_dict()."
    if culprit.kind == "position":
        return (
            ": an iterator cannot be saved; keep what it goes over and how far it is, return both in state_dict() and "
            "make it again in load_state_dict()."
        )
    if culprit.kind == "mode":
        return ": set self.model.train() at the beginning of train(), whatever was before."
    if culprit.kind == "gradient":
        return (
            ": gradients are part of no state_dict(). Set them to None where a step ends, or return them in "
            "state_dict(). A TorchTrainer that says accumulate = 4 saves what waits for more batches."
        )
    if culprit.other.startswith("the same object") or culprit.through.startswith("the same object"):
        return ": two names stood for one object, and no longer do. Copy into what is there instead of replacing it."
    return ""


def _is_in(name: str, names: Sequence[str]) -> bool:
    """Whether the state has a name of an attribute's, with or without an underscore before it."""
    found = re.fullmatch(r"self\.(\w+)", name)
    return found is not None and any(found[1].strip("_") == each.strip("_") for each in names)


def _state_of_generator(culprit: Culprit) -> str:
    shown = f"{culprit.through} {culprit.other}"
    if "torch" in shown:
        return f"{culprit.name}.get_state()"
    if "numpy" in shown:
        return f"{culprit.name}.bit_generator.state" if "RandomState" not in shown else f"{culprit.name}.get_state()"
    return f"{culprit.name}.getstate()"


def _shown_name(name: str) -> str:
    place, _, rest = name.partition(" ")
    if place == "class":
        return f"{rest}, which is kept in the class,"
    if place == "module":
        return f"{rest}, which is kept in the module,"
    if place == "process":
        return f"{rest}, of the whole process,"
    return name
