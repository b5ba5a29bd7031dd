"""What is held and forced to be longer: pressed farther than it reaches, pulled apart, pinched."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..recipes.collider import add_collider
from ..recipes.geometry import Geometry
from ..recipes.rope import add_rope
from ..settings import ClothSettings, ColliderSettings, RopeSettings
from .cloth_scenes import DrivenScene, add_quads, sheet
from .collider_scenes import round_mesh

PRESSED_FRAMES = 96
"""Frames that a sheet is followed: while it is pressed, and three seconds on."""

LAYERS_APART = 0.03
"""m between sheets that are pinched."""

FROM_ABOVE = 1.2
"""Radii over the sheet at which what presses begins."""


@dataclass(frozen=True)
class Press:
    """What presses on which sheet, and how."""

    held: str = "border"  # or "corners"
    kind: str = "SPHERE"  # or BOX, MESH, BODY
    deep: float = 0.35  # of the width, that it goes below the sheet
    seconds: float = 1.0
    vertices: int = 24  # along a side
    width: float = 2.0  # m
    turn: float = 0.0  # rad, of the whole scene about an axis askew
    layers: int = 1
    rate: float = 480.0  # substeps a second

    @property
    def radius(self) -> float:
        """Of what presses, m."""
        return 0.15 * self.width

    @property
    def needed(self) -> float:
        """Share by which the straight way from the nearest pin to the lowest place is longer."""
        reach = self.width / 2 * (math.sqrt(2.0) if self.held == "corners" else 1.0)
        return math.hypot(reach, self.deep * self.width) / reach - 1.0

    @property
    def turned(self) -> Floats:
        """Rotation (3, 3) of the scene (Rodrigues)."""
        x, y, z = np.array([0.6, 0.64, 0.48])
        k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        rotation: Floats = np.eye(3) + math.sin(self.turn) * k + (1 - math.cos(self.turn)) * k @ k
        return rotation

    def place(self, frame: int) -> Floats:
        """Where the centre of what presses is, m."""
        share = min(frame / 24.0 / self.seconds, 1.0)
        top, bottom = FROM_ABOVE * self.radius, self.radius - self.deep * self.width
        return np.asarray(self.turned @ np.array([0.0, 0.0, top + share * (bottom - top)]))


def pressed_sheet(press: Press) -> DrivenScene:
    """A sheet, or several one below the other, and what comes down on its middle."""
    builder = ModelBuilder()
    for layer in range(press.layers):
        p, quads = sheet(press.vertices, press.vertices, press.width, press.width)
        is_end = np.abs(p[:, :2]) > 0.4999 * press.width
        is_held = is_end.all(axis=1) if press.held == "corners" else is_end.any(axis=1)
        below = (0.0, 0.0, -0.02 * press.width * layer)
        settings = ClothSettings(meets_itself=press.layers > 1)
        add_quads(builder, (p + below) @ press.turned.T, quads, settings, is_held, f"{layer}")
    start, x = press.place(0), np.zeros((0, 3))
    if press.kind == "MESH":
        x, triangle = round_mesh(24, 12, press.radius)
        given = ColliderSettings(shape="MESH")
        add_collider(builder, "ball", x + start, (1.0, 0.0, 0.0, 0.0), given, triangle)
    elif press.kind == "BODY":
        size = (press.radius,)
        builder.add_body("ball", "SPHERE", size, start, mass=1.0, follows="ANIMATED")
    elif press.kind == "BOX":
        builder.add_collider("box", "BOX", tuple(press.radius * np.array([0.8, 0.6, 1.0])), start)
    else:
        builder.add_collider("ball", "SPHERE", (press.radius,), start)
    model = builder.finalize()
    middle = model.colliders.position[0] if press.kind == "MESH" else np.zeros(3)

    def inputs(frame: int) -> FrameInputs:
        place = press.place(frame)
        if press.kind == "BODY":
            return FrameInputs(body_position=place[None])
        if press.kind == "MESH":
            return FrameInputs(mesh_vertex=x + place - middle)
        return FrameInputs(collider_position=place[None])

    return DrivenScene(model, PRESSED_FRAMES, inputs)


@dataclass(frozen=True)
class PullApart:
    """What is held at both ends, and how far these are driven apart."""

    held: str = "border"  # two borders of a sheet, its "corners", or "all" of its border; a "rope"
    share: float = 0.3  # of its width, that this grows by
    seconds: float = 1.0
    vertices: int = 24  # along a side
    width: float = 2.0  # m
    rate: float = 480.0  # substeps a second

    def edges(self, model: Model) -> tuple[Ints, Floats]:
        """Ends (e, 2) of all edges, and their lengths (e,) m at rest."""
        if self.held != "rope":
            return model.sticks.pair, model.sticks.rest_length
        along = np.arange(self.vertices - 1, dtype=np.int32)
        return np.stack([along, along + 1], axis=1), np.full(len(along), self.width / len(along))


def pulled_apart(pull: PullApart) -> DrivenScene:
    """A sheet or a rope whose pins are driven apart along x, and held there."""
    builder = ModelBuilder()
    if pull.held == "rope":
        p = np.zeros((pull.vertices, 3))
        p[:, 0] = np.linspace(-pull.width / 2, pull.width / 2, pull.vertices)
        is_held = np.abs(p[:, 0]) > 0.4999 * pull.width
        edge = np.stack([np.arange(len(p) - 1), np.arange(1, len(p))], axis=1)
        add_rope(builder, Geometry.of("rope", p, edge), RopeSettings(), pin_weight=is_held)
    else:
        p, quads = sheet(pull.vertices, pull.vertices, pull.width, pull.width)
        is_end = np.abs(p[:, :2]) > 0.4999 * pull.width
        if pull.held == "border":
            is_held = is_end[:, 0]
        else:
            held = is_end.all(axis=1) if pull.held == "corners" else is_end.any(axis=1)
            is_held = np.asarray(held)
        add_quads(builder, p, quads, ClothSettings(), is_held)
    model = builder.finalize()
    start = p[model.pins.particle]

    def inputs(frame: int) -> FrameInputs:
        grown = 1.0 + pull.share * min(frame / 24.0 / pull.seconds, 1.0)
        return FrameInputs(pin_position=start * (grown, 1.0, 1.0))

    return DrivenScene(model, PRESSED_FRAMES, inputs)


@dataclass(frozen=True)
class Pinch:
    """What closes on a hung sheet from both sides, and farther than it is thin."""

    kind: str = "BOX"  # or SPHERE, MESH: a ball of triangles
    overlap: float = 0.1  # m, by which the two go through each other
    turn: float = 0.0  # rad, of one of them about the line between them
    vertices: int = 28  # along a side of a metre
    layers: int = 1
    rate: float = 480.0  # substeps a second


def pinched(pinch: Pinch) -> DrivenScene:
    """A sheet or more, hung on a border, pinched in half a second and then swung to and fro."""
    builder, r = ModelBuilder(), 0.2
    for layer in range(pinch.layers):
        p, quads = sheet(pinch.vertices, pinch.vertices, 1.0, 1.0)
        is_held = p[:, 1] > 0.4999
        x = p[:, [0, 2, 1]] + (0.0, LAYERS_APART * (layer - 0.5 * (pinch.layers - 1)), 0.0)
        add_quads(builder, x, quads, ClothSettings(meets_itself=True), is_held, f"{layer}")
    _add_jaws(builder, pinch, r)

    def inputs(frame: int) -> FrameInputs:
        time = frame / 24.0
        apart = 0.35 - min(2.0 * time, 1.0) * (0.35 - r + 0.5 * pinch.overlap)
        swing = 0.3 * math.sin(3.0 * max(time - 0.5, 0.0))
        places = np.array([[swing, -apart, -0.05], [swing, apart, -0.05]])
        return FrameInputs(collider_position=places)

    return DrivenScene(builder.finalize(), 72, inputs)


def _add_jaws(builder: ModelBuilder, pinch: Pinch, r: float) -> None:
    """What closes on the sheets, r m from its middle to its sides."""
    half = 0.5 * pinch.turn
    for y, turn in ((-0.35, 0.0), (0.35, half)):
        place, q = np.array([0.0, y, -0.05]), (math.cos(turn), 0.0, math.sin(turn), 0.0)
        if pinch.kind == "MESH":
            x, triangle = round_mesh(24, 12, r)
            add_collider(builder, "jaw", x + place, q, ColliderSettings(shape="MESH"), triangle)
        else:
            size = (r,) if pinch.kind == "SPHERE" else (r, r, r)
            builder.add_collider("jaw", pinch.kind, size, tuple(place), q)
