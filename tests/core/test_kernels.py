"""Compiled kernels: the same bits from the compiler as from the disk, and no wrong types."""

import inspect
import os
import re
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest

from verlet_physics import advance
from verlet_physics.kernels import jit
from verlet_physics.kernels.jit import allocating_kernel, inline, kernel, lean_inline
from verlet_physics.truth.random_scenes import random_scene

pytestmark = pytest.mark.numba

COMPILED_HERE = """
from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.kernels import jit
from verlet_physics.golden.hashes import scene_hashes
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
one_thread, two_threads = scene_hashes("shapes-particles")
modules = [
    overload.library._final_module
    for kernel in jit._kernels
    for twin in (kernel._serial, kernel._parallel)
    if twin is not None
    for overload in twin.overloads.values()
]
functions = [f for module in modules for f in module.functions if not f.is_declaration]
shared = [f.name for f in functions if f.linkage.name not in ("external", "internal")]
bits = [state.position.tobytes().hex(), one_thread, two_threads]
print(jit.compile_count() > 0, *bits, *shared)
"""


def test_a_process_that_compiles_gives_the_bits_of_one_that_loads(tmp_path):
    """And no function of a kernel may stand for another's."""
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
    assert first[1:4] == second[1:4]
    assert first[2] == first[3]  # twins for one thread and for two
    assert not first[4:]


@inline
def _twice(value):
    return 2.0 * value


@kernel
def _products_and_sums(a, b, c, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * b[i] + c[i]


def test_a_product_is_rounded_before_a_sum():
    """One instruction for both would round once, on processors that have it."""
    tiny = 2.0**-30  # (1 + tiny)(1 - tiny) lies by 2⁻⁶⁰ below 1, which it is rounded to
    out = np.ones(9)
    _products_and_sums(np.full(9, 1.0 + tiny), np.full(9, 1.0 - tiny), np.full(9, -1.0), out)
    assert not out.any()


@kernel
def _add_up(values, total):
    for i in range(values.shape[0]):
        total[0] += _twice(values[i])


def test_arrays_of_other_types_are_never_taken_for_the_first_ones():
    total = np.zeros(1)
    _add_up(np.arange(4.0), total)
    assert total[0] == 12.0
    assert _add_up._code is not None  # from now on without Numba's look at the arguments
    grid = np.arange(8.0).reshape(4, 2)
    for values, doubled in (
        (np.arange(5.0), 20.0),
        (np.arange(4), 12.0),  # integers of the same size
        (np.arange(4.0, dtype=np.float32), 12.0),
        (grid[:, 0], 24.0),  # not contiguous
        (np.arange(5.0)[::-1], 20.0),
    ):
        total[0] = 0.0
        _add_up(values, total)
        assert total[0] == doubled
    with pytest.raises(Exception, match="array"):
        _add_up(grid, total)  # rows are no numbers
    with pytest.raises(TypeError, match="expected 2, got 1"):
        _add_up(np.arange(4.0))
    with pytest.raises(TypeError, match="expected 2, got 3"):
        _add_up(np.arange(4.0), total, total)


Both = namedtuple("Both", ["one", "other"])


@inline
def _swapped(both):
    return Both(both.other, both.one)


@lean_inline
def _first_of_swapped(both):
    return _swapped(both).one[0]


@kernel
def _read(both, times):
    total = 0.0
    for _ in range(times):
        total += _swapped(both).one[0] + _first_of_swapped(both)
    return total


@allocating_kernel
def _read_and_make(both, times):
    made = np.zeros(1)
    for _ in range(times):
        made[0] += _swapped(both).one[0] + _first_of_swapped(both)
    return made[0]


def test_functions_count_references_where_those_that_call_them_do(tmp_path, monkeypatch):
    monkeypatch.setenv("VERLET_CACHE_DIR", str(tmp_path))  # what is loaded cannot be looked into
    both = Both(np.array([2.0]), np.array([3.0]))
    counts = [sys.getrefcount(array) for array in both]
    for run, is_counted in ((_read, False), (_read_and_make, True), (_read, False)):
        assert run(both, 1000) == 6000.0
        (made,) = run._serial.overloads.values()
        assert ("NRT_incref" in made.library.get_llvm_str()) == is_counted
    assert [sys.getrefcount(array) for array in both] == counts


def test_only_kernels_that_make_arrays_count_references():
    """One that counts because of what it calls counts in all its loops: a rope took 2½ times."""
    counting = [k.function for k in jit._kernels if k.options.get("_nrt", True)]
    own = [function for function in counting if function.__module__.startswith("verlet_physics.")]
    assert own
    for function in own:
        made = re.search(
            r"np\.(zeros|empty|ones|full|concatenate)|\.copy\(\)", inspect.getsource(function)
        )
        assert made, f"{function.__module__}.{function.__name__} makes no array"


def test_python_runs_inline_functions_as_python():
    assert _twice(1.5) == 3.0
    assert _twice.__name__ == "_twice"


def test_records_of_one_class_have_arrays_of_the_same_types(monkeypatch):
    """Calls look at the class of a record only: see `Kernel`."""
    layouts = {}
    call = jit.Kernel.__call__

    def look(self, *arguments):
        for record in arguments:
            if isinstance(record, tuple):
                layout = [
                    (a.dtype, a.ndim, a.flags.carray) if isinstance(a, np.ndarray) else type(a)
                    for a in record
                ]
                assert layouts.setdefault(type(record), layout) == layout, type(record)
        return call(self, *arguments)

    monkeypatch.setattr(jit.Kernel, "__call__", look)
    for seed in range(20):
        scene = random_scene(seed)
        advance(scene.model, scene.model.initial_state(), scene.inputs(1), scene.settings)
    assert len(layouts) > 15
