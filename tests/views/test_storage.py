"""What states take is what lies in the folder, and what nobody keeps is what is removed."""

from __future__ import annotations

from pathlib import Path

import hippo
from hippo.plan import Rank
from hippo.study import KeptState, KeptStates, Study
from hippo.testing.trainers import ToyTrainer
from hippo.views import storage

DROPS = [{"lr": hippo.MultiStep(0.1, [at], 0.5)} for at in (2, 4, 6)]


def made(folder: Path, name: str = "kept", **options: object) -> Study:
    study: Study = hippo.create_study(name, trainer=ToyTrainer, storage=f"sqlite:///{folder}/hippo.db",
                                      checkpoints=str(folder / "states"), engine=hippo.InlineEngine(), metric="loss",
                                      mode="min", **options)  # type: ignore[arg-type]  # fmt: skip
    return study


def test_bytes_are_those_of_the_folder_and_spare_ones_are_what_is_collected(tmp_path: Path) -> None:
    study = made(tmp_path)
    study.optimize(hippo.GridSearch(DROPS, until=8))
    study.close()
    use = storage(study.kept_states())
    url = f"sqlite:///{tmp_path}/hippo.db"
    garbage = hippo.collect_garbage(url)
    spare = [kind for kind in use.kinds if kind.rank is Rank.SPARE]
    assert [(kind.count, kind.size_bytes) for kind in spare] == [(garbage.spare.count, garbage.spare.size_bytes)]
    assert use.spare_bytes == garbage.spare.size_bytes > 0
    whole = garbage.spare + garbage.kept
    bases = [path.stat().st_size for path in (tmp_path / "states").rglob("base-*")]
    assert use.size_bytes == whole.size_bytes - sum(bases)
    assert sum(kind.count for kind in use.kinds) == whole.count - len(bases)
    assert use.gone == {}

    hippo.collect_garbage(url, delete=True)
    after = storage(hippo.load_study("kept", url).kept_states())
    assert (after.spare_bytes, after.size_bytes) == (0, use.size_bytes - use.spare_bytes)
    assert after.gone == {"evicted": (garbage.spare.count, garbage.spare.size_bytes)}
    # nothing is nearer to the others now: each is made again from an earlier one, or from the beginning
    assert sum(kind.steps for kind in after.kinds) >= sum(kind.steps for kind in use.kinds if kind.rank != Rank.SPARE)


def test_another_studys_states_on_the_same_plan_are_kept_for_it(tmp_path: Path) -> None:
    for name, rates in (("one", [0.1]), ("other", [0.2, 0.3])):
        study = made(tmp_path, name)
        study.optimize(hippo.GridSearch([{"lr": rate} for rate in rates], until=4))
        study.close()
    kinds = storage(hippo.load_study("one", f"sqlite:///{tmp_path}/hippo.db").kept_states()).kinds
    assert {kind.rank: kind.count for kind in kinds} == {Rank.BEST: 2, Rank.LAST: 1}


def test_states_are_counted_by_rank_in_the_order_in_which_they_go_and_the_largest_come_first() -> None:
    ranks = [Rank.BEST, Rank.SPARE, Rank.LAST, Rank.SPARE, Rank.LIVE, Rank.PASSED]
    states = [
        KeptState(members=("",), node=1, step=number, size_bytes=10 + number, rank=rank, steps=2, seconds=0.5)
        for number, rank in enumerate(ranks)
    ]
    use = storage(KeptStates(states=tuple(states), gone={"missing": (1, 3)}, budget=100), largest=2)
    assert [(kind.rank, kind.count, kind.size_bytes, kind.steps) for kind in use.kinds] == [
        (Rank.SPARE, 2, 24, 4),
        (Rank.PASSED, 1, 15, 2),
        (Rank.LAST, 1, 12, 2),
        (Rank.LIVE, 1, 14, 2),
        (Rank.BEST, 1, 10, 2),
    ]
    assert [state.step for state in use.largest] == [5, 4]
    assert (use.size_bytes, use.spare_bytes, use.budget, use.gone) == (75, 24, 100, {"missing": (1, 3)})
    assert storage(KeptStates(states=(), gone={}, budget=None)).kinds == ()
