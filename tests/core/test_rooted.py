"""What stands rooted in a collider rests there, and all else still meets it."""

import numpy as np
import pytest

from verlet_physics import (
    RECIPES,
    ClothSettings,
    FrameInputs,
    Geometry,
    ModelBuilder,
    PlantSettings,
    RopeSettings,
    SolverSettings,
    advance,
    body_poses,
)

SOLIDS = {
    "PLANE": lambda depth: ((), (0.0, 0.0, depth)),
    "SPHERE": lambda depth: ((depth + 0.05,), (0.05, 0.0, 0.0)),
    "BOX": lambda depth: ((depth + 0.03,) * 3, (0.02, 0.03, 0.0)),
    "CAPSULE": lambda depth: ((depth + 0.02, 0.3), (0.01, 0.02, 0.0)),
}


def stem(count=12, height=1.0):
    x = [(0.0, 0.0, z) for z in np.linspace(0.0, height, count)]
    edges = [(k, k + 1) for k in range(count - 1)]
    for k in range(3, count, 2):
        edges.append((k, len(x)))
        x.append((0.3 * height, 0.1 * height, x[k][2] + 0.1 * height))
    return Geometry.of("stem", x, edges)


def planted(kind, depth, recipe="PLANT", settings=None, scale=1.0, pins=1):
    """Model of a plant, or rope, whose lowest particles stand in a collider."""
    geometry = stem(height=scale)
    builder = ModelBuilder()
    weight = np.zeros(len(geometry.positions))
    weight[:pins] = 1.0
    RECIPES[recipe](builder, geometry, settings or PlantSettings(), pin_weight=weight)
    size, place = SOLIDS[kind](depth * scale)
    place = np.array(place) * (scale if kind != "PLANE" else 1.0)
    builder.add_collider("ground", kind, size, tuple(place))
    return builder.finalize()


def fastest(model, frames):
    state = model.initial_state()
    most = 0.0
    for _ in range(frames):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        speed = np.linalg.norm(state.position - state.previous, axis=1).max() / state.step
        most = max(most, speed)
    return most, state


@pytest.mark.parametrize("scale", [1.0, 0.05])
@pytest.mark.parametrize("depth", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("kind", SOLIDS)
def test_a_plant_stands_still_however_deep_its_root_is(kind, depth, scale):
    """It whipped about at 16 to 300 m/s."""
    most, _ = fastest(planted(kind, depth, scale=scale), 60)
    assert most < 0.02


@pytest.mark.parametrize("pins", [1, 3])
def test_a_rope_nailed_inside_a_box_rests(pins):
    builder = ModelBuilder()
    x = np.stack([np.linspace(0.0, 2.0, 41), np.zeros(41), np.zeros(41)], axis=1)
    weight = np.zeros(41)
    weight[:pins] = 1.0
    rope = Geometry.of("rope", x, [(k, k + 1) for k in range(40)])
    RECIPES["ROPE"](builder, rope, RopeSettings(), pin_weight=weight)
    builder.add_collider("post", "BOX", (0.4, 0.3, 0.3), (0.0, 0.0, 0.0))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, -1.0))
    model = builder.finalize()
    rooted = np.setdiff1d(np.arange(41), model.particles.colliding)
    assert 0 < len(rooted) < 15
    assert np.array_equal(rooted, np.arange(len(rooted)))
    _, state = fastest(model, 300)  # by then its swing has died away, however it fell
    assert np.linalg.norm(state.position - state.previous, axis=1).max() / state.step < 0.05
    assert state.position[:, 2].min() > -1.0 - 1e-3  # what hangs still meets the floor


def test_cloth_with_its_seam_just_inside_meets_the_body_all_the_same():
    side = np.linspace(0.0, 0.6, 13)
    x = np.stack([np.repeat(side, 13), np.tile(side, 13), np.full(169, -0.005)], axis=1)
    quads = [(13 * i + j, 13 * i + j + 1, 13 * i + j + 14, 13 * i + j + 13)
             for i in range(12) for j in range(12)]  # fmt: skip
    builder = ModelBuilder()
    cloth = Geometry.of("sheet", x, (), np.arange(145) * 4, np.ravel(quads))
    weight = np.zeros(169)
    weight[:13] = 1.0
    RECIPES["CLOTH"](builder, cloth, ClothSettings(), pin_weight=weight)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    assert np.array_equal(np.setdiff1d(np.arange(169), model.particles.colliding), np.arange(13))


def test_what_is_not_held_or_lies_outside_is_not_rooted():
    loose = planted("BOX", 0.3, "ROPE", RopeSettings(), pins=0)
    assert len(loose.particles.colliding) == len(loose.particles)
    builder = ModelBuilder()
    RECIPES["PLANT"](builder, stem(), PlantSettings(), pin_weight=np.eye(1, 17)[0])
    builder.add_collider("far", "SPHERE", (0.3,), (2.0, 0.0, 0.0))
    model = builder.finalize()
    assert len(model.particles.colliding) == len(model.particles)


@pytest.mark.parametrize("kind", ["QUATERNION", "TETRAHEDRON"])
@pytest.mark.parametrize("aside", [0.0, 0.04])
@pytest.mark.parametrize(
    ("shape", "size"),
    [("SPHERE", (0.1,)), ("SPHERE", (0.3,)), ("BOX", (0.2, 0.3, 0.1)), ("CAPSULE", (0.09, 0.2))],
)
def test_a_body_that_starts_around_a_root_falls_off_it_and_leaves_the_plant_alone(
    shape, size, aside, kind
):
    """It threw the plant at 30 to 120 m/s."""
    builder = ModelBuilder()
    geometry = stem()
    weight = np.zeros(len(geometry.positions))
    weight[0] = 1.0
    RECIPES["PLANT"](builder, geometry, PlantSettings(), pin_weight=weight)
    builder.add_body("pot", shape, size, (aside, 0.0, 0.05), mass=1.0, model=kind)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, -1.0))
    model = builder.finalize()
    plant = model.objects[0].particles
    state = model.initial_state()
    for _ in range(36):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        moved = np.linalg.norm((state.position - state.previous)[plant], axis=1)
        assert moved.max() / state.step < 1.0
    low = body_poses(model, state)[0][0, 2]
    assert low < -0.6


def test_a_body_that_comes_later_meets_the_root():
    builder = ModelBuilder()
    geometry = stem()
    weight = np.zeros(len(geometry.positions))
    weight[0] = 1.0
    RECIPES["PLANT"](builder, geometry, PlantSettings(), pin_weight=weight)
    about = {"velocity": (2.0, 0.0, 0.0), "mass": 0.01}
    builder.add_body("ball", "SPHERE", (0.1,), (-0.6, 0.0, 0.12), **about)
    model = builder.finalize()
    assert (model.particles.rooted_in < 0).all()
    state = model.initial_state()
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(gravity=(0.0, 0.0, 0.0)), SolverSettings())
    assert state.body_position[0, 0] < 0.0
