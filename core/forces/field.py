"""Force fields: places in the scene that blow, pull, swirl, brake, burst or hit.

Strength, falloff and flow mean what they mean in Blender (`BKE_effectors_apply` in its effect.cc),
for a particle of 1 kg: strength is an acceleration, so that a cloth moves alike however finely it
is divided. Explosions and hits follow Jakobsen §7: particles are moved, once.

    a = Σ sᵢ(x),  c = Σ cᵢ(x, |v|),  F = m·((a + g − c·v)·φ − g)

c is flow and drag. φ = (1 − exp(−c₁t))/(c₁t) / (1 + c₂t) makes the force, held for t seconds,
exact for linear drag c₁ and for quadratic drag c₂ = k·|v| alone, with the right end speed under
gravity g and stable however strong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ..errors import ModelError
from ..jit import inline, kernel
from ..model import Floats, Model
from ..vector import rotation_matrix
from .curl_noise import chance, curl_noise

KINDS = {
    "WIND": 0,  # along local Z
    "FORCE": 1,  # away from position, a line or a plane; strength < 0 pulls
    "VORTEX": 2,  # round local Z; not of shape POINT it also draws in and brakes
    "TURBULENCE": 3,  # push by curl noise
    "CURL_NOISE": 4,  # carries along with the flow: a = flow·(u − v)
    "DRAG": 5,  # brakes
    "EXPLOSION": 6,  # at one moment: speed away from position, strength / distance²
    "HIT": 7,  # at one moment: speed along local Z
}
IMPULSES = ("EXPLOSION", "HIT")
SHAPES = {"POINT": 0, "LINE": 1, "PLANE": 2}
FALLOFFS = {"SPHERE": 0, "TUBE": 1, "CONE": 2}
SIDES = {"BOTH": 0, "POSITIVE": 1, "NEGATIVE": 2}

EXPLOSION_CORE = 0.1
"""An explosion is not stronger nearer than this many metres."""

NOISE_RATE = 24.0
"""How often per second a field's noise throws new dice, whatever the frame rate."""


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
            ("kind", self.kind, KINDS),
            ("shape", self.shape, SHAPES),
            ("falloff", self.falloff, FALLOFFS),
            ("side", self.side, SIDES),
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


# columns of the array that kernels read
_KIND, _SHAPE, _FALLOFF, _SIDE, _X, _NX = 0, 1, 2, 3, 4, 7
_STRENGTH, _FLOW, _POWER, _NEAR, _FAR = 10, 11, 12, 13, 14
_RADIAL_POWER, _RADIAL_NEAR, _RADIAL_FAR, _INVERSE_SQUARE = 15, 16, 17, 18
_NOISE, _SEED, _SIZE, _OCTAVES, _SPEED, _GLOBAL = 19, 20, 21, 22, 23, 24
_LINEAR, _QUADRATIC, _SURFACE = 25, 26, 27
_COLUMNS = 28


_NO_FIELDS = np.zeros((0, _COLUMNS))


def pack_fields(given: Sequence[Field]) -> Floats:
    """The fields as rows of one array (fields, _COLUMNS) for the kernels."""
    if not given:
        return _NO_FIELDS
    packed = np.zeros((len(given), _COLUMNS))
    for row, one in zip(packed, given, strict=True):
        quaternion = np.array(one.orientation, dtype=np.float64)
        row[:] = (
            KINDS[one.kind],
            SHAPES[one.shape],
            FALLOFFS[one.falloff],
            SIDES[one.side],
            *one.position,
            *rotation_matrix(quaternion / np.linalg.norm(quaternion))[:, 2],
            one.strength,
            one.flow,
            one.power,
            one.distance_min,
            math.inf if one.distance_max is None else one.distance_max,
            one.radial_power,
            one.radial_min,
            math.inf if one.radial_max is None else one.radial_max,
            one.inverse_square,
            one.noise,
            one.seed % 2**31,
            one.size or 1.0,
            one.octaves,
            one.speed,
            one.is_global,
            one.linear_drag,
            one.quadratic_drag,
            one.surface,
        )
    return packed


@inline
def _share(distance, near, far, power):
    if distance > far:
        return 0.0
    if power == 0.0 or distance <= near:
        return 1.0
    return (1.0 + distance - near) ** (-power)


