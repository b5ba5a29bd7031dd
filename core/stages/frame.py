"""One frame under way: a private copy of the state, and what stays constant until its end."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..arrays import Floats, Ints
from ..diagnostics import check_finite, forced_objects, measure
from ..entry import check_state, checked_inputs, model_of
from ..kernels import jit
from ..model import Diagnostics, FrameInputs, Model, State
from ..particles.integrate import drag_per_step
from ..records import Particles
from ..settings import AnimatedSettings, SolverSettings
from ..workspace import workspace_of
from .factors import Factors
from .sleepers import NO_PARTICLES, Mask, SleeperScratch, sleepers_of


class Stopwatch:
    """Sums up the seconds of stages; asked two hundred times a frame, so kept light."""

    __slots__ = ("last", "seconds")

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.last = 0.0

    def begin(self) -> None:
        """Count from now on."""
        self.last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Add what has passed since the last lap, or since `begin`, to a stage."""
        now = time.perf_counter()
        self.seconds[stage] += now - self.last
        self.last = now


Scratch = TypeVar("Scratch")


class FrameScratch:
    """Arrays of the constants of a frame."""

    def __init__(self, model: Model) -> None:
        self.keep = np.empty(len(model.particles))  # 1 − β of each particle
        self.keep_step = 0.0  # s that it is for, 0 when it is for a keyed drag
        self.gravity = np.zeros(3)  # m/s²
        neutral = (AnimatedSettings(),) * len(model.objects)
        self.neutral = Factors(neutral, model)  # where nothing is keyed
        self.body_ones = np.ones(len(model.bodies))  # likewise, of each body


