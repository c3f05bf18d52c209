# make run    start benchdash here: packages, database, samples, web server and workers
# make test   lint, types, migrations, then the tests on SQLite and, if available, on PostgreSQL
# make fuzz   read mutated captures (N=1000000 SEED=1); exit status 1 if a text raises or is slower than 1 MB/s
# make truth  measure the error rates of verdicts on simulated runs; exit status 1 if a promise of docs/verdicts.md is broken
# make lab    plant bottlenecks on this machine, record them with bd, and count how often their cause is found; needs root
# make faults test failing and frozen servers and full disks, on servers of its own; some minutes
PYTHON ?= python3
BIN := .venv/bin
# Each process has its own database. Two processes for each core run the tests on SQLite, as many of them wait for servers,
# browsers and loads.
PARALLEL := --maxprocesses 8 --dist worksteal --numprocesses
CORES := $(shell getconf _NPROCESSORS_ONLN)
# The tests start hundreds of processes, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# Modules of packages are compiled when they are imported, since most never are.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes

.PHONY: run test compiled test-sqlite test-postgresql lint lock format bench bench-quick fuzz fuzz-web truth lab faults structure pictures clean

run: .venv/.run
	@exec $(BIN)/python manage.py serve

# Both passes and lint in parallel. The output of the second pass is shown at the end.
test: .venv/.dev
	@said=$$(mktemp) && { $(MAKE) --no-print-directory --jobs=3 --keep-going lint test-sqlite test-postgresql SAID=$$said; \
	  status=$$?; cat $$said; rm $$said; exit $$status; }

# Compiled once, as each process of the passes would compile all tests.
compiled: .venv/.dev
	@said=$$($(BIN)/python -m pytest --collect-only -qq 2>&1) || { echo "$$said"; exit 1; }

test-sqlite: compiled
	@$(BIN)/python -m pytest $(PARALLEL) $(shell echo $$(( $(CORES) * 2 )))

test-postgresql: compiled
	@url=$$($(BIN)/python -m benchdash.tests.services) && { [ -z "$$url" ] || \
	  TEST_DATABASE_URL=$$url $(BIN)/python -m pytest $(PARALLEL) $(CORES) -m "not once" runs benchdash $(if $(SAID),>$(SAID) 2>&1); }

lint: .venv/.dev
	@$(BIN)/python -W error manage.py makemigrations --check --dry-run
	@$(BIN)/python -m benchdash.tests.audit
	@$(BIN)/python -m ruff check --quiet .
	@$(BIN)/python -m ruff format --quiet --check .
	@$(BIN)/python -m mypy

# Update the hashes of all files of the pinned packages.
lock: .venv/.dev
	@$(PYTHON) -m venv .venv/lock && .venv/lock/bin/pip install --quiet hashin==1.0.5
	@for file in requirements.txt requirements-dev.txt; do .venv/lock/bin/hashin -r $$file $$(grep -oE '^[^ ]+==[^ ]+' $$file) || exit; done

format: .venv/.dev
	@$(BIN)/python -m ruff check --quiet --fix .
	@$(BIN)/python -m ruff format --quiet .

bench: .venv/.dev
	@$(BIN)/python -m benchmarks $(PARTS)

bench-quick: .venv/.dev
	@$(BIN)/python -m benchmarks --quick $(PARTS)

fuzz: .venv/.dev
	@$(BIN)/python -m runs.tests.fuzz $(if $(N),--n $(N)) $(if $(SEED),--seed $(SEED)) $(if $(FIRST),--first $(FIRST)) $(if $(JOBS),--jobs $(JOBS))

# Half of the requests go to the site, half to the API; on PostgreSQL with TEST_DATABASE_URL.
fuzz-web: .venv/.dev
	@HOSTILE_REQUESTS=$${HOSTILE_REQUESTS:-5000} $(BIN)/python -m pytest benchdash/tests/test_hostile_requests.py

truth: .venv/.dev
	@$(BIN)/python -m benchmarks.truth

# N recordings per kind (8), in LAB_DIR (/tmp/lab); existing recordings are kept.
lab: .venv/.dev
	@$(BIN)/python -m benchmarks.lab record $(if $(N),--n $(N))
	@$(BIN)/python -m benchmarks.lab judge $(if $(N),--n $(N))

faults: .venv/.dev
	@$(BIN)/python -m pytest benchdash/tests/faults.py

structure: .venv/.dev
	@$(BIN)/python -m benchdash.tests.structure $(if $(ALL),--all)

pictures: .venv/.dev
	@$(BIN)/python docs/pictures.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis

# Packages are installed when the list changes, not at each start.
.venv/.run: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("benchdash needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing packages (only when requirements.txt has changed) ..."
	@$(BIN)/python $(INSTALL) -r requirements.txt
	@touch $@

.venv/.dev: .venv/.run requirements-dev.txt
	@$(BIN)/python $(INSTALL) -r requirements-dev.txt
	@touch $@