@inline
def _place(field, px, py, pz):
    """Seen from the field: (offset from its shape, distance, offset from its centre, falloff)."""
    nx, ny, nz = field[_NX], field[_NX + 1], field[_NX + 2]
    cx, cy, cz = px - field[_X], py - field[_X + 1], pz - field[_X + 2]
    along = cx * nx + cy * ny + cz * nz
    ox, oy, oz = cx, cy, cz
    shape = field[_SHAPE]
    if shape == 1.0 or (shape == 2.0 and field[_KIND] == 2.0):  # a plane's vortex has an axis
        ox, oy, oz = cx - along * nx, cy - along * ny, cz - along * nz
    elif shape == 2.0:
        ox, oy, oz = along * nx, along * ny, along * nz
    distance = math.sqrt(ox * ox + oy * oy + oz * oz)
    if (field[_SIDE] == 1.0 and along < 0.0) or (field[_SIDE] == 2.0 and along > 0.0):
        return ox, oy, oz, distance, cx, cy, cz, 0.0
    if field[_FALLOFF] == 0.0:
        fall = _share(distance, field[_NEAR], field[_FAR], field[_POWER])
    else:
        fall = _share(abs(along), field[_NEAR], field[_FAR], field[_POWER])
        rx, ry, rz = cx - along * nx, cy - along * ny, cz - along * nz
        radial = math.sqrt(rx * rx + ry * ry + rz * rz)
        if field[_FALLOFF] == 2.0:
            radial = math.degrees(math.atan2(radial, along))
        fall *= _share(radial, field[_RADIAL_NEAR], field[_RADIAL_FAR], field[_RADIAL_POWER])
    return ox, oy, oz, distance, cx, cy, cz, fall


@inline
def _pull(field, i, px, py, pz, time):
    """Acceleration (3,) m/s² and linear and quadratic drag, 1/s and 1/m, of one field."""
    ox, oy, oz, distance, cx, cy, cz, fall = _place(field, px, py, pz)
    if fall == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    kind = field[_KIND]
    nx, ny, nz = field[_NX], field[_NX + 1], field[_NX + 2]
    strength = field[_STRENGTH]
    dice = 0.0
    if field[_NOISE] != 0.0:
        tick = math.floor(time * NOISE_RATE + 1e-6)
        dice = field[_NOISE] * chance(i, tick, 0, int(field[_SEED]))
        strength += dice
    flow = field[_FLOW] * fall
    pull = strength * fall
    if kind == 0.0:
        return pull * nx, pull * ny, pull * nz, flow, 0.0
    if kind == 1.0:
        if distance == 0.0:
            return 0.0, 0.0, 0.0, flow, 0.0
        pull /= distance
        if field[_INVERSE_SQUARE] != 0.0:
            pull /= max(distance * distance, 1e-12)
        return pull * ox, pull * oy, pull * oz, flow, 0.0
    if kind == 2.0:
        if field[_SHAPE] == 0.0:
            tx, ty, tz = ny * oz - nz * oy, nz * ox - nx * oz, nx * oy - ny * ox
            size = math.sqrt(tx * tx + ty * ty + tz * tz)
            if size > 0.0:
                pull *= distance / size
            return pull * tx, pull * ty, pull * tz, flow, 0.0
        # round the axis at pull·r, drawn in by what holds it on that circle, braked by 1/s
        tx, ty, tz = ny * cz - nz * cy, nz * cx - nx * cz, nx * cy - ny * cx
        tx, ty, tz = pull * tx, pull * ty, pull * tz
        return (
            tx + pull * (ny * tz - nz * ty),
            ty + pull * (nz * tx - nx * tz),
            tz + pull * (nx * ty - ny * tx),
            1.0 + flow,
            0.0,
        )
    if kind == 5.0:
        linear = field[_LINEAR] + dice
        quadratic = field[_QUADRATIC] + dice
        return 0.0, 0.0, 0.0, linear * fall, quadratic * fall
    # eddies: they move with the field, unless global
    if field[_GLOBAL] == 0.0:
        px, py, pz = cx, cy, cz
    ux, uy, uz = curl_noise(
        px,
        py,
        pz,
        int(field[_SEED]),
        field[_SIZE],
        int(field[_OCTAVES]),
        field[_SPEED] * time,
    )
    if kind == 4.0:
        pull = flow * strength
    return pull * ux, pull * uy, pull * uz, flow, 0.0


@inline
def _held(linear, quadratic, hold):
    """φ: what the drag is to be multiplied with so that it may be held for ``hold`` seconds."""
    z = linear * hold
    phi = 1.0 if abs(z) < 1e-9 else -math.expm1(-max(z, -50.0)) / z
    return phi / (1.0 + max(quadratic * hold, 0.0))


