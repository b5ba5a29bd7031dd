"""Meshes that change their form, as characters do, and bodies that meet them."""

import numpy as np
import pytest

from verlet_physics.building.builder import ModelBuilder
from verlet_physics.collision.shape import Shape, Surface
from verlet_physics.errors import ModelError
from verlet_physics.model import FrameInputs
from verlet_physics.settings import SolverSettings
from verlet_physics.step import advance

SIDE = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
FACES = np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32)


def scene(two_meshes=False):
    builder = ModelBuilder()
    builder.add_body("ball", "SPHERE", (0.1,), (0, 0, 0.105), mass=1.0)
    places = [(0, 0, 0), (5, 0, 0)] if two_meshes else [(0, 0, 0)]
    for place in places:
        ground = Shape.of("ground", "MESH", surface=Surface(SIDE, FACES))
        builder.add_collider_shapes("ground", [ground], place)
    return builder.finalize()


def run(model, heights):
    """Advance a frame for each height of the first mesh's vertices; the ball's heights."""
    state = model.initial_state()
    seen = []
    for height in heights:
        vertex = model.shapes.meshes.vertex.copy()
        vertex[:4, 2] = height
        inputs = FrameInputs(mesh_vertex=vertex)
        state, _ = advance(model, state, inputs, SolverSettings())
        seen.append(state.body_position[0, 2])
    return np.array(seen), state


def test_a_surface_that_rises_lifts_what_lies_on_it_and_stops_without_a_throw():
    rise = np.minimum(np.arange(1, 40) * 0.02, 0.4)  # half a metre a second, then still
    heights, state = run(scene(), rise)
    assert np.abs(heights - 0.1 - rise)[:20].max() < 0.02
    assert heights.max() < 0.1 + 0.4 + 0.01  # not thrown
    assert heights[-1] == pytest.approx(0.5, abs=2e-3)
    assert state.mesh_vertex[0, 2] == pytest.approx(0.4)


def test_a_surface_that_sinks_is_followed_and_wakes_what_sleeps_on_it():
    still = np.zeros(40)
    heights, _ = run(scene(), np.concatenate([still, -0.01 * np.arange(1, 21)]))
    assert heights[39] == pytest.approx(0.1, abs=2e-3)
    assert heights[-1] == pytest.approx(0.1 - 0.2, abs=0.01)


def test_meshes_keep_their_own_vertices_and_sizes():
    model = scene(two_meshes=True)
    _, state = run(model, [0.0, 0.3])
    np.testing.assert_array_equal(state.mesh_vertex[4:], SIDE)
    assert state.mesh_vertex[:4, 2] == pytest.approx(0.3)


def test_a_mesh_at_rest_is_not_copied_from_frame_to_frame():
    model = scene()
    state = model.initial_state()
    later, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert later.mesh_vertex is state.mesh_vertex


def test_another_number_of_vertices_is_refused():
    model = scene()
    inputs = FrameInputs(mesh_vertex=np.zeros((3, 3)))
    with pytest.raises(ModelError, match="mesh_vertex"):
        advance(model, model.initial_state(), inputs, SolverSettings())
