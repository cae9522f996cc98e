"""`narlab bench peers`: what it measures, prints, writes and refuses."""

import importlib.util
import json
from dataclasses import replace

import pytest
from torch.nn.functional import cross_entropy

from narlab.bench import dm_clrs_baseline, peers, pyg_mpnn
from narlab.bench.peers import NARLAB, PEERS, TABLE, Row
from narlab.cli import main
from narlab.cli.commands.bench_peers import BEGIN, END, markdown, with_table

OWN = (NARLAB, "eager PyTorch")


def small(case):
    return replace(case, graphs=2, hidden=4, depth=2)


@pytest.fixture
def without_extras(monkeypatch):
    """As if neither dm-clrs nor PyTorch Geometric were installed."""
    find = importlib.util.find_spec
    absent = {peer.package for peer in PEERS.values()}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else find(name))


@pytest.mark.slow
def test_what_is_not_installed_is_named_and_left_out(capsys, tmp_path, without_extras):
    report, page = tmp_path / "peers.json", tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n")
    sizes = "--batch-size 2 --hidden 4 --depth 2 --repeats 1"
    main(f"bench peers --algorithms bfs {sizes} --json {report} --docs {page}".split())
    told = capsys.readouterr().out
    assert "PyTorch Geometric is not installed and left out; get it with: pip install 'narlab[pyg]'" in told
    assert "dm-clrs (JAX) is not installed and left out; get it with: pip install 'narlab[oracle]'" in told
    (row,) = json.loads(report.read_text())["peers"]
    assert tuple(row["seconds"]) == OWN
    assert (row["case"]["graphs"], row["case"]["hidden"], row["case"]["depth"]) == (2, 4, 2)
    text = page.read_text()
    assert text.startswith(f"before\n\n{BEGIN}\n\n| processor | task | by |")
    assert text.endswith(f"{END}\n\nafter\n")
    assert "old" not in text
    for seconds in row["seconds"].values():
        assert f"| {seconds:.3f} |" in text


def test_ratios_are_to_narlab():
    row = Row(TABLE[0], {NARLAB: 0.5, "eager PyTorch": 1.25}, others=0.0)
    shown = peers.of_peers([row])
    assert [cells[-2:] for cells in shown.rows] == [["0.500", "-"], ["1.250", "2.5"]]
    assert markdown(shown).splitlines()[-1] == "| mpnn_g | bfs | eager PyTorch | 32 | 16 | 128 | 32 | 1.250 | 2.5 |"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--algorithms dfs", "the table of peers has no row of 'dfs'; it has bfs, insertion_sort, quicksort"),
        ("--repeats 0", "--repeats must be an integer from 1 to 1000000, got 0"),
        ("--docs nowhere.md", "there is no file 'nowhere.md' to put the table into"),
    ],
)
def test_what_can_not_be_measured(capsys, options, message):
    with pytest.raises(SystemExit):
        main(f"bench peers {options}".split())
    assert message in capsys.readouterr().err


def test_a_page_without_a_place_for_the_table(tmp_path):
    (tmp_path / "page.md").write_text(f"only {BEGIN}\n")
    with pytest.raises(ValueError, match="has no place for the table"):
        with_table(tmp_path / "page.md", "")


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.algorithm)
def test_pyg_learns_its_batch(monkeypatch, case):
    """The step of PyTorch Geometric is a training step: its loss falls."""
    pytest.importorskip("torch_geometric")
    losses = []

    def noted(*given):
        losses.append(cross_entropy(*given))
        return losses[-1]

    monkeypatch.setattr(pyg_mpnn, "cross_entropy", noted)
    work = pyg_mpnn.training_step(replace(case, graphs=2, hidden=16, depth=3))
    for _ in range(60):
        work.run()
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.oracle
def test_dm_clrs_takes_as_many_steps():
    """As many rows of hints as steps, and one."""
    clrs = pytest.importorskip("clrs")
    sampler, _ = clrs.build_sampler("bfs", num_samples=2, length=4, seed=1)
    batch = dm_clrs_baseline._of_depth(clrs, sampler.next(2), 7)
    assert {len(hint.data) for hint in batch.features.hints} == {8}
    assert list(batch.features.lengths) == [8, 8]


@pytest.mark.oracle
def test_dm_clrs_takes_steps_of_every_case():
    pytest.importorskip("clrs")
    for case in TABLE:
        dm_clrs_baseline.training_step(small(case)).run()