class Frame:
    """What every stage reads: the moving arrays, the constants of the frame, scratch memory."""

    def __init__(
        self,
        model: Model,
        state: State,
        inputs: FrameInputs,
        settings: SolverSettings,
        torn: Frame | None = None,
        roused: Mask | None = None,
    ) -> None:
        """torn: what of the frame is over; roused (o,): objects that are awake in any case."""
        self.whole = model = model if model.tears is None else model_of(model, state)
        self.settings = settings
        self.work = work = workspace_of(model)
        check_state(work.layout, state)
        self.inputs = inputs = checked_inputs(work.layout, inputs, settings)
        self.roused: Mask = np.zeros(len(model.objects), dtype=bool) if roused is None else roused
        self.asleep: Mask = sleepers_of(model, work, state, inputs, settings) & ~self.roused
        self.sleeping: Ints = NO_PARTICLES  # particles of those
        if self.asleep.any():
            part = self.scratch_of_whole(SleeperScratch).part(model, self.asleep)
            model, self.sleeping = part.awake, part.sleeping
            self.work = workspace_of(model)
        self.model = model
        if model.tears is not None and inputs.grab is not None:
            held = model.tears.weld[inputs.grab.particle]
            self.inputs = inputs = replace(inputs, grab=replace(inputs.grab, particle=held))
        self.started: float = time.perf_counter() if torn is None else torn.started
        self.watch: Stopwatch = Stopwatch() if torn is None else torn.watch

        count = settings.substep_count(inputs.duration, self.whole.schedule.takes_turns)
        self.substeps: int = count if torn is None else torn.substeps
        self.substep: int = 0 if torn is None else torn.substep
        self.origin: State = state if torn is None else torn.origin  # as the frame began
        self.pass_number = 0
        self.h = inputs.duration / self.substeps
        self.step_before = state.step  # s, that the given x* are laid out for
        self.own = self.scratch(FrameScratch)
        self.gravity = self.own.gravity
        self.gravity[:] = inputs.gravity
        self.fall = math.hypot(*inputs.gravity) * self.h**2  # m, by gravity in one step

        animated = inputs.animated
        self.keyed = self.own.neutral if animated is None else Factors(animated, model)
        self.animated = self.keyed.animated
        self.pin_weight = self._pin_weight()
        self.free_inverse_mass = self._inverse_mass()
        self.inverse_mass = self.free_inverse_mass
        self.friction = self._scaled(model.particles.friction, "friction")
        self.drag = self._scaled(model.particles.drag, "drag")
        self._keep_velocity()
        self.spring_compliance = self._spring_compliance()

        self.given = state.position  # (n, 3) m, not to be written to
        self.state = state.copy()
        self.x = self.state.position
        self.previous = self.state.previous
        self.particles = Particles(self.x, self.previous, self.inverse_mass)
        self.collider_end = (
            self.target(inputs.collider_position, self.state.collider_position),
            self.target(inputs.collider_orientation, self.state.collider_orientation),
        )
        # not copied from frame to frame where it stays: a mesh may be large
        self.mesh_end = self.target(inputs.mesh_vertex, state.mesh_vertex)
        self.contact_count = 0  # of particles
        self.other_contact_count = 0  # of particles, that a stage of its own has solved
        self.other_depth = 0.0  # m, the deepest of those at the end of the frame
        self.row_count = 0  # contacts of rigid bodies at the end of the frame
        self.passes: int = 0 if torn is None else torn.passes
        self.is_cut: bool = torn is not None and torn.is_cut
        self.has_forces = False  # besides gravity
        self.is_idle = False  # nothing is awake, and nothing acts but gravity
        self.is_struck = False  # a blow has changed velocities since contacts were looked for
        self.is_governed = settings.threads == 0 and self.work.is_large
        self.threads = self._thread_count()

    def scratch(self, kind: Callable[[Model], Scratch]) -> Scratch:
        """The scratch memory of one stage: `kind` makes it of the model at first use."""
        return self.work.scratch(kind, self.model)

    def scratch_of_whole(self, kind: Callable[[Model], Scratch]) -> Scratch:
        """The same of the model with all that sleeps."""
        return workspace_of(self.whole).scratch(kind, self.whole)

    def reweigh(self) -> Floats:
        """Inverse masses (n,) 1/kg of this frame alone, to be written to: before any substep."""
        if self.inverse_mass is self.free_inverse_mass:
            self.inverse_mass = self.free_inverse_mass.copy()
            self.particles = self.particles._replace(inverse_mass=self.inverse_mass)
        return self.inverse_mass

    @property
    def is_asleep(self) -> bool:
        """Whether no particle does anything in this frame."""
        return len(self.sleeping) == len(self.model.particles)

    # ------------------------------------------------------------------ constants of the frame

    def target(self, given: Floats | None, start: Floats) -> Floats:
        """What the inputs say; ``start`` when they say nothing."""
        return start if given is None else given

    def by_body(self, name: str) -> Floats:
        """One animated factor of each rigid body, not to be written to."""
        if self.inputs.animated is None:
            return self.own.body_ones
        return self.keyed.of_bodies(name)

    def factors(self, name: str) -> Floats | None:
        """One animated factor of each particle (n,); None when it is 1 everywhere."""
        return None if self.keyed.are_one(name) else self.keyed.of_particles(name)

    def _scaled(self, values: Floats, name: str) -> Floats:
        factor = self.factors(name)
        return values if factor is None else values * factor

    def _keep_velocity(self) -> None:
        """Find how much velocity drag leaves in a step, unless it is known from the last frame."""
        own, is_keyed = self.own, self.drag is not self.model.particles.drag
        self.keep = own.keep
        if is_keyed or own.keep_step != self.h:
            drag_per_step(self.drag, self.h, self.keep)
            own.keep_step = 0.0 if is_keyed else self.h

    def _pin_weight(self) -> Floats:
        model = self.model
        weight = self.target(self.inputs.pin_weight, model.pins.weight)
        factor = self.factors("pin")
        return weight if factor is None else weight * factor[model.pins.particle]

    def _inverse_mass(self) -> Floats:
        """Pins of full weight are immovable, weaker ones are pulled, of weight 0 are free."""
        model = self.model
        if not len(model.pins):
            return model.particles.inverse_mass
        soft = self.pin_weight < 1.0
        if np.array_equal(soft, model.pins.weight < 1.0):
            return model.particles.inverse_mass
        inverse_mass = model.particles.inverse_mass.copy()
        inverse_mass[model.pins.particle] = np.where(
            soft, 1.0 / model.particles.mass[model.pins.particle], 0.0
        )
        if model.tears is not None:
            inverse_mass[model.tears.idle] = 0.0
        inverse_mass[self.sleeping] = 0.0
        return inverse_mass

    def _spring_compliance(self) -> Floats:
        factors = self.factors("stiffness")
        compliance = self.model.springs.compliance
        if factors is None or not len(compliance):
            return compliance
        return compliance / np.maximum(factors[self.model.springs.pair[:, 0]], 1e-12)

    def _thread_count(self) -> int:
        wanted = self.settings.threads
        if wanted <= 1 and not self.is_governed:
            return 1
        limit = jit.thread_limit()
        threads = self.work.governor.choose(limit) if self.is_governed else min(wanted, limit)
        jit.set_thread_count(threads)
        return threads

    # ------------------------------------------------------------------ under way

    @property
    def time(self) -> float:
        """Seconds since the start at the beginning of this substep."""
        return self.state.time + self.substep * self.h

    @property
    def global_substep(self) -> int:
        """Number of this substep since the start of the simulation."""
        return self.state.frame * self.substeps + self.substep

    @property
    def begin_share(self) -> float:
        """How much of the frame has passed at the beginning of this substep."""
        return self.substep / self.substeps

    @property
    def end_share(self) -> float:
        """How much of the frame has passed at the end of this substep."""
        return (self.substep + 1) / self.substeps

    @property
    def is_over(self) -> bool:
        """Whether all substeps are done."""
        return self.substep == self.substeps

    def rest_of_it(self) -> Frame:
        """The rest of the frame, with the model of what has torn."""
        return Frame(self.whole, self.state, self.inputs, self.settings, self, self.roused)

    def lead_idle(self) -> None:
        """Bring copies that are not simulated to where those are that stand for them."""
        if self.model.tears is not None:
            weld = self.model.tears.weld
            self.x[:] = self.x[weld]
            self.previous[:] = self.previous[weld]

    def finish(self, velocity: Floats | None, elastic_energy: float) -> tuple[State, Diagnostics]:
        """Check the frame, measure it and hand it out.

        velocity (n, 3) m/s where it is not what position Verlet's x* says; elastic_energy J.
        """
        state = self.state
        self.lead_idle()
        state.frame += 1
        state.time += self.inputs.duration
        if self.inputs.collider_position is not None:
            way = self.collider_end[0] - state.collider_position
            state.collider_velocity = way / self.inputs.duration
            state.collider_position = self.collider_end[0].copy()
        elif state.collider_velocity.any():
            state.collider_velocity[:] = 0.0
        if self.inputs.collider_orientation is not None:
            state.collider_orientation = self.collider_end[1].copy()
        state.mesh_vertex = self.mesh_end
        check_finite(self.model, state, self.settings, state.frame)
        elapsed = time.perf_counter() - self.started
        if self.is_governed:
            self.work.governor.learn(self.threads, elapsed)
        counts = (self.contact_count, self.row_count)
        figures = measure(self.whole, state, self.gravity, self.work, *counts, velocity)
        figures.contact_count += self.other_contact_count
        figures.penetration = max(figures.penetration, self.other_depth)
        figures.elastic_energy = elastic_energy
        figures.forced = forced_objects(self.whole, state)
        figures.substeps = self.substeps
        figures.passes = self.passes
        figures.is_cut = self.is_cut
        figures.threads = self.threads
        figures.stage_seconds = dict(self.watch.seconds)
        workspace_of(self.whole).layout.hand_out(state)
        return state, figures
