"""The leaderboard: what it holds, what it leaves out, and that its numbers can be checked."""

import json
import shutil
from dataclasses import replace

import pytest

from narlab.algorithms import CLRS_30, DISTINCT
from narlab.cli import main
from narlab.evaluation import data_request, measure, records
from narlab.experiments.declaring import paper
from narlab.report.leaderboard.entries import gather
from narlab.report.leaderboard.page import cited, markdown
from narlab.training import Run, cards, load, pretrained, train
from narlab.training.reporting import PlainLines
from narlab.training.run import Run as AnyRun

pytestmark = pytest.mark.xdist_group("leaderboard")  # so that what they share is made once

SMALL = Run("bellman_ford", dataset="clrs", hidden=8, depth=2, steps=4, batch_size=4, validate_every=2, samples=50)
RUNS = {
    "bellman_ford-1": replace(SMALL, seed=1),
    "bellman_ford-2": replace(SMALL, seed=2, validate_every=4),
    "bfs-1": replace(SMALL, algorithm="bfs", seed=1),
    "hints": replace(SMALL, algorithm="bfs", seed=1, hints="encoded_decoded", depth=None),
    "sort": replace(SMALL, algorithm="heapsort", seed=1),
    "own-data": replace(SMALL, dataset="custom", n=6),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board") / "runs"
    for name, run in RUNS.items():
        train(run, folder / name, threads=1, reporter=PlainLines(write=lambda text: None))
    shutil.copytree(folder / "bfs-1", folder / "copy")
    (folder / "unfinished").mkdir()
    shutil.copy(folder / "sort" / "run.toml", folder / "unfinished")
    wide = data_request.DataRequest(sizes="8", graphs="delaunay", count=4).datasets(RUNS["bfs-1"].split("test"))[0]
    records.keep(folder / "bfs-1", measure(load(folder / "bfs-1"), wide), seed=0)
    return folder


@pytest.fixture(scope="module")
def board(runs):
    main(
        [
            "report",
            "--leaderboard",
            str(runs),
            "--out",
            str(runs.parent / "board.md"),
            "--algorithms",
            "bfs,bellman_ford",
        ]
    )
    return runs.parent / "board.md"


def line_with(text, *parts):
    (line,) = [line for line in text.splitlines() if all(part in line for part in parts)]
    return line


def test_rows_have_all_tasks_and_seeds_of_a_model(runs):
    rows = gather([runs])
    without, hinted = rows.having(hints=False), rows.having(hints=True)
    ((row, entries),) = without.items()
    assert [(entry.run.algorithm, entry.run.seed) for entry in entries] == [
        ("bellman_ford", 1),
        ("bellman_ford", 2),
        ("bfs", 1),
    ]
    assert row.startswith("mpnn_g-4-")
    assert [entry.run.algorithm for entry in next(iter(hinted.values()))] == ["bfs"]
    assert sorted(rows.left_out) == [
        "1 run: a task that another of the 24 stands for, or none of the benchmark's",
        "1 run: not done",
        "1 run: not tested on the official set",
        "1 run: the same row, task and seed again",
    ]


def test_a_command_trains_the_same_run(runs, tmp_path, monkeypatch):
    from narlab.cli.commands.train import Train

    asked = []
    monkeypatch.setattr(Train, "run", lambda self: asked.append(self._run_and_folder()[0]))
    for entries in gather([runs]).entries.values():
        for entry in entries:
            main(entry.command.split()[1:])
            assert isinstance(asked[-1], AnyRun)
            assert asked[-1].resolved() == entry.run


def test_the_page_has_means_numbers_baselines_and_evidence(board, runs):
    text = board.read_text()
    results = {name: json.loads((runs / name / "result.json").read_text()) for name in RUNS}
    one, two = (100 * results[f"bellman_ford-{seed}"]["test"] for seed in (1, 2))
    bfs = 100 * results["bfs-1"]["test"]
    row = next(iter(gather([runs]).having(hints=False)))
    means = line_with(text, f"| `{row}` |", "2 tasks")
    assert f"| {(bfs + one) / 2:.2f} [" in means  # seed 1 has both tasks
    by_task = line_with(text, "| bellman_ford | 1.62 |")
    assert f"{(one + two) / 2:.2f} ± {abs(one - two) / 2:.2f} (2)" in by_task
    assert "98.84 ± 0.25" in by_task
    evidence = line_with(text, "| bellman_ford | 2 |")
    for part in (
        "`narlab train bellman_ford",
        "--seed 2",
        "commit ",
        "1 thread",
        "`runs/bellman_ford-2/best.safetensors`",
    ):
        assert part in evidence
    assert "| custom | 8 | delaunay | 4 |" in line_with(text, "delaunay |")
    assert "## Left out" in text


def test_sections_are_apart(board):
    without, hints, unknown = board.read_text().split("\n### ")[1:4]
    assert "Mahdavi" in without
    assert "Triplet-GMPNN" not in without
    assert "G-ForgetNet" in hints
    assert "mean of 30" in hints
    assert "FloydNet" in unknown
    assert "FloydNet" not in without + hints


def test_cited_numbers_of_the_paper_are_the_papers():
    numbers = paper.read("main_test_random_scalar_index")
    for model, name in (("Hybrid-Average", "hybrid_average"), ("MPNN-G", "mpnn_g")):
        (line,) = [line for line in cited() if line["model"].startswith(model)]
        assert float(line["mean"]) == numbers.get("mean", name).mean
        assert float(line["weighted"]) == numbers.get("weighted_mean", name).mean
    assert {line["tasks"] for line in cited()} == {str(len(DISTINCT)), str(len(CLRS_30))}
    assert all(line["source"] and line["remark"] for line in cited())


def test_an_interval_is_the_kept_bootstrap_if_there_is_one(runs, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(runs / "bfs-1", folder)
    (entry,) = next(iter(gather([folder]).entries.values()))
    assert entry.interval[0] < entry.percent < entry.interval[1]
    measured = measure(load(folder), entry.run.split("test"), seed=5)
    records.keep(folder, measured, seed=5)
    (again,) = next(iter(gather([folder]).entries.values()))
    bounds = measured.intervals["score"]
    assert again.interval == pytest.approx((100 * bounds.low, 100 * bounds.high))


def test_without_runs_there_are_the_numbers_of_others(tmp_path):
    path = tmp_path / "board.md"
    main(["report", "--leaderboard", "--out", str(path), "--algorithms", "bfs"])
    assert path.read_text().count("No runs of ours.") == 2
    assert json.loads(path.with_suffix(".json").read_text()) == {}


def verify(capsys, *arguments):
    try:
        main(["verify", *map(str, arguments)])
    except SystemExit as end:
        captured = capsys.readouterr()
        return captured.out + captured.err, end.code
    return capsys.readouterr().out, 0


def test_what_is_as_it_was_is_equal(board, runs, capsys):
    row = next(iter(gather([runs]).having(hints=False)))
    text, code = verify(capsys, row, "--leaderboard", board)
    assert (code, text.splitlines()[-1]) == (0, "3 of 3 equal")
    text, code = verify(capsys, runs / "hints")
    assert code == 0
    assert text.startswith(f"equal      {runs / 'hints'}: test ")
    assert "val, val_graph, test, test_graph" in text


def test_other_weights_and_other_claims_are_not_equal(board, runs, tmp_path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(runs / "bellman_ford-1", folder)
    shutil.copy(runs / "bellman_ford-2" / "best.safetensors", folder)
    text, code = verify(capsys, folder)
    assert code == 1
    assert text.startswith(f"not equal  {folder}: ")
    assert text.splitlines()[-1] == "0 of 1 equal"
    claims = json.loads(board.with_suffix(".json").read_text())
    row = next(row for row, numbers in claims.items() if len(numbers) == 3)
    claims[row][0]["test"] += 0.01
    other = board.with_name("claims.md")
    other.with_suffix(".json").write_text(json.dumps(claims))
    text, code = verify(capsys, row, "--leaderboard", other)
    assert (code, text.splitlines()[-1]) == (1, "2 of 3 equal")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("verify nobody", "'nobody' is no run's folder, and there is no 'docs/leaderboard.json' to look it up in"),
        ("verify nobody --leaderboard {board}", "unknown row of the leaderboard 'nobody'; "),
        ("verify {runs}/unfinished", "has no result yet; go on with: narlab train --resume"),
        ("report --leaderboard nowhere", "there is no folder 'nowhere'"),
        ("report --leaderboard --out a.html", "cannot tell the format of 'a.html'; its name must end in .md"),
        ("report --leaderboard --algorithms bsf", "unknown task 'bsf'; did you mean 'bfs'?"),
        ("report --leaderboard --baselines", "--leaderboard has the baselines already"),
        ("report --baselines {runs}", "--baselines needs no folder"),
        ("report {runs} --algorithms bfs", "--algorithms is for --baselines and --leaderboard"),
        ("report {runs} {runs}", "a report is of one folder, got 2"),
    ],
)
def test_mistakes_get_one_line(words, message, board, runs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main([word.format(board=board, runs=runs) for word in words.split()])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_cards_of_the_package_are_wider_tests_and_no_others(tmp_path):
    shipped = pretrained.folder("quicksort@triangle")
    shutil.copytree(shipped, tmp_path / "triangle" / "quicksort")
    (row,) = gather([shipped]).entries.values()
    assert [(score["n"], score["count"]) for score in row[0].card_scores] == list(cards.COUNTS.items())
    page = markdown(gather([shipped]), ["quicksort"], tmp_path)
    assert "| quicksort | 42 | card | 128 | – | 8 | 100.00 [100.00, 100.00] |" in page
    (copied,) = gather([tmp_path]).entries.values()
    assert copied[0].card_scores == ()
