"""Figures about a frame."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Crossing:
    """A surface that passes through itself, another one, a mesh collider or a body as drawn."""

    name: str
    other: str
    pairs: int  # of triangles that intersect


@dataclass(frozen=True)
class Forcing:
    """Something that is held, and that what does not give way makes longer than it is."""

    name: str
    share: float  # of its length, by which it has to be longer


@dataclass
class Diagnostics:
    """Figures about one advanced frame."""

    kinetic_energy: float = 0.0  # J
    potential_energy: float = 0.0  # J, m·g·z
    elastic_energy: float = 0.0  # J, in springs that are taken as forces
    stretch_mean: float = 0.0  # share of the rest length, longer sticks only
    stretch_max: float = 0.0
    penetration: float = 0.0  # m, deepest vertex or body contact
    crossings: tuple[Crossing, ...] = ()  # surfaces that pass through each other at its end
    forced: tuple[Forcing, ...] = ()  # what was pressed or pulled farther than it reaches
    residual: float = 0.0  # m, largest stick error that the last pass left
    contact_count: int = 0
    substeps: int = 0
    passes: int = 0  # relaxation passes, of all substeps
    is_cut: bool = False  # passes were left out because the time budget was spent
    threads: int = 1
    stage_seconds: dict[str, float] = field(default_factory=dict)
