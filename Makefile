# Thin front of CMake presets, pip and npm. Each target installs what it lacks.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)

help:
	@echo "make demo    build, then write demo/report.html from the bike example"
	@echo "make pictures  the README's pictures of the demo's page, anew"
	@echo "make docs    the documentation as a website: site/index.html"
	@echo "make gallery the pictures of docs/gallery.md, anew"
	@echo "make test    build and run every test"
	@echo "make build   native CLI in build/release/sightglass, Python package in .venv"
	@echo "make bench   measure; writes bench/results/latest.json"
	@echo "make golden  make the oracle files anew (downloads their tools into .venv-golden)"
	@echo "make lint    formatting, static checks"
	@echo "make fuzz    fuzz the readers (SECONDS_EACH=600)"

build/release/build.ninja: CMakeLists.txt CMakePresets.json
	@tools/install_packages.sh build
	@cmake --preset release -DSIGHTGLASS_TESTS=OFF > build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log

cli: build/release/build.ninja
	@cmake --build build/release -j $(JOBS) --target sightglass_cli

demo: cli
	@tools/demo.sh

pictures:
	@tools/pictures.sh

docs:
	@tools/docs.sh

gallery:
	@tools/gallery.sh

build: cli
	@tools/python_env.sh

test:
	@tools/test.sh

bench:
	@tools/bench.sh

golden:
	@tools/golden.sh

lint:
	@tools/lint.sh

fuzz:
	@tools/fuzz.sh

clean:
	rm -rf build demo .venv .venv-golden .bench-venv .deps web/node_modules web/dist tests/browser/node_modules docs/site/node_modules site .venv-docs

.PHONY: help cli demo pictures docs gallery build test bench golden lint fuzz clean
