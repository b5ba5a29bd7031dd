"""Springs that act in every second substep: no picture shows in which of the two turns it ends."""

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import ClothSettings, FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench import cloth_scenes

ONE_THREAD = SolverSettings(threads=1)
SIDE = 16


def stretched_over_a_ball():
    """A sheet that four hands pull down over a ball: the model, and their places at rest (4, 3)."""
    builder = ModelBuilder()
    x, quads = cloth_scenes.sheet(SIDE, SIDE, 1.0, 1.0)
    builder.add_collider("ball", "SPHERE", (0.3,), (0.02, 0.01, -0.31))
    corners = np.isin(np.arange(SIDE * SIDE), [0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1])
    settings = ClothSettings(meets_itself=True)
    cloth_scenes.add_quads(builder, x, quads, settings, pins=corners.astype(float))
    model = builder.finalize()
    return model, model.particles.position[model.pins.particle]


@pytest.mark.parametrize("down", [0.1, 0.2, 0.3])
def test_taut_cloth_hardly_trembles_at_any_number_of_pictures_a_second(down):
    """At 25 a second 480 substeps a second would be 19 a picture."""
    model, pins = stretched_over_a_ball()
    state, places = model.initial_state(), []
    for frame in range(100):
        pulled = min(1.0, frame / 50)
        hands = pins * (1.0 - 0.6 * down * pulled, 1.0 - 0.6 * down * pulled, 1.0)
        hands[:, 2] -= down * pulled
        inputs = FrameInputs(duration=1 / 25, pin_position=hands)
        state, _ = advance(model, state, inputs, ONE_THREAD)
        places.append(state.position)
    ways = np.linalg.norm(np.diff(places[-10:], axis=0), axis=2)
    assert np.median(ways) < 1e-4  # m a picture


def substeps(model, rate, settings=ONE_THREAD):
    figures = advance(model, model.initial_state(), FrameInputs(duration=1 / rate), settings)[1]
    return figures.substeps


@pytest.mark.parametrize(("rate", "count"), [(24, 20), (25, 20), (29.97, 16), (50, 10), (480, 2)])
def test_a_picture_is_an_even_number_of_substeps(rate, count):
    assert substeps(stretched_over_a_ball()[0], rate) == count


def test_what_does_not_take_turns_keeps_its_number():
    forces = replace(ONE_THREAD, spring_form="FORCE")
    assert substeps(stretched_over_a_ball()[0], 25, forces) == 19
    bodies = ModelBuilder()
    bodies.add_body("box", "BOX", (0.1, 0.1, 0.1), (0.0, 0.0, 1.0), mass=1.0)
    assert substeps(bodies.finalize(), 25) == 19
