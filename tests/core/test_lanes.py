"""Four numbers at once: compiled as in plain Python, and each lane as a float alone."""

from __future__ import annotations

import numpy as np
import pytest

from verlet_physics.kernels import jit
from verlet_physics.kernels.jit import kernel, lean_inline
from verlet_physics.kernels.lanes import (
    LANES,
    any_of,
    gather,
    lane,
    larger,
    pack,
    put,
    root,
    scatter,
    select,
    size_of,
    smaller,
    take,
)
from verlet_physics.vec3 import cross, dot

RECORD = np.dtype([("arm", np.float64, (3, LANES)), ("kind", np.int32)], align=True)


@lean_inline
def formula(v, f):
    """All that numbers can do, of a vector of lanes or of floats."""
    c = cross(v, (1.0, f, 2.0))
    square = dot(v, v)
    mask = ((square > 1.0) & (c[0] <= 0.5)) | (c[1] == 0.0) | (c[2] != c[2])
    low = smaller(larger(-c[1] / 3.0, f), 1.0)
    d = select(mask, root(square), low) - select(v[0] >= v[1], 1.0, v[2])
    for _ in range(3):
        if not any_of(size_of(d) < 0.5):
            break
        d = select(size_of(d) < 0.5, d + d, d)
    return d


@kernel
def in_lanes(records, f, out):
    for n in range(records.shape[0]):
        arm = records[n]["arm"]
        put(out[n], formula((take(arm[0]), take(arm[1]), take(arm[2])), f))


@kernel
def one_by_one(records, f, out):
    for n in range(records.shape[0]):
        arm = records[n]["arm"]
        for k in range(LANES):
            out[n, k] = formula((arm[0, k], arm[1, k], arm[2, k]), f)


@kernel
def packed(x, out):
    for n in range(x.shape[0]):
        row = x[n]
        turned = pack(row[3], row[2], row[1], row[0])
        put(out[n], turned)
        out[n, 0] = lane(turned, n % LANES)


@kernel
def moved(x, y, rows, out):
    for n in range(rows.shape[0]):
        scatter(out, rows[n], 2, gather(x, rows[n], 1) + gather(y, rows[n], 7))


@pytest.fixture
def records():
    made = np.zeros(500, RECORD)
    made["arm"] = np.random.default_rng(1).normal(size=(500, 3, LANES))
    made["arm"][:20, 1] = np.nan
    made["arm"][20:30] = 0.0
    return made


@pytest.mark.parametrize("f", [-1.5, 0.0, 0.25])
def test_each_lane_is_a_float_alone(records, f):
    ends = np.zeros((2, len(records), LANES))
    in_lanes(records, f, ends[0])
    one_by_one(records, f, ends[1])
    assert np.isfinite(ends[0]).any()
    assert ends[0].tobytes() == ends[1].tobytes()


@pytest.mark.skipif(not jit.compiled, reason="nothing is compiled")
def test_compiled_and_plain_give_the_same_bits(records):
    ends = np.zeros((2, len(records), LANES))
    with np.errstate(invalid="ignore"):
        in_lanes(records, 0.25, ends[0])
        in_lanes.function(records, 0.25, ends[1])
    assert np.array_equal(ends[0], ends[1], equal_nan=True)


def test_lanes_are_packed_in_their_order():
    x = np.arange(20.0).reshape(5, LANES)
    out = np.zeros_like(x)
    packed(x, out)
    assert out[:, 1:].tolist() == x[:, 2::-1].tolist()
    assert out[:, 0].tolist() == [3.0, 6.0, 9.0, 12.0, 19.0]


def test_rows_are_gathered_and_scattered():
    random = np.random.default_rng(3)
    x, y = random.normal(size=(20, 3)), random.normal(size=(20, 3, 3))
    rows = random.permutation(20).astype(np.int32).reshape(5, LANES)
    out = np.zeros((20, 4))
    moved(x, y, rows, out)
    assert out[:, 2].tolist() == (x[:, 1] + y[:, 2, 1]).tolist()
    assert not out[:, [0, 1, 3]].any()
