"""What comes from outside and is wrong: one line that names it, exit code 2, and nothing is left behind.

Each case is a change of a good folder and what is asked of it then.
"""

import json
import os
import shutil
import struct
import zipfile
from contextlib import suppress
from pathlib import Path

import networkx
import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file as save_arrays
from safetensors.torch import save_file

from narlab import algorithms, data
from narlab.cli import main
from narlab.common.errors import UsageError
from narlab.evaluation import records
from narlab.evaluation.user_instances import as_dataset, read_inputs
from narlab.report import outcome as outcomes
from narlab.report.leaderboard import numbers_of
from narlab.training import Run, load, pretrained, train
from narlab.training.folder import Folder
from narlab.training.reporting import PlainLines

LONG, DEEP, HUGE = "a" * 300, "[" * 100_000, "1" + "0" * 400
NO_RESULT = {  # contents of result.json, and what is said of them
    "empty": ("", "Expecting value"),
    "null": ("null", "it must be an object with step"),
    "number": ("7", "it must be an object with step"),
    "list": ("[]", "it must be an object with step"),
    "text": ('"done"', "it must be an object with step"),
    "cut": ('{"step": 1', "Expecting"),
    "deep": (DEEP, "nested too deeply"),
    "bytes": ("\udcff", "can't be read: "),
    "no step": ('{"val": 1}', "step is missing"),
    "step text": ('{"step": "1", "val": 1, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1}', "step must be"),
    "step huge": (f'{{"step": {HUGE}}}', "is missing"),
    "val list": ('{"step": 1, "val": [], "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1}', "val must be"),
    "val NaN": ('{"step": 1, "val": NaN, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1}', "val must be"),
    "val huge": (f'{{"step": 1, "val": {HUGE}, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1}}', "val must"),
    "val true": ('{"step": 1, "val": true, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1}', "got True"),
    "depth": (
        '{"step": 1, "val": 1, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1, "depth": [3]}',
        "depth must be",
    ),
    "protocol": (
        '{"step": 1, "val": 1, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1, "protocol": "\\u001b[31m"}',
        "protocol must be",
    ),
    "seconds": ('{"step": 1, "val": 1, "val_graph": 0, "test": 0, "test_graph": 0, "seconds": -1}', "seconds must be"),
}
NO_METRICS = {
    "number": ("7", "line 1: it must be an object with step"),
    "null": ("null", "it must be an object with step"),
    "list": ('{"step": 1}\n[]', "line 2: it must be an object with step"),
    "no step": ("{}", "step is missing"),
    "step text": ('{"step": "1"}', "step must be an integer"),
    "step number": ('{"step": 1.5}', "step must be an integer"),
    "step negative": ('{"step": -1}', "step must be an integer of at least 0"),
    "step huge": (f'{{"step": {HUGE}}}', "an integer of 1329 bits"),
    "val text": ('{"step": 1, "val": "0.5"}', "val must be a number from 0 to 1"),
    "val above": ('{"step": 1, "val": 2}', "val must be a number from 0 to 1, got 2"),
    "val null": ('{"step": 1, "val": null}', "val must be a number from 0 to 1, got None"),
    "loss": ('{"step": 1, "loss": Infinity}', "loss must be a finite number"),
    "seconds": ('{"step": 1, "seconds": {}}', "seconds must be"),
    "other": ('{"step": 1, "val_gap": "high"}', "val_gap must be a number"),
    "deep": (DEEP, "nested too deeply"),
}
NO_RUN = {
    "empty": ("", "names no algorithm"),
    "no TOML": ("algorithm", "can't be read as TOML"),
    "bytes": ("\udcff", "can't be read as TOML"),
    "deep": (f"a = {DEEP}", "can't be read as TOML"),
    "unknown key": ('algorithm = "bfs"\nhiden = 3', "unknown key 'hiden'"),
    "list": ("algorithm = []", "algorithm must be a string"),
    "table": ("[algorithm]", "algorithm must be a string"),
    "number": ("algorithm = 3", "algorithm must be a string"),
    "newline": ('algorithm = "bfs\\n"', "without control characters"),
    "escape": ('algorithm = "bfs"\nprocessor = "\\u001b[31m"', "without control characters"),
    "long": (f'algorithm = "{LONG * 4}"', "at most 1000 characters"),
    "steps text": ('algorithm = "bfs"\nsteps = "3"', "steps must be an integer"),
    "steps huge": (f'algorithm = "bfs"\nsteps = {HUGE}', "steps must be an integer"),
    "steps true": ('algorithm = "bfs"\nsteps = true', "steps must be an integer"),
    "depth list": ('algorithm = "bfs"\ndepth = [1]', "depth must be"),
    "rate NaN": ('algorithm = "bfs"\nlearning_rate = nan', "learning_rate must be a number"),
    "metrics": ('algorithm = "bfs"\nmetrics = [1]', "metrics must be a list of strings"),
    "metrics text": ('algorithm = "bfs"\nmetrics = ["score\\n"]', "without control characters"),
    "date": ('algorithm = "bfs"\nseed = 1979-05-27', "seed must be an integer"),
}
NO_MODEL = {
    "unknown": ('algorithm = "bsf"', "did you mean 'bfs'"),
    "a thousand million steps deep": ('algorithm = "bfs"\ndepth = 1000000000', "depth must be an integer from 1 to"),
    "no depth": ('algorithm = "bfs"\ndepth = 0', "depth must be"),
    "rule": ('algorithm = "bfs"\ndepth = "1000000*n"', "depth must be"),
    "wide": ('algorithm = "bfs"\nhidden = 100000000', "GB of memory"),
    "no width": ('algorithm = "bfs"\nhidden = 0', "hidden must be an integer of at least 1"),
    "seed": ('algorithm = "bfs"\nseed = -1', "seed must be"),
    "batch": ('algorithm = "bfs"\nbatch_size = 0', "batch_size must be"),
    "recipe": ('algorithm = "bfs"\nrecipe = "paper:warm_up=x"', "warm_up"),
    "module": ('algorithm = "bfs"\nprocessor = "os:system"', "standard library"),
    "n": ('algorithm = "bfs"\ndataset = "custom"\nn = 100000000', "needs n from"),
    "samples": ('algorithm = "bfs"\nsamples = 0', "samples must be"),
}
NO_FACTS = {
    "nothing": (None, "it has no metadata called 'narlab'"),
    "empty": ("", "Expecting value"),
    "list": ("[]", "it must be an object with step"),
    "null": ("null", "it must be an object with step"),
    "number": ("3", "it must be an object with step"),
    "deep": (DEEP[:10_000], "nested too deeply"),
    "no step": ("{}", "step is missing"),
    "step text": ('{"step": "5"}', "step must be an integer"),
    "step null": ('{"step": null}', "step must be an integer"),
    "step huge": (f'{{"step": {HUGE}}}', "an integer of 1329 bits"),
    "val": ('{"step": 2, "val": "high"}', "val must be"),
    "checksum": ('{"step": 2, "sha256": "abc"}', "its checksum is not that of its contents"),
    "checksum of a list": ('{"step": 2, "sha256": [1]}', "its checksum is not that of its contents"),
}
TABLE = {"name": "t", "title": "T", "rows": ["r"], "columns": ["c"], "cells": []}
PANEL = {"title": "p", "n": 2, "edges": [[0, 1]]}


