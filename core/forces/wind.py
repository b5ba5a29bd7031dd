"""Moving air against triangles.

Pressure on a plate, F = ½ ρ A C |u·n| (u·n) n with C = 2 for a plate square to the stream, plus
a small skin friction along it. u is the air's velocity relative to the triangle. A flag flutters
because the pressure follows the normal.
"""

from __future__ import annotations

import math

from ..jit import kernel
from ..settings import WindSettings

EVALUATION_RATE = 120.0  # 1/s; the air changes more slowly than a substep
SKIN_FRICTION = 0.02  # of the pressure coefficient
_PLATE = 1.0  # ½ C


@kernel
def sample_gusts(x, triangle, mean, gust, gust_length, time, air):
    """Write the air's velocity (f, 3) at each triangle: the mean with waves travelling along it.

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
    for f in range(triangle.shape[0]):
        a, b, c = triangle[f, 0], triangle[f, 1], triangle[f, 2]
        px = (x[a, 0] + x[b, 0] + x[c, 0]) / 3.0
        py = (x[a, 1] + x[b, 1] + x[c, 1]) / 3.0
        pz = (x[a, 2] + x[b, 2] + x[c, 2]) / 3.0
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


@kernel
def add_wind(x, previous, inverse_mass, triangle, air, density, h, hold, force):
    """Add the air's push on each triangle to its corners; force (n, 3) N, air (f, 3) m/s.

    The push is taken implicitly over the ``hold`` seconds for which it stands, so that a light
    cloth is carried by the wind and never thrown back by it.
    """
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
        pressure = density * area * _PLATE
        press = pressure * abs(through) / (1.0 + hold * pressure * abs(through) * w)
        skin = SKIN_FRICTION * pressure * speed
        skin /= 1.0 + hold * skin * w
        gx = (press * through * nx + skin * (vx - through * nx)) / 3.0
        gy = (press * through * ny + skin * (vy - through * ny)) / 3.0
        gz = (press * through * nz + skin * (vz - through * nz)) / 3.0
        for corner in range(3):
            i = triangle[f, corner]
            force[i, 0] += gx
            force[i, 1] += gy
            force[i, 2] += gz


def is_calm(wind: WindSettings) -> bool:
    """True when there is no wind to compute."""
    return wind.air_density == 0.0 or not any(wind.velocity)
