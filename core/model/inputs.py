"""What drives a frame from outside: gravity, wind, fields, pins, colliders, motors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..arrays import Floats
from ..settings import AnimatedSettings, WindSettings
from ..settings.gravity import EARTH_GRAVITY

if TYPE_CHECKING:
    from .field import Field
    from .grab import Grab
    from .pull import Pull


@dataclass
class FrameInputs:
    """What the outside world does during one frame. None means: stays where it is.

    Targets are reached at the end of the frame, substeps move on a straight line to them.
    """

    duration: float = 1.0 / 24.0  # s
    gravity: tuple[float, float, float] = EARTH_GRAVITY  # m/s²
    wind: WindSettings = field(default_factory=WindSettings)
    fields: tuple[Field, ...] = ()  # force fields, as they are in this frame
    pin_position: Floats | None = None  # (p, 3) m, in the order of Model.pins
    pin_weight: Floats | None = None  # (p,) in place of Model.pins.weight
    animated: tuple[AnimatedSettings, ...] | None = None  # one for each of Model.objects
    collider_position: Floats | None = None  # (colliders, 3) m
    collider_orientation: Floats | None = None  # (colliders, 4)
    body_position: Floats | None = None  # (b, 3) m, read for bodies that follow their animation
    body_orientation: Floats | None = None  # (b, 4), likewise
    mesh_vertex: Floats | None = None  # (v, 3) m, of mesh shapes, in the frames of the shapes
    joint_target: Floats | None = None  # (j,) rad or m, what pose motors aim at
    joint_speed: Floats | None = None  # (j,) rad/s or m/s of speed motors
    joint_pose: Floats | None = None  # (j, 4) the second's frame in the first's, for pose motors
    joint_strength: Floats | None = None  # (j,) factor on all motors, 0: limp
    joint_hold: Floats | None = None  # (j,) 0: lets go as long as it is so, 1: holds
    pull: Pull | None = None  # draws bodies to where their animation has them
    grab: Grab | None = None  # a hand that pulls what it has taken hold of
