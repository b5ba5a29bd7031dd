"""Cloth on meshes: nothing goes through, what begins inside comes out, and it is told."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance, crossings_at_start
from verlet_physics.bench.cloth_scenes import sheet
from verlet_physics.bench.collider_scenes import ball_drop, hips_and_legs, round_mesh, skirt
from verlet_physics.geometry.closed_parts import facing
from verlet_physics.kernels import jit
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.collider import add_collider
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.settings import ClothSettings, ColliderSettings
from verlet_physics.truth.crossings import count_crossings

STILL = (1.0, 0.0, 0.0, 0.0)


def _run(scene, frames, threads=1):
    state = scene.model.initial_state()
    for frame in range(1, frames + 1):
        settings = SolverSettings(threads=threads)
        state, figures = advance(scene.model, state, scene.inputs(frame), settings)
    return state, figures


def _sheet(n, height, width=1.0):
    u = np.linspace(-width / 2, width / 2, n)
    x = np.stack([*np.meshgrid(u, u), np.full((n, n), height)], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    quads = np.stack([a, a + 1, a + n + 1, a + n], axis=1)
    offsets = np.arange(len(quads) + 1) * 4
    return Geometry.of("sheet", x, (), offsets, quads.reshape(-1))


def _on(mesh, triangle, sheet, **settings):
    builder = ModelBuilder()
    add_cloth(builder, sheet, ClothSettings(**settings))
    add_collider(builder, "mesh", mesh, STILL, ColliderSettings(shape="MESH"), triangle)
    return builder.finalize()


@pytest.mark.skipif(jit.thread_limit() < 2, reason="one thread")
def test_the_bits_are_the_same_for_one_thread_and_for_two():
    ends = [_run(skirt(16, tight=0.7), 12, threads)[0].position.tobytes() for threads in (1, 2)]
    assert ends[0] == ends[1]


def test_a_frame_hangs_on_nothing_but_its_state():
    scene = skirt(16, tight=0.5)
    state, _ = _run(scene, 2)
    after, _ = advance(scene.model, state, scene.inputs(3), SolverSettings(threads=1))
    fresh = skirt(16, tight=0.5)
    again, _ = advance(fresh.model, state.copy(), fresh.inputs(3), SolverSettings(threads=1))
    assert after.position.tobytes() == again.position.tobytes()


def test_a_point_of_a_mesh_pokes_through_no_coarse_cloth():
    """A thorn is met by the triangles of cloth, whose vertices pass it by."""
    thorn = np.array([(0.1, 0.0, 0.0), (-0.05, 0.09, 0.0), (-0.05, -0.09, 0.0), (0.0, 0.0, 0.3)])
    faces = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)], dtype=np.int32)
    sheet = _sheet(4, 0.5)
    model = _on(thorn, faces, sheet)
    state = model.initial_state()
    for _ in range(24):
        state, figures = advance(model, state, FrameInputs(), SolverSettings(threads=1))
        assert figures.crossings == ()
    both = np.concatenate([model.pieces.triangle, faces + len(state.position)])
    assert count_crossings(np.concatenate([state.position, thorn]), both) == 0
    assert state.position[:, 2].max() > 0.2


def test_an_open_mesh_holds_cloth_on_either_side():
    """A single triangle, much larger than the sheet that lies on it, wound so as to face down."""
    x = np.array([(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (0.0, 3.0, 0.0)])
    faces = np.array([(0, 2, 1)], dtype=np.int32)
    model = _on(x, faces, _sheet(6, 0.1, 0.5))
    state = model.initial_state()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(threads=1))
    assert state.position[:, 2].min() > 0.0


def test_friction_on_a_mesh_is_that_of_both_and_drags_along():
    """A sheet on a plate that slides at .5 m/s goes with it: they rub with μ = 1."""
    x, faces = round_mesh(4, 2, 1.0)
    x = x * (3.0, 3.0, 0.1)
    builder = ModelBuilder()
    add_cloth(builder, _sheet(6, 0.13, 0.3), ClothSettings(friction=1.0, drag=0.0))
    settings = ColliderSettings(shape="MESH", friction=1.0)
    add_collider(builder, "plate", x, STILL, settings, faces)
    model = builder.finalize()
    state = model.initial_state()
    for frame in range(1, 49):
        place = model.colliders.position + (max(0, frame - 12) * 0.5 / 24.0, 0.0, 0.0)
        inputs = FrameInputs(collider_position=place)
        before = state.position.copy()
        state, _ = advance(model, state, inputs, SolverSettings(threads=1))
    speed = (state.position - before)[:, 0].mean() * 24.0
    assert speed == pytest.approx(0.5, abs=0.05)


def _level_mesh(turn, cells=40, size=4.0):
    x, quads = sheet(cells + 1, cells + 1, size, size)
    c, s = np.cos(turn), np.sin(turn)
    x[:, :2] = x[:, :2] @ np.array([[c, s], [-s, c]])
    return x, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.2])
@pytest.mark.parametrize(("cells", "speed"), [(1, 3.0), (40, 1.0), (40, 3.0), (157, 2.0)])
def test_cloth_slides_over_a_level_mesh_and_is_not_lifted(cells, speed, turn):
    """Triangles beside the one below a vertex lifted it over their edges, by 2 to 13 cm."""
    builder = ModelBuilder()
    pins = np.zeros(441)
    pins[20::21] = 1.0
    add_cloth(builder, _sheet(21, 0.0, 0.5), ClothSettings(), pin_weight=pins)
    mesh, triangle = _level_mesh(turn, cells)
    add_collider(builder, "mesh", mesh, STILL, ColliderSettings(shape="MESH"), triangle)
    model = builder.finalize()
    radius = model.particles.radius[0]
    model.particles.position[:, 2] = radius
    state, place = model.initial_state(), model.particles.position[model.pins.particle]
    for frame in range(1, 9):
        inputs = FrameInputs(pin_position=place + (speed / 24 * frame, 0.0, 0.0))
        state, _ = advance(model, state, inputs, SolverSettings(threads=1))
        over = state.position[:, 2] / radius - 1.0
        assert np.abs(over).max() < 0.02


def test_cloth_beside_a_pin_is_not_flung_by_what_only_the_pin_could_part():
    """An edge from a pin over one of a mesh: what pushed it where it cannot move threw its end."""
    builder = ModelBuilder()
    pins = np.zeros(441)
    pins[20::21] = 1.0
    add_cloth(builder, _sheet(21, 0.0, 0.5), ClothSettings(), pin_weight=pins)
    mesh, triangle = _level_mesh(0.0)
    mesh[:, 2] = 4e-5 * np.sin(37.0 * np.arange(len(mesh)))  # no two normals alike
    add_collider(builder, "mesh", mesh, STILL, ColliderSettings(shape="MESH"), triangle)
    model = builder.finalize()
    model.particles.position[:, 2] = model.particles.radius[0]
    state, place = model.initial_state(), model.particles.position[model.pins.particle]
    for frame in range(1, 13):
        inputs = FrameInputs(pin_position=place + (1.0 / 24 * frame, 0.0, 0.0))
        state, _ = advance(model, state, inputs, SolverSettings(threads=1))
        assert state.position[:, 2].max() < 2.0 * model.particles.radius[0]


def test_plates_lie_on_cloth_on_a_mesh_that_rises_and_changes_its_form():
    """A swing of the mesh by 3 cm carries cloth and plate along, one as high as the other."""
    x, faces = _level_mesh(0.3, cells=6, size=2.0)
    builder = ModelBuilder()
    add_cloth(builder, _sheet(17, 0.01, 0.5), ClothSettings())
    add_collider(builder, "mesh", x, STILL, ColliderSettings(shape="MESH"), faces)
    builder.add_body("plate", "CYLINDER", (0.1, 0.01), (0.02, 0.03, 0.06), mass=2.0)
    model = builder.finalize()
    state, thickness = model.initial_state(), 2.0 * model.particles.radius[0]
    local = model.shapes.meshes.vertex
    for frame in range(1, 61):
        rise = 0.015 * (1.0 - np.cos(2.0 * np.pi * max(0, frame - 24) / 24.0))
        inputs = FrameInputs(mesh_vertex=local + (0.0, 0.0, rise))
        state, figures = advance(model, state, inputs, SolverSettings(threads=1))
        if frame > 25:  # it lay asleep
            assert state.body_position[0, 2] == pytest.approx(rise + thickness + 0.01, abs=5e-4)
    assert not figures.crossings


def test_cloth_that_begins_through_a_ball_comes_out_of_it_slowly():
    x, faces = round_mesh(16, 8, 0.3)
    model = _on(x, faces, _sheet(12, 0.2))
    told = crossings_at_start(model)
    assert [(one.name, one.other) for one in told] == [("sheet", "mesh")]
    both = np.concatenate([model.pieces.triangle, faces + len(model.particles)])
    counted = count_crossings(np.concatenate([model.particles.position, x]), both)
    assert told[0].pairs == counted > 0
    state, fastest = model.initial_state(), 0.0
    for _ in range(24):
        state, figures = advance(model, state, FrameInputs(), SolverSettings(threads=1))
        moved = np.linalg.norm(state.position - state.previous, axis=1).max()
        fastest = max(fastest, moved / state.step)
    assert figures.crossings == ()
    assert fastest < 11.0  # in a second it falls at 9.8 where it hangs down


def test_what_is_pinned_inside_a_mesh_is_told_and_pulls_nothing_apart():
    scene = skirt(16, tight=1.25)
    state = scene.model.initial_state()
    inputs = scene.inputs(1)
    inputs.pin_position = inputs.pin_position * (0.5, 0.5, 1.0)  # all of the waist, deep inside
    for _ in range(24):
        state, figures = advance(scene.model, state, inputs, SolverSettings(threads=1))
    assert (state.position[:16] == inputs.pin_position).all()
    assert sum(one.pairs for one in figures.crossings) > 0
    assert figures.stretch_max < 0.1
    assert 0.02 < figures.penetration < 0.05  # below the cap of the hips
    moved = np.linalg.norm(state.position - state.previous, axis=1).max()
    assert moved / state.step < 3.0


def test_closed_parts_are_told_from_sheets_and_from_parts_inside_out():
    ball, faces = round_mesh(12, 6, 1.0)
    plate = np.array([(3.0, 0.0, 0.0), (4.0, 0.0, 0.0), (3.0, 1.0, 0.0)])
    x = np.concatenate([ball, ball + (0.0, 5.0, 0.0), plate])
    n = len(ball)
    triangle = np.concatenate([faces, faces[:, ::-1] + n, [(2 * n, 2 * n + 1, 2 * n + 2)]])
    expected = np.repeat([1, -1, 0], [len(faces), len(faces), 1])
    assert (facing(x, triangle.astype(np.int32)) == expected).all()
    corners = x[triangle].reshape(-1, 3)  # the same with every triangle for itself
    alone = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    assert (facing(corners, alone) == expected).all()
    assert (facing(*hips_and_legs()) == 1).all()


def test_a_mesh_that_changes_its_form_goes_through_nothing():
    scene = ball_drop(16, deep=0.08)
    state = scene.model.initial_state()
    for frame in range(1, 61):
        state, figures = advance(scene.model, state, scene.inputs(frame), SolverSettings(threads=1))
        assert figures.crossings == ()
