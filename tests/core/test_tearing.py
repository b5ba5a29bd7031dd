"""Tearing: where, when and along what a sheet or rope parts, and what becomes of the pieces."""

from __future__ import annotations

import numpy as np
import pytest

from verlet_physics import ModelBuilder, ModelError, advance
from verlet_physics.arrays import Floats, Ints
from verlet_physics.geometry.surface import connected_parts
from verlet_physics.model import FrameInputs, Model, State
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.rope import add_rope
from verlet_physics.settings import (
    AnimatedSettings,
    ClothSettings,
    RopeSettings,
    SolverSettings,
)

DENSITY, LENGTH = 0.3, 0.05
NO_GRAVITY = (0.0, 0.0, 0.0)


def split_sheet(nx: int, ny: int, edge: float = LENGTH, mirrored: bool = False) -> Geometry:
    """A sheet of squares of which each has corners of its own."""
    places, weld, first = [], [], {}
    for j in range(ny):
        for i in range(nx):
            for corner in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                weld.append(first.setdefault(corner, len(places)))
                places.append((corner[0] * edge, corner[1] * edge, 0.0))
    x = np.array(places) * ([-1.0, 1.0, 1.0] if mirrored else 1.0)
    count = nx * ny
    return Geometry.of("sheet", x, (), 4 * np.arange(count + 1), np.arange(4 * count), weld)


def sheet_model(geometry: Geometry, held: Floats, settings: ClothSettings, **more: object) -> Model:
    builder = ModelBuilder()
    add_cloth(builder, geometry, settings, pin_weight=held * 1.0, **more)  # type: ignore[arg-type]
    return builder.finalize()


def split_rope(count: int, edge: float = 0.1) -> Geometry:
    """A rope that hangs down, of which each stretch has ends of its own."""
    z = -edge * np.stack([np.arange(count), np.arange(count) + 1], axis=1).reshape(-1)
    edges = np.arange(2 * count).reshape(-1, 2)
    weld = np.concatenate([[0, 1], np.stack([edges[:-1, 1], edges[1:, 1]], 1).reshape(-1)])
    weld[2::2] = np.where(np.arange(count - 1) == 0, 1, edges[:-1, 1])
    return Geometry.of("rope", np.stack([0 * z, 0 * z, z], 1), edges, weld=weld)


def run(model: Model, frames: int, load: float = 0.0, along: int = 0, **more: object) -> State:
    """Some frames under a load in m/s² that grows for the first half of them."""
    state = model.initial_state(gravity=NO_GRAVITY)
    for frame in range(frames):
        gravity = [0.0, 0.0, 0.0]
        gravity[along] = load * min(1.0, 2.0 * (frame + 1) / frames)
        inputs = FrameInputs(gravity=tuple(gravity), **more)  # type: ignore[arg-type]
        state, _ = advance(model, state, inputs, SolverSettings(threads=1))
    return state


def pieces(model: Model, state: State) -> Ints:
    """The piece (n,) that each copy belongs to."""
    assert model.tears is not None
    pairs = np.concatenate(
        [model.tears.pair, np.stack([np.arange(len(state.tears.weld)), state.tears.weld], 1)]
    )
    return connected_parts(len(model.particles), pairs)


def is_torn(model: Model, state: State) -> bool:
    assert model.tears is not None
    return bool((state.tears.weld != model.tears.weld).any())


# ---------------------------------------------------------------------- when