@kernel
def add_fields(
    x, previous, mass, inverse_mass, factor, normal, fields, gravity, time, h, hold, force
):
    """Add the newtons of all fields to force (n, 3).

    factor (n,) scales what they do; normal (n, 3) of the surface, 0 where there is none;
    fields (k, columns) from `pack_fields`; hold: seconds for which the force will stand. One
    thread is enough: 60 ns a particle and plain field, 400 ns for two octaves of eddies.
    """
    for i in range(x.shape[0]):
        if inverse_mass[i] > 0.0 and factor[i] != 0.0:
            px, py, pz = x[i, 0], x[i, 1], x[i, 2]
            vx = (px - previous[i, 0]) / h
            vy = (py - previous[i, 1]) / h
            vz = (pz - previous[i, 2]) / h
            speed = math.sqrt(vx * vx + vy * vy + vz * vz)
            nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
            has_surface = nx * nx + ny * ny + nz * nz > 0.0
            ax, ay, az, linear, quadratic = 0.0, 0.0, 0.0, 0.0, 0.0
            across, across_linear, across_quadratic = 0.0, 0.0, 0.0
            for k in range(fields.shape[0]):
                gx, gy, gz, c1, c2 = _pull(fields[k], i, px, py, pz, time)
                share = fields[k, _SURFACE] * factor[i] if has_surface else 0.0
                across += share * (gx * nx + gy * ny + gz * nz)
                across_linear += share * c1
                across_quadratic += share * c2
                share = factor[i] - share
                ax += share * gx
                ay += share * gy
                az += share * gz
                linear += share * c1
                quadratic += share * c2
            quadratic *= speed
            phi = _held(linear, quadratic, hold)
            c = linear + quadratic
            fx = (ax + gravity[0] - c * vx) * phi - gravity[0]
            fy = (ay + gravity[1] - c * vy) * phi - gravity[1]
            fz = (az + gravity[2] - c * vz) * phi - gravity[2]
            if has_surface:
                through = vx * nx + vy * ny + vz * nz
                across_quadratic *= abs(through)
                phi = _held(across_linear, across_quadratic, hold)
                fall = gravity[0] * nx + gravity[1] * ny + gravity[2] * nz
                c = across_linear + across_quadratic
                push = (across + fall - c * through) * phi - fall
                fx += push * nx
                fy += push * ny
                fz += push * nz
            force[i, 0] += mass[i] * fx
            force[i, 1] += mass[i] * fy
            force[i, 2] += mass[i] * fz


@kernel
def surface_normals(x, triangle, normal):
    """Write the unit normal (n, 3) of the surface at each particle, 0 where there is none."""
    normal[:] = 0.0
    for f in range(triangle.shape[0]):
        a, b, c = triangle[f, 0], triangle[f, 1], triangle[f, 2]
        e1x, e1y, e1z = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        e2x, e2y, e2z = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx = e1y * e2z - e1z * e2y
        ny = e1z * e2x - e1x * e2z
        nz = e1x * e2y - e1y * e2x
        for corner in range(3):
            i = triangle[f, corner]
            normal[i, 0] += nx
            normal[i, 1] += ny
            normal[i, 2] += nz
    for i in range(normal.shape[0]):
        size = math.sqrt(normal[i, 0] ** 2 + normal[i, 1] ** 2 + normal[i, 2] ** 2)
        if size > 0.0:
            for k in range(3):
                normal[i, k] /= size


@kernel
def kick(x, previous, inverse_mass, factor, field, wait, h):
    """Explosion or hit, ``wait`` seconds into the substep of h seconds that is about to begin.

    Jakobsen §7: the particle is moved and its velocity follows. It gets the path on which it
    has the new velocity v from that moment on, x ← x − v·wait, x* ← x* − v·(wait + h), so that
    the substep rate does not show. Heavy and light particles get the same v: a blast that moves
    all alike; constraints then share it by mass.
    """
    for i in range(x.shape[0]):
        if inverse_mass[i] == 0.0 or factor[i] == 0.0:
            continue
        late = wait / h
        px = x[i, 0] + late * (x[i, 0] - previous[i, 0])
        py = x[i, 1] + late * (x[i, 1] - previous[i, 1])
        pz = x[i, 2] + late * (x[i, 2] - previous[i, 2])
        ox, oy, oz, distance, _, _, _, fall = _place(field, px, py, pz)
        v = field[_STRENGTH] * fall * factor[i]
        if v == 0.0:
            continue
        if field[_KIND] == 6.0:
            core = max(distance, field[_NEAR], EXPLOSION_CORE)
            v /= core * core
            if distance > 0.0:
                ox, oy, oz = ox / distance, oy / distance, oz / distance
            else:
                ox, oy, oz = field[_NX], field[_NX + 1], field[_NX + 2]
        else:
            ox, oy, oz = field[_NX], field[_NX + 1], field[_NX + 2]
        for k in range(3):
            way = v * (ox, oy, oz)[k]
            x[i, k] -= way * wait
            previous[i, k] -= way * (wait + h)


def kick_row(field: Field) -> Floats:
    """The row that `kick` reads."""
    return pack_fields([field])[0]


def needs_normals(model: Model, given: Sequence[Field]) -> bool:
    """Whether some field acts across surfaces and there are any."""
    return len(model.triangle) > 0 and any(one.surface != 0.0 for one in given)
