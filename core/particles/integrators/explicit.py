"""Explicit integrators of x" = a(x, v) for masses, springs and dampers.

Each takes places x (n, 3) m and velocities v (n, 3) m/s and returns both one step of h seconds
later. Driven particles have a = 0 and the velocity that brings them to their place, so that every
stage sees them underway. ω is the frequency of the fastest mode. Sources: UBC CPSC 427 (Euler,
midpoint, trapezoid); Kenwright eq. 13–15 (leapfrog, velocity Verlet).
"""

from __future__ import annotations

from collections.abc import Callable

from ...arrays import Floats
from ...forces.spring import SpringSystem

Moved = tuple[Floats, Floats]
Step = Callable[[SpringSystem, Floats, Floats, float], Moved]


def explicit_euler(system: SpringSystem, x: Floats, v: Floats, h: float) -> Moved:
    """Both by the slope at the start: x' = x + h v, v' = v + h a(x, v). First order.

    An undamped spring always gains energy.
    """
    return x + h * v, v + h * system.acceleration(x, v)


def symplectic_euler(system: SpringSystem, x: Floats, v: Floats, h: float) -> Moved:
    """Velocity first: v' = v + h a(x, v), x' = x + h v'. First order, stable for h < 2/ω."""
    v = v + h * system.acceleration(x, v)
    return x + h * v, v


def midpoint(system: SpringSystem, x: Floats, v: Floats, h: float) -> Moved:
    """A half Euler step to the middle, then a whole one with what is found there. Second order."""
    half = 0.5 * h
    middle_v = v + half * system.acceleration(x, v)
    return x + h * middle_v, v + h * system.acceleration(x + half * v, middle_v)


def trapezoid(system: SpringSystem, x: Floats, v: Floats, h: float) -> Moved:
    """Heun: the mean of the slopes at both ends, the far one by an Euler step. Second order."""
    a = system.acceleration(x, v)
    far_v = v + h * a
    half = 0.5 * h
    return x + half * (v + far_v), v + half * (a + system.acceleration(x + h * v, far_v))


def velocity_verlet(system: SpringSystem, x: Floats, v: Floats, h: float) -> Moved:
    """Place, then velocity: x' = x + h v + ½ h² a, v' = v + ½ h (a + a'). Second order, h < 2/ω.

    a' is taken at x' and, for what depends on velocity, at the velocity of an Euler step.
    """
    a = system.acceleration(x, v)
    x = x + h * v + (0.5 * h * h) * a
    return x, v + (0.5 * h) * (a + system.acceleration(x, v + h * a))


def leapfrog(system: SpringSystem, x: Floats, v: Floats, h: float) -> Moved:
    """Velocities v₋, v₊ half a step off x: v₊ = v₋ + h a(x), x' = x + h v₊. Second order, h < 2/ω.

    The orbit is position Verlet's. What depends on velocity is evaluated at an estimate of v at x.
    """
    v = v + h * system.acceleration(x, present_velocity(system, x, v, h))
    return x + h * v, v


def present_velocity(system: SpringSystem, x: Floats, v: Floats, h: float) -> Floats:
    """The velocity at x for a velocity v of half a step before: v + ½ h a(x, v)."""
    return v + (0.5 * h) * system.acceleration(x, v)
