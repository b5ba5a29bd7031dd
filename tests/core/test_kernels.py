"""Compiled kernels: the same bits from the compiler as from the disk."""

import os
import subprocess
import sys

import pytest

from verlet_physics import jit
from verlet_physics.jit import inline

pytestmark = pytest.mark.skipif(not jit.compiled, reason="needs Numba")

COMPILED_HERE = """
from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance, jit
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.plant import add_plant
from verlet_physics.settings import PlantSettings

builder = ModelBuilder()
stem_and_leaf = [(9, 0, 0), (9, 0, 1), (9, 0.2, 2), (9, 0.1, 2), (9, 1, 2), (9, 1, 3)]
plant = Geometry.of("plant", stem_and_leaf, [(0, 1), (1, 2)], (0, 3), (3, 4, 5))
add_plant(builder, plant, PlantSettings())
model = builder.finalize()
state = model.initial_state()
for _ in range(24):
    state, _ = advance(model, state, FrameInputs(), SolverSettings())
modules = [
    overload.library._final_module
    for kernel in jit._kernels
    if kernel._serial is not None
    for overload in kernel._serial.overloads.values()
]
functions = [f for module in modules for f in module.functions if not f.is_declaration]
shared = [f.name for f in functions if f.linkage.name not in ("external", "internal")]
print(jit.compile_count() > 0, state.position.tobytes().hex(), *shared)
"""


def test_a_process_that_compiles_gives_the_bits_of_one_that_loads(tmp_path):
    """Copies of a function in several kernels need not round alike: none may stand for another."""
    environment = {**os.environ, "VERLET_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", COMPILED_HERE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    )
    assert (first[0], second[0]) == ("True", "False")
    assert first[1] == second[1]
    assert not first[2:]


@inline
def _twice(value):
    return 2.0 * value


def test_python_runs_inline_functions_as_python():
    assert _twice(1.5) == 3.0
    assert _twice.__name__ == "_twice"
