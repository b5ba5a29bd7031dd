"""Triangles of cloth that their corners hold off a mesh: the bound holds, and nothing goes through.

See `collision.propped`.
"""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench.cloth_scenes import sheet
from verlet_physics.bench.collider_scenes import FRAME, ball_drop, round_mesh
from verlet_physics.collision.propped import BARE, PROPPED, UNMET
from verlet_physics.kernels import jit
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.collider import add_collider
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.settings import ClothSettings, ColliderSettings
from verlet_physics.stages.surfaces import SurfaceContacts
from verlet_physics.truth.crossings import count_crossings
from verlet_physics.workspace import workspace_of

STILL = (1.0, 0.0, 0.0, 0.0)


def _terrain(cells, height, size=1.4):
    """A mesh of 2 · cells² triangles over a square: places (v, 3) m, triangles (t, 3)."""
    u = np.linspace(-0.5 * size, 0.5 * size, cells + 1)
    x, y = np.meshgrid(u, u, indexing="ij")
    places = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    i = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
    faces = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return places, faces.reshape(-1, 3).astype(np.int32)


def _noise(x, _):
    return np.random.default_rng(4).normal(0.0, 0.004, x.shape)


MESHES = {
    "bumps": lambda: _terrain(60, lambda x, y: 0.05 * np.sin(14.0 * x) * np.cos(11.0 * y)),
    "gentle": lambda: _terrain(50, lambda x, y: 0.04 * np.sin(5.0 * x + 1.0) * np.cos(4.0 * y)),
    "noise": lambda: _terrain(50, _noise),
    "ridges": lambda: _terrain(60, lambda x, y: 0.03 * np.abs(np.sin(9.0 * x) * np.sin(9.0 * y))),
    "pyramid": lambda: _terrain(41, lambda x, y: -0.25 * np.maximum(np.abs(x), np.abs(y))),
    "slope": lambda: _terrain(40, lambda x, y: 0.5 * x + 0.02 * np.sin(12.0 * y)),
    "fine ball": lambda: round_mesh(96, 48, 0.35),
    "coarse ball": lambda: round_mesh(16, 8, 0.35),
}


def _drop(mesh, n=20, size=0.9, turn=0.3, place=None):
    """A model of a sheet of n × n vertices that is just above a mesh, and its inputs."""
    x, triangle = mesh
    p, quads = sheet(n, n, size, size)
    c, s = np.cos(turn), np.sin(turn)
    p = p @ np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    lifted = p + (0.01, 0.02, x[:, 2].max() + 0.03)
    builder = ModelBuilder()
    add_cloth(
        builder, Geometry.of("sheet", lifted, (), offsets, quads.reshape(-1)), ClothSettings()
    )
    add_collider(builder, "mesh", x, STILL, ColliderSettings(shape="MESH"), triangle)
    model = builder.finalize()

    def inputs(frame):
        at = x if place is None else place(x, frame * FRAME)
        return FrameInputs(duration=FRAME, mesh_vertex=at - model.colliders.position[0])

    return model, inputs


def _settle(model, inputs, frames, check=None):
    state = model.initial_state()
    for frame in range(1, frames + 1):
        state, figures = advance(model, state, inputs(frame), SolverSettings(threads=1))
        assert figures.crossings == (), frame
        if check is not None:
            check(state, frame)
    return state


def _nearest(p, x, triangle, normal):
    """Distance m and direction from a mesh to p."""
    a, b, c = (x[triangle[:, k]] for k in range(3))
    foot = p - ((p - a) * normal).sum(axis=1)[:, None] * normal
    inside = np.ones(len(triangle), dtype=bool)
    found = []
    for one, other in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(other - one, foot - one) * normal).sum(axis=1) >= 0.0
        edge = other - one
        share = ((p - one) * edge).sum(axis=1) / (edge * edge).sum(axis=1)
        found.append(one + np.clip(share, 0.0, 1.0)[:, None] * edge)
    places = np.concatenate([foot[inside], *found])
    distance = np.linalg.norm(p - places, axis=1)
    nearest = distance.argmin()
    return distance[nearest], (p - places[nearest]) / distance[nearest]


