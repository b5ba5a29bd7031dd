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
from collections import namedtuple
from collections.abc import Sequence

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from ..elementary import atan2, expm1, power
from ..kernels.jit import inline, kernel
from ..model.field import (
    CURL_NOISE,
    DRAG,
    EXPLOSION,
    FALLOFFS,
    FIELD_KINDS,
    FIELD_SHAPES,
    FIELD_SIDES,
    FORCE,
    FROM_LINE,
    FROM_PLANE,
    FROM_POINT,
    IN_CONE,
    IN_SPHERE,
    NEGATIVE,
    POSITIVE,
    VORTEX,
    WIND,
    Field,
)
from ..records import Records
from ..vec3 import (
    ZERO,
    add,
    along,
    between,
    cross,
    divide,
    dot,
    length,
    load,
    move,
    scale,
    shift,
    store,
    sub,
    vec,
)
from ..vector import rotation_matrix
from .curl_noise import chance, curl_noise

EXPLOSION_CORE = 0.1
"""An explosion is not stronger nearer than this many metres."""

NOISE_RATE = 24.0
"""How often per second a field's noise throws new dice, whatever the frame rate."""


FIELD = np.dtype(
    [
        ("kind", np.int32),
        ("shape", np.int32),
        ("falloff", np.int32),
        ("side", np.int32),
        ("position", np.float64, (3,)),  # m
        ("axis", np.float64, (3,)),  # its local Z
        ("strength", np.float64),
        ("flow", np.float64),
        ("power", np.float64),
        ("near", np.float64),  # m
        ("far", np.float64),  # m, maybe infinite
        ("radial_power", np.float64),
        ("radial_near", np.float64),
        ("radial_far", np.float64),
        ("inverse_square", np.int32),
        ("is_global", np.int32),
        ("noise", np.float64),
        ("seed", np.int64),
        ("size", np.float64),  # m
        ("octaves", np.int64),
        ("speed", np.float64),
        ("linear_drag", np.float64),
        ("quadratic_drag", np.float64),
        ("surface", np.float64),
    ],
    align=True,
)
"""A field as kernels read it; units as in `Field`."""

FIELD_NUMBERS = structured_to_unstructured(np.zeros(1, FIELD)).shape[1]
"""So many numbers it has."""

Exposed = namedtuple(
    "Exposed",
    [
        "x",  # (n, 3) m
        "previous",  # (n, 3) m, x*
        "inverse_mass",  # (n,) 1/kg
        "mass",  # (n,) kg
        "factor",  # (n,) on what fields do
        "normal",  # (n, 3) of the surface, 0 where there is none
        "force",  # (n, 3) N, to add to
    ],
)
"""What fields act on."""


def pack_fields(given: Sequence[Field]) -> Records:
    """The fields (k,) for the kernels."""
    packed = np.zeros(len(given), FIELD)
    for row, one in enumerate(given):
        quaternion = np.array(one.orientation, dtype=np.float64)
        packed[row] = (
            FIELD_KINDS[one.kind],
            FIELD_SHAPES[one.shape],
            FALLOFFS[one.falloff],
            FIELD_SIDES[one.side],
            one.position,
            rotation_matrix(quaternion / np.sqrt((quaternion * quaternion).sum()))[:, 2],
            one.strength,
            one.flow,
            one.power,
            one.distance_min,
            math.inf if one.distance_max is None else one.distance_max,
            one.radial_power,
            one.radial_min,
            math.inf if one.radial_max is None else one.radial_max,
            one.inverse_square,
            one.is_global,
            one.noise,
            one.seed % 2**31,
            one.size or 1.0,
            one.octaves,
            one.speed,
            one.linear_drag,
            one.quadratic_drag,
            one.surface,
        )
    return packed


@inline
def _share(distance, near, far, exponent):
    if distance > far:
        return 0.0
    if exponent == 0.0 or distance <= near:
        return 1.0
    return power(1.0 + distance - near, -exponent)


@inline
def _place(field, p):
    """Seen from the field: (offset from its shape, distance, offset from its centre, falloff)."""
    n = vec(field["axis"])
    c = sub(p, vec(field["position"]))
    height = dot(c, n)
    o = c
    shape = field["shape"]
    if shape == FROM_LINE or (shape == FROM_PLANE and field["kind"] == VORTEX):  # that has an axis
        o = along(c, -height, n)
    elif shape == FROM_PLANE:
        o = scale(height, n)
    distance = length(o)
    side = field["side"]
    if (side == POSITIVE and height < 0.0) or (side == NEGATIVE and height > 0.0):
        return o, distance, c, 0.0
    if field["falloff"] == IN_SPHERE:
        fall = _share(distance, field["near"], field["far"], field["power"])
    else:
        fall = _share(abs(height), field["near"], field["far"], field["power"])
        radial = length(along(c, -height, n))
        if field["falloff"] == IN_CONE:
            radial = math.degrees(atan2(radial, height))
        fall *= _share(radial, field["radial_near"], field["radial_far"], field["radial_power"])
    return o, distance, c, fall