def outcome(**values):
    return {"experiment": "e", "budget": "b", "tables": [], **values}


def with_table(**values):
    return outcome(tables=[{**TABLE, **values}])


def with_panel(**values):
    return outcome(drawings=[{"name": "d", "title": "D", "panels": [{**PANEL, **values}]}])


def with_curve(x, y):
    series = {"label": "l", "x": x, "y": y}
    return outcome(plots=[{"name": "p", "title": "P", "x_label": "x", "y_label": "y", "panels": {"a": [series]}}])


NO_OUTCOME = {
    "list": ([], "it must be an object with experiment"),
    "null": (None, "it must be an object with experiment"),
    "no budget": ({"experiment": "e", "tables": []}, "budget is missing"),
    "experiment": (outcome(experiment=1), "experiment must be a text"),
    "tables": (outcome(tables={}), "tables must be a list"),
    "table": (outcome(tables=[1]), "tables[0] must be an object"),
    "rows": (with_table(rows=[1]), "tables[0].rows[0] must be"),
    "title": (with_table(title="\x1b[1m"), "tables[0].title must be"),
    "cells": (with_table(cells=[{}]), "tables[0].cells[0].row is"),
    "other field": (with_table(x=1), "unknown field of tables[0] 'x'"),
    "many nodes": (with_panel(n=10**8), "drawings[0].panels[0].n must be an integer of at least 0, at most 2000"),
    "edges": (with_panel(n=1), "must join nodes from 0 to 0"),
    "groups": (with_panel(groups=[1]), "groups of 'p' must have one entry for each of its 2 nodes"),
    "curve": (with_curve([1], []), "x, y and spread of 'l' must have the same length"),
    "curve NaN": (with_curve([float("nan")], [1]), "x[0] must be a finite number"),
}
SCORE = {"score": {"higher_is_better": True, "is_share": True}}
RECORD = {
    "date": "d",
    "description": {},
    "metrics": {"score": {"higher_is_better": True, "is_share": True}},
    "score": 1,
}
NO_RECORD = {
    "list": ([], "it must be an object"),
    "number": (3, "it must be an object"),
    "null": (None, "it must be an object"),
    "no date": ({**RECORD, "date": 3}, "date must be a text"),
    "metrics list": ({**RECORD, "metrics": []}, "metrics must be an object"),
    "metrics": ({**RECORD, "metrics": {"score": 1}}, "metrics.score must be an object"),
    "no score": ({name: value for name, value in RECORD.items() if name != "score"}, "score is missing"),
    "score": ({**RECORD, "score": "high"}, "score must be a number"),
    "description": ({**RECORD, "description": 1}, "description must be an object"),
    "n": ({**RECORD, "n": "16"}, "n must be an integer"),
    "data": ({**RECORD, "data": "\x1b[31m"}, "data must be a text"),
    "deep": ({**RECORD, "more": json.loads("[" * 30 + "]" * 30)}, "at most 20 deep"),
}
NO_ROWS = {
    "list": ([], "it must be an object"),
    "number": ({"row": 3}, "row must be a list"),
    "numbers": ({"row": [3]}, "row[0] must be an object with folder"),
    "folder": ({"row": [{"folder": 3}]}, "row[0].folder must be a text"),
    "test": ({"row": [{"folder": "x", "test": "high"}]}, "row[0].test must be a number"),
    "other": ({"other": []}, "unknown row of the leaderboard 'row'"),
}
COMMANDS = {  # command lines that are refused, and what is said
    "train": "missing: ALGORITHM",
    f"train {LONG}": "unknown algorithm",
    "train bsf": "did you mean 'bfs'",
    "train bfs --steps x": "--steps must be an integer",
    "train bfs --steps 0": "steps must be an integer of at least 1",
    f"train bfs --steps {10**30}": "steps must be an integer",
    "train bfs --steps -5": "steps must be an integer of at least 1",
    "train bfs --hidden 0": "hidden must be an integer of at least 1",
    "train bfs --hidden 10000000": "GB of memory, and",
    "train bfs --batch-size 100000000": "GB of memory, and",
    "train bfs --batch-size 0": "batch_size must be",
    "train bfs --depth 0": "depth must be",
    "train bfs --pair-features potential": "unknown pair features 'potential'; did you mean 'potentials'?",
    "train bfs --pair-features areas,areas": "pair_features has 'areas' twice; name it once",
    "train bfs --pair-features=": "unknown pair features ''",
    "train bfs --depth 1000000000": "depth must be an integer from 1 to 100000",
    f"train bfs --depth {'9' * 5000}": "depth must be",
    "train bfs --depth 1000000*n": "depth must be",
    "train bfs --depth n/0": "depth must be",
    "train bfs --depth -1": "depth must be",
    "train bfs --dataset custom": "needs n",
    "train bfs --dataset custom --n 32000": "GB of memory",
    "train bfs --dataset custom --n 40000": "needs n from",
    "train bfs --dataset custom --n 8 --test-n 32767": "an evaluation of graphs of 32767 nodes needs at least 25.8 GB",
    "evaluate run --sizes 32767": "a graph of 32767 nodes with this model needs at least 25.8 GB of memory, and",
    "compare run bfs@triangle --sizes 32767": "a graph of 32767 nodes with this model needs at least",
    "train bfs --dataset custom --n 0": "needs n from",
    "train bfs --dataset custom --n 8 --graphs er:p=2": "p",
    f"train bfs --dataset custom --n 8 --graphs {LONG}": "unknown graph family",
    "train bfs --dataset custom --n 8 --graphs er\n": "graphs must be a text of at most 1000 characters",
    "train bfs --dataset l\tclrs": "without control characters",
    "train bfs --processor mpnn_g\x1b[31m": "without control characters",
    "train bfs --device meta": "unknown device 'meta'",
    "train bfs --device mps": "unknown device 'mps'",
    "train bfs --device xpu": "unknown device 'xpu'",
    "train bfs --device cpu:9": "unknown device 'cpu:9'",
    "train bfs --device cpu:0": "unknown device 'cpu:0'",
    f"train bfs --device {LONG}": "unknown device",
    "train bfs --threads 0": "threads must be",
    "train bfs --threads 100000": "threads must be an integer from 1 to",
    "train bfs --threads -1": "threads must be",
    "train bfs --seed -1": "seed must be",
    f"train bfs --seed {2**32}": "seed must be below 2**32",
    "train bfs --learning-rate nan": "learning_rate must be",
    "train bfs --learning-rate inf": "learning_rate must be",
    "train bfs --learning-rate 0": "learning_rate must be",
    "train bfs --clip -1": "clip must be",
    "train bfs --samples 0": "samples must be",
    "train bfs --samples 1000000000": "training samples, got samples=",
    "train bfs --seeds 1,-2": "seed must be an integer of at least 0, got -2",
    "train bfs --steps 1 --dataset custom --n 4 --warm-start nothing": "'nothing' is no run: it has no run.toml",
    "train bfs --steps 1 --dataset custom --n 4 --warm-start dfs@triangle": "do not fit this run's processor",
    "train bfs --steps 1 --dataset custom --n 4 --warm-start bfs@nothing": "unknown pretrained model",
    "train bfs --metrics ,": "metrics must hold",
    "train bfs --hint-names": "hint_names",
    "train bfs --hints encoded_decoded --hint-names": "hint_names must be one or more names",
    "train bfs --hints encoded_decoded --hint-names nothing": "unknown hint of bfs",
    "train bfs --recipe paper:": "key=value",
    "train bfs --recipe nothing": "unknown recipe",
    "train bfs --recipe paper:betas=1": "betas must be",
    "train bfs --out docs": "is not empty and holds no run",
    "train bfs --out file": "is not a folder",
    "train bfs --out file/run": "is not a folder",
    "train bfs --out /proc/run": "cannot write '/proc/run'",
    "train bfs --out /dev/null": "is not a folder",
    f"train bfs --out {LONG}": "File name too long",
    "train bfs --out x\udcff": "its name is no text in UTF-8; choose another",
    "train bfs --recipe paper:warm_up=1,warm_up=2": "is given twice",
    "train bfs --recipe paper:averaging=1": "averaging must be a number from 0 to below 1",
    "train bfs --report csv:x=1": "unknown option of csv 'x'",
    "train bfs --seeds 1-3": "--seeds must be integers",
    "train bfs --relations --no-relations": "exclude each other",
    "train --config nothing.toml": "there is no file 'nothing.toml'",
    "train --config docs": "can't be read as TOML",
    "train --config pipe": "is no ordinary file",
    f"train --config {LONG}": "File name too long",
    "train --resume docs": "is no run",
    f"train --resume {LONG}": "File name too long",
    "generate custom bfs --n 8 --out x.npz": "needs --n and --count",
    "generate custom bfs --n 8 --count -1 --out x.npz": "count must be an integer of at least 0",
    f"generate custom bfs --n 8 --count {10**20} --out x.npz": "count must be an integer of at least 0, below 2**63",
    f"generate custom bfs --n 8 --count {10**18} --out x.npz": "GB on the disk",
    "generate custom bfs --n 1 --count 1 --out x.npz": "needs n from",
    "generate custom bfs --n 8 --count 1 --out x.txt": "its name must end in",
    "generate custom bfs --n 8 --count 1 --out docs": "its name must end in",
    "generate custom bfs --n 8 --count 1 --out folder.npz": "it is a folder",
    "generate custom bfs --n 8 --count 1 --out pipe.npz": "it is no ordinary file",
    "generate custom bfs --n 8 --count 1 --out /proc/x.npz": "cannot write '/proc/x.npz'",
    "generate custom bfs --n 8 --count 1 --out file/x.npz": "is not a folder",
    f"generate custom bfs --n 8 --count 1 --out {LONG}.npz": "File name too long",
    "generate custom bellman_ford --n 8 --count 1 --weights -1,1 --out x.npz": "0 <= low < high",
    "generate custom bellman_ford --n 8 --count 1 --weights nan,1 --out x.npz": "0 <= low < high",
    "generate custom bellman_ford --n 8 --count 1 --weights 1 --out x.npz": "--weights must be two numbers",
    "generate custom bfs --n 8 --count 1 --seed -1 --out x.npz": "seed must be",
    "generate l_clrs bfs --out x.npz": "missing: --split",
    "generate l_clrs bfs --split all --out x.npz": "unknown split",
    f"generate {LONG} bfs --split test --out x.npz": "unknown data set",
    "bench data bfs --json /proc/x.json": "cannot write '/proc/x.json'",
    "bench data bfs --json docs": "its name must end in .json",
    f"bench data bfs --json {LONG}.json": "File name too long",
    "bench data bfs --sizes 100000000": "needs n from",
    "bench data bfs --sizes x": "--sizes must be integers",
    "bench data bfs --sizes ": "--sizes must be integers",
    "evaluate run --split ": "unknown split of 'custom' ''",
    "evaluate run --dataset clrs --split ": "unknown split of 'clrs' ''",
    "bench data bfs --repeats 0": "--repeats must be at least 1",
    "bench data ,": "is a list with commas",
    "bench train mpnn_g --json /proc/x.json": "cannot write '/proc/x.json'",
    "bench train mpnn_g --threads 100000": "--threads must be an integer from 1 to",
    "bench train mpnn_g --batch-size 100000000000": "--batch-size must be an integer from 1 to",
    "bench train mpnn_g --batch-size 100000000": "GB of memory",
    "bench train mpnn_g --n 100000000": "--n must be an integer from 1 to",
    "bench train mpnn_g --depth 1000000000": "--depth must be an integer from 1 to",
    "bench train mpnn_g --hidden 100000000": "--hidden must be an integer from 1 to",
    "evaluate minimum@triangle --dataset custom": "a custom data set is made by sizes and graphs",
    "evaluate run --dataset custom --sizes 8": "does not go with sizes and graphs",
    "evaluate run --dataset nothing": "unknown data set",
    "evaluate run --sizes x": "sizes are integers",
    "evaluate run --sizes ,": "sizes are integers",
    "evaluate run --sizes 0": "needs n from",
    "evaluate run --sizes 100000000": "needs n from",
    "evaluate run --sizes 8 --count 0": "count must be an integer of at least 1",
    f"evaluate run --sizes 8 --count {10**20}": "count must be an integer of at least 1, below 2**63",
    "evaluate run --sizes 8 --graphs nothing": "unknown graph family",
    "evaluate run --graphs ,": "graph family",
    "evaluate run --depths 1000000000": "depth must be",
    "evaluate run --depths ,": "--depths is a list with commas",
    "evaluate run --depths trajectory": "--depths are numbers or rules",
    "evaluate run --metrics ,": "--metrics is a list with commas",
    "evaluate run --metrics nothing": "unknown metric",
    "evaluate run --device cpu:9": "unknown device",
    "evaluate run --device meta": "unknown device",
    "evaluate run --seed -1": "seed must be",
    "evaluate run --json /proc/x.json": "cannot write '/proc/x.json'",
    "evaluate run --csv docs": "it is a folder",
    "evaluate run --plot x.txt": "its name must end in",
    "evaluate run --plot x.png --plot-width 0.001": "the width of a figure must be a number from 0.5 to 100",
    "evaluate run --plot x.png --plot-font-size nan": "the font size of a figure must be a number from 1 to 1000",
    "evaluate run --split nothing": "unknown split",
    f"evaluate {LONG}": "File name too long",
    "evaluate docs": "is no run",
    "evaluate nothing@triangle": "unknown pretrained model",
    f"evaluate run --sizes 8 --count {10**9}": "the random features of 1000000000 graphs of 8 nodes needs at least",
    "evaluate run --csv run/run.toml": "cannot write 'run/run.toml': it is a part of the run in 'run'",
    "evaluate run --json run/result.json": "it is a part of the run in 'run'",
    "evaluate run --csv x.csv --json ./x.csv": "--csv and --json are the same file, 'x.csv'; give two",
    "evaluate bfs@": "unknown pretrained model 'bfs@'",
    "evaluate run --depths 1e3": "depth must be an integer",
    "evaluate run --depths n**n": "depth must be an integer",
    "evaluate run --depths -3": "depth must be an integer",
    "evaluate run --depths 1,,2": "--depths is a list with commas",
    "evaluate run --graphs er:p=nan": "p must be a probability",
    "evaluate run --graphs regular:k=-1": "k must be an integer of at least 0",
    "evaluate run --dataset bridges_two_communities": "does not cover 'bfs'",
    "evaluate run --json /dev/full": "it is no ordinary file",
    "evaluate run --plot x.png --plot-font nothing": "unknown font 'nothing'",
    "compare": "needs two runs or more, got none",
    "compare run run": "needs two runs or more, got run, run",
    "compare run nothing": "'nothing' is no run",
    "compare run quicksort@triangle": "all models must be of bfs; quicksort@triangle is of quicksort",
    "compare run bfs@triangle --json run/metrics.jsonl": "it is a part of the run in 'run'",
    "compare run bfs@triangle --plot x.txt": "its name must end in",
    "export run --onnx x.txt": "its name must end in .onnx",
    "export run --onnx /proc/x.onnx": "cannot write '/proc/x.onnx'",
    "predict run --input nothing.json": "there is no file",
    "predict run --input docs": "its name must end in",
    "predict run --input pipe.npz": "is no ordinary file",
    f"predict run --input {LONG}.json": "File name too long",
    "predict run --input file.json": "bfs misses the input",
    "predict run --input file.json --out file.json": "is the input, which stays as it is",
    "predict run --input folder.json": "'folder.json' is no ordinary file",
    "predict run --input file.json --seed -1": "seed must be",
    "predict run --input file.json --out x.txt": "its name must end in",
    "show bfs --n 100000000": "--n must be at most 1000",
    "show bfs --n 0": "needs n from",
    "show bfs --n 1001": "--n must be at most 1000, got 1001",
    "show bfs --animation x.png": "its name must end in .gif or .html",
    "show bfs --seed -1": "seed must be",
    f"show {LONG}": "unknown algorithm",
    "show bfs --graphs x\x1b": "unknown graph family",
    "show quicksort --graphs er": "has no graph",
    "runs nothing": "there is no folder",
    "runs docs": "no runs below",
    f"runs {LONG}": "File name too long",
    "play --no-browser --n 0": "n must be an integer of at least 1, got 0",
    "play --no-browser --n 99999": "the page draws instances of up to 64 nodes",
    "play --no-browser --seed -1": "seed must be",
    "play --no-browser --graphs nothing": "unknown graph family",
    "play bfs --html x.html --count 1000000000": "--count must be an integer from 1 to 1000",
    "play run --no-browser --port 99999": "port 99999 can't be used",
    "play run bfs@triangle dfs --html x.html --input file.json": "misses the input",
    "sweep nothing.toml": "there is no file 'nothing.toml'",
    "sweep docs": "can't be read as TOML",
    "sweep one.toml --out file": "--out must be a folder: ",
    "sweep one.toml --out file/x": "--out must be a folder: ",
    "sweep one.toml --out /proc/x": "--out must be a folder: ",
    "sweep one.toml --out x\udcff": "--out must be a folder: its name is no text in UTF-8",
    "sweep one.toml --workers 0": "workers must be an integer from 1 to",
    "sweep one.toml --device meta": "unknown device",
    "sweep many.toml --dry-run": "'many.toml' stands for 10000000000 runs; at most 10000 are possible",
    "runs . --json pipe": "cannot write 'pipe': it is no ordinary file",
    "runs . --json run/result.json": "it is a part of the run in 'run'",
    "generate custom bfs --n 4 --count 1 --out run/best.safetensors": "it is a part of the run in 'run'",
    "generate custom bfs --n 4 --count 1 --out run/checkpoint.safetensors": "it is a part of the run in 'run'",
    "runs . --json docs": "cannot write 'docs': it is a folder",
    "report nothing": "there is no folder",
    "report": "missing: FOLDER",
    "report run --out docs": "its name must end in",
    "report run --out /proc/x.html": "cannot write '/proc/x.html'",
    "report run --algorithms bfs": "--algorithms is for",
    "report --leaderboard nothing": "there is no folder",
    "report --leaderboard docs": "no runs below 'docs'",
    "report --baselines run": "--baselines needs no folder",
    "report run docs": "a report is of one folder, got 2",
    "report docs": "no runs below 'docs'",
    "models nothing --pretrained": "unknown pretrained model",
    "models --algorithm nothing": "unknown algorithm",
    f"report {LONG}": "File name too long",
    "verify nothing": "no run's folder",
    f"verify {LONG}": "File name too long",
    "reproduce --out file": "--out must be a folder",
    "reproduce main --out file": "--out must be a folder",
    "reproduce main --out file/x": "--out must be a folder",
    "reproduce main --algorithms ,": "--algorithms is a list with commas and no empty parts",
    "reproduce main --seeds ,": "--seeds is a list",
    "reproduce main --seeds x": "--seeds must be integers",
    "reproduce failed --only ,": "--only is a list",
    "reproduce failed --only x": "--only needs settings",
    "reproduce main --threads 100000": "threads must be an integer from 1 to",
    "reproduce main --workers 100000": "workers must be an integer from 1 to",
    "reproduce main --workers 0": "workers must be",
    "reproduce main --device mps": "unknown device",
    "reproduce main --budget nothing": "unknown budget",
    f"reproduce {LONG}": "unknown experiment",
    "reproduce main --engine nothing": "unknown engine",
    "nothing": "unknown command",
    LONG: "unknown command",
    "train bfs --nothing": "unknown option",
    "train bfs --nothing\x1b[31m": "unknown option",
}


