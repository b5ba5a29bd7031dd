"""Elementary functions: how exact they are, and the same bits compiled and as plain Python."""

import math

import numpy as np
import pytest

from verlet_physics import elementary
from verlet_physics.kernels.jit import kernel
from verlet_physics.kernels.lanes import LANES, put, take

RANDOM = np.random.default_rng(4)
SPREAD = RANDOM.normal(size=4000) * 10.0 ** RANDOM.uniform(-12.0, 6.0, 4000)
NEAR = RANDOM.normal(size=4000)
MANY = np.concatenate([SPREAD[abs(SPREAD) < 1e6], NEAR, np.arange(-64, 65) * 0.25 * math.pi])


@kernel
def _of_each(which, x, y, out):
    for i in range(x.shape[0]):
        if which == 0:
            out[i] = elementary.sin(x[i])
        elif which == 1:
            out[i] = elementary.cos(x[i])
        elif which == 2:
            out[i] = elementary.exp(x[i])
        elif which == 3:
            out[i] = elementary.expm1(x[i])
        elif which == 4:
            out[i] = elementary.log(x[i])
        elif which == 5:
            out[i] = elementary.atan2(x[i], y[i])
        else:
            out[i] = elementary.power(x[i], y[i])


IN_RANGE = {
    "sin": MANY,
    "cos": MANY,
    "exp": np.concatenate([NEAR, RANDOM.uniform(-700.0, 709.0, 4000)]),
    "expm1": np.concatenate([NEAR, SPREAD[abs(SPREAD) < 700.0]]),
    "log": np.concatenate([abs(NEAR), 10.0 ** RANDOM.uniform(-300.0, 300.0, 4000)]),
    "atan2": MANY,
    "power": abs(NEAR),
}
NAMES = list(IN_RANGE)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_exact_to_the_last_places_and_the_same_as_plain_python(name):
    x = IN_RANGE[name]
    y = RANDOM.permutation(x)
    two = name in ("atan2", "power")
    got = np.empty(len(x))
    _of_each(NAMES.index(name), x, y, got)
    own, known = getattr(elementary, name), getattr(math, {"power": "pow"}.get(name, name))
    pairs = [(float(a), float(b)) if two else (float(a),) for a, b in zip(x, y, strict=True)]
    assert got.tobytes() == np.array([own(*pair) for pair in pairs]).tobytes()
    wanted = np.array([known(*pair) for pair in pairs])
    places = 3.0 + (abs(y * np.log(x)) if name == "power" else 0.0)
    assert (abs(got - wanted) <= places * np.spacing(np.maximum(abs(wanted), 1e-300))).all()


@kernel
def _angles_of_lanes(y, x, out):
    for i in range(y.shape[0]):
        put(out[i], elementary.atan2(take(y[i]), take(x[i])))


def test_angles_in_lanes_have_the_bits_of_each_alone():
    y = np.concatenate([MANY[: len(MANY) // LANES * LANES], [0.0, 0.0, -2.0, 3.0]])
    x = np.concatenate([RANDOM.permutation(y[:-LANES]), [0.0, -1.0, 0.0, 0.0]])
    got = np.empty((len(y) // LANES, LANES))
    _angles_of_lanes(y.reshape(got.shape), x.reshape(got.shape), got)
    alone = [elementary.atan2(float(a), float(b)) for a, b in zip(y, x, strict=True)]
    assert got.tobytes() == np.array(alone).tobytes()


def test_sines_where_an_angle_is_nearly_a_right_angle():
    nearest = 6381956970095103 * 2.0**797  # of all numbers, the nearest to a right angle (Muller)
    assert elementary.sin_cos(nearest) == (0.0, 1.0)  # no digit of it is left
    for quarters in (1, 2, 3, 710, 100000, 1000000):
        angle = quarters * 0.5 * math.pi
        sine, cosine = elementary.sin_cos(angle)
        assert sine == pytest.approx(math.sin(angle), rel=2e-16)
        assert cosine == pytest.approx(math.cos(angle), rel=2e-16)
    assert elementary.sin(1e8) == pytest.approx(math.sin(1e8), abs=1e-7)


def test_what_is_none_or_endless():
    inf, nan = math.inf, math.nan
    for endless in (inf, -inf, nan):
        assert all(map(math.isnan, elementary.sin_cos(endless)))
    assert math.isnan(elementary.exp(nan))
    assert math.isnan(elementary.atan2(nan, 1.0))
    assert (elementary.exp(inf), elementary.exp(-inf), elementary.exp(-1e3)) == (inf, 0.0, 0.0)
    assert (elementary.expm1(inf), elementary.expm1(-inf), elementary.expm1(0.0)) == (
        inf,
        -1.0,
        0.0,
    )
    assert (elementary.log(inf), elementary.log(0.0), elementary.log(1.0)) == (inf, -inf, 0.0)
    assert elementary.power(0.0, 0.5) == 0.0
    for y, x in ((0.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (-1.0, -1.0)):
        assert elementary.atan2(y, x) == math.atan2(y, x)