@inline
def _pull(field, i, p, time):
    """Acceleration m/s² and linear and quadratic drag, 1/s and 1/m, of one field."""
    o, distance, c, fall = _place(field, p)
    if fall == 0.0:
        return ZERO, 0.0, 0.0
    kind = field["kind"]
    n = vec(field["axis"])
    strength = field["strength"]
    dice = 0.0
    if field["noise"] != 0.0:
        tick = math.floor(time * NOISE_RATE + 1e-6)
        dice = field["noise"] * chance(i, tick, 0, int(field["seed"]))
        strength += dice
    flow = field["flow"] * fall
    pull = strength * fall
    if kind == WIND:
        return scale(pull, n), flow, 0.0
    if kind == FORCE:
        if distance == 0.0:
            return ZERO, flow, 0.0
        pull /= distance
        if field["inverse_square"] != 0:
            pull /= max(distance * distance, 1e-12)
        return scale(pull, o), flow, 0.0
    if kind == VORTEX:
        if field["shape"] == FROM_POINT:
            t = cross(n, o)
            size = length(t)
            if size > 0.0:
                pull *= distance / size
            return scale(pull, t), flow, 0.0
        # round the axis at pull·r, drawn in by what holds it on that circle, braked by 1/s
        t = scale(pull, cross(n, c))
        return along(t, pull, cross(n, t)), 1.0 + flow, 0.0
    if kind == DRAG:
        linear = field["linear_drag"] + dice
        quadratic = field["quadratic_drag"] + dice
        return ZERO, linear * fall, quadratic * fall
    # eddies: they move with the field, unless global
    if field["is_global"] == 0:
        p = c
    age = field["speed"] * time
    u = curl_noise(p, int(field["seed"]), field["size"], int(field["octaves"]), age)
    if kind == CURL_NOISE:
        pull = flow * strength
    return scale(pull, u), flow, 0.0


@inline
def _held(linear, quadratic, hold):
    """φ: what the drag is to be multiplied with so that it may be held for ``hold`` seconds."""
    z = linear * hold
    phi = 1.0 if abs(z) < 1e-9 else -expm1(-max(z, -50.0)) / z
    return phi / (1.0 + max(quadratic * hold, 0.0))


@kernel
def add_fields(exposed, fields, gravity, time, h, hold):
    """Add the newtons of all fields to the force on what is exposed to them.

    hold: seconds for which the force will stand. One thread is enough: 60 ns a particle and plain
    field, 400 ns for two octaves of eddies.
    """
    g = vec(gravity)
    for i in range(exposed.x.shape[0]):
        factor = exposed.factor[i]
        if exposed.inverse_mass[i] == 0.0 or factor == 0.0:
            continue
        p = load(exposed.x, i)
        v = divide(sub(p, load(exposed.previous, i)), h)
        n = load(exposed.normal, i)
        has_surface = dot(n, n) > 0.0
        a, linear, quadratic = ZERO, 0.0, 0.0
        across, across_linear, across_quadratic = 0.0, 0.0, 0.0
        for k in range(fields.shape[0]):
            pull, c1, c2 = _pull(fields[k], i, p, time)
            share = fields[k]["surface"] * factor if has_surface else 0.0
            across += share * dot(pull, n)
            across_linear += share * c1
            across_quadratic += share * c2
            share = factor - share
            a = along(a, share, pull)
            linear += share * c1
            quadratic += share * c2
        quadratic *= length(v)
        c = linear + quadratic
        f = sub(scale(_held(linear, quadratic, hold), along(add(a, g), -c, v)), g)
        if has_surface:
            through = dot(v, n)
            across_quadratic *= abs(through)
            fall = dot(g, n)
            c = across_linear + across_quadratic
            phi = _held(across_linear, across_quadratic, hold)
            f = along(f, (across + fall - c * through) * phi - fall, n)
        shift(exposed.force, i, exposed.mass[i], f)


@kernel
def surface_normals(x, triangle, normal):
    """Write the unit normal (n, 3) of the surface at each particle, 0 where there is none."""
    normal[:] = 0.0
    for f in range(triangle.shape[0]):
        a, b, c = triangle[f, 0], triangle[f, 1], triangle[f, 2]
        n = cross(between(x, a, b), between(x, a, c))
        for corner in range(3):
            move(normal, triangle[f, corner], n)
    for i in range(normal.shape[0]):
        n = load(normal, i)
        size = length(n)
        if size > 0.0:
            store(normal, i, divide(n, size))


@kernel
def kick(exposed, blows, wait, h):
    """Explosions or hits, ``wait`` seconds into the substep of h seconds that is about to begin.

    Jakobsen §7: the particle is moved and its velocity follows. It gets the path on which it
    has the new velocity v from that moment on, x ← x − v·wait, x* ← x* − v·(wait + h), so that
    the substep rate does not show. Heavy and light particles get the same v: a blast that moves
    all alike; constraints then share it by mass.
    """
    x, previous = exposed.x, exposed.previous
    for k in range(blows.shape[0]):
        field = blows[k]
        for i in range(x.shape[0]):
            if exposed.inverse_mass[i] == 0.0 or exposed.factor[i] == 0.0:
                continue
            now = load(x, i)
            o, distance, _, fall = _place(field, along(now, wait / h, sub(now, load(previous, i))))
            v = field["strength"] * fall * exposed.factor[i]
            if v == 0.0:
                continue
            way = vec(field["axis"])
            if field["kind"] == EXPLOSION:
                core = max(distance, field["near"], EXPLOSION_CORE)
                v /= core * core
                if distance > 0.0:
                    way = divide(o, distance)
            way = scale(v, way)
            shift(x, i, -wait, way)
            shift(previous, i, -(wait + h), way)