def _lowered(model, mesh, share, slide):
    """Triangles that are propped, their corners at that share of what they have to keep.

    Each slides by so much, m; those whose corners would go farther than they may before they are
    looked at again are left out. Places and triangles, with those of the mesh, and how many.
    """
    room = workspace_of(model).surfaces
    x, triangle = mesh
    normal = np.cross(x[triangle[:, 1]] - x[triangle[:, 0]], x[triangle[:, 2]] - x[triangle[:, 0]])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    rng = np.random.default_rng(7)
    cloth = room.surface.triangle[: room.triangle_count]
    places = []
    for t in np.flatnonzero(room.props.state[: len(cloth)] == PROPPED):
        way = rng.normal(size=3)
        way *= slide / np.linalg.norm(way)
        corners = []
        for i in cloth[t]:
            p = room.start[i] + way
            distance, up = _nearest(p, x, triangle, normal)
            corners.append(p - (distance - share * room.props.sag[t]) * up)
        if np.linalg.norm(corners - room.start[cloth[t]], axis=1).max() < 0.1 * room.edge:
            places += corners
    lowered = np.arange(len(places), dtype=np.int32).reshape(-1, 3)
    both = np.concatenate([lowered, triangle + len(places)])
    return np.concatenate([np.array(places).reshape(-1, 3), x]), both, len(lowered)


def _crossings_between(x, triangle, count):
    """Crossings of the first ``count`` triangles with all others."""
    if count == 0:
        return 0
    alone = (triangle[:count], triangle[count:])
    return count_crossings(x, triangle) - sum(count_crossings(x, one) for one in alone)


@pytest.mark.parametrize("name", MESHES)
def test_corners_that_are_as_high_as_they_should_be_hold_triangles_off(name):
    """Lowered to that height and slid aside, no triangle that is propped touches the mesh."""
    mesh = MESHES[name]()
    model, inputs = _drop(mesh)
    _settle(model, inputs, 30)
    total = 0
    for share in (0.0, 0.06):
        slide = share * workspace_of(model).surfaces.edge
        x, triangle, count = _lowered(model, mesh, 1.0, slide)
        assert _crossings_between(x, triangle, count) == 0
        total += count
    assert total > 100 or name in ("noise", "bumps", "coarse ball")


def test_the_bound_is_no_wider_than_it_has_to_be():
    """Lowered to a fifth of that, some do touch a mesh whose ridges are sharp."""
    mesh = MESHES["ridges"]()
    model, inputs = _drop(mesh)
    _settle(model, inputs, 30)
    x, triangle, count = _lowered(model, mesh, 0.05, 0.0)
    assert _crossings_between(x, triangle, count) > 0


@pytest.mark.parametrize("name", MESHES)
def test_nothing_goes_through_whatever_the_ground(name):
    mesh = MESHES[name]()
    model, inputs = _drop(mesh)
    both = np.concatenate([model.pieces.triangle, mesh[1] + len(model.particles)])

    def check(state, frame):
        if frame % 8 == 0:
            x = np.concatenate([state.position, mesh[0]])
            assert _crossings_between(x, both, len(model.pieces.triangle)) == 0

    _settle(model, inputs, 24, check)


def _spin(x, t):
    c, s = np.cos(5.0 * t), np.sin(5.0 * t)
    return x @ np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])


def _squash(x, t):
    a, b = 0.25 * np.sin(9.0 * t), 0.3 * np.sin(7.0 * t)
    return x * (1.0 + a, 1.0 - a, 1.0 + b)


def _shake(x, t):
    return x + (0.15 * np.sin(13.0 * t), 0.0, 0.12 * np.sin(17.0 * t))


@pytest.mark.parametrize("place", [_spin, _squash, _shake])
def test_nothing_goes_through_what_turns_changes_and_shakes(place):
    mesh = MESHES["fine ball"]()
    model, inputs = _drop(mesh, place=place)
    both = np.concatenate([model.pieces.triangle, mesh[1] + len(model.particles)])

    def check(state, frame):
        if frame % 9 == 0:
            at = place(mesh[0], frame * FRAME)
            assert count_crossings(np.concatenate([state.position, at]), both) == 0

    _settle(model, inputs, 36, check)


THROWN = [
    ("fine ball", 5.0, 28, 0.9),
    ("fine ball", 25.0, 28, 0.9),
    ("fine ball", 25.0, 40, 1.2),
    ("fine ball", 80.0, 28, 0.9),
    ("coarse ball", 40.0, 28, 0.9),
    ("coarse ball", 150.0, 28, 0.9),
    ("pyramid", 40.0, 28, 0.9),
]
"""A mesh, m/s, vertices and m along a side of the sheet."""


@pytest.mark.parametrize(("name", "speed", "n", "size"), THROWN)
def test_what_is_thrown_at_a_mesh_stops_at_it(name, speed, n, size):
    """Corners sink everywhere at once there, again and again while they are parted.

    And patches that lay flat fold up within one substep.
    """
    model, inputs = _drop(MESHES[name](), n=n, size=size)
    state = model.initial_state()
    state.previous[:, 2] += speed / 480.0
    for frame in range(1, 9):
        state, figures = advance(model, state, inputs(frame), SolverSettings(threads=1))
        assert figures.crossings == ()
    if name == "fine ball":
        assert np.linalg.norm(state.position, axis=1).min() > 0.349


