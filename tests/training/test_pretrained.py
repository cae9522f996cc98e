"""Models that come with the package."""

import shutil

import pytest

import narlab
from narlab.cli import main
from narlab.common.errors import UsageError
from narlab.evaluation import evaluate
from narlab.training import pretrained
from narlab.training.folder import Folder


def test_every_shipped_folder_is_a_run_with_a_result():
    assert pretrained.names()
    for name in pretrained.names():
        folder = Folder(pretrained.folder(name))
        algorithm, _, processor = name.partition("@")
        assert (folder.run().algorithm, folder.run().resolved().processor) == (algorithm, processor)
        assert folder.result()["test"] > 0
        assert sorted(path.name for path in folder.path.iterdir()) == sorted(pretrained.FILES)


def test_a_models_score_on_its_own_ladder_comes_out_again():
    folder = Folder(pretrained.folder("quicksort"))
    model, result = narlab.pretrained("quicksort@triangle"), folder.result()
    assert str(model.depth) == result["depth"]
    found = evaluate(model, folder.run().split("ladder_24"))
    assert found.score == pytest.approx(result["ladder_24"], abs=1e-3)


def test_unknown_names_are_refused():
    with pytest.raises(UsageError, match="unknown pretrained model 'quicksrt@triangle'; did you mean"):
        narlab.pretrained("quicksrt@triangle")
    with pytest.raises(UsageError, match="is a text"):
        narlab.pretrained(3)


def test_evaluate_takes_its_name_and_leaves_the_package_alone(capsys):
    before = sorted(pretrained.folder("quicksort").iterdir())
    main(["evaluate", "quicksort@triangle", "--sizes", "8", "--count", "4"])
    assert "100.00" in capsys.readouterr().out
    assert sorted(pretrained.folder("quicksort").iterdir()) == before


def test_a_folder_on_the_disk_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(pretrained.folder("quicksort"), tmp_path / "quicksort@triangle")
    assert pretrained.run_folder("quicksort@triangle").resolve() == tmp_path / "quicksort@triangle"
