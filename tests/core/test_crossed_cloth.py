"""Cloth that begins through itself or other cloth: what has come through goes back, slowly."""

from __future__ import annotations

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance, crossings_at_start
from verlet_physics.bench import crossed_scenes
from verlet_physics.bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from verlet_physics.particles.contacts.surface_sides import edge_keys, find_sides, sides_room
from verlet_physics.particles.contacts.surface_untangling import (
    COME,
    OPEN,
    SOUND,
    crossed_room,
    flush_way,
    gives_way,
)
from verlet_physics.truth.crossings import count_crossings


def _grid(columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A sheet of unit squares: places (n, 3) m and triangles (f, 3)."""
    p, quads = sheet(columns, rows, columns - 1.0, rows - 1.0)
    return p, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)


def _come(p, triangle, is_beyond, inverse_mass=None):
    """What has come through (n,) when all edges between two parts of a sheet are gone through."""
    ends = np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2)
    cut = ends[is_beyond[ends[:, 0]] != is_beyond[ends[:, 1]]]
    sides = sides_room(triangle, p)
    inverse_mass = np.ones(len(p)) if inverse_mass is None else inverse_mass
    rows = np.arange(len(triangle), dtype=np.int32)
    find_sides(sides, rows, triangle, edge_keys(cut, len(p), by_parity=False), inverse_mass)
    return sides.has_come.astype(bool)


@pytest.mark.parametrize("width", [1.0, 2.5, 3.5])
def test_of_two_parts_the_smaller_has_come_through(width):
    p, triangle = _grid(9, 6)
    beyond = p[:, 0] > 4.0 - width
    assert (_come(p, triangle, beyond) == beyond).all()
    assert (_come(p, triangle, ~beyond) == beyond).all()


def test_the_part_that_is_held_has_not_come_through():
    p, triangle = _grid(9, 6)
    beyond = p[:, 0] > 2.0
    held = np.where(p[:, 0] > 3.9, 0.0, 1.0)
    assert (_come(p, triangle, beyond, held) == ~beyond).all()


def test_what_has_come_through_twice_has_not():
    p, triangle = _grid(12, 5)
    beyond = (p[:, 0] > 1.0) & (p[:, 0] < 3.0)  # on the far side of it all is right again
    assert (_come(p, triangle, beyond) == beyond).all()


def test_an_edge_that_passes_and_comes_back_is_not_cut_by_parity():
    edge = np.array([[4, 1], [2, 3], [1, 4], [5, 6], [6, 5], [5, 6]], dtype=np.int32)
    assert edge_keys(edge, 10, by_parity=False).tolist() == [14, 23, 56]
    assert edge_keys(edge, 10, by_parity=True).tolist() == [23, 56]


def test_a_slit_parts_nothing():
    p, triangle = _grid(9, 9)
    ends = np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2)
    across = (p[ends[:, 0], 0] < 0.5) != (p[ends[:, 1], 0] < 0.5)
    cut = ends[across & (p[ends, 1] < 0.0).all(axis=1)]  # from the border to the middle
    sides = sides_room(triangle, p)
    rows = np.arange(len(triangle), dtype=np.int32)
    find_sides(sides, rows, triangle, edge_keys(cut, len(p), by_parity=False), np.ones(len(p)))
    assert len(cut)
    assert not sides.has_come.any()


def _pair(one: int, other: int, is_edges: bool, seen: bool = True) -> bool:
    """Whether a pair of features gives way, by the marks of all its vertices."""
    crossed = crossed_room(np.array([1, 1, 2, 2] if is_edges else [1, 2, 2, 2]), np.zeros((4, 3)))
    crossed.is_any[0] = 1
    first = 2 if is_edges else 1
    crossed.side[:first], crossed.side[first:] = one, other
    if seen:
        crossed.through[:first], crossed.through[first:] = 2, 1
    return bool(gives_way(crossed, (0, 1, 2, 3), int(is_edges)))


def test_what_has_not_come_through_is_still_kept_apart():
    for is_edges in (False, True):
        assert not _pair(SOUND, SOUND, is_edges)
        assert not _pair(SOUND, COME, is_edges)
        assert not _pair(SOUND, OPEN, is_edges)
        assert _pair(COME, OPEN, is_edges)
        assert _pair(OPEN, COME, is_edges)
        assert _pair(OPEN, OPEN, is_edges)
        assert _pair(COME, COME, is_edges)
    assert _pair(COME, SOUND, is_edges=False)
    assert not _pair(COME, SOUND, is_edges=True)  # no edge comes back over one that never left


def test_what_is_gone_through_by_something_else_is_still_kept_apart():
    assert not _pair(COME, COME, False, seen=False)
    assert not _pair(OPEN, OPEN, True, seen=False)


def test_the_side_of_what_lies_flush_is_that_on_which_it_is_looked_for():
    x = np.array([(0.2, 0.2, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    weight = (1.0, -0.6, -0.2, -0.2)
    for side in (-1.0, 1.0):
        spot = np.zeros((4, 3))
        spot[0, 2] = side
        way = flush_way(spot, x, (0, 1, 2, 3), 0, weight, 1e-9)
        assert way == pytest.approx((0.0, 0.0, side * 1e-9), abs=1e-20)


def test_a_copy_whose_edges_pass_through_edges_is_told_of():
    model = crossed_scenes.copied(11)
    assert count_crossings(model.particles.position, model.pieces.triangle) == 0  # of triangles
    (found,) = crossings_at_start(model)
    assert (found.name, found.other) == ("level", "copy")


def test_while_two_sheets_come_apart_nothing_goes_through_a_third():
    """It lies on one of them, right where the other's corner is to go back."""
    poked = crossed_scenes.poked(16)
    builder = ModelBuilder()
    p, quads = sheet(16, 16, 1.0, 1.0)
    held = crossed_scenes.border(p)
    add_quads(builder, p + (0.0, 0.0, 0.5), quads, MEETS_ITSELF, held, name="level")
    below = p + (0.0, 0.0, 0.5 - 0.2)
    add_quads(builder, below, quads, MEETS_ITSELF, held, name="below")
    upright = poked.particles.position[256:]
    n = round(len(upright) ** 0.5)
    _, others = sheet(n, n, 0.6, 0.6)
    add_quads(builder, upright, others, MEETS_ITSELF, name="upright")
    model = builder.finalize()
    state = model.initial_state()
    seen = set()
    for _ in range(16):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
        seen |= {frozenset((one.name, one.other)) for one in figures.crossings}
    assert seen == {frozenset(("level", "upright"))}
    assert not figures.crossings


def test_sheets_that_come_apart_in_free_fall_keep_their_common_momentum():
    builder = ModelBuilder()
    p, quads = sheet(12, 12, 1.0, 1.0)
    add_quads(builder, p, quads, MEETS_ITSELF, name="level")
    tilted = crossed_scenes.turned((0, 1, 0), 60.0, p) + (0.2, 0.013, 0.007)
    add_quads(builder, tilted, quads, MEETS_ITSELF, name="tilted")
    model = builder.finalize()
    mass = model.particles.mass[:, None] / model.particles.mass.sum()
    state = model.initial_state()
    begin = (mass * state.position).sum(axis=0)
    still = FrameInputs(gravity=(0.0, 0.0, 0.0))
    for _ in range(36):
        state, figures = advance(model, state, still, SolverSettings())
    assert not figures.crossings
    drift = (mass * state.position).sum(axis=0) - begin
    velocity = (mass * (state.position - state.previous)).sum(axis=0) / state.step
    assert np.linalg.norm(drift) < 0.05, drift
    assert np.linalg.norm(velocity) < 0.05, velocity


def test_the_bits_are_the_same_for_one_thread_and_for_two():
    ends = []
    for threads in (1, 2):
        model = crossed_scenes.two_balls(16)
        state = model.initial_state()
        for _ in range(4):
            state, _ = advance(model, state, FrameInputs(), SolverSettings(threads=threads))
        ends.append(state)
    assert (ends[0].position == ends[1].position).all()
    assert (ends[0].previous == ends[1].previous).all()


def test_a_frame_of_crossed_cloth_hangs_on_nothing_but_its_state():
    model = crossed_scenes.poked(12)
    state = model.initial_state()
    state, _ = advance(model, state, FrameInputs(), SolverSettings())
    once, figures = advance(model, state, FrameInputs(), SolverSettings())
    assert figures.crossings
    advance(model, once, FrameInputs(), SolverSettings())
    again, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert (once.position == again.position).all()


def test_a_fold_that_grazes_a_fold_parts_nothing_and_still_comes_apart():
    """Neither has a vertex beyond the other: the line of intersection goes around between them."""
    builder = ModelBuilder()
    p, quads = sheet(5, 5, 0.4, 0.4)
    ridge = p + np.stack([p[:, 1], 0.0 * p[:, 0], 0.2 - 0.7 * abs(p[:, 0])], axis=1) * (0, 0, 1)
    across = p[:, [1, 0, 2]] + (0.023, 0.031, 0.0)
    across[:, 2] = 0.196 + 0.7 * abs(p[:, 0])
    add_quads(builder, ridge, quads, MEETS_ITSELF, name="below")
    add_quads(builder, across, quads, MEETS_ITSELF, name="above")
    model = builder.finalize()
    (found,) = crossings_at_start(model)
    assert {found.name, found.other} == {"below", "above"}
    state = model.initial_state()
    still = FrameInputs(gravity=(0.0, 0.0, 0.0))
    for _ in range(4):
        state, figures = advance(model, state, still, SolverSettings())
    assert not figures.crossings
    assert count_crossings(state.position, model.pieces.triangle) == 0


def test_what_has_come_apart_is_known_to_be_and_what_cannot_is_not():
    """What is pressed through later keeps its contacts: more would follow where they gave way."""
    model = crossed_scenes.poked(12)
    state = model.initial_state()
    assert state.rest.crossed.all()
    for _ in range(24):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
    assert figures.crossings == ()
    assert not state.rest.crossed.any()
    model = crossed_scenes.jammed(10)
    state = model.initial_state()
    for _ in range(4):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
    assert figures.crossings
    assert state.rest.crossed[:2].all()
