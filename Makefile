# Two commands set everything up on a machine with Python 3.11: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALLED := .venv/.installed
SINCE = $$(( $$(date +%s) - $$start ))

.PHONY: demo test lint oracle golden slow torture format clean
SIZE ?= 1
SEED ?= 0

demo: $(INSTALLED)  ## the main job: train BFS for a short while, test it on larger graphs, draw a prediction
	@start=$$(date +%s) && mkdir -p demo \
	&& echo "== training BFS on graphs of 16 nodes: 300 steps, about two minutes" \
	&& $(BIN)/narlab train bfs --steps 300 --test-every 300 --out demo/bfs \
	&& echo "== how it does on larger graphs" \
	&& $(BIN)/narlab evaluate demo/bfs --sizes 16,32,64 --count 50 --plot demo/sizes.png \
	&& echo "== one graph of 64 nodes: prediction against truth" \
	&& $(BIN)/narlab generate custom bfs --n 64 --count 1 --graphs er:p=0.3 --out demo/graph.npz \
	&& $(BIN)/narlab predict demo/bfs --input demo/graph.npz --out demo/prediction.json --png demo/prediction.png \
	&& echo "== done in $(SINCE) s; look at demo/sizes.png and demo/prediction.png"

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

slow: $(INSTALLED)  ## tests that take minutes: a trained model's quality, a Ray cluster, memory, torch.compile
	@start=$$(date +%s) && echo "== installing Ray" && $(PIP) --editable '.[dev,cluster]' \
	&& $(BIN)/python -m pytest -m slow && echo "== slow tests took $(SINCE) s"

torture: $(INSTALLED)  ## kills, signals, full disks, lost nodes: about 20 minutes; SIZE=0.1 for a tenth, SEED for other moments
	@start=$$(date +%s) && echo "== installing Ray" && $(PIP) --editable '.[dev,cluster]' \
	&& $(BIN)/python tests/torture --size $(SIZE) --seed $(SEED) && echo "== torture took $(SINCE) s"

format: $(INSTALLED)
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean:
	rm -rf .venv demo build
	find src tests -name __pycache__ -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@start=$$(date +%s) && echo "== installing into .venv" \
	&& { test -x $(BIN)/python || $(PYTHON) -m venv .venv; } && $(PIP) --editable '.[dev]' && touch $@ \
	&& echo "== installation took $(SINCE) s"
