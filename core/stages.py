"""The stages of a substep, each with the arrays it needs, and the constants of one frame."""

from __future__ import annotations

import time
from collections import defaultdict

import numpy as np

from . import jit
from .constraints.distance import relax_distances
from .constraints.stick import FORMS
from .constraints.tether import relax_tethers
from .constraints.tetrahedron import relax_bodies
from .contact.body_contact import find_body_contacts, find_particle_contacts
from .contact.crowd import find_crowd_contacts
from .contact.pairs import find_pairs, sweep_order
from .contact.particle_contact import collide_particles
from .contact.response import (
    contact_room,
    place_bounces,
    prepare_contacts,
    relax_contacts,
    resolve_overlap,
)
from .contact.shapes import move_shapes
from .diagnostics import check_finite, measure
from .errors import ModelError
from .forces.wind import EVALUATION_RATE, add_wind, is_calm, sample_gusts
from .integrate import change_step, drag_per_step, move_pins, position_verlet
from .model import Diagnostics, Floats, FrameInputs, Ints, Model, State
from .settings import SolverSettings
from .workspace import workspace_of

PARALLEL_FROM = 4000
"""Constraints per pass above which several threads can pay."""

RESTING = 4.0
"""Contacts that approach by less than this many times g·h² in a step do not bounce."""

STICK_PASSES = 2
"""Passes over a body's six sticks for each pass over the contacts."""


class Stopwatch:
    """Sums up the time spent in ``with`` blocks; entered a hundred times a frame, so kept light."""

    __slots__ = ("begun", "seconds")

    def __init__(self) -> None:
        self.seconds = 0.0
        self.begun = 0.0

    def __enter__(self) -> None:
        self.begun = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self.begun


