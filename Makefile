# Names for the commands of dev.py, which holds all logic (and runs where there is no make).
#   make test BLENDER=4.2            one Blender, or several: BLENDER=5.0,4.2
#   make bench ARGS="hang --n 100"   what follows goes to the command

PYTHON ?= $(shell command -v python3 || command -v python)
DEV := $(PYTHON) dev.py
WITH_BLENDER := $(if $(BLENDER),--blender $(BLENDER))

.DEFAULT_GOAL := help
.PHONY: help demo demo-files test lint style typecheck test-quick test-core test-blender format library wheels zips truth \
	bench benchmarks same-bits bounds docs manual setup doctor debian-packages hooks clean

help:
	@$(DEV) help

demo demo-files test test-blender zips setup doctor:
	@$(DEV) $@ $(WITH_BLENDER) $(ARGS)

lint style typecheck test-quick test-core format library wheels truth bench benchmarks same-bits bounds docs manual debian-packages hooks clean:
	@$(DEV) $@ $(ARGS)