@pytest.mark.parametrize("edge", [LENGTH, 0.5 * LENGTH])
def test_a_sheet_tears_at_the_strength_asked_for_on_any_mesh(edge: float) -> None:
    """Under a load g the width bears ρ g L a metre, less what hangs on the held squares."""
    nx = round(0.6 / edge)
    sheet = split_sheet(nx, nx // 2, edge)
    left = sheet.positions[:, 0] < 1e-9
    load = 60.0
    most = DENSITY * load * (0.6 - edge)  # at the first vertices that may part
    for share, tears in ((1.2, False), (0.9, True)):
        settings = ClothSettings(strength=share * most, area_density=DENSITY)
        model = sheet_model(sheet, left, settings)
        assert is_torn(model, run(model, 60, load)) is tears


def test_a_sheet_pulled_by_two_sides_ends_as_two_pieces() -> None:
    sheet = split_sheet(10, 4)
    x = sheet.positions[:, 0]
    model = sheet_model(sheet, (x < 1e-9) | (x > 0.5 - 1e-9), ClothSettings(strength=30.0))
    state = model.initial_state(gravity=NO_GRAVITY)
    right = model.particles.position[model.pins.particle, 0] > 0.1
    for frame in range(30):
        target = model.particles.position[model.pins.particle].copy()
        target[right, 0] += 0.5 * (frame + 1) / 24
        inputs = FrameInputs(pin_position=target, gravity=NO_GRAVITY)
        state, figures = advance(model, state, inputs, SolverSettings(threads=1))
    found = pieces(model, state)
    sides = found[np.flatnonzero(x < 1e-9)], found[np.flatnonzero(x > 0.5 - 1e-9)]
    assert not set(sides[0]) & set(sides[1])
    assert figures.stretch_max < 0.02  # nothing holds any longer


def test_nothing_tears_without_a_strength_and_copies_change_no_bit() -> None:
    sheet = split_sheet(8, 4)
    left = sheet.positions[:, 0] < 1e-9
    ends = []
    for geometry in (sheet, sheet.welded(sheet.weld)):  # type: ignore[arg-type]
        model = sheet_model(geometry, left, ClothSettings())
        ends.append(run(model, 24, -9.81, 2))
    torn, plain = ends
    assert (torn.tears.weld == sheet.weld).all()
    used = np.unique(sheet.weld)  # type: ignore[arg-type]
    assert (torn.position[used] == plain.position[used]).all()
    assert (torn.position == torn.position[torn.tears.weld]).all()


def test_a_key_parts_what_may_tear_at_its_frame() -> None:
    sheet = split_sheet(6, 3)
    left = sheet.positions[:, 0] < 1e-9
    paint = {"strength": (np.abs(sheet.positions[:, 0] - 0.15) < 1e-9) * 1.0}
    model = sheet_model(sheet, left, ClothSettings(strength=1e6), paint=paint)
    state = model.initial_state()
    for frame in range(6):
        keyed = (AnimatedSettings(strength=1.0 if frame < 3 else 0.0),)
        state, _ = advance(model, state, FrameInputs(animated=keyed), SolverSettings(threads=1))
        assert is_torn(model, state) is (frame >= 3)
    found = pieces(model, state)
    assert len(np.unique(found)) == 2  # along the seam, all of it and nothing else


def test_a_sheet_tears_along_a_weak_seam() -> None:
    sheet = split_sheet(12, 6)
    x = sheet.positions[:, 0]
    weak = np.abs(x - 0.4) < 1e-9
    paint = {"strength": np.where(weak, 0.02, 1.0)}
    model = sheet_model(sheet, x < 1e-9, ClothSettings(strength=100.0), paint=paint)
    state = run(model, 48, 60.0)
    assert model.tears is not None
    torn = np.flatnonzero(state.tears.weld != model.tears.weld)
    assert len(torn)
    assert weak[torn].all()
    assert len(np.unique(pieces(model, state))) == 2


# ---------------------------------------------------------------------- what becomes of it


@pytest.mark.parametrize("meets_itself", [False, True])
def test_momentum_goes_on_through_a_tear(meets_itself: bool) -> None:
    """Two halves that fly apart, at 1 m/s each, tear the sheet between them.

    Its sides strike each other so hard that some have to stop.
    """
    sheet = split_sheet(10, 4)
    x = sheet.positions
    speed = np.zeros_like(x)
    speed[:, 0] = np.where(x[:, 0] > 0.25, 2.0, -1.0)
    speed[:, 2] = 3.0 * x[:, 1]
    settings = ClothSettings(
        strength=1.0, drag=0.0, area_density=DENSITY, meets_itself=meets_itself
    )
    model = sheet_model(sheet, np.zeros(len(x)), settings, velocity=speed)
    state = model.initial_state(gravity=NO_GRAVITY)

    def sums(state: State) -> tuple[Floats, Floats]:
        assert model.tears is not None
        now = model.tears.model_for(state.tears.weld) if is_torn(model, state) else model
        free = now.particles.inverse_mass > 0.0
        p = now.particles.mass[free, None] * (state.position - state.previous)[free] / state.step
        return p.sum(axis=0), np.cross(state.position[free], p).sum(axis=0)

    before = sums(state)
    for _ in range(12):
        state, _ = advance(model, state, FrameInputs(gravity=NO_GRAVITY), SolverSettings(threads=1))
    assert is_torn(model, state)
    after = sums(state)
    assert after[0] == pytest.approx(before[0], abs=1e-12)
    assert after[1] == pytest.approx(before[1], abs=2e-3 * np.abs(before[0]).max())


def test_what_is_torn_off_falls_freely() -> None:
    """No tether and no stick holds it: after the seam has opened it falls by g t²/2."""
    sheet = split_sheet(6, 3)
    sheet = Geometry.of(
        "sheet",
        sheet.positions[:, [1, 2, 0]] * [1.0, 1.0, -1.0],
        (),
        sheet.face_offsets,
        sheet.face_vertices,
        sheet.weld,
    )
    height = sheet.positions[:, 2]
    paint = {"strength": (np.abs(height + 0.1) < 1e-9) * 1.0}
    settings = ClothSettings(strength=1e6, drag=0.0)
    model = sheet_model(sheet, height > -1e-9, settings, paint=paint)
    state = model.initial_state()
    keyed = (AnimatedSettings(strength=0.0),)
    for _ in range(12):
        state, _ = advance(model, state, FrameInputs(animated=keyed), SolverSettings(threads=1))
    lowest = np.flatnonzero(height < -0.3 + 1e-9)
    fallen = height[lowest] - state.position[lowest, 2]
    # it parts after the first look, 1/120 s after the start
    assert fallen == pytest.approx(0.5 * 9.81 * 0.5**2, rel=0.05)


def test_torn_pieces_touch_each_other() -> None:
    """The torn half is thrown back at the other one and does not pass through it."""
    sheet = split_sheet(8, 6)
    x = sheet.positions
    paint = {"strength": (np.abs(x[:, 0] - 0.2) < 1e-9) * 1.0}
    settings = ClothSettings(strength=1e6, drag=0.0)
    model = sheet_model(sheet, x[:, 0] < 1e-9, settings, paint=paint)
    state = model.initial_state(gravity=NO_GRAVITY)
    keyed = (AnimatedSettings(strength=0.0),)
    state, _ = advance(
        model, state, FrameInputs(animated=keyed, gravity=NO_GRAVITY), SolverSettings(threads=1)
    )
    piece = pieces(model, state)
    loose = piece != piece[0]
    assert loose.any()
    assert not loose.all()
    # folded back over the half that is held, and falling on it
    thrown = state.copy()
    thrown.position[loose, 0] -= 0.22
    thrown.position[loose, 2] += 0.03
    thrown.previous[:] = thrown.position
    thrown.previous[loose, 2] += 1.0 * thrown.step
    for _ in range(24):
        thrown, figures = advance(
            model, thrown, FrameInputs(gravity=NO_GRAVITY), SolverSettings(threads=1)
        )
        assert figures.crossings == ()


# ---------------------------------------------------------------------- same bits


def _torn_by_load(threads: int = 1, mirrored: bool = False) -> tuple[Model, State]:
    sheet = split_sheet(12, 6, mirrored=mirrored)
    left = np.abs(sheet.positions[:, 0]) < 1e-9
    model = sheet_model(sheet, left, ClothSettings(strength=6.0, drag=1.0))
    state = model.initial_state()
    for frame in range(24):
        pull = (-1.0 if mirrored else 1.0) * 3.0 * min(frame, 12)
        inputs = FrameInputs(gravity=(pull, 0.0, -4.0))
        state, _ = advance(model, state, inputs, SolverSettings(threads=threads))
    return model, state


def test_it_tears_the_same_on_any_number_of_threads_and_from_any_frame_on() -> None:
    model, one = _torn_by_load()
    _, two = _torn_by_load(threads=2)
    assert is_torn(model, one)
    there = two.columns()
    for name, value in one.columns().items():
        assert np.asarray(value).tobytes() == np.asarray(there[name]).tobytes(), name


def test_a_mirrored_scene_tears_mirrored() -> None:
    _, one = _torn_by_load()
    _, other = _torn_by_load(mirrored=True)
    assert (one.tears.weld == other.tears.weld).all()
    assert other.position * [-1.0, 1.0, 1.0] == pytest.approx(one.position, abs=1e-9)


# ---------------------------------------------------------------------- ropes


@pytest.mark.parametrize(("strength", "snaps"), [(1.25, False), (0.8, True)])
def test_a_rope_snaps_under_more_than_its_strength_and_never_under_less(
    strength: float, snaps: bool
) -> None:
    rope = split_rope(10)
    settings = RopeSettings(strength=strength * 0.1 * 9.81 * 0.9, line_density=0.1)
    builder = ModelBuilder()
    add_rope(builder, rope, settings, pin_weight=(rope.positions[:, 2] > -1e-9) * 1.0)
    model = builder.finalize()
    state = run(model, 48, -9.81, 2)
    assert is_torn(model, state) is snaps
    assert len(np.unique(pieces(model, state))) == (2 if snaps else 1)
    if snaps:
        lowest = state.position[-1, 2]
        assert lowest < -1.3  # it falls


# ---------------------------------------------------------------------- what is refused


def test_copies_that_fit_no_mesh_are_named() -> None:
    sheet = split_sheet(2, 1)
    with pytest.raises(ModelError, match="split it anew"):
        Geometry.of("sheet", sheet.positions, (), sheet.face_offsets, sheet.face_vertices, [7] * 8)


def test_slack_cloth_does_not_tear() -> None:
    sheet = split_sheet(2, 1)
    with pytest.raises(ModelError, match="slack"):
        sheet_model(sheet, np.zeros(8), ClothSettings(strength=1.0, slack=0.5))


def test_a_state_with_copies_of_another_model_is_refused() -> None:
    sheet = split_sheet(2, 1)
    model = sheet_model(sheet, np.zeros(8), ClothSettings(strength=1.0))
    state = model.initial_state()
    state.tears.weld = np.full(8, 3, dtype=np.int32)
    with pytest.raises(ModelError, match="weld"):
        advance(model, state, FrameInputs(), SolverSettings(threads=1))
