"""Which pieces of cloth are near which shapes: what is passed by touches nothing."""

from types import SimpleNamespace

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings
from verlet_physics.bench.cloth_scenes import sheet
from verlet_physics.bench.rigid_scenes import rotation_matrices
from verlet_physics.collision.shapes import TURNED_AT_MOST, way_by_turning
from verlet_physics.particles.contacts.piece_contact import PieceContacts
from verlet_physics.particles.contacts.piece_search import NEAR_PIECE
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.collider import add_collider
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.records import records
from verlet_physics.settings import ClothSettings, ColliderSettings
from verlet_physics.step import advance


def random_turns(random, count, most=np.pi):
    """Rotation matrices (count, 3, 3) by up to so many rad."""
    axis = random.normal(size=(count, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    half = 0.5 * most * random.uniform(size=(count, 1))
    return rotation_matrices(np.concatenate([np.cos(half), np.sin(half) * axis], axis=1))


@pytest.mark.parametrize("most", [1e-3, 0.3, np.pi])
def test_no_place_of_a_shape_gets_farther_by_turning_than_is_foreseen(most):
    """Ends of capsules, which lie farthest from the centre for their size."""
    random = np.random.default_rng(5)
    before = random_turns(random, 3000)
    now = random_turns(random, 3000, most) @ before
    size = np.array([[0.0, 1.0, 0.0]])
    ways = np.linalg.norm((now - before)[:, :, 2], axis=1)
    for n in range(len(now)):
        poses = {"rotation": now[n : n + 1], "rotation_before": before[n : n + 1]}
        assert ways[n] <= way_by_turning(SimpleNamespace(size=size, **poses), 0)
    change = np.abs(now - before).max(axis=(1, 2))
    chord = np.linalg.norm(now - before, axis=(1, 2)) / np.sqrt(2.0)
    assert (chord <= TURNED_AT_MOST * change).all()


def falling(shape, turn):
    """A sheet that falls on a shape that is turned and goes up to meet it."""
    builder = ModelBuilder()
    p, quads = sheet(32, 32, 2.0, 2.0)
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    add_cloth(
        builder,
        Geometry.of("sheet", p + (0.0, 0.0, 0.35), (), offsets, quads.reshape(-1)),
        ClothSettings(),
    )
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    add_collider(builder, "block", 0.15 * signs, turn, ColliderSettings(shape=shape))
    return builder.finalize()


@pytest.mark.parametrize("shape", ["BOX", "HULL"])
def test_all_that_touches_was_found_near(shape, monkeypatch):
    """Contacts are those of a search that passes nothing by, and what is near is not all."""
    turn = np.array((0.88, 0.21, 0.35, 0.24))
    model = falling(shape, turn / np.linalg.norm(turn))
    inner_find = PieceContacts.find
    seen = []

    def find(self, c, meeting):
        end = inner_find(self, c, meeting)
        making = meeting.contacts.solving
        found = making["place"][c:end].copy()
        kept, count = self.near, self.near_count
        pieces = np.arange(len(self.about.piece))
        none = np.full_like(pieces, -1)
        self.near = records(NEAR_PIECE, piece=pieces, shape=0 * pieces, triangle=none)
        self.near_count = len(pieces)
        whole = inner_find(self, c, meeting)
        assert whole == end
        np.testing.assert_array_equal(making["place"][c:end]["particle"], found["particle"])
        self.near, self.near_count = kept, count
        seen.append((count, end - c))
        return inner_find(self, c, meeting)

    monkeypatch.setattr(PieceContacts, "find", find)
    state = model.initial_state()
    up = model.colliders.position + (0.0, 0.0, 0.02)
    for _ in range(10):
        inputs = FrameInputs(duration=1 / 24, collider_position=up)
        state, _ = advance(model, state, inputs, SolverSettings())
        up = up + (0.0, 0.0, 0.02)
    near, found = np.array(seen).T
    assert found.max() > 20
    assert near.mean() < 0.9 * len(model.pieces.triangle)
