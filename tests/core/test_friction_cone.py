"""Friction of one point as a whole: what it is held against is the definition, not a formula."""

import math

import numpy as np
import pytest

from verlet_physics.rigid.contacts.friction_cone import cone_impulse


def points(count=300):
    """Mobilities (2, 2), sliding velocities, impulses before and radii; some of them extreme."""
    random = np.random.default_rng(5)
    for n in range(count):
        turn = random.uniform(0.0, np.pi)
        r = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        stretch = np.diag([1.0, 10.0 ** random.uniform(0.0, 3.0)])
        w = r @ stretch @ r.T * 10.0 ** random.uniform(-3, 3)
        p = random.normal(size=2)
        yield w, w @ random.normal(size=2) * 10.0 ** random.uniform(-4, 3), p, (n % 10) / 5.0


@pytest.mark.parametrize("radius", [0.0, 5e-324, 1e-300, 1e-20])
def test_hardly_any_push_gives_hardly_any_friction(radius):
    q1, q2, slides = cone_impulse(3.0, 1.0, 2.0, 0.5, -0.25, 0.0, 0.0, radius)
    assert slides
    assert math.hypot(q1, q2) == pytest.approx(radius, rel=1e-12)
    assert math.isfinite(q1)
    assert q1 <= 0.0 <= q2


@pytest.mark.parametrize("size", [1e-30, 1e-90, 1e-110, 1e-160, 1e-220, 1e-300, 5e-324])
@pytest.mark.parametrize("softness", [1e-6, 1.0, 1e6])
def test_what_hardly_slides_is_pushed_by_a_number(size, softness):
    """Squares and cubes of what is left of a motion may be too small for numbers."""
    w = 3.0 * softness, 1.0 * softness, 2.0 * softness
    q1, q2, _ = cone_impulse(*w, 0.5 * size, -0.25 * size, 0.0, 0.0, 1e-3 * size / softness)
    assert math.isfinite(q1)
    assert math.isfinite(q2)
    assert math.hypot(q1, q2) <= size / softness


def test_a_point_rests_or_slides_against_its_friction():
    slid = 0
    for w, v, p, radius in points():
        *q, slides = cone_impulse(w[0, 0], w[0, 1], w[1, 1], *v, *p, radius)
        after = v + w @ (np.array(q) - p)
        scale = np.abs(v).max() + np.abs(w).max() * (np.abs(p).max() + radius)
        assert math.hypot(*q) <= radius * (1.0 + 1e-12)
        if not slides:
            assert np.abs(after).max() < 1e-11 * scale
            continue
        slid += 1
        assert math.hypot(*q) == pytest.approx(radius, rel=1e-12)
        assert abs(after[0] * q[1] - after[1] * q[0]) <= 1e-9 * radius * np.abs(after).max()
        assert after @ q <= 0.0
    assert 50 < slid < 290


def test_the_tangents_may_be_turned():
    for w, v, p, radius in points():
        r = np.array([[0.6, -0.8], [0.8, 0.6]])
        x = r @ w @ r.T
        q = np.array(cone_impulse(w[0, 0], w[0, 1], w[1, 1], *v, *p, radius)[:2])
        turned = np.array(cone_impulse(x[0, 0], x[0, 1], x[1, 1], *(r @ v), *(r @ p), radius)[:2])
        assert np.abs(r @ q - turned).max() <= 1e-9 * (1.0 + np.abs(q).max())
