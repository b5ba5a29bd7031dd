"""Faces with four corners keep the triangles that they are drawn as, where contacts fold them."""

import numpy as np
import pytest

from verlet_physics.bench.cloth_scenes import twisted_sheet
from verlet_physics.particles.contacts.sharp_quads import DRAWN, SHARPEST, find_sharp, unfold
from verlet_physics.particles.contacts.surface_couple import pieces_of
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.topology import is_drawn_otherwise
from verlet_physics.records import Particles
from verlet_physics.settings import SolverSettings
from verlet_physics.step import advance

QUADS = np.arange(400, dtype=np.int32).reshape(100, 4)
PIECES = pieces_of(
    np.concatenate([QUADS[:, :3], QUADS[:, [0, 2, 3]]]), np.zeros((0, 3), dtype=np.int32), 400
)


def folded(seed, sharpest=0.95):
    """Places (400, 3) of 100 uneven quads, folded over their first diagonal by up to 160°."""
    draw = np.random.default_rng(seed)
    fold = np.radians(draw.uniform(60.0, 160.0, 100))
    along, high = draw.uniform(-0.2, 1.2, (2, 100)), draw.uniform(0.2, 1.0, (2, 100))
    a, c = np.zeros((100, 3)), np.tile((1.0, 0.0, 0.0), (100, 1))
    b = np.stack([along[0], high[0], 0.0 * fold], axis=1)
    d = np.stack([along[1], -high[1] * np.cos(fold), high[1] * np.sin(fold)], axis=1)
    turn = np.linalg.qr(draw.normal(size=(3, 3)))[0]
    return np.stack([a, b, c, d], axis=1).reshape(-1, 3) @ turn + draw.normal(size=3)


@pytest.mark.quick
@pytest.mark.parametrize("least", [DRAWN, SHARPEST])
def test_what_is_sharp_is_unfolded_without_resultant_or_couple(least):
    x, inverse_mass = folded(1), np.random.default_rng(2).uniform(0.5, 2.0, 400)
    rows = np.zeros(100, dtype=np.int32)
    count = find_sharp(QUADS, x, least, rows)
    assert 30 < count < 100
    assert (is_drawn_otherwise(x, QUADS)[rows[:count]]).sum() > 20
    flat, before = np.setdiff1d(np.arange(100), rows[:count]), x.copy()
    assert unfold(QUADS, rows, count, Particles(x, before, inverse_mass), PIECES, least) == count
    way = (x - before) / inverse_mass[:, None]
    np.testing.assert_array_equal(way[QUADS[flat]], 0.0)
    np.testing.assert_allclose(way[QUADS].sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(before, way)[QUADS].sum(axis=1), 0.0, atol=1e-12)
    for _ in range(20):
        unfold(QUADS, rows, count, Particles(x, before, inverse_mass), PIECES, least)
    assert find_sharp(QUADS, x, 0.9 * least, rows) == 0
    assert not is_drawn_otherwise(x, QUADS).any()


@pytest.mark.quick
def test_what_is_held_stays_and_what_is_no_face_is_left():
    x = folded(3)
    before, rows = x.copy(), np.arange(100, dtype=np.int32)
    assert unfold(QUADS, rows, 100, Particles(x, before, np.zeros(400)), PIECES, SHARPEST) == 0
    np.testing.assert_array_equal(x, before)
    x[2::4] = x[::4]  # the diagonal is a point
    before = x.copy()
    assert find_sharp(QUADS, x, SHARPEST, rows) == 0
    unfold(QUADS, rows, 100, Particles(x, before, np.ones(400)), PIECES, SHARPEST)
    np.testing.assert_array_equal(x, before)


@pytest.mark.quick
def test_concave_and_folded_faces_are_drawn_otherwise_from_the_start():
    flat = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    arrow = [(0, 0, 0), (1, 0.2, 0), (0.3, 0.3, 0), (0.2, 1, 0)]  # concave where 0 2 ends
    dart = [(1, 0.2, 0), (0.3, 0.3, 0), (0.2, 1, 0), (0, 0, 0)]
    book = [(0, 0, 0), (1, 0, 0.1), (1, 1, 0), (0.9, -0.1, 1)]
    x = np.array([*flat, *arrow, *dart, *book], dtype=float)
    mesh = Geometry.of("faces", x, (), [0, 4, 8, 12, 16, 19], [*range(16), 0, 1, 2])
    otherwise = is_drawn_otherwise(x, np.arange(16).reshape(4, 4))
    np.testing.assert_array_equal(otherwise, [False, False, True, True])
    np.testing.assert_array_equal(mesh.quads, np.arange(8).reshape(2, 4))
    assert mesh.triangles[:6].tolist() == [
        *([0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]),
        *([9, 10, 11], [9, 11, 8]),
    ]


def test_a_wrung_sheet_is_drawn_as_it_is_simulated():
    """Some 70 of 225 faces were drawn otherwise: it is wrung more tightly than there is room."""
    scene, otherwise = twisted_sheet(16), 0
    state = scene.model.initial_state()
    for frame in range(1, 73):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
        otherwise = is_drawn_otherwise(state.position, scene.model.surfaces.quad).sum()
        assert otherwise < 25, frame
