"""Motion: free particles fly on, pins go where they are driven."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..coincidence import part_coinciding
from ..diagnostics import check_finite
from ..forces.spring import SpringSystem, damp_springs, stiffnesses
from ..model import Model
from ..particles.constraints.weak_pin import attach_pins
from ..particles.integrate import (
    DrivenPins,
    change_step,
    move_pins,
    position_verlet,
    start_from,
)
from ..particles.integrators.carries import refuse_bodies
from ..particles.integrators.explicit import (
    Step,
    explicit_euler,
    leapfrog,
    midpoint,
    present_velocity,
    symplectic_euler,
    trapezoid,
    velocity_verlet,
)
from ..particles.integrators.implicit import implicit_euler
from .forces import Forces
from .frame import Frame
from .grab import Hand

EXPLICIT: dict[str, Step] = {
    "POSITION_VERLET": leapfrog,  # the same orbit; here only with springs as forces
    "TIME_CORRECTED": leapfrog,
    "LEAPFROG": leapfrog,
    "VELOCITY_VERLET": velocity_verlet,
    "EXPLICIT_EULER": explicit_euler,
    "SYMPLECTIC_EULER": symplectic_euler,
    "MIDPOINT": midpoint,
    "TRAPEZOID": trapezoid,
}

PART_EVERY = 4
"""Frames after which ends that coincide are looked for again."""

HALF_STEP = ("POSITION_VERLET", "TIME_CORRECTED", "LEAPFROG")
"""Integrators whose (x − x*)/h is the velocity half a step ago; for the others it is that at x."""


def _damped_springs(model: Model) -> tuple[Ints, Floats]:
    """Springs (s, 2) that have a damper, and its strength (s,)."""
    damped = np.flatnonzero(model.springs.damping)
    return model.springs.pair[damped], model.springs.damping[damped]


class Motion:
    """Moves everything by one substep before constraints correct it.

    Between the stages of a substep ``previous`` is where a particle stood at its start, for all
    integrators alike: contacts, pins and friction need no more. What the velocity at the end of
    the step adds to that difference waits in ``lag`` until they are done.
    """

    def __init__(self, frame: Frame, forces: Forces, hand: Hand) -> None:
        refuse_bodies(frame.model, frame.settings)
        self.frame = frame
        self.forces = forces
        self.hand = hand
        pinned = frame.state.pin_position
        particle, weight = frame.model.pins.particle, frame.pin_weight
        start, end = pinned, frame.target(frame.inputs.pin_position, pinned)
        self.has_soft_pins = False
        self.driven, self.driven_start, self.driven_end = particle, start, end
        if len(particle):
            hard = weight >= 1.0
            # a pin that takes hold in this frame sets out from where its particle is
            start = np.where(hard[:, None], frame.origin.position[particle], pinned)
            self.has_soft_pins = not hard.all()
            self.driven = particle[hard]
            self.driven_start, self.driven_end = start[hard], end[hard]
        self.pins = DrivenPins(particle, weight, start, end)
        self.is_half_step = frame.settings.integrator in HALF_STEP
        self.system = self._system() if frame.settings.takes_springs_as_forces else None
        self.lag: Floats | None = None  # (n, 3) m
        self.change: Floats | None = None  # (n, 3) m/s, where the implicit solver starts from
        self._lay_out()
        if len(frame.model.particles) and frame.state.frame % PART_EVERY == 0:
            for pairs, rest in (
                (frame.model.sticks.pair, frame.model.sticks.rest_length),
                (frame.model.springs.pair, frame.model.springs.rest_length),
            ):
                part_coinciding(frame.x, frame.previous, frame.inverse_mass, pairs, rest)

    def _system(self) -> SpringSystem:
        """The springs of this frame and all else that accelerates particles."""
        frame, settings = self.frame, self.frame.settings
        by_forces = settings.is_force_based
        springs = stiffnesses(
            frame.model, frame.spring_compliance, settings.edge_stiffness if by_forces else None
        )
        return SpringSystem(
            *springs,
            inverse_mass=frame.inverse_mass,
            # position Verlet keeps its own share of the velocity, 1 − β
            drag=frame.drag if by_forces else np.zeros_like(frame.drag),
            gravity=frame.gravity,
            held=self.forces.force if self.forces.is_any else np.zeros_like(frame.x),
        )

    def _lay_out(self) -> None:
        """Make x* fit this frame's step, and at the start of a simulation the integrator."""
        frame, state, h = self.frame, self.frame.state, self.frame.h
        starts = state.time == 0.0
        if frame.substep > 0 or (self.system is None and h == state.step):
            return
        acted = frame.gravity if self.forces.before is None else self.forces.before.gravity
        gravity = np.where((frame.inverse_mass > 0.0)[:, None], acted, 0.0)
        if self.system is None:
            if starts or frame.settings.integrator == "TIME_CORRECTED":
                change_step(state, h, gravity)
            state.step = h  # plain Verlet: x − x* stays as long as it was
            return
        acceleration = np.zeros_like(gravity)
        if starts:
            self.system.held[:] = 0.0  # `_set_out` reckons with forces, once they are known
            if self.is_half_step:
                velocity = (frame.x - frame.previous) / state.step + 0.5 * state.step * gravity
                velocity[self.driven] = (self.driven_end - self.driven_start) / (h * frame.substeps)
                acceleration = self._acted_on(velocity, gravity)
            start_from(state, h, gravity, acceleration)
            return
        if frame.settings.integrator == "POSITION_VERLET":
            state.step = h
        elif h != state.step:
            if self.is_half_step:
                acceleration = self._acted_on(self._present(state.step), gravity)
            change_step(state, h, acceleration)

    def _acted_on(self, velocity: Floats, gravity: Floats) -> Floats:
        """Accelerations (n, 3) m/s² by springs and forces, under the gravity (n, 3) of before."""
        assert self.system is not None
        falls = (self.frame.inverse_mass > 0.0)[:, None]
        begins = np.where(falls, self.frame.gravity - gravity, 0.0)
        return self.system.acceleration(self.frame.x, velocity) - begins

    def _present(self, step: float) -> Floats:
        """Velocities (n, 3) m/s at x."""
        frame = self.frame
        velocity = (frame.x - frame.previous) / step
        if self.is_half_step and self.system is not None:
            velocity = present_velocity(self.system, frame.x, velocity, step)
        return velocity

    def _set_out(self, jump: Floats) -> None:
        """Lay x* out for what begins with this frame, by a jump (n, 3) m/s² of accelerations.

        Half a step ago was a·h/2 less velocity: see `outside`.
        """
        self.frame.previous += (0.5 * self.frame.h**2) * jump

    def integrate(self) -> None:
        """One step of the integrator for every free particle, those of the bodies too."""
        frame = self.frame
        if frame.substep == 0 and self.forces.jump is not None and self.is_half_step:
            self._set_out(self.forces.jump)
        if self.system is not None:
            with np.errstate(over="ignore", invalid="ignore"):  # checked right after
                self._integrate_forces(self.system)
            check_finite(frame.model, frame.state, frame.settings, frame.state.frame + 1)
            return
        damped = frame.scratch(_damped_springs)
        if len(damped[0]):
            damp_springs(frame.particles, *damped, frame.h)
        position_verlet.on(frame.threads)(
            frame.x,
            frame.previous,
            frame.inverse_mass,
            frame.keep,
            frame.gravity,
            self.forces.force,
            self.forces.is_any,
            frame.h,
        )

    def _integrate_forces(self, system: SpringSystem) -> None:
        """One step of an integrator that evaluates the springs itself."""
        frame, h = self.frame, self.frame.h
        integrator = frame.settings.integrator
        v = (frame.x - frame.previous) / h
        if not frame.settings.is_force_based:
            v *= frame.keep[:, None]
        driven = self.driven
        travel = frame.end_share * (self.driven_end - self.driven_start)
        v[driven] = (self.driven_start + travel - frame.x[driven]) / h
        if integrator == "IMPLICIT_EULER":
            if self.change is None:  # of no earlier frame: resuming must give the same bits
                self.change = np.zeros_like(v)
            x, v = implicit_euler(system, frame.x, v, h, self.change)
        else:
            x, v = EXPLICIT[integrator](system, frame.x, v, h)
        x[driven] = frame.x[driven]  # `drive` moves them
        frame.previous[:] = frame.x
        frame.x[:] = x
        self.lag = None
        if integrator in ("VELOCITY_VERLET", "EXPLICIT_EULER", "MIDPOINT", "TRAPEZOID"):
            self.lag = v * h - (x - frame.previous)
            self.lag[driven] = 0.0

    def keep_velocity(self) -> None:
        """At the end of a substep, lay x* out so that (x − x*)/h is the velocity to go on with."""
        if self.lag is not None:
            self.frame.previous -= self.lag
        self.hand.let_go()

    def velocity(self) -> Floats | None:
        """Velocities (n, 3) m/s at the end of the frame; None where it is position Verlet's."""
        return None if self.system is None else self._present(self.frame.h)

    def elastic_energy(self) -> float:
        """Energy that springs taken as forces hold, J."""
        return 0.0 if self.system is None else self.system.energy(self.frame.x)

    def drive(self) -> None:
        """Move pins to their places at the end of this substep, and what a hand holds after it."""
        frame = self.frame
        if len(self.pins.particle):
            move_pins(frame.x, frame.previous, self.pins, frame.end_share)
        if self.has_soft_pins:
            shares = (frame.end_share, frame.begin_share)
            attach_pins(frame.x, frame.previous, self.pins, *shares, frame.h)
        self.hand.pull_particles()

    def finish(self) -> None:
        """Remember where the pins were driven."""
        if self.frame.is_over and self.frame.inputs.pin_position is not None:
            self.frame.state.pin_position = self.pins.end.copy()
