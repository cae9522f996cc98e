# Two commands set everything up on a machine with Python 3.11: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALLED := .venv/.installed
SINCE = $$(( $$(date +%s) - $$start ))

.PHONY: demo test lint oracle golden slow format clean

demo: $(INSTALLED)  ## the main job: data of a task, and a picture of one instance
	@start=$$(date +%s) && mkdir -p demo \
	&& echo "== L-CLRS for BFS: 100,000 training samples" \
	&& $(BIN)/narlab generate l_clrs bfs --split train --out demo/l_clrs_bfs_train.safetensors \
	&& echo "== one instance, step by step and as a picture" \
	&& $(BIN)/narlab show bfs --png demo/bfs.png \
	&& echo "== done in $(SINCE) s; look at demo/bfs.png"

test: $(INSTALLED) lint  ## lint, types and all tests but the slow ones
	@start=$$(date +%s) && echo "== tests" \
	&& $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow and not oracle" && echo "== tests took $(SINCE) s"

lint: $(INSTALLED)
	@start=$$(date +%s) && echo "== ruff and mypy" && $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy \
	&& echo "== ruff and mypy took $(SINCE) s"

oracle: $(INSTALLED)  ## randomised comparison with dm-clrs, which this installs (several GB)
	@start=$$(date +%s) && echo "== installing dm-clrs" && $(PIP) --editable '.[dev,oracle]' \
	&& $(BIN)/python -m pytest -m oracle && echo "== comparison with dm-clrs took $(SINCE) s"

golden: $(INSTALLED)  ## makes the golden arrays of tests/algorithms/golden anew, with dm-clrs
	@$(PIP) --editable '.[dev,oracle]' && $(BIN)/python tests/algorithms/make_golden.py

slow: $(INSTALLED)
	@$(BIN)/python -m pytest -m slow

format: $(INSTALLED)
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean:
	rm -rf .venv demo build
	find src tests -name __pycache__ -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@start=$$(date +%s) && echo "== installing into .venv" \
	&& { test -x $(BIN)/python || $(PYTHON) -m venv .venv; } && $(PIP) --editable '.[dev]' && touch $@ \
	&& echo "== installation took $(SINCE) s"
