"""Records of kernels: filled by name, and not written to where Numba would lose it."""

import ast
from pathlib import Path

import numpy as np
import pytest

import verlet_physics
from verlet_physics.records import records

SOURCES = sorted(Path(verlet_physics.__file__).parent.rglob("*.py"))

PAIR = np.dtype([("ends", np.int32, (2,)), ("length", np.float64)], align=True)


def lost_writes(source):
    """Lines that write into an array of a record inside a loop over ``prange``."""
    for loop in ast.walk(ast.parse(source)):
        if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
            continue
        if getattr(loop.iter.func, "id", "") != "prange":
            continue
        for node in ast.walk(loop):
            is_write = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            if is_write and any(isinstance(n, ast.Attribute) for n in ast.walk(node.value)):
                yield node.lineno


def test_no_kernel_of_several_threads_writes_through_a_record():
    """Numba gives each thread a copy of the record whose arrays nobody reads again."""
    found = [f"{path.name}:{line}" for path in SOURCES for line in lost_writes(path.read_text())]
    assert found == [], "name the array before the loop: a = record.positions; a[i] = …"


@pytest.mark.parametrize("write", ["p.x[i] = 1.0", "p.x[i, 0] += 1.0", "p.q.x[i][0], k = 1.0, 2"])
def test_such_writes_are_seen(write):
    assert list(lost_writes(f"for i in prange(3):\n    {write}")) == [2]
    assert list(lost_writes(f"for i in range(3):\n    {write}")) == []
    assert list(lost_writes(f"for i in prange(3):\n    y[i] = p.x[i]\n    {write}")) == [3]


def test_records_are_filled_by_name():
    rows = records(PAIR, ends=[(0, 1), (1, 2)], length=3.0)
    assert rows["ends"].tolist() == [[0, 1], [1, 2]]
    assert rows["length"].tolist() == [3.0, 3.0]
    assert rows.flags.carray


@pytest.mark.parametrize("fields", [{"ends": [(0, 1)]}, {"ends": [], "length": [], "width": []}])
def test_fields_that_miss_or_are_unknown_are_named(fields):
    with pytest.raises(TypeError, match="ends"):
        records(PAIR, **fields)
