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

from ..jit import inline, kernel
from ..settings import WindSettings

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
    speed = math.sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2])
    if speed == 0.0:
        air[:] = 0.0
        return
    fx, fy, fz = mean[0] / speed, mean[1] / speed, mean[2] / speed
    # two directions across the wind, the first one level
    level = math.sqrt(fx * fx + fy * fy)
    if level > 1e-6:
        sx, sy, sz = -fy / level, fx / level, 0.0
    else:
        sx, sy, sz = 1.0, 0.0, 0.0
    ux, uy, uz = fy * sz - fz * sy, fz * sx - fx * sz, fx * sy - fy * sx
    turn = 2.0 * math.pi / gust_length
    corners = element.shape[1]
    for f in range(element.shape[0]):
        px, py, pz = 0.0, 0.0, 0.0
        for corner in range(corners):
            i = element[f, corner]
            px, py, pz = px + x[i, 0], py + x[i, 1], pz + x[i, 2]
        px, py, pz = px / corners, py / corners, pz / corners
        along = turn * (px * fx + py * fy + pz * fz - speed * time)
        side = turn * (px * sx + py * sy + pz * sz)
        high = turn * (px * ux + py * uy + pz * uz)
        swell = gust * (
            0.6 * math.sin(along + 0.4 * side) + 0.4 * math.sin(2.3 * along - high + 1.7)
        )
        yaw = 0.5 * gust * math.sin(1.37 * along + 0.7 * high + 0.5)
        lift = 0.3 * gust * math.sin(1.9 * along + 0.9 * side + 2.1)
        for k in range(3):
            forward = (fx, fy, fz)[k]
            across = (sx, sy, sz)[k]
            upward = (ux, uy, uz)[k]
            air[f, k] = speed * (1.0 + swell) * (forward + yaw * across + lift * upward)


@inline
def _split(fx, fy, fz, vx, vy, vz, drag, lift):
    """A force with its part along the stream v times drag, the rest times lift."""
    vv = vx * vx + vy * vy + vz * vz
    along = 0.0
    if drag != lift and vv > 0.0:
        along = (drag - lift) * (fx * vx + fy * vy + fz * vz) / vv
    return lift * fx + along * vx, lift * fy + along * vy, lift * fz + along * vz


@kernel
def add_wind(
    x,
    previous,
    inverse_mass,
    exposure,
    triangle,
    air,
    density,
    drag,
    lift,
    skin,
    h,
    hold,
    force,
):
    """Add the air's push on each triangle to its corners; force (n, 3) N, air (f, 3) m/s.

    exposure (n,) is a factor on it. The push is taken implicitly over the ``hold`` seconds for
    which it stands, so that a light cloth is carried by the wind and never thrown back by it.
    """
    strongest = max(drag, lift)
    for f in range(triangle.shape[0]):
        a, b, c = triangle[f, 0], triangle[f, 1], triangle[f, 2]
        e1x, e1y, e1z = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        e2x, e2y, e2z = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx = e1y * e2z - e1z * e2y
        ny = e1z * e2x - e1x * e2z
        nz = e1x * e2y - e1y * e2x
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        if twice == 0.0:
            continue
        nx, ny, nz = nx / twice, ny / twice, nz / twice
        area = 0.5 * twice
        vx = air[f, 0] - (
            x[a, 0] + x[b, 0] + x[c, 0] - previous[a, 0] - previous[b, 0] - previous[c, 0]
        ) / (3.0 * h)
        vy = air[f, 1] - (
            x[a, 1] + x[b, 1] + x[c, 1] - previous[a, 1] - previous[b, 1] - previous[c, 1]
        ) / (3.0 * h)
        vz = air[f, 2] - (
            x[a, 2] + x[b, 2] + x[c, 2] - previous[a, 2] - previous[b, 2] - previous[c, 2]
        ) / (3.0 * h)
        through = vx * nx + vy * ny + vz * nz
        speed = math.sqrt(vx * vx + vy * vy + vz * vz)
        # a corner carries the push of about six triangles, a third of each
        w = 2.0 * (inverse_mass[a] + inverse_mass[b] + inverse_mass[c]) / 3.0
        pressure = exposure[a] * density * area * _PLATE
        w *= strongest
        press = pressure * abs(through) / (1.0 + hold * pressure * abs(through) * w)
        rub = skin * pressure * speed
        rub /= 1.0 + hold * rub * w
        gx, gy, gz = _split(
            (press * through * nx + rub * (vx - through * nx)) / 3.0,
            (press * through * ny + rub * (vy - through * ny)) / 3.0,
            (press * through * nz + rub * (vz - through * nz)) / 3.0,
            vx,
            vy,
            vz,
            drag,
            lift,
        )
        for corner in range(3):
            i = triangle[f, corner]
            force[i, 0] += gx
            force[i, 1] += gy
            force[i, 2] += gz


@kernel
def add_wire_wind(
    x, previous, inverse_mass, exposure, wire, diameter, air, density, drag, lift, h, hold, force
):
    """Add the air's push on each wire (e, 2) of diameter (e,) m to its ends, implicitly too."""
    for e in range(wire.shape[0]):
        a, b = wire[e, 0], wire[e, 1]
        tx, ty, tz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        length = math.sqrt(tx * tx + ty * ty + tz * tz)
        if length == 0.0:
            continue
        tx, ty, tz = tx / length, ty / length, tz / length
        vx = air[e, 0] - (x[a, 0] + x[b, 0] - previous[a, 0] - previous[b, 0]) / (2.0 * h)
        vy = air[e, 1] - (x[a, 1] + x[b, 1] - previous[a, 1] - previous[b, 1]) / (2.0 * h)
        vz = air[e, 2] - (x[a, 2] + x[b, 2] - previous[a, 2] - previous[b, 2]) / (2.0 * h)
        along = vx * tx + vy * ty + vz * tz
        cx, cy, cz = vx - along * tx, vy - along * ty, vz - along * tz
        # an end carries the push of about two wires, half of each
        w = 0.5 * (inverse_mass[a] + inverse_mass[b]) * max(drag, lift)
        push = exposure[a] * density * diameter[e] * length * _WIRE
        push *= math.sqrt(cx * cx + cy * cy + cz * cz)
        push /= 2.0 * (1.0 + hold * push * w)
        gx, gy, gz = _split(push * cx, push * cy, push * cz, vx, vy, vz, drag, lift)
        for end in range(2):
            i = wire[e, end]
            force[i, 0] += gx
            force[i, 1] += gy
            force[i, 2] += gz


def is_calm(wind: WindSettings) -> bool:
    """True when there is no wind to compute."""
    return wind.air_density * (wind.drag + wind.lift) == 0.0 or not any(wind.velocity)
