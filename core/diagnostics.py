"""Figures about a frame, and the guard that lets no NaN out of a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .arrays import Floats, Ints
from .errors import SimulationDiverged
from .kernels.jit import kernel
from .model import Diagnostics, Model, State
from .model.diagnostics import Crossing, Forcing
from .model.once import once_for_each
from .particles.constraints.pulling import Pulling
from .particles.contacts.collider_contact import deepest_particle
from .particles.contacts.response import deepest_contact
from .particles.integrators.stability import least_rate
from .rigid.contacts.contact_table import NORMAL
from .rigid.owners import AWAKE
from .settings import SolverSettings
from .vec3 import between, length

if TYPE_CHECKING:
    from .workspace import Workspace


TOLD_SHARE = 0.05
"""Share of its length from which on it is told that a thing is forced to be longer."""


@kernel
def _first_bad_particle(x, previous, limit):
    """First particle that is not finite or moved by more than limit (m); -1 when all is well."""
    for i in range(x.shape[0]):
        moved = 0.0
        for k in range(3):
            d = x[i, k] - previous[i, k]
            moved += d * d
        if not moved <= limit * limit:  # also true for NaN
            return i
    return -1


@kernel
def _stick_figures(x, stick, rest_length):
    """(mean stretch, largest stretch, largest error in m) of sticks longer than nothing."""
    total = 0.0
    largest = 0.0
    error = 0.0
    for s in range(stick.shape[0]):
        a = stick[s, 0]
        b = stick[s, 1]
        far, rest = length(between(x, a, b)), rest_length[s]
        error = max(error, abs(far - rest))
        if rest > 0.0:
            stretch = max(far / rest - 1.0, 0.0)
            total += stretch
            largest = max(largest, stretch)
    return total / max(stick.shape[0], 1), largest, error


@kernel
def _energies(x, previous, mass, inverse_mass, gravity, h):
    """(kinetic, potential) energy in J of all free particles."""
    kinetic = 0.0
    potential = 0.0
    for i in range(x.shape[0]):
        if inverse_mass[i] == 0.0:
            continue
        speed = 0.0
        height = 0.0
        for k in range(3):
            v = (x[i, k] - previous[i, k]) / h + 0.5 * h * gravity[k]
            speed += v * v
            height -= x[i, k] * gravity[k]
        kinetic += 0.5 * mass[i] * speed
        potential += mass[i] * height
    return kinetic, potential


@kernel
def _body_figures(owners, count, rows, row_count, mass, load, h, is_touched):
    """(kinetic, potential) energy in J of bodies, deepest overlap in m, and contacts that push.

    load (b, 3) m/s²: gravity; is_touched (b,) is scratch. The velocity of a body that nothing
    touches is, as that of a particle, half a step later than Verlet's.
    """
    kinetic = 0.0
    potential = 0.0
    deepest = 0.0
    touching = 0
    for b in range(count):
        is_touched[b] = 0
    for c in range(row_count):
        row = rows[c]
        deepest = max(deepest, -row["gap"])
        if row["impulse"][NORMAL] > 0.0:
            touching += 1
            for side in range(2):
                if row["owner"][side] < count:
                    is_touched[row["owner"][side]] = 1
    for b in range(count):
        if owners.driven[b] == 1:
            continue
        late = 0.5 * h if is_touched[b] == 0 and owners.asleep[b] == AWAKE else 0.0
        for k in range(3):
            potential -= mass[b] * load[k] * owners.position[b, k]
            v = owners.velocity[b, k] + late * load[k]
            kinetic += 0.5 * (mass[b] * v * v + owners.spin[b, k] * owners.momentum[b, k])
    return kinetic, potential, deepest, touching


def body_diverged(model: Model, state: State, body: int, frame: int) -> SimulationDiverged:
    """What to raise when a rigid body has left the finite world in that frame."""
    with np.errstate(all="ignore"):
        moved = state.body_position[body] - state.body_previous[body]
        speed = float(np.linalg.norm(moved)) / state.step
        turn = state.body_orientation[body] + state.body_previous_orientation[body]
    reason = "place or rotation is not a number"
    if math.isfinite(speed) and np.isfinite(turn).all():
        reason = f"{speed:.3g} m/s"
    return SimulationDiverged(model.objects[model.bodies.object[body]].name, frame, -1, reason)


def check_finite(model: Model, state: State, settings: SolverSettings, frame: int) -> None:
    """Raise `SimulationDiverged` naming the first particle that left the finite world.

    frame is the number of the frame that is being computed.
    """
    if not len(model.particles):
        return
    particle = _first_bad_particle(
        state.position, state.previous, settings.speed_limit * state.step
    )
    if particle < 0:
        return
    span = model.object_of_particle(particle)
    moved = state.position[particle] - state.previous[particle]
    with np.errstate(over="ignore"):
        speed = float(np.linalg.norm(moved)) / state.step
    reason = f"{speed:.3g} m/s" if math.isfinite(speed) else "position is not a number"
    place = (span.name, frame, particle - span.first_particle, reason)
    way_out = _way_out(model, settings, 1.0 / state.step)
    if way_out is None:
        raise SimulationDiverged(*place)
    subject = settings.integrator_label
    if not settings.is_force_based:
        subject += " with springs as forces"
    raise SimulationDiverged(*place, subject, way_out)


def _way_out(model: Model, settings: SolverSettings, rate: float) -> str | None:
    """What to do about springs too stiff for the integrator at ``rate`` 1/s; None if they are not.

    No explicit integrator blows up by its springs at a rate that is enough for them.
    """
    springs = len(model.springs) + (len(model.sticks) if settings.is_force_based else 0)
    if not settings.takes_springs_as_forces or springs == 0:
        return None
    if settings.integrator == "IMPLICIT_EULER":  # no stiffness makes it blow up
        return "Look for pins, colliders or forces that move this object faster than Blow-Up Speed"
    needed = least_rate(model, settings)
    if needed is not None and needed <= rate:
        return None
    way_out = "hoose Implicit Euler as the Integrator"
    if not settings.is_force_based:
        way_out = "hoose Compliant as the Spring Form"
    if needed is not None:
        return f"C{way_out}, or raise Substep Rate to at least {needed:,.0f} 1/s"
    return f"No Substep Rate is high enough for such stiff springs: c{way_out}"


@once_for_each
def _all_sticks(model: Model) -> list[tuple[Ints, Floats]]:
    """Ends (s, 2) and lengths (s,) m of sticks: those of the model and those of constraints."""
    own = [(c.stick, c.stick_rest_length) for c in model.constraints if isinstance(c, Pulling)]
    return [(model.sticks.pair, model.sticks.rest_length), *own]


def measure_stretch(model: Model, state: State) -> tuple[float, float, float]:
    """Mean and largest stretch of all sticks as shares of their length, largest error in m.

    The sticks that constraints have of their own, as ropes do, count as well as those of the model.
    """
    if not len(model.particles):
        return 0.0, 0.0, 0.0
    sticks = _all_sticks(model)
    figures = [(len(pairs), *_stick_figures(state.position, pairs, rest)) for pairs, rest in sticks]
    total = max(1, sum(count for count, *_ in figures))
    return (
        sum(count * mean for count, mean, _, _ in figures) / total,
        max(largest for _, _, largest, _ in figures),
        max(error for _, _, _, error in figures),
    )


def forced_objects(model: Model, state: State) -> tuple[Forcing, ...]:
    """Which objects are pressed or pulled farther than they reach, by more than is overlooked."""
    share = state.stretch.share
    rows = np.flatnonzero(share > TOLD_SHARE).tolist()
    return tuple(Forcing(model.objects[o].name, float(share[o])) for o in rows)


def surface_crossings(model: Model, work: Workspace) -> tuple[Crossing, ...]:
    """Which surfaces were seen to pass through themselves, each other or mesh colliders at last."""
    if work.surfaces is None:
        return ()
    return tuple(
        Crossing(_name_of_part(model, a), _name_of_part(model, b), pairs)
        for a, b, pairs in work.surfaces.pierced
    )


def _name_of_part(model: Model, part: int) -> str:
    """Name of the object or collider that a number in `CollisionSurface.part` stands for."""
    if part >= 0:
        return model.objects[part].name
    if -1 - part < len(model.objects):
        return model.objects[-1 - part].name
    led = -2 - part - len(model.objects)
    if led < len(model.colliders):
        return model.colliders.name[led]
    return model.objects[model.bodies.object[led - len(model.colliders)]].name


def measure(
    model: Model,
    state: State,
    gravity: Floats,
    work: Workspace,
    contact_count: int,
    row_count: int,
    velocity: Floats | None = None,
) -> Diagnostics:
    """Energy, stretch, penetration and residual of ``state``, the end of a frame.

    contact_count: of particles; row_count: of rigid bodies.

    velocity (n, 3) m/s belongs to x; by default it is Verlet's, (x − x*)/h + ½ g h.
    """
    kinetic = potential = depth = 0.0
    if len(model.particles):
        kinetic, potential = _energies(
            state.position,
            state.previous,
            model.particles.mass,
            model.particles.inverse_mass,
            gravity,
            state.step,
        )
    if velocity is not None:
        free = model.particles.inverse_mass > 0.0
        kinetic = 0.5 * float((model.particles.mass[free, None] * velocity[free] ** 2).sum())
    mean, largest, error = measure_stretch(model, state)
    if len(model.colliders) and len(model.particles.colliding):
        depth = deepest_particle(
            state.position, model.particles.colliding, work.shapes, model.collider_shape_count
        )
    if work.surfaces is not None:
        depth = max(depth, work.surfaces.deepest)
    if contact_count:
        moving = (state.position, work.owners, state.step)
        depth = max(depth, deepest_contact(work.contacts.solving, contact_count, *moving))
    if len(model.bodies):
        body_kinetic, body_potential, overlap, touching = _body_figures(
            work.owners,
            len(model.bodies),
            work.body_contacts.rows,
            row_count,
            model.bodies.mass,
            gravity,
            state.step,
            work.body_mark,
        )
        kinetic += body_kinetic
        potential += body_potential
        depth = max(depth, overlap)
        contact_count += touching
    return Diagnostics(
        kinetic_energy=kinetic,
        potential_energy=potential,
        stretch_mean=float(mean),
        stretch_max=float(largest),
        penetration=float(depth),
        crossings=surface_crossings(model, work),
        residual=float(error),
        contact_count=contact_count,
    )