class Quiet(PlainLines):
    def __init__(self):
        super().__init__(write=lambda text: None)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A folder with a finished run, files, folders and pipes."""
    root = tmp_path_factory.mktemp("good")
    run = Run("bfs", dataset="custom", n=4, hidden=4, depth=2, steps=2, validate_every=1, test_every=2, samples=20)
    train(run, root / "run", threads=1, reporter=Quiet())
    for folder in ("docs", "folder.npz", "folder.json"):
        (root / folder).mkdir()
    (root / "docs" / "thesis.tex").write_text("precious")
    (root / "file").write_text("precious")
    many = [f"{name} = {[*range(1, 101)]}" for name in ("seed", "initial_seed", "steps", "hidden", "depth")]
    (root / "many.toml").write_text("\n".join(['algorithm = "bfs"', *many]))
    (root / "one.toml").write_text('algorithm = "bfs"')
    (root / "file.json").write_text("{}")
    return root


@pytest.fixture
def here(good, tmp_path, monkeypatch):
    """A copy of it, which is the current folder."""
    folder = shutil.copytree(good, tmp_path / "here")
    for name in ("pipe", "pipe.npz"):
        os.mkfifo(folder / name)
    monkeypatch.chdir(folder)
    return folder


def files_in(folder):
    return sorted(str(path) for path in Path(folder).rglob("*"))


def refused(words, said, capsys):
    """The command ends with 2 and one line that holds `said`."""
    with pytest.raises(SystemExit) as end:
        main(words)
    lines = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert len(lines) == 1
    assert lines[0].startswith("narlab: ")
    assert lines[0].isprintable()
    assert said in lines[0]


@pytest.fixture
def small_machine(monkeypatch):
    """A machine with 8 GB of memory, whatever this one has."""
    monkeypatch.setattr("narlab.common.machine.free_memory", lambda: 8 * 10**9)


@pytest.mark.usefixtures("small_machine")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(command)[:60])
def test_command_lines(here, capsys, command):
    before = files_in(here)
    refused(command.split(" "), COMMANDS[command], capsys)
    assert files_in(here) == before


def cases(table):
    return pytest.mark.parametrize(("content", "said"), table.values(), ids=table.keys())


def write(path, content):
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(text.encode(errors="surrogateescape"))


@cases(NO_RESULT)
def test_results(here, capsys, content, said):
    write(here / "run" / "result.json", content)
    refused(["train", "--resume", "run"], said, capsys)
    main(["runs", "."])
    assert "unreadable: 'run/result.json' can't be read: " in capsys.readouterr().out


@cases(NO_METRICS)
def test_metrics(here, capsys, content, said):
    write(here / "run" / "metrics.jsonl", content)
    (here / "run" / "result.json").unlink()
    refused(["train", "--resume", "run"], said, capsys)
    main(["runs", "."])
    assert "unreadable: 'run/metrics.jsonl' can't be read: " in capsys.readouterr().out


@cases(NO_RUN)
def test_runs(here, capsys, content, said):
    write(here / "run" / "run.toml", content)
    refused(["evaluate", "run"], said, capsys)
    main(["runs", "."])
    assert "unreadable: " in capsys.readouterr().out


@cases(NO_MODEL)
def test_models(here, capsys, content, said):
    write(here / "run" / "run.toml", content)
    refused(["evaluate", "run"], said, capsys)


@cases(NO_FACTS)
def test_facts_of_weights(here, content, said):
    path = here / "run" / "best.safetensors"
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (no mapping)
    save_file(tensors, path, metadata=None if content is None else {"narlab": content})
    with pytest.raises(UsageError) as error:
        load(here / "run")
    assert said in str(error.value)
    assert "best.safetensors" in str(error.value)


@pytest.mark.parametrize("content", ["", "[]", "3", "null", "[3]", '[{"threads": "x"}]', '[{"from_outside": 3}]', DEEP])
def test_where_a_run_was_trained_is_left_out(here, content):
    write(here / "run" / "environment.json", content)
    assert Folder(here / "run").sessions() == []
    load(here / "run")


@cases(NO_OUTCOME)
def test_outcomes(tmp_path, content, said):
    write(tmp_path / "outcome.json", content)
    with pytest.raises(UsageError, match=r"outcome\.json' can't be read") as error:
        outcomes.read(tmp_path)
    assert said in str(error.value)


@cases(NO_RECORD)
def test_evaluations(tmp_path, content, said):
    (tmp_path / "evaluations").mkdir()
    write(tmp_path / "evaluations" / "x.json", content)
    complaints = []
    assert records.kept(tmp_path, complaints.append) == []
    assert said in complaints[0]


@cases(NO_ROWS)
def test_leaderboards(tmp_path, content, said):
    write(tmp_path / "x.json", content)
    with pytest.raises(UsageError) as error:
        numbers_of("row", tmp_path / "x.md")
    assert said in str(error.value)


def changed(name, value):
    """An array with one other value at the end."""

    def change(arrays):
        arrays[name] = np.array(arrays[name], float)
        arrays[name].flat[-1] = value

    return change


NO_DATA = {  # changes of the arrays of bfs with 4 nodes
    "pointer beyond": (changed("outputs/pi", 4), "outputs/pi must point to nodes from 0 to 3"),
    "pointer below": (changed("outputs/pi", -1), "outputs/pi must point to nodes from 0 to 3"),
    "half a pointer": (changed("outputs/pi", 0.5), "outputs/pi must point to nodes from 0 to 3"),
    "NaN pointer": (changed("outputs/pi", np.nan), "outputs/pi must be finite"),
    "hint": (changed("hints/pi_h", 9), "hints/pi_h must point to nodes"),
    "mask": (changed("hints/reach_h", 3), "hints/reach_h must hold zeros and ones"),
    "NaN": (changed("inputs/pos", np.nan), "input 'pos' must be finite"),
    "infinity": (changed("inputs/A", np.inf), "input 'A' must be finite"),
    "weights": (changed("inputs/A", -1), "input 'A' must be 0 or 1"),
    "text": (lambda arrays: arrays.update({"inputs/pos": np.array([["a"] * 4] * 3)}), "inputs/pos must hold numbers"),
    "missing": (lambda arrays: arrays.pop("outputs/pi"), "the array outputs/pi is missing"),
    "no lengths": (lambda arrays: arrays.pop("lengths"), "the array lengths is missing"),
    "lengths": (changed("lengths", 1), "lengths must be integers"),
    "another": (lambda arrays: arrays.update({"x": np.zeros(1)}), "unknown array 'x'"),
    "shape": (lambda arrays: arrays.update({"outputs/pi": np.zeros((3, 5))}), "outputs/pi has shape [3, 5]"),
    "mark": (lambda arrays: arrays.update({"marks/x": np.full(3, np.nan)}), "marks/x must be finite"),
    "no description": (lambda arrays: arrays.pop("narlab"), "Expecting value"),
    "description": (lambda arrays: arrays.update(narlab=np.array("[]")), "description must be an object"),
    "unknown": (lambda arrays: arrays.update(narlab=np.array('{"dataset": 1}')), "is missing"),
    "deep": (lambda arrays: arrays.update(narlab=np.array(DEEP[:20_000])), "nested too deeply"),
}


@cases(NO_DATA)
def test_data(tmp_path, content, said):
    path = data.export(data.custom("bfs", n=4, count=3, hints=True), tmp_path / "x.npz")
    with np.load(path) as file:
        arrays = dict(file)
    content(arrays)
    np.savez(path, **arrays)
    with pytest.raises(UsageError, match="is no whole data set of narlab: ") as error:
        data.read(path)
    assert said in str(error.value)
    if "narlab" in arrays and all(array.dtype.kind != "U" for name, array in arrays.items() if name != "narlab"):
        text = str(arrays.pop("narlab"))
        save_arrays(arrays, tmp_path / "x.safetensors", metadata={"narlab": text})
        with pytest.raises(UsageError, match="is no whole data set of narlab: "):
            data.read(tmp_path / "x.safetensors")


def header(shape, descr="<f8"):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


NO_ARRAY = {
    "terabytes": (header("(1000000, 1000000)"), {}, "not those of [1000000, 1000000]"),
    "objects": (header("(1,)", "|O"), {}, "must hold numbers, got dtype object"),
    "no header": (b"x" * 100, {}, "magic"),
    "version": (b"\x93NUMPY\x09\x00" + b"x" * 100, {}, "NPY's version"),
    "header": (header("(1,"), {}, ""),
    "negative": (header("(-1,)"), {}, ""),
    "compressed": (header("(0,)"), {"compress_type": zipfile.ZIP_LZMA}, "compressed in another way"),
    "encrypted": (header("(0,)"), {"flag_bits": 1}, "encrypted"),
}


@pytest.mark.parametrize("what", NO_ARRAY)
def test_arrays(tmp_path, what):
    content, facts, said = NO_ARRAY[what]
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pos.npy", content, compress_type=facts.get("compress_type", zipfile.ZIP_STORED))
    if "flag_bits" in facts:
        whole = bytearray(path.read_bytes())
        whole[6] |= 1
        whole[whole.index(b"PK\x01\x02") + 8] |= 1
        path.write_bytes(whole)
    for ask in (read_inputs, data.read):
        with pytest.raises(UsageError) as error:
            ask(path)
        assert said in str(error.value)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn])
def test_arrays_of_dtypes_that_numpy_has_not(tmp_path, dtype):
    save_file({"key": torch.zeros(1, 3).to(dtype)}, tmp_path / "x.safetensors", metadata={"narlab": "{}"})
    for ask in (read_inputs, data.read):
        with pytest.raises(UsageError, match="the array 'key' must have one of the dtypes F64, "):
            ask(tmp_path / "x.safetensors")


def graph(*arcs, n=4):
    A = np.zeros((1, n, n))
    for u, v, weight in arcs:
        A[0, u, v] = weight
    return {"pos": [np.arange(n) / n], "A": A, "adj": ((A != 0) | np.eye(n, dtype=bool)).astype(int)}


SOURCE = {"s": [[1, 0, 0, 0]]}
ONE_WAY, NEGATIVE = graph((0, 1, 1)), graph((0, 1, -1), (1, 0, -1))
KEYS = {"pos": [[0, 0.5]], "key": [[0.1, 0.9]]}
NO_INPUTS = {  # algorithms, their inputs, and what is said
    "bfs -1": ("bfs", {**NEGATIVE, **SOURCE}, "must be 0 or 1, since edges have no weights here, got -1 from 0 to 1"),
    "bfs 2": ("bfs", {**graph((0, 1, 2), (1, 0, 2)), **SOURCE}, "must be 0 or 1"),
    "dfs": ("dfs", NEGATIVE, "must be 0 or 1"),
    "topological_sort": ("topological_sort", graph((0, 1, -1)), "must be 0 or 1"),
    "components": ("strongly_connected_components", NEGATIVE, "must be 0 or 1"),
    "articulation one way": ("articulation_points", ONE_WAY, "but sample 0 has 1 from 0 to 1 and 0 back"),
    "bridges one way": ("bridges", ONE_WAY, "must be symmetric"),
    "kruskal one way": ("mst_kruskal", ONE_WAY, "must be symmetric"),
    "prim one way": ("mst_prim", {**ONE_WAY, **SOURCE}, "must be symmetric"),
    "kruskal negative": ("mst_kruskal", NEGATIVE, "must not be negative, got -1.0 from 0 to 1 in sample 0"),
    "dijkstra": ("dijkstra", {**graph((2, 3, -0.5)), **SOURCE}, "must not be negative, got -0.5 from 2 to 3"),
    "bellman_ford cycle": ("bellman_ford", {**NEGATIVE, **SOURCE}, "must have no negative cycle"),
    "floyd_warshall cycle": ("floyd_warshall", NEGATIVE, "must have no negative cycle"),
    "dag with a cycle": ("dag_shortest_paths", {**NEGATIVE, **SOURCE}, "must be acyclic"),
    "activities": ("activity_selector", {"pos": [[0]], "s": [[0.9]], "f": [[0.3]]}, "got 0.9 > 0.3 at node 0"),
    "penalties": ("task_scheduling", {"d": [[1, 2]], "w": [[0.5, -0.25]]}, "got -0.25 at node 1 of instance 0"),
    "binary_search": ("binary_search", {**KEYS, "key": [[0.9, 0.1]], "target": [0.5]}, "must be ascending"),
    "text": ("minimum", {**KEYS, "key": [["a", "b"]]}, "must be an array of numbers"),
    "NaN": ("minimum", {**KEYS, "key": [[np.nan, 1]]}, "must be finite"),
    "ragged": ("minimum", {**KEYS, "key": [[1], [1, 2]]}, ""),
    "beyond single precision": ("minimum", {"key": [1e308, 0.5]}, "input 'key' must be at most 3.4e+38 in size"),
    "text alone": ("minimum", {"key": ["a", "b"]}, "input 'key' must be an array of numbers"),
    "ragged alone": ("minimum", {"key": [[1], [1, 2]]}, "input 'key' must be one array, got rows of"),
    "no nodes": ("minimum", {"key": []}, "from 1 to 32767 nodes are possible, got 0"),
    "edge far": ("bfs", {"s": 0, "edges": [[0, 99999]]}, "the nodes of 'edges' must be from 0 to 32766, got 99999"),
    "edge huge": ("bfs", {"s": 0, "edges": [[0, 10**6000]]}, "from 0 to 32766, got an integer of 19932 bits"),
    "weight NaN": ("bfs", {"s": 0, "edges": [[0, 1, np.nan]]}, "the weight of an edge must be finite"),
    "weight huge": ("dijkstra", {"s": 0, "edges": [[0, 1, 10**400]]}, "an edge is a pair"),
    "many nodes": ("bfs", {"s": 0, "n": 10**6000, "edges": [[0, 1]]}, "'n', the number of nodes, must be from 2"),
    "no list": ("minimum", [1], "must be a dict of arrays"),
    "source": ("bfs", {**graph((0, 1, 1), (1, 0, 1)), "s": [[1, 1, 0, 0]]}, "must be one-hot"),
    "adj": ("bfs", {**ONE_WAY, "adj": np.zeros((1, 4, 4)), **SOURCE}, "must be 1 where A is not zero"),
}


@pytest.mark.parametrize("weight", ["a", None, [1]])
def test_a_networkx_graph_whose_weights_are_no_numbers(weight):
    made = networkx.Graph([(0, 1, {"weight": weight})], s=0)
    with pytest.raises(UsageError, match="an edge is a pair"):
        as_dataset("dijkstra", made)


def test_half_precision_is_read_without_a_warning():
    as_dataset("minimum", {"key": np.array([0.5, 1], np.float16)})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: train("bfs"), r"what is trained is a run such as narlab.Run\('bfs'\), got 'bfs'"),
        (lambda: train(Run("bfs"), device=None), "unknown device None"),
        (lambda: pretrained.pretrained("bfs@"), "unknown pretrained model 'bfs@'"),
    ],
)
def test_calls(call, said):
    with pytest.raises(UsageError, match=said):
        call()


@pytest.mark.parametrize("what", NO_INPUTS)
def test_inputs(what):
    name, inputs, said = NO_INPUTS[what]
    algorithm = algorithms.get(name)
    with pytest.raises(UsageError) as error:
        as_dataset(algorithm, inputs)
    assert said in str(error.value)
    with pytest.raises(UsageError):
        algorithm.execute(inputs)


def test_there_are_many_cases():
    tables = (NO_RESULT, NO_METRICS, NO_RUN, NO_MODEL, NO_FACTS, NO_OUTCOME, NO_RECORD, NO_ROWS)
    more = (COMMANDS, NO_DATA, NO_ARRAY, NO_INPUTS)
    assert sum(map(len, (*tables, *more))) >= 300


def test_values_show_as_they_are_in_a_list_of_runs(here, capsys):
    path = here / "run" / "run.toml"
    path.write_text(path.read_text().replace('"mpnn_g"', '"[/bold][red]x"'))
    (here / "run").rename(here / "esc\x1b[31mape")
    main(["runs", "."])
    out = capsys.readouterr().out
    assert "[/bold][red]x" in out
    assert r"esc\x1b[31mape" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("folder", ["esc\x1b[31mape", "not\udcffutf"], ids=ascii)
def test_folders_of_any_name_steer_no_terminal_and_break_no_page(here, capsys, folder):
    (here / "run").rename(here / folder)
    main(["report", "."])
    main(["train", "--resume", folder])
    main(["runs", ".", "--json", "x.json"])
    with suppress(SystemExit):
        main(["verify", folder])
    with suppress(SystemExit):
        main(["report", "--leaderboard", folder, "--out", f"{folder}.md", "--algorithms", "minimum"])
    out, err = capsys.readouterr()
    assert (out + err).replace("\n", "").isprintable()
    assert (here / "report.html").exists()


def test_a_damaged_model_is_not_played_with(here, capsys):
    content = bytearray((here / "run" / "best.safetensors").read_bytes())
    content[-1] ^= 1
    (here / "run" / "best.safetensors").write_bytes(content)
    for more in ([], ["--html", "x.html"]):
        refused(["play", "run", "--no-browser", *more], "its checksum is not that of its contents", capsys)


@pytest.mark.parametrize("text", ["er\n", 'er"', "er\\", "é", "a\x7fb"])
def test_what_is_written_is_read_back(tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(Run("bfs", graphs=text).to_toml())
    try:
        assert Run.from_toml(path).graphs == text
    except UsageError as error:
        assert not text.isprintable(), error  # noqa: PT017
