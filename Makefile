# Two commands set everything up on a machine with Python 3.11: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALLED := .venv/.installed
APT = $$(test "$$(id -u)" = 0 || echo sudo) apt-get
SINCE = $$(( $$(date +%s) - $$start ))

.PHONY: demo test quick page-test lint docs oracle interop golden slow fuzz torture wheel-test format clean
SIZE ?= 1
SEED ?= 0
unexport PYTHONDONTWRITEBYTECODE  # tests start many processes, and each would compile every module again

demo: $(INSTALLED)  ## the main job: ask a model that comes with narlab, then train one, test it on larger graphs, draw a prediction
	@start=$$(date +%s) && mkdir -p demo \
	&& echo "== a model that comes with narlab: depth-first search on graphs of 16 and 32 nodes" \
	&& $(BIN)/narlab evaluate dfs@triangle --sizes 16,32 --count 20 \
	&& $(BIN)/narlab show dfs --n 16 --json demo/mine.json > demo/dfs.txt \
	&& $(BIN)/narlab predict dfs@triangle --input demo/mine.json --out demo/answer.json --png demo/answer.png \
	&& echo "== an answer after $(SINCE) s: demo/answer.json, demo/answer.png; edit demo/mine.json and ask again" \
	&& echo "== training BFS on graphs of 16 nodes: 300 steps, about two minutes" \
	&& $(BIN)/narlab train bfs --steps 300 --test-every 300 --out demo/bfs \
	&& echo "== how it does on larger graphs" \
	&& $(BIN)/narlab evaluate demo/bfs --sizes 16,32,64 --count 50 --plot demo/sizes.png \
	&& echo "== one graph of 64 nodes: prediction against truth" \
	&& $(BIN)/narlab generate custom bfs --n 64 --count 1 --graphs er:p=0.3 --out demo/graph.npz \
	&& $(BIN)/narlab predict demo/bfs --input demo/graph.npz --out demo/prediction.json --png demo/prediction.png \
	&& echo "== done in $(SINCE) s; look at demo/answer.png, demo/sizes.png and demo/prediction.png"

test: $(INSTALLED)  ## lint, types and all tests but the slow ones
	@$(MAKE) --no-print-directory -j 2 lint quick

quick: $(INSTALLED)
	@start=$$(date +%s) && echo "== tests" \
	&& $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder -m "not slow and not oracle and not page and not fuzz" \
	&& echo "== tests took $(SINCE) s"

page-test: $(INSTALLED)  ## the pages of `narlab play` and `narlab report` in Chromium, which this installs if it is missing (Debian)
	@start=$$(date +%s) && echo "== installing Playwright and Chromium" && $(PIP) --editable '.[dev,page]' \
	&& { command -v chromium >/dev/null || { $(APT) update -qq && $(APT) install -y -qq --no-install-recommends chromium >/dev/null; }; } \
	&& $(BIN)/python -m pytest -m page tests/play tests/report && echo "== tests of the pages took $(SINCE) s"

lint: $(INSTALLED)
	@start=$$(date +%s) && echo "== ruff and mypy" && $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy \
	&& echo "== ruff and mypy took $(SINCE) s"

docs: $(INSTALLED)  ## the site, into build/site; a warning is an error
	@start=$$(date +%s) && echo "== building the site" && $(PIP) --editable '.[dev,docs]' \
	&& NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "== open build/site/index.html; the site took $(SINCE) s"

oracle: $(INSTALLED)  ## randomised comparison with dm-clrs, which this installs (several GB)
	@start=$$(date +%s) && echo "== installing dm-clrs" && $(PIP) --editable '.[dev,oracle]' \
	&& $(BIN)/python -m pytest -m oracle && echo "== comparison with dm-clrs took $(SINCE) s"

interop: $(INSTALLED)  ## what needs PyTorch Geometric, Hugging Face's datasets, TensorBoard or W&B, which this installs
	@start=$$(date +%s) && echo "== installing them" && $(PIP) --editable '.[dev,interop-test]' \
	&& $(BIN)/python -m pytest tests/interop tests/training/test_reporters.py -m "not slow and not oracle" \
	&& echo "== tests of other libraries took $(SINCE) s"

golden: $(INSTALLED)  ## makes the golden arrays of tests/algorithms/golden anew, with dm-clrs
	@$(PIP) --editable '.[dev,oracle]' && $(BIN)/python tests/algorithms/make_golden.py

slow: $(INSTALLED)  ## tests that take minutes: a trained model's quality, a Ray cluster, memory, the site, the wheel
	@start=$$(date +%s) && echo "== installing Ray and MkDocs" && $(PIP) --editable '.[dev,cluster,docs]' \
	&& $(BIN)/python -m pytest -m slow && echo "== slow tests took $(SINCE) s"

wheel-test: $(INSTALLED)  ## builds sdist and wheel and tests the wheel in a fresh environment, away from the checkout
	@start=$$(date +%s) && $(BIN)/python -m pytest -m slow tests/test_distribution.py && echo "== the wheel took $(SINCE) s"

fuzz: $(INSTALLED)  ## every kind of file that is read, changed at random 10,000 times: about three minutes
	@start=$$(date +%s) && $(BIN)/python -m pytest -n 2 -s -m fuzz tests/fuzz && echo "== fuzzing took $(SINCE) s"

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
