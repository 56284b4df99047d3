# Every target makes what it needs: a machine with Python and make is enough.

PYTHON ?= python3
ARGS ?=
SECONDS ?= 60

BIN := .venv/bin
READY := .venv/.ready
PEERS_BIN := .venv-peers/bin
PEERS_READY := .venv-peers/.ready

SITE_BIN := .venv-site/bin
SITE_READY := .venv-site/.ready

PROJECT := --editable '.[examples,dev]'
NATIVE := --editable '.[native]'
WITHOUT := "the extra 'native' cannot be installed: its tests are skipped, and its columns empty"
PEERS := torch==2.13.0 jax jaxlib autograd tensorflow-cpu pytensor casadi asdex onnxscript \
	'dask[array,dataframe,distributed]' pyarrow xarray zarr
PIP_INSTALL := -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help check format test site soak demo bench bench-each bench-scale bench-loops bench-calls bench-ops bench-science bench-distributed bench-onnx release-check dist size docs pictures peers clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: $(READY)  ## Check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)  ## Format the code and mend what ruff can mend
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

# Two workers on two cores: threads of BLAS beside them would wait for each other.
test: $(READY)  ## Run the tests; ARGS="-k tape" picks some
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(ARGS)

soak: $(READY)  ## Run the long tests, which make test leaves out: minutes; SECONDS=600 of random machine code
	SOAK_SECONDS=$(SECONDS) $(BIN)/python -m pytest tests/soak/*.py $(ARGS)
	$(if $(wildcard $(PEERS_READY)),$(PEERS_BIN)/python -m pytest tests/soak/soak_fuzz.py $(ARGS))

demo: $(READY)  ## Train one model in both modes
	$(BIN)/python examples/two_ways.py

# Beside the peers where they are installed, and with the kernels OpenBLAS would choose by itself.
MEASURE = env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE \
	$(if $(wildcard $(PEERS_READY)),$(PEERS_BIN),$(BIN))/python

bench: $(READY)  ## Measure all workloads, beside the peers after `make peers`; ARGS="--help" lists options
	$(MEASURE) -m benchmarks $(ARGS)

bench-each: $(READY)  ## Run the benchmarks one by one under pytest-benchmark
	$(MEASURE) -m pytest benchmarks $(ARGS)

bench-scale: $(READY)  ## Print how costs grow, what imports take, what noting lines costs
	$(MEASURE) -m benchmarks.scale
	$(MEASURE) -m benchmarks.diagnosis

bench-loops: $(READY)  ## Print what loops and branches cost above what is in them
	$(MEASURE) -m benchmarks.loops

bench-calls: $(READY)  ## Print what a call of sg.function costs above its compiled code
	$(MEASURE) -m benchmarks.calls

bench-ops: $(READY)  ## Print the time of every op beside a NumPy expression
	$(MEASURE) -m benchmarks.ops

bench-science: $(READY)  ## Print the times of sparse derivatives, solutions by products, and fits of differential equations
	$(MEASURE) -m benchmarks.sparse
	$(MEASURE) -m benchmarks.krylov
	$(MEASURE) -m benchmarks.equations

bench-distributed: $(READY)  ## Print what steps over blocks cost on Dask and on MPI, and their efficiency
	OPENBLAS_NUM_THREADS=1 $(MEASURE) -m benchmarks.distributed

release-check:  ## Build twice; try the wheel in clean environments, at oldest and newest versions; ARGS=tests runs the tests there
	PYTHON=$(PYTHON) .ci/release $(ARGS)

dist: $(READY)  ## Build the wheel and the sdist, with the time of the last commit
	@$(BIN)/python $(PIP_INSTALL) build
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build

bench-onnx: $(READY)  ## Print the times of ONNX models that come in, beside ONNX Runtime
	$(MEASURE) -m benchmarks.onnx_models

size:  ## Count code lines per module, and list the longest functions
	@$(PYTHON) .ci/size.py

docs: $(READY)  ## Write the pages that are made of tables, scripts and helps
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_array_api.py
	$(BIN)/python docs/make_passes.py
	$(BIN)/python docs/make_contrasts.py
	$(BIN)/python docs/make_science.py
	$(BIN)/python docs/make_command_line.py
	$(BIN)/python docs/make_gallery.py

site: $(SITE_READY)  ## Build the site into build/site, and check its links: minutes
	$(SITE_BIN)/sphinx-build --quiet --fail-on-warning --keep-going --jobs 2 docs build/site
	$(SITE_BIN)/python docs/check_links.py build/site

pictures: $(READY)  ## Take the pictures of pages in Chromium; draw those of time, memory, science and the gallery
	@$(BIN)/python $(PIP_INSTALL) matplotlib
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_timelines.py
	$(BIN)/python docs/make_science.py pictures
	$(BIN)/python docs/make_gallery.py pictures

peers: $(PEERS_READY)  ## Make .venv-peers, with torch, JAX, autograd, TensorFlow, PyTensor and CasADi

clean:  ## Remove caches and build outputs; the environments stay
	rm -rf build dist docs/reference/names docs/reference/ops .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name '.venv*' -prune -o -name __pycache__ -type d -exec rm -rf {} +

$(READY): pyproject.toml
	@echo "setting up .venv"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP_INSTALL) $(PROJECT)
	@$(BIN)/python $(PIP_INSTALL) $(NATIVE) || echo $(WITHOUT)
	@touch $@

$(SITE_READY): pyproject.toml
	@echo "setting up .venv-site"
	@$(PYTHON) -m venv .venv-site
	@$(SITE_BIN)/python $(PIP_INSTALL) --editable '.[site]'
	@$(SITE_BIN)/python $(PIP_INSTALL) $(NATIVE) || echo $(WITHOUT)
	@touch $@

$(PEERS_READY): pyproject.toml
	@echo "setting up .venv-peers"
	@$(PYTHON) -m venv .venv-peers
	@$(PEERS_BIN)/python $(PIP_INSTALL) $(PROJECT) $(PEERS)
	@$(PEERS_BIN)/python $(PIP_INSTALL) $(NATIVE) || echo $(WITHOUT)
	@touch $@
