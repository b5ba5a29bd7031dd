"""Affine maps: what the inverse and the nearest rotation of many at once are."""

import numpy as np
import pytest

from verlet_physics.geometry.affine import inverse, nearest_rotation


def test_affine_inverses_are_exact():
    random = np.random.default_rng(2)
    maps = np.tile(np.eye(4), (50, 1, 1))
    maps[:, :3, :] = random.normal(size=(50, 3, 4)) * 10.0 ** random.integers(-4, 5, (50, 1, 1))
    found = inverse(maps)
    np.testing.assert_allclose(found @ maps, np.tile(np.eye(4), (50, 1, 1)), atol=1e-9)
    for one, matrix in zip(found, maps, strict=True):
        assert (inverse(matrix) == one).all()
    assert inverse(maps[:0]).shape == (0, 4, 4)
    flat = np.diag([1.0, 0.0, 1.0, 1.0])
    for given in (flat, np.stack([maps[0], flat])):
        with pytest.raises(np.linalg.LinAlgError):
            inverse(given)


def test_the_nearest_rotation_of_what_is_stretched_is_its_turn():
    random = np.random.default_rng(5)
    turn = np.linalg.qr(random.normal(size=(20, 3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))[:, None, None]
    stretch = np.einsum("nij,nkj->nik", *2 * [random.normal(size=(20, 3, 3))])  # symmetric
    assert nearest_rotation(turn @ stretch) == pytest.approx(turn, abs=1e-9)
