"""Loose particles and ropes meet the faces of cloth and soft bodies, however coarse these are.

They lie on faces as near as both are thick, though no vertex is near, and pass through none. Told
by plain NumPy, nothing of the engine: distances from faces are those of points along each stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..bench.cloth_scenes import sheet
from ..bench.rigid_scenes import FPS
from ..bench.shapes import cube, line
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..recipes.particles import add_particles
from ..recipes.rope import add_rope
from ..recipes.soft_body import add_soft_body
from ..settings import (
    ClothSettings,
    ParticleSettings,
    RopeSettings,
    SoftBodySettings,
    SolverSettings,
)
from ..step import advance
from .case import Result, case
from .crossings import count_crossings
from .rates import at_rates

FRAMES_ON_FACES = 72
POINTS_OF_STRETCH = 9  # points of a stretch, ends and all
MOST_GAP = 5e-3  # m, that what lies on a face may be from as near as both are thick
MOST_WAY = 1e-3  # m in a second
SHEET_SIDE = 2.0  # m, of the sheets


def level_sheet(count: int, turn: float = 0.0) -> Geometry:
    """A level sheet of count × count vertices, turned about the vertical."""
    place, quads = sheet(count, count, SHEET_SIDE, SHEET_SIDE)
    c, s = np.cos(turn), np.sin(turn)
    place = place @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return Geometry.of("sheet", place, (), np.arange(0, quads.size + 1, 4), quads.ravel())


def rim_of(count: int) -> Floats:
    """Pins (n,) all around such a sheet."""
    pins = np.ones((count, count))
    pins[1:-1, 1:-1] = 0.0
    return pins.ravel()


def _away(p: Floats, x: Floats, triangle: Ints) -> Floats:
    """Distance (k,) m of places p (k, 3) from the nearest triangle (f, 3) at x (n, 3) m."""
    a, b, c = (x[triangle[:, n]] for n in range(3))
    normal = np.cross(b - a, c - a)
    height = ((p[:, None] - a) * normal).sum(-1) / np.linalg.norm(normal, axis=1)
    inside = np.ones(height.shape, dtype=bool)
    least = np.full(height.shape, np.inf)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(v - u, p[:, None] - u) * normal).sum(-1) >= 0.0
        way = v - u
        share = ((p[:, None] - u) * way).sum(-1) / (way * way).sum(-1)
        foot = u + np.clip(share, 0.0, 1.0)[..., None] * way
        least = np.minimum(least, np.linalg.norm(p[:, None] - foot, axis=2))
    return np.asarray(np.where(inside, np.abs(height), least).min(axis=1))


@dataclass(frozen=True)
class OnFaces:
    """What falls on the faces of the first object and comes to rest there."""

    model: Model
    triangle: Ints  # (f, 3) of the first object
    stretch: Ints  # (e, 2) of what lies on it; a particle is one whose ends are the same
    rate: float  # 1/s

    def run(self, frames: int = FRAMES_ON_FACES) -> tuple[State, int]:
        """The state at the end, and the most crossings of stretches and faces in any frame."""
        state, settings = self.model.initial_state(), SolverSettings(substep_rate=self.rate)
        line = self.stretch[:, [0, 1, 1]]
        most = 0
        for _ in range(frames):
            state, _ = advance(self.model, state, FrameInputs(), settings)
            x = state.position
            both = np.concatenate([self.triangle, line])
            most = max(most, count_crossings(x, both) - count_crossings(x, self.triangle))
        return state, most

    def gap(self, x: Floats) -> float:
        """m, farthest that the nearest point of a particle or a rope is from as near as it may be.

        Of each particle that lies on it; of a rope, of the stretch that is nearest.
        """
        share = np.linspace(0.0, 1.0, POINTS_OF_STRETCH)[:, None, None]
        place = (1.0 - share) * x[self.stretch[:, 0]] + share * x[self.stretch[:, 1]]
        away = np.array([_away(row, x, self.triangle) for row in place])
        radius = self.model.particles.radius
        gap = away - radius[self.triangle].max() - radius[self.stretch].max(axis=1)
        single = (self.stretch[:, 0] == self.stretch[:, 1]).all()
        return float(np.abs(gap[0]).max() if single else abs(gap.min()))


def _lying(builder: ModelBuilder, triangle: Ints, stretch: Ints, rate: float) -> OnFaces:
    return OnFaces(builder.finalize(), triangle, stretch, rate)


def _on_sheet(count: int, turn: float, rope: bool, rate: float) -> OnFaces:
    """Particles, or a rope, that fall on a sheet which is held all around."""
    builder, sheet = ModelBuilder(), level_sheet(count, turn)
    add_cloth(builder, sheet, ClothSettings(), pin_weight=rim_of(count))
    first = builder.particle_count
    if rope:
        lying = line("rope", (-0.7, -0.31, 0.2), (0.6, 0.37, 0.25), 17)
        add_rope(builder, lying, RopeSettings())
        return _lying(builder, sheet.triangles, lying.edges + first, rate)
    along, across = np.linspace(-0.45, 0.5, 7), np.linspace(0.31, -0.37, 7) ** 2
    place = np.stack([along, across, np.full(7, 0.2)], axis=1)
    add_particles(builder, Geometry.of("dust", place), ParticleSettings())
    row = np.arange(first, builder.particle_count)
    return _lying(builder, sheet.triangles, np.stack([row, row], axis=1), rate)


def _on_cube(rope: bool, rate: float) -> OnFaces:
    """The same on a soft cube of eight vertices."""
    builder, body = ModelBuilder(), cube(0.8, (0.0, 0.0, 0.42))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_soft_body(builder, body, SoftBodySettings())
    first = builder.particle_count
    if rope:
        lying = line("rope", (-0.9, -0.11, 1.2), (0.9, 0.17, 1.2), 30)
        add_rope(builder, lying, RopeSettings())
        return _lying(builder, body.triangles, lying.edges + first, rate)
    place = [(-0.13, 0.1, 1.2), (0.21, -0.07, 1.3), (0.02, 0.02, 1.4), (0.11, 0.23, 1.5)]
    add_particles(builder, Geometry.of("dust", place), ParticleSettings(friction=1.0))
    row = np.arange(first, builder.particle_count)
    return _lying(builder, body.triangles, np.stack([row, row], axis=1), rate)


def _gap(make: partial[OnFaces], rate: float) -> Result:
    lying = make(rate=rate)
    state, crossings = lying.run()
    return Result(lying.gap(state.position) if crossings == 0 else np.inf, 0.0, MOST_GAP)


def _unrest(make: partial[OnFaces], rate: float) -> Result:
    """How far, m, any particle gets in a second, five seconds after the start."""
    lying = make(rate=rate)
    state, _ = lying.run(5 * FPS)
    later = state
    for _ in range(FPS):
        later, _ = advance(lying.model, later, FrameInputs(), SolverSettings(substep_rate=rate))
    way = np.linalg.norm(later.position - state.position, axis=1)
    return Result(float(way.max()), 0.0, MOST_WAY)


_SCENES = {
    f"{what}-on-{where}": make
    for what, rope in (("dust", False), ("rope", True))
    for where, make in (
        ("coarse-sheet", partial(_on_sheet, 6, 0.0, rope)),
        ("turned-sheet", partial(_on_sheet, 9, 0.4, rope)),
        ("fine-sheet", partial(_on_sheet, 24, 0.0, rope)),
        ("soft-cube", partial(_on_cube, rope)),
    )
}

for _name, _make in _SCENES.items():
    at_rates(f"{_name}-gap")(partial(_gap, _make))
    if _name != "rope-on-soft-cube":  # its ends coil on the floor for ten seconds
        at_rates(f"{_name}-unrest", (SolverSettings().substep_rate,))(partial(_unrest, _make))


def _shot(speed: float, count: int, rope: bool) -> Result:
    """How many particles, or ends of a rope, have come through a held sheet that they fly at."""
    builder, sheet = ModelBuilder(), level_sheet(count, 0.3)
    add_cloth(builder, sheet, ClothSettings(), pin_weight=rim_of(count))
    first, way = builder.particle_count, np.array([0.3, -0.2, -1.0])
    velocity = speed * way / np.linalg.norm(way)
    if rope:
        lying = line("rope", (-0.3, 0.1, 0.3), (0.2, 0.25, 0.6), 8)
        add_rope(builder, lying, RopeSettings(), velocity=velocity)
    else:
        place = np.random.default_rng(4).uniform((-0.4, -0.3, 0.2), (0.3, 0.4, 1.0), (20, 3))
        shot = Geometry.of("shot", place)
        add_particles(builder, shot, ParticleSettings(), velocity=velocity)
    model = builder.finalize()
    state = model.initial_state()
    through = 0
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        x = state.position
        beside = np.abs(x[first:, :2]).max(axis=1) > 0.5 * SHEET_SIDE
        lowest = x[:first, 2].min()
        through = max(through, int(((x[first:, 2] < lowest - 0.05) & ~beside).sum()))
    return Result(float(through), 0.0, 0.0)


for _speed in (10.0, 40.0, 120.0):
    for _count in (6, 21):
        case(f"shot-at-sheet-{_count}-{_speed:.0f}")(partial(_shot, _speed, _count, False))
        case(f"rope-shot-at-sheet-{_count}-{_speed:.0f}")(partial(_shot, _speed, _count, True))


def _momentum(what: str, angular: bool) -> Result:
    """How much momentum a free sheet and what strikes it lose, of what its parts have together."""
    builder, sheet = ModelBuilder(), level_sheet(9, 0.3)
    add_cloth(builder, sheet, ClothSettings(drag=0.0))
    speed = (0.5, -1.0, -3.0)
    if what == "rope":
        lying = line("rope", (-0.3, 0.1, 0.1), (0.4, 0.25, 0.2), 8)
        add_rope(builder, lying, RopeSettings(drag=0.0), velocity=speed)
    elif what == "dust":
        place = [(-0.23, 0.1, 0.2), (0.31, -0.17, 0.3)]
        flying = ParticleSettings(drag=0.0, mass=0.05)
        add_particles(builder, Geometry.of("shot", place), flying, velocity=speed)
    else:
        small = level_sheet(7, 0.8)
        there = 0.3 * small.positions + (-0.2, 0.1, 0.2)
        patch = Geometry.of("patch", there, (), small.face_offsets, small.face_vertices)
        add_cloth(builder, patch, ClothSettings(drag=0.0), velocity=speed)
    model = builder.finalize()
    mass = 1.0 / model.particles.inverse_mass[:, None]
    nowhere = FrameInputs(gravity=(0.0, 0.0, 0.0))

    def held(state: State) -> Floats:
        """Momentum (n, 3) kg m/s of each particle, or what it has about the origin, kg m²/s."""
        p = mass * (state.position - state.previous) / state.step
        return np.asarray(np.cross(state.previous, p) if angular else p)

    # states begin laid out for gravity
    state, _ = advance(model, model.initial_state(), nowhere, SolverSettings())
    before = held(state)
    largest = 0.0
    for _ in range(FPS):
        state, _ = advance(model, state, nowhere, SolverSettings())
        largest = max(largest, float(np.linalg.norm((held(state) - before).sum(axis=0))))
    scale = float(np.linalg.norm(before, axis=1).sum())
    return Result(largest / scale, 0.0, 1e-9)


for _what in ("dust", "rope", "patch"):
    case(f"{_what}-strikes-sheet-momentum")(partial(_momentum, _what, False))
    case(f"{_what}-strikes-sheet-angular-momentum")(partial(_momentum, _what, True))