class FrameStages:
    """One frame under way: a private copy of the state and the stages that change it."""

    def __init__(
        self, model: Model, state: State, inputs: FrameInputs, settings: SolverSettings
    ) -> None:
        self.model = model
        self.settings = settings
        self.inputs = inputs
        self.work = workspace_of(model)
        self.started = time.perf_counter()
        self.watches: defaultdict[str, Stopwatch] = defaultdict(Stopwatch)

        self.substeps = settings.substep_count(inputs.duration)
        self.h = inputs.duration / self.substeps
        self.gravity = np.array(inputs.gravity, dtype=np.float64)
        self.state = state.copy()
        change_step(self.state, model.inverse_mass, self.gravity, self.h)
        self.x = self.state.position
        self.previous = self.state.previous

        self.pin_start = self.x[model.pinned].copy()
        self.pin_end = self._target("pin_position", inputs.pin_position, self.pin_start)
        self.collider_end = (
            self._target("collider_position", inputs.collider_position, state.collider_position),
            self._target(
                "collider_orientation", inputs.collider_orientation, state.collider_orientation
            ),
        )
        self.work.keep[:] = drag_per_step(model.drag, self.h)
        self.windy = len(model.triangle) > 0 and not is_calm(inputs.wind)
        self.wind_hold = max(1, round(1.0 / (self.h * EVALUATION_RATE)))
        self.fall = float(np.linalg.norm(self.gravity)) * self.h**2  # m, by gravity in one step
        self.bouncy = bool(model.restitution.any() or model.shape_restitution.any())
        self.meets = model.body_count > 0 or not self.work.crowd.is_empty
        self.contact_count = 0
        self.order: Ints | None = None
        self.threads = self._thread_count()

    def _target(self, name: str, given: Floats | None, start: Floats) -> Floats:
        if given is None:
            return start
        target = np.ascontiguousarray(given, dtype=np.float64)
        if target.shape != start.shape:
            raise ModelError("", f"{name} has shape {target.shape}, expected {start.shape}")
        if not np.isfinite(target).all():
            raise ModelError("", f"{name} holds numbers that are not finite")
        return target

    def _thread_count(self) -> int:
        threads = min(self.settings.threads, jit.thread_limit())
        if self.settings.threads == 0:
            work = len(self.model.stick) + len(self.model.spring) + len(self.model.colliding)
            small = work < PARALLEL_FROM
            threads = 1 if small else self.work.governor.choose(jit.thread_limit())
        jit.set_thread_count(threads)
        return threads

    def timed(self, stage: str) -> Stopwatch:
        """``with frame.timed("stage"):`` adds the time spent inside to the named stage."""
        return self.watches[stage]

    # ------------------------------------------------------------------ forces and motion

    def apply_wind(self, substep: int) -> None:
        """Collect the wind's push; the air changes more slowly than a substep, so not in each."""
        if not self.windy or substep % self.wind_hold:
            return
        model, wind = self.model, self.inputs.wind
        if substep == 0:
            sample_gusts(
                self.x,
                model.triangle,
                np.array(wind.velocity, dtype=np.float64),
                wind.gust,
                wind.gust_length,
                self.state.time,
                self.work.air,
            )
        self.work.force[:] = 0.0
        add_wind(
            self.x,
            self.previous,
            model.inverse_mass,
            model.triangle,
            self.work.air,
            wind.air_density,
            self.h,
            self.wind_hold * self.h,
            self.work.force,
        )

    def integrate(self) -> None:
        """Position Verlet for every free particle, those of the bodies too."""
        position_verlet.on(self.threads)(
            self.x,
            self.previous,
            self.model.inverse_mass,
            self.work.keep,
            self.gravity,
            self.work.force,
            self.windy,
            self.h,
        )

    def drive(self, substep: int) -> None:
        """Move pins and colliders to their places at the end of this substep."""
        share = (substep + 1) / self.substeps
        if len(self.model.pinned):
            move_pins(self.x, self.previous, self.model.pinned, self.pin_start, self.pin_end, share)
        if len(self.model.shape_kind):
            move_shapes(
                self.work.shapes,
                self.x,
                self.previous,
                self.model.body_first_particle,
                self.model.body_extent,
                self.state.collider_position,
                self.state.collider_orientation,
                *self.collider_end,
                share,
                substep / self.substeps,
            )

    # ------------------------------------------------------------------ contacts

    def find_contacts(self) -> None:
        """Contacts of this substep between bodies, bodies and colliders, and free particles."""
        if not self.meets:
            return
        model, work = self.model, self.work
        pair_count = self._find_pairs()
        if not work.crowd.is_empty:
            work.crowd.fill(model, self.x)
        while (found := self._fill_contacts(pair_count)) > len(work.contacts.friction):
            work.contacts = contact_room(2 * found)
        prepare_contacts(
            work.contacts,
            found,
            work.shapes,
            model.body_first_particle,
            model.body_extent,
            model.radius,
            model.friction,
            model.restitution,
            self.x,
            self.previous,
            model.inverse_mass,
            RESTING * self.fall,
        )
        self.contact_count = found

    def _find_pairs(self) -> int:
        """Shapes that may touch, in work.pairs; returns how many."""
        work = self.work
        if not self.model.body_count:
            return 0
        if self.order is None:
            self.order = sweep_order(work.shapes)
        while (count := find_pairs(work.shapes, self.order, work.pairs, work.margin)) > len(
            work.pairs
        ):
            work.pairs = np.zeros((2 * count, 2), dtype=np.int32)
        return count

    def _fill_contacts(self, pair_count: int) -> int:
        model, work = self.model, self.work
        found = 0
        if model.body_count:
            found = find_body_contacts(
                work.pairs,
                pair_count,
                work.contacts,
                work.shapes,
                work.margin,
                work.box_scratch,
                work.on_a,
                work.on_b,
                work.normal,
            )
        if model.body_count and len(model.colliding):
            found = find_particle_contacts(
                found,
                work.contacts,
                work.shapes,
                model.collider_count,
                model.colliding,
                model.radius,
                self.x,
                self.previous,
            )
        if not work.crowd.is_empty:
            found = find_crowd_contacts(
                found,
                work.contacts,
                model.crowd,
                work.crowd.cell,
                work.crowd.first,
                work.crowd.member,
                self.x,
                model.radius,
                model.inverse_mass,
            )
        return found

    def bounce_particles(self) -> None:
        """Reflect fast particles on their exact path before constraints disturb it."""
        if self.bouncy:
            self._collide(may_bounce=True)

    def collide_particles(self) -> None:
        """Project particles out of the colliders, with friction."""
        self._collide(may_bounce=False)

    def _collide(self, may_bounce: bool) -> None:
        model = self.model
        if not (model.collider_count and len(model.colliding)):
            return
        collide_particles.on(self.threads)(
            self.x,
            self.previous,
            model.inverse_mass,
            model.colliding,
            model.radius,
            model.friction,
            model.restitution,
            self.work.shapes,
            model.collider_count,
            self.gravity,
            self.h,
            may_bounce,
        )

    # ------------------------------------------------------------------ relaxation

    def relax_distances(self, substep: int, iteration: int) -> None:
        """One pass over sticks and springs, phase by phase."""
        model = self.model
        phases = model.phase_task
        together = self.threads <= 1  # one thread needs no barriers: all phases in one call
        relax = relax_distances.on(self.threads)
        for p in range(1 if together else len(phases) - 1):
            relax(
                self.x,
                self.previous,
                model.inverse_mass,
                FORMS[self.settings.stick_form],
                model.stick,
                model.stick_rest_length,
                model.task_stick,
                model.spring,
                model.spring_rest_length,
                model.spring_compliance,
                self.work.spring_pull,
                model.task_spring,
                phases[p],
                phases[-1] if together else phases[p + 1],
                self._turn(substep),
                iteration == 0,
                iteration == self.settings.iterations - 1,
                self.h,
            )

    def _turn(self, substep: int) -> int:
        """0 and 1 in turns, from frame to frame too."""
        return (self.state.frame * self.substeps + substep) % 2

    def relax_tethers(self, substep: int) -> None:
        """One pass over the tethers, every second step: they only guard what sticks hold."""
        model = self.model
        if len(model.tethered) and self._turn(substep) == 1:
            relax_tethers.on(self.threads)(
                self.x, model.tethered, model.tether_start, model.tether_anchor, model.tether_length
            )

    def relax_bodies(self) -> None:
        """Passes over the contacts and the six sticks of each body (Jakobsen §5: 3–4).

        A hard hit takes more: up to four times as many passes, while the last one still pushed
        something farther than gravity moves it in a step.
        """
        model, work = self.model, self.work
        if not self.meets:
            return
        moving = (self.x, self.previous, model.inverse_mass)
        for n in range(4 * self.settings.body_iterations):
            push = relax_contacts(work.contacts, self.contact_count, *moving)
            relax_bodies(
                self.x,
                self.previous,
                model.body_first_particle,
                model.body_extent,
                model.inverse_mass,
                STICK_PASSES,
            )
            if n + 1 >= self.settings.body_iterations and push <= self.fall:
                break

    def settle_contacts(self, iteration: int) -> None:
        """After the last pass, corrections of place alone: bounces, and overlap from the start."""
        if not self.contact_count or iteration < self.settings.iterations - 1:
            return
        moving = (self.x, self.previous, self.model.inverse_mass)
        contacts = (self.work.contacts, self.contact_count)
        place_bounces(*contacts, *moving)
        resolve_overlap(*contacts, *moving, self.h)

    # ------------------------------------------------------------------ the end

    def finish(self) -> tuple[State, Diagnostics]:
        """Check the frame, measure it and hand it out."""
        state = self.state
        state.frame += 1
        state.time += self.inputs.duration
        state.collider_position, state.collider_orientation = (a.copy() for a in self.collider_end)
        check_finite(self.model, state, self.settings.speed_limit)
        elapsed = time.perf_counter() - self.started
        if self.settings.threads == 0:
            self.work.governor.learn(self.threads, elapsed)
        figures = measure(self.model, state, self.gravity, self.work, self.contact_count)
        figures.substeps = self.substeps
        figures.threads = self.threads
        figures.stage_seconds = {name: watch.seconds for name, watch in self.watches.items()}
        return state, figures
