"""What resists folding on a mesh, and that it is the same however the mesh is cut."""

from __future__ import annotations

import numpy as np
import pytest

from verlet_physics.building.builder import ModelBuilder
from verlet_physics.particles.constraints import hinge_bend
from verlet_physics.particles.constraints.hinge_bend import HingeBends
from verlet_physics.recipes import folds
from verlet_physics.recipes.folds import TRIANGLES, folds_of


def lattice(u, v, cut="", count=4):
    """Places of a lattice of parallelograms, and its faces: whole, or cut from a or from b."""
    i, j = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
    x = np.zeros(((count + 1) ** 2, 3))
    x[:, :2] = i.reshape(-1, 1) * np.array(u) + j.reshape(-1, 1) * np.array(v)
    a = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).reshape(-1)
    quads = np.stack([a, a + count + 1, a + count + 2, a + 1], axis=1)
    if not cut:
        return x, quads
    a, b, c, d = quads.T if cut == "a" else np.roll(quads, -1, axis=1).T
    return x, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def found(x, faces):
    return folds_of(x, np.arange(len(faces) + 1) * faces.shape[1], faces.reshape(-1))


def stored(x, faces, curvature, inner):
    """Twice the energy per D of a gently bent lattice, in the hinges whose edge begins at inner."""
    hinges = found(x, faces)
    builder = ModelBuilder()
    owner = builder.add_particles("sheet", x, mass=1.0)
    made = HingeBends.of(
        builder, owner, hinges.rows, hinges.weight, second=hinges.second, share=hinges.share
    )
    bent = x.copy()
    bent[:, 2] = 0.5 * np.einsum("ni,ij,nj->n", x[:, :2], curvature, x[:, :2])
    rows = np.column_stack([hinges.rows, hinges.second])
    angle = hinge_bend.rest_angles(bent, rows, hinges.share)
    compliance = made.hinges["compliance"].sum(axis=1).reshape(-1)  # four hinges a row
    energy = 1.0 / compliance[: len(rows)]
    return float((energy * angle**2)[inner(hinges.rows)].sum())


@pytest.mark.parametrize("cut", ["", "a", "b"])
@pytest.mark.parametrize(("long", "wide"), [(1.0, 1.0), (2.0, 1.0), (0.5, 1.0)])
def test_rectangles_bend_as_a_plate_without_poissons_ratio_however_they_are_cut(long, wide, cut):
    x, faces = lattice((long, 0.0), (0.0, wide), cut)
    x = x - x.mean(axis=0)
    for curvature in ([[1, 0], [0, 0]], [[0, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 0.5], [0.5, -2]]):
        k = 1e-4 * np.array(curvature)

        def in_the_middle(rows):
            middle = 0.5 * (x[rows[:, 0]] + x[rows[:, 1]])
            low, high = np.array([-long, -wide]), np.array([long, wide])
            return ((middle[:, :2] > low + 1e-6) & (middle[:, :2] < high + 1e-6)).all(axis=1)

        area = 4.0 * long * wide
        assert stored(x, faces, k, in_the_middle) == pytest.approx((k**2).sum() * area, rel=1e-3)


def test_triangles_that_make_rectangles_are_quads_and_equilateral_ones_are_not():
    x, whole = lattice((1.0, 0.0), (0.0, 0.7))
    expected = found(x, whole)
    for cut in "ab":
        hinges = found(*lattice((1.0, 0.0), (0.0, 0.7), cut))
        assert len(hinges.rows) == len(expected.rows)
        assert sorted(hinges.weight) == pytest.approx(sorted(expected.weight))
    hinges = found(*lattice((1.0, 0.0), (0.5, 0.75**0.5), "b"))
    assert (hinges.weight == TRIANGLES).all()
    assert (hinges.share == 0.0).all()


def test_a_mirrored_mesh_folds_at_mirrored_places():
    x, faces = lattice((1.0, 0.0), (0.2, 0.8))
    one = found(x, faces)
    other = found(x * (-1.0, 1.0, 1.0), faces[:, ::-1])
    assert np.sort(one.weight) == pytest.approx(np.sort(other.weight))
    assert {tuple(sorted(r)) for r in one.rows[:, :2].tolist()} == {
        tuple(sorted(r)) for r in other.rows[:, :2].tolist()
    }


def test_folded_and_hollow_quads_stay_triangles():
    tent = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    tent[[1, 3], 2] = 0.6
    for x in (tent, np.array([(0, 0, 0), (1, 0, 0), (0.2, 0.2, 0), (0, 1, 0)], dtype=float)):
        hinges = found(x, np.array([(0, 1, 2), (0, 2, 3)]))
        assert hinges.weight.tolist() == [TRIANGLES]
    assert len(found(x, np.array([(0, 1, 2, 3)])).rows) == 1  # the hollow one
    assert len(found(np.zeros((4, 3)), np.array([(0, 1, 2, 3)])).rows) >= 0


def test_meshes_without_faces_have_no_folds():
    hinges = folds_of(np.zeros((2, 3)), np.array([0]), np.zeros(0, dtype=np.int32))
    assert hinges.rows.shape == (0, 4)
    assert len(hinges.weight) == 0


def test_the_first_of_pairs_in_conflict_goes():
    pairs = np.array([(1, 2), (0, 1), (2, 3), (3, 0)])
    assert folds._first_come(pairs, 4).tolist() == [0, 3]
