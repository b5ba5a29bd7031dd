"""Nearest points of vertices and triangles, of whatever form."""

import numpy as np
import pytest

from verlet_physics.collision.surface_distance import point_on_triangle
from verlet_physics.kernels.jit import kernel
from verlet_physics.truth.random_scenes import Outcome, run_twice


@kernel
def nearest(p, triangle, weight):
    point, a, b, c = (p[0], p[1], p[2]), triangle[0], triangle[1], triangle[2]
    corners = (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])
    weight[0], weight[1], weight[2] = point_on_triangle(point, *corners)


def triangle_of(form, random):
    a, b, c, way = random.normal(size=(4, 3))
    return {
        "of any form": (a, b, c),
        "first two in one place": (a, a, c),
        "last two in one place": (a, b, b),
        "first and last in one place": (a, b, a),
        "a point": (a, a, a),
        "in a line": (a, a + way, a + 2.0 * random.normal() * way),
        "nearly in a line": (a, a + way, a + random.normal() * way + 1e-9 * b),
    }[form]


@pytest.mark.parametrize(
    "form",
    [
        "of any form", "first two in one place", "last two in one place",
        "first and last in one place", "a point", "in a line", "nearly in a line",
    ],
)  # fmt: skip
def test_the_nearest_point_of_any_triangle_is_no_farther_than_any_other(form):
    random = np.random.default_rng(3)
    u, v = (share.ravel() for share in np.meshgrid(*[np.linspace(0.0, 1.0, 41)] * 2))
    inside = np.stack([1.0 - u - v, u, v], axis=1)[u + v <= 1.0]
    weight = np.zeros(3)
    for n in range(200):
        corners = np.array(triangle_of(form, random))
        p = 2.0 * random.normal(size=3)
        if n % 5 == 0:  # in one line with an edge
            p = corners[0] + 2.0 * random.normal() * (corners[1] - corners[0])
        nearest(p, corners, weight)
        assert (weight >= -1e-9).all()
        assert weight.sum() == pytest.approx(1.0)
        others = np.linalg.norm(p - inside @ corners, axis=1)
        assert np.linalg.norm(p - weight @ corners) <= others.min() + 1e-6


@pytest.mark.parametrize("seed", [1041, 1122])
def test_cloth_with_doubled_vertices_has_no_nan(seed):
    """A triangle with two corners in one place had no nearest point: 0/0."""
    assert run_twice(seed) == Outcome()
