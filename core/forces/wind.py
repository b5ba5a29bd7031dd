"""Moving air against triangles and wires.

Pressure on a plate, F = ½ ρ A C |u·n| (u·n) n with C = 2 for a plate square to the stream, plus
a small skin friction along it. u is the air's velocity relative to the triangle. A flag flutters
because the pressure follows the normal. A round wire of length L and diameter d feels
F = ½ ρ d L C |u⟂| u⟂ by the stream across it (the cross-flow principle; S. Hoerner, *Fluid-Dynamic
Drag*, 1965, ch. 3), with C = 1.2.

Either force has a part along the stream, times ``drag``, and one across it, times ``lift``.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..elementary import sin
from ..kernels.jit import inline, kernel
from ..settings import WindSettings
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
    store,
    sub,
    vec,
)

EVALUATION_RATE = 120.0  # 1/s; the air changes more slowly than a substep
_PLATE = 1.0  # ½ C
_WIRE = 0.6  # ½ C


@kernel
def sample_gusts(x, element, mean, gust, gust_length, time, air):
    """Write the air's velocity (f, 3) at the middle of each triangle (f, 3) or wire (f, 2).

    It is the mean with waves travelling along it.

    Waves of three lengths swell the wind by up to ``gust`` and turn it by up to half a radian;
    they depend on place and time only, so the same frame always has the same wind.
    """
    speed = length(vec(mean))
    if speed == 0.0:
        air[:] = 0.0
        return
    forward = divide(vec(mean), speed)
    # two directions across the wind, the first one level
    level = math.sqrt(forward[0] * forward[0] + forward[1] * forward[1])
    across = (-forward[1] / level, forward[0] / level, 0.0) if level > 1e-6 else (1.0, 0.0, 0.0)
    upward = cross(forward, across)
    turn = 2.0 * math.pi / gust_length
    corners = element.shape[1]
    for f in range(element.shape[0]):
        p = ZERO
        for corner in range(corners):
            p = add(p, load(x, element[f, corner]))
        p = divide(p, corners)
        ahead = turn * (dot(p, forward) - speed * time)
        side = turn * dot(p, across)
        high = turn * dot(p, upward)
        swell = gust * (0.6 * sin(ahead + 0.4 * side) + 0.4 * sin(2.3 * ahead - high + 1.7))
        yaw = 0.5 * gust * sin(1.37 * ahead + 0.7 * high + 0.5)
        lift = 0.3 * gust * sin(1.9 * ahead + 0.9 * side + 2.1)
        way = along(along(forward, yaw, across), lift, upward)
        store(air, f, scale(speed * (1.0 + swell), way))


@inline
def _split(force, v, drag, lift):
    """A force with its part along the stream v times drag, the rest times lift."""
    vv = dot(v, v)
    more = 0.0
    if drag != lift and vv > 0.0:
        more = (drag - lift) * dot(force, v) / vv
    return along(scale(lift, force), more, v)


Air = namedtuple(
    "Air",
    [
        "density",  # kg/m³
        "drag",  # factor on the force along the stream
        "lift",  # factor on that across it
        "skin",  # friction along a surface, in the pressure on a plate
        "hold",  # s for which the force stands
    ],
)


@kernel
def add_wind(particles, exposure, triangle, velocity, air, h, force):
    """Add the air's push on each triangle to its corners; force (n, 3) N, velocity (f, 3) m/s.

    exposure (n,) is a factor on it. The push is taken implicitly over the seconds for which it
    stands, so that a light cloth is carried by the wind and never thrown back by it.
    """
    x, previous, inverse_mass = particles
    strongest = max(air.drag, air.lift)
    for f in range(triangle.shape[0]):
        a, b, c = triangle[f, 0], triangle[f, 1], triangle[f, 2]
        n = cross(between(x, a, b), between(x, a, c))
        twice = length(n)
        if twice == 0.0:
            continue
        n = divide(n, twice)
        area = 0.5 * twice
        now = add(add(load(x, a), load(x, b)), load(x, c))
        way = sub(sub(sub(now, load(previous, a)), load(previous, b)), load(previous, c))
        v = sub(load(velocity, f), divide(way, 3.0 * h))
        through = dot(v, n)
        # a corner carries the push of about six triangles, a third of each
        w = 2.0 * (inverse_mass[a] + inverse_mass[b] + inverse_mass[c]) / 3.0
        pressure = exposure[a] * air.density * area * _PLATE
        w *= strongest
        press = pressure * abs(through) / (1.0 + air.hold * pressure * abs(through) * w)
        rub = air.skin * pressure * length(v)
        rub /= 1.0 + air.hold * rub * w
        push = along(scale(press * through, n), rub, along(v, -through, n))
        push = _split(divide(push, 3.0), v, air.drag, air.lift)
        for corner in range(3):
            move(force, triangle[f, corner], push)


@kernel
def add_wire_wind(particles, exposure, wire, diameter, velocity, air, h, force):
    """Add the air's push on each wire (e, 2) of diameter (e,) m to its ends, implicitly too."""
    x, previous, inverse_mass = particles
    for e in range(wire.shape[0]):
        a, b = wire[e, 0], wire[e, 1]
        t = between(x, a, b)
        size = length(t)
        if size == 0.0:
            continue
        t = divide(t, size)
        way = sub(sub(add(load(x, a), load(x, b)), load(previous, a)), load(previous, b))
        v = sub(load(velocity, e), divide(way, 2.0 * h))
        c = along(v, -dot(v, t), t)
        # an end carries the push of about two wires, half of each
        w = 0.5 * (inverse_mass[a] + inverse_mass[b]) * max(air.drag, air.lift)
        push = exposure[a] * air.density * diameter[e] * size * _WIRE
        push *= length(c)
        push /= 2.0 * (1.0 + air.hold * push * w)
        given = _split(scale(push, c), v, air.drag, air.lift)
        move(force, a, given)
        move(force, b, given)


def is_calm(wind: WindSettings) -> bool:
    """True when there is no wind to compute."""
    return wind.air_density * (wind.drag + wind.lift) == 0.0 or not any(wind.velocity)
