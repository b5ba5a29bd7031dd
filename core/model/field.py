"""Force fields as they are in one frame: what each is, where it acts and how strongly.

What they do is in `forces.field`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import ModelError

WIND, FORCE, VORTEX, TURBULENCE, CURL_NOISE, DRAG, EXPLOSION, HIT = range(8)
FIELD_KINDS = {
    "WIND": WIND,  # along local Z
    "FORCE": FORCE,  # away from position, a line or a plane; strength < 0 pulls
    "VORTEX": VORTEX,  # round local Z; not of shape POINT it also draws in and brakes
    "TURBULENCE": TURBULENCE,  # push by curl noise
    "CURL_NOISE": CURL_NOISE,  # carries along with the flow: a = flow·(u − v)
    "DRAG": DRAG,  # brakes
    "EXPLOSION": EXPLOSION,  # at one moment: speed away from position, strength / distance²
    "HIT": HIT,  # at one moment: speed along local Z
}
IMPULSES = ("EXPLOSION", "HIT")
FROM_POINT, FROM_LINE, FROM_PLANE = range(3)
FIELD_SHAPES = {"POINT": FROM_POINT, "LINE": FROM_LINE, "PLANE": FROM_PLANE}
IN_SPHERE, IN_TUBE, IN_CONE = range(3)
FALLOFFS = {"SPHERE": IN_SPHERE, "TUBE": IN_TUBE, "CONE": IN_CONE}
BOTH, POSITIVE, NEGATIVE = range(3)
FIELD_SIDES = {"BOTH": BOTH, "POSITIVE": POSITIVE, "NEGATIVE": NEGATIVE}


@dataclass(frozen=True)
class Field:
    """One force field during one frame. Raises `ModelError` with its name for bad numbers.

    The share of its strength that acts at a place is falloff((distance − distance_min)) with
    falloff(d) = (1 + d)^−power: 1 inside distance_min, 0 outside distance_max. SPHERE measures the
    distance from ``shape``, TUBE along the local Z axis, times the same for the distance from
    that axis, CONE the same for the angle to it.
    """

    name: str
    kind: str  # see KINDS
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # quaternion
    strength: float = 1.0  # m/s²; m/s of CURL_NOISE (root mean square), HIT, EXPLOSION at 1 m
    flow: float = 0.0  # 1/s, drag of the moving air: the end speed is strength / flow
    shape: str = "POINT"
    falloff: str = "SPHERE"
    power: float = 0.0
    distance_min: float = 0.0  # m
    distance_max: float | None = None  # m, None = everywhere
    radial_power: float = 0.0  # TUBE and CONE
    radial_min: float = 0.0  # m of TUBE, degrees of CONE
    radial_max: float | None = None
    side: str = "BOTH"  # of the local XY plane
    inverse_square: bool = False  # FORCE: divide by distance² too
    noise: float = 0.0  # m/s², random change of strength
    seed: int = 0
    size: float = 1.0  # m, of the largest eddies
    octaves: int = 2  # of eddies, each half as large as the one before
    speed: float = 0.0  # 1/s, how fast eddies change
    is_global: bool = False  # eddies stand still in the world when the field moves
    linear_drag: float = 0.0  # 1/s, DRAG
    quadratic_drag: float = 0.0  # 1/m, DRAG
    surface: float = 0.0  # share that acts only across surfaces, where there are triangles
    affects_location: bool = True
    time: float = 0.0  # s since the start: the moment of an EXPLOSION or HIT

    def __post_init__(self) -> None:
        for label, value, known in (
            ("kind", self.kind, FIELD_KINDS),
            ("shape", self.shape, FIELD_SHAPES),
            ("falloff", self.falloff, FALLOFFS),
            ("side", self.side, FIELD_SIDES),
        ):
            if value not in known:
                raise ModelError(self.name, f"{label} {value!r} is none of {', '.join(known)}")
        for one in fields(self):
            value = getattr(self, one.name)
            for number in value if isinstance(value, tuple) else (value,):
                if isinstance(number, int | float) and not math.isfinite(number):
                    raise ModelError(
                        self.name,
                        f"the force field's {one.name.replace('_', ' ')} is not a finite number; "
                        "set it anew, and look at its keys and drivers",
                    )
        for label in ("size", "distance_min", "radial_min"):
            if getattr(self, label) < 0.0:
                raise ModelError(
                    self.name,
                    f"the force field's {label.replace('_', ' ')} must be 0 or more",
                )
        if not 1 <= self.octaves <= 16:
            raise ModelError(self.name, f"{self.octaves} octaves: take 1 to 16")
        if math.hypot(*self.orientation) < 1e-9:
            raise ModelError(self.name, "the force field's orientation is a zero quaternion")

    @property
    def is_impulse(self) -> bool:
        """True when it acts at one moment only."""
        return self.kind in IMPULSES

    @property
    def acts(self) -> bool:
        """False when it certainly changes nothing."""
        if self.is_impulse:
            return self.affects_location and self.strength != 0.0
        numbers = (self.strength, self.flow, self.noise, self.linear_drag, self.quadratic_drag)
        return self.affects_location and (self.kind == "VORTEX" or any(numbers))
