"""Studies whose states lie in S3: what a folder can do, they can, and nobody's death leaves half a state."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.checkpoints import open_checkpoints
from hippo.cli.app import exit_code
from hippo.plan import CheckpointRow, NodeRow, open_store
from hippo.testing.frozen_body import FrozenBody
from hippo.testing.heavy_trainer import HeavyTrainer
from hippo.testing.s3_server import s3_client

MakeStudy = Callable[..., hippo.Study]
pytestmark = pytest.mark.slow  # a server, and requests to it

SPACE = [{"lr": lr} for lr in (0.1, 0.2, hippo.MultiStep(0.1, [3], 0.1), hippo.MultiStep(0.1, [3], 0.2))]


def facts(study: hippo.Study) -> list[tuple[object, ...]]:
    return [(trial.number, trial.step, trial.metrics) for trial in study.trials]


def hashes(storage: str) -> set[tuple[object, ...]]:
    """Return what each state hashed to, by the step and pieces of its node."""
    with open_store(storage).reading() as rows:
        pieces = {node.node: node.pieces for node in rows.rows(NodeRow)}
        return {(pieces[row.node], row.step, row.state_hash) for row in rows.rows(CheckpointRow)}


def keys(place: str) -> list[str]:
    return list(open_checkpoints(place).keys())


def test_workers_that_were_forked_come_to_the_same_bits_as_in_a_folder(
    make_study: MakeStudy, bucket: str, tmp_path: Path
) -> None:
    found = {}
    for place in (f"s3://{bucket}/states", str(tmp_path / "states")):
        storage = f"sqlite:///{tmp_path}/{place[:2].strip('/')}.db"
        for until in (5, 8):  # the second begins at states that the first wrote
            study = make_study(
                storage=storage, checkpoints=place, keep="all", engine=hippo.LocalEngine(workers=2, threads=1)
            )
            study.optimize(hippo.GridSearch(SPACE, until=until))
            found[place] = facts(study), hashes(storage)
            assert study.statistics().steps_repeated == 0
            study.close()
    in_s3, in_folder = found.values()
    assert in_s3 == in_folder
    assert len(in_s3[1]) >= 8


def test_a_state_that_lies_beside_its_base_is_read_again_loaded_and_reproduced(
    make_study: MakeStudy, bucket: str, tmp_path: Path
) -> None:
    place = f"s3://{bucket}/states"
    study = make_study(
        trainer=FrozenBody, storage=f"sqlite:///{tmp_path}/a.db", checkpoints=place, metric="loss", mode="min"
    )
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert [key.rpartition("/")[2][:5] for key in keys(place)].count("base-") == 1
    assert study.load_model(study.best_trial) is not None
    assert study.reproduce(study.best_trial).is_equal
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    assert study.statistics().steps_repeated == 0


def test_two_databases_below_one_prefix_never_touch_each_others_states(
    make_study: MakeStudy, bucket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, storages = f"s3://{bucket}/states", [f"sqlite:///{tmp_path}/{name}.db" for name in "ab"]
    for storage in storages:
        study = make_study(storage=storage, checkpoints=place, keep="leaves")
        study.optimize(hippo.GridSearch(SPACE, until=4))
        study.close()
    before = keys(place)
    hippo.keep_states("toy", "best", storages[0])
    assert exit_code(["gc", "--storage", storages[0]]) == 0
    assert keys(place) == before
    assert exit_code(["gc", "--storage", storages[0], "--yes"]) == 0
    of_first, of_second = open_store(storages[0]).uuid, open_store(storages[1]).uuid
    left = keys(place)
    assert len([key for key in left if key.startswith(of_first)]) == 1
    assert [key for key in left if key.startswith(of_second)] == [key for key in before if key.startswith(of_second)]


def test_a_budget_holds_in_an_object_store(make_study: MakeStudy, bucket: str, tmp_path: Path) -> None:
    place = f"s3://{bucket}/states"
    study = make_study(storage=f"sqlite:///{tmp_path}/a.db", checkpoints=place, keep="all", checkpoint_budget=1000)
    study.optimize(hippo.GridSearch([{"lr": 0.01 * number} for number in range(1, 11)], until=2))
    study.close()
    there = list(open_checkpoints(place).entries(open_store(f"sqlite:///{tmp_path}/a.db").uuid))
    assert 0 < sum(entry.size_bytes for entry in there) <= 1000
    assert len(there) < 10


class DiesAmidAPut(HeavyTrainer):
    """Its worker is killed, once, when it has begun to send a state in parts.

    Args:
      mark: a file that says that it was.
    """

    def __init__(self, mark: str) -> None:
        super().__init__()
        if not Path(mark).exists():
            from s3fs import S3FileSystem

            call = S3FileSystem._call_s3

            async def call_or_die(self: Any, method: str, *arguments: Any, **options: Any) -> Any:
                if method == "upload_part":
                    Path(mark).touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                return await call(self, method, *arguments, **options)

            S3FileSystem._call_s3 = call_or_die


def test_a_worker_killed_amid_a_put_leaves_no_state_and_the_study_ends_as_if_undisturbed(
    make_study: MakeStudy, bucket: str, server: Mapping[str, str], tmp_path: Path
) -> None:
    place, storage, client = f"s3://{bucket}/states", f"sqlite:///{tmp_path}/a.db", s3_client(server)
    killed = tmp_path / "killed"
    options = {"trainer": DiesAmidAPut, "trainer_args": {"mark": str(killed)}, "keep": "all", "checkpoint_budget": None}
    study = make_study(storage=storage, checkpoints=place, engine=hippo.LocalEngine(workers=1, threads=1), **options)
    study.optimize(hippo.GridSearch(SPACE[2:], until=4))
    assert killed.exists()
    undisturbed = make_study("calm", storage="memory://", **options)
    undisturbed.optimize(hippo.GridSearch(SPACE[2:], until=4))
    assert facts(study) == facts(undisturbed)
    assert study.statistics().steps_repeated > 0
    study.close()
    with open_store(storage).reading() as rows:
        known = {row.key: row.size_bytes for row in rows.rows(CheckpointRow) if not row.gone}
    store = open_checkpoints(place)
    assert {e.key: e.size_bytes for e in store.entries(open_store(storage).uuid) if e.key} == known
    hippo.collect_garbage(storage, delete=True)
    assert "Uploads" not in client.list_multipart_uploads(Bucket=bucket)


def test_a_study_whose_bucket_is_missing_is_not_made(make_study: MakeStudy, bucket: str, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/a.db"
    with pytest.raises(hippo.HippoError, match="there is no bucket 'nowhere'"):
        make_study(storage=storage, checkpoints="s3://nowhere/states")


def test_uploads_of_yesterday_are_shown_and_given_up(
    make_study: MakeStudy,
    bucket: str,
    server: Mapping[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage, client = f"sqlite:///{tmp_path}/a.db", s3_client(server)
    study = make_study(storage=storage, checkpoints=f"s3://{bucket}/states")
    study.optimize(hippo.GridSearch(SPACE[:1], until=2))
    study.close()
    begun = client.create_multipart_upload(Bucket=bucket, Key="states/other/p1/a")
    client.upload_part(Bucket=bucket, Key=begun["Key"], UploadId=begun["UploadId"], PartNumber=1, Body=b"half")

    def run(*options: str) -> list[dict[str, Any]]:
        capsys.readouterr()
        assert exit_code(["gc", "--uploads", "--storage", storage, "--format", "json", *options]) == 0
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return [row for row in found if row["what"] == "uploads"]

    with monkeypatch.context() as patched:
        patched.setattr("hippo.study.collecting.OLD_UPLOAD_S", 1e10)  # moto says of all uploads that they began in 2010
        assert run("--yes") == []
    assert run() == [{"what": "uploads", "files": 1, "size": 4}]
    assert client.list_multipart_uploads(Bucket=bucket)["Uploads"]
    run("--yes")
    assert "Uploads" not in client.list_multipart_uploads(Bucket=bucket)
