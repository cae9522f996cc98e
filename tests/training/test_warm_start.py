"""Runs that begin where others ended, and evaluations at steps of their own."""

import json
from dataclasses import replace

import pytest
import torch

from narlab.cli import main
from narlab.common.errors import UsageError
from narlab.training import Run, load, pretrained, train
from narlab.training.folder import Folder
from narlab.training.learner import new_model
from narlab.training.reporting import PlainLines
from narlab.training.warm_start import extend, start_from


@pytest.fixture
def quiet():
    lines = []
    return PlainLines(write=lines.append), lines


def test_tests_come_when_they_are_due_whatever_validations_do(tmp_path, tiny, quiet):
    result = train(replace(tiny, validate_every=4, test_every=5), tmp_path / "a", reporter=quiet[0])
    lines = Folder(tmp_path / "a").metrics()
    assert {line["step"]: ("val" in line, "test" in line) for line in lines} == {
        4: (True, False),
        5: (False, True),
        8: (True, False),
        10: (False, True),
        12: (True, True),
    }
    assert result.step in (4, 8, 12)
    usual = train(replace(tiny, validate_every=4, test_every=12), tmp_path / "b", reporter=quiet[0])
    assert (result.val, result.test) == (usual.val, usual.test)  # to be tested changes nothing
    by_step = {line["step"]: line["loss"] for line in lines}
    whole = {line["step"]: line["loss"] for line in Folder(tmp_path / "b").metrics()}
    assert whole[8] * 4 == pytest.approx(by_step[5] + by_step[8] * 3)  # each loss is counted once


def test_a_run_that_is_done_goes_on_for_longer(tmp_path, tiny, quiet):
    constant = replace(tiny, recipe="paper:schedule=constant", validate_every=4)
    train(constant, tmp_path / "short", reporter=quiet[0])
    before = (tmp_path / "short" / "result.json").read_bytes()
    with pytest.raises(UsageError, match="has 12 steps already: --steps must be more, got 8"):
        extend(tmp_path / "short", 8)
    main(["train", "--resume", str(tmp_path / "short"), "--steps", "20"])
    assert (tmp_path / "short" / "result.12.json").read_bytes() == before
    assert Folder(tmp_path / "short").run().steps == 20
    train(replace(constant, steps=20), tmp_path / "long", reporter=quiet[0])
    for name in ("best.safetensors", "last.safetensors"):  # with a constant rate it is the longer run itself
        assert (tmp_path / "short" / name).read_bytes() == (tmp_path / "long" / name).read_bytes()
    assert [line["step"] for line in Folder(tmp_path / "short").metrics()] == [4, 8, 12, 16, 20]


def test_without_a_checkpoint_there_is_no_going_on(tmp_path, tiny, quiet):
    train(tiny, tmp_path / "a", reporter=quiet[0])
    for checkpoint in (tmp_path / "a").glob("checkpoint*"):
        checkpoint.unlink()
    with pytest.raises(UsageError, match="begin a new run: --warm-start"):
        extend(tmp_path / "a", 20)


def test_a_warm_start_begins_with_the_weights_that_fit(tmp_path, tiny, quiet):
    reporter, lines = quiet
    train(tiny, tmp_path / "bfs", reporter=reporter)
    other = replace(tiny, algorithm="dijkstra", warm_start=str(tmp_path / "bfs"), steps=4, learning_rate=1e-12)
    for recipe in ("paper", "paper:averaging=0.9"):
        folder = tmp_path / recipe.replace(":", "-")
        train(replace(other, recipe=recipe), folder, reporter=reporter)
        assert any(f"tensors of {tmp_path / 'bfs'}" in line for line in lines)
        found, source = load(folder).state_dict(), load(tmp_path / "bfs").state_dict()
        for name in (name for name in source if name.startswith("processor.")):
            torch.testing.assert_close(found[name], source[name], rtol=0, atol=1e-9)
    assert Folder(tmp_path / "paper").run().warm_start == str(tmp_path / "bfs")
    with pytest.raises(UsageError, match="do not fit this run's processor, mpnn_g of width 16"):
        train(replace(other, hidden=16), tmp_path / "wide", reporter=reporter)


def test_a_shipped_model_is_a_start():
    model = new_model(Run("dijkstra", recipe="ladder"))
    whole = len(model.state_dict())
    assert (
        start_from(model, "bellman_ford@triangle") == f"begins with {whole} of {whole} tensors of bellman_ford@triangle"
    )
    source = pretrained.pretrained("bellman_ford").state_dict()
    assert all(torch.equal(tensor, source[name]) for name, tensor in model.state_dict().items())


def test_several_seeds_one_after_another(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tiny = "train bfs --dataset custom --n 4 --hidden 4 --depth 2 --steps 2 --samples 8 --seeds 1,2".split()  # noqa: SIM905
    main(tiny)
    assert sorted(Folder(path).run().seed for path in (tmp_path / "runs").iterdir()) == [1, 2]
    table = capsys.readouterr().out.splitlines()[-3:]
    assert [line.split()[0] for line in table] == ["seed", "1", "2"]
    main([*tiny, "--out", "mine"])
    assert json.loads((tmp_path / "mine/seed-2/result.json").read_text())["step"] == 2
    with pytest.raises(SystemExit):
        main([*tiny, "--seed", "3"])
    assert "--seeds and --seed exclude each other" in capsys.readouterr().err