def test_nothing_goes_through_a_mesh_that_jumps():
    """Within one frame, as animated things do at a cut: at 96 m/s."""

    def place(x, t):
        return x + (0.0, 0.0, 4.0 if t > 3.5 * FRAME else 0.0)

    model, inputs = _drop(MESHES["coarse ball"](), n=28, place=place)
    _settle(model, inputs, 7)


def test_most_triangles_over_a_smooth_mesh_are_propped_and_edges_are_left_alone():
    model, inputs = _drop(MESHES["fine ball"](), n=30)
    _settle(model, inputs, 30)
    room = workspace_of(model).surfaces
    state = room.props.state[: room.triangle_count]
    assert (state == PROPPED).sum() > 0.8 * (state != UNMET).sum() > 400
    partners = room.partners[-1]
    is_edges = partners.pairs["is_edges"][: partners.count] == 1
    assert is_edges.sum() < 0.2 * partners.count


def test_what_spans_a_ridge_is_not_propped_and_what_lies_beside_it_is():
    """A roof of two level sides, 60 degrees apart from each other."""
    mesh = _terrain(40, lambda x, y: -0.58 * np.abs(x))
    model, inputs = _drop(mesh, n=16, size=0.6, turn=0.0)
    _settle(model, inputs, 30)
    room = workspace_of(model).surfaces
    corner = room.start[room.surface.triangle[: room.triangle_count], 0]
    spans = (corner.min(axis=1) < -0.005) & (corner.max(axis=1) > 0.005)
    state = room.props.state[: room.triangle_count]
    assert spans.sum() > 20
    assert (state[spans] == BARE).all()
    assert (state[~spans] == PROPPED).sum() > 100


def test_at_a_border_nothing_is_propped():
    """The ground ends there: an edge of cloth may hang over it between two corners that are up."""
    mesh = _terrain(20, lambda x, y: 0.0 * x, 0.5)
    model, inputs = _drop(mesh, n=12, size=0.9, turn=0.2)
    _settle(model, inputs, 8)
    room = workspace_of(model).surfaces
    corner = room.start[room.surface.triangle[: room.triangle_count], :2]
    over = (np.abs(corner) < 0.25).all(axis=2)
    crosses = over.any(axis=1) & ~over.all(axis=1)
    state = room.props.state[: room.triangle_count]
    assert crosses.sum() > 10
    assert (state[crosses] != PROPPED).all()


def test_corners_that_are_pressed_down_have_all_pairs_looked_for(monkeypatch):
    """Something presses vertices almost onto the mesh in one substep, when all had been parted."""
    model, inputs = _drop(MESHES["fine ball"](), n=30)
    state = _settle(model, inputs, 24)
    room = workspace_of(model).surfaces
    settle, pressed = SurfaceContacts.settle, []

    def press(surfaces, contacts):
        settle(surfaces, contacts)
        x = surfaces.frame.x
        distance = np.linalg.norm(x, axis=1)
        on = np.flatnonzero((distance < 0.36) & (x[:, 2] > 0.2))
        if surfaces.frame.substep == 6:
            x[on] *= (0.3502 / distance[on])[:, None]
            pressed.append(len(on))

    monkeypatch.setattr(SurfaceContacts, "settle", press)
    fallen = []
    for frame in range(25, 28):
        state, figures = advance(model, state, inputs(frame), SolverSettings(threads=1))
        assert figures.crossings == ()
        fallen.append(int(room.props.sunk.sum()))
    assert pressed[0] > 20
    assert fallen[0] > 20


@pytest.mark.skipif(jit.thread_limit() < 2, reason="one thread")
def test_any_number_of_threads_gives_the_same_bits():
    """More triangles near one than there is room for at first among them."""
    ends = []
    for threads in (1, 2):
        scene = ball_drop(16, around=160)
        state = scene.model.initial_state()
        for frame in range(1, 13):
            settings = SolverSettings(threads=threads)
            state, _ = advance(scene.model, state, scene.inputs(frame), settings)
        ends.append(state.position.tobytes())
    assert ends[0] == ends[1]


def test_a_frame_does_not_hang_on_what_was_found_before_it():
    model, inputs = _drop(MESHES["fine ball"]())
    state = _settle(model, inputs, 14)
    after, _ = advance(model, state, inputs(15), SolverSettings(threads=1))
    other, _ = _drop(MESHES["fine ball"]())
    again, _ = advance(other, state.copy(), inputs(15), SolverSettings(threads=1))
    assert after.position.tobytes() == again.position.tobytes()
