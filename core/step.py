"""`advance`: one frame of the whole scene, as the paper reads.

Each substep: forces → integrate → contacts → relax (distances, constraints, contacts). The stages
themselves are in `stages/`, and what each of them is made of hooks in there.
"""

from __future__ import annotations

from .entry import check_arguments
from .model import Diagnostics, FrameInputs, Model, State
from .settings import SolverSettings
from .stages.ball_sleep import BallSleep
from .stages.bodies import Bodies
from .stages.calming import Calming
from .stages.contacts import Contacts
from .stages.distances import Distances
from .stages.forced_stretch import ForcedStretch
from .stages.forces import Forces
from .stages.frame import Frame
from .stages.grab import Hand
from .stages.heaps import Heaps
from .stages.motion import Motion
from .stages.object_sleep import ObjectSleep
from .stages.relaxation import Relaxation
from .stages.sleepers import Mask
from .stages.standstill import Standstill
from .stages.surfaces import SurfaceContacts
from .stages.tearing import Tearing
from .workspace import workspace_of


def advance(
    model: Model, state: State, inputs: FrameInputs, settings: SolverSettings
) -> tuple[State, Diagnostics]:
    """Advance ``state`` by one frame; returns the new state and figures about it.

    A pure function of its arguments: same bits on every run and for every number of threads.
    One model may be advanced by one thread at a time (it owns the scratch memory).

    Raises `SimulationDiverged` when a coordinate stops being finite or a particle exceeds
    ``settings.speed_limit``, and `ModelError` for inputs of the wrong shape and for rigid bodies
    under an integrator that carries none; ``state`` is never written to, so it is still good then.
    """
    check_arguments(model, state, inputs, settings)
    standstill = workspace_of(model).scratch(Standstill, model)
    again = standstill.again(state, inputs, settings)
    if again is not None:
        return again
    standstill.forget()
    frame = Frame(model, state, inputs, settings)
    motion, roused = _run(frame)
    while not frame.is_over or roused is not None:
        if roused is not None:  # a sleeper was touched: all once more, with that one awake
            frame = Frame(model, state, inputs, settings, roused=roused)
        else:  # something has torn: the rest goes on with other neighbours
            frame = frame.rest_of_it()
        motion, roused = _run(frame)
    left, figures = frame.finish(motion.velocity(), motion.elastic_energy())
    if frame.is_idle:
        standstill.note(frame, state, left, figures)
    return left, figures


def _run(frame: Frame) -> tuple[Motion, Mask | None]:
    """All substeps of a frame, or those until something tears; who (o,) should have been awake."""
    forces = Forces(frame)
    sleep = BallSleep(frame, forces)
    hand = Hand(frame)
    motion = Motion(frame, forces, hand)
    bodies = Bodies(frame, hand)
    if bodies.are_alone or (sleep.is_all and bodies.is_idle):
        frame.watch.begin()
        while not frame.is_over:
            forces.apply(bodies)
            frame.substep += bodies.run()
        frame.is_idle = bodies.is_idle
        frame.watch.lap("bodies")
    else:
        _advance_all(frame, forces, motion, bodies, sleep)
    motion.finish()
    bodies.finish()
    sleep.store_stillness()
    return motion, ObjectSleep(frame, forces, bodies, sleep).settle()


def _advance_all(
    frame: Frame, forces: Forces, motion: Motion, bodies: Bodies, sleep: BallSleep
) -> None:
    """All substeps of a frame in which particles and bodies move together."""
    contacts = Contacts(frame, bodies)
    surfaces = SurfaceContacts(frame, bodies)
    heaps = Heaps(frame, contacts, surfaces, sleep)
    calming = Calming(frame, forces, surfaces)
    forced = ForcedStretch(frame)
    distances = Distances(frame, forced)
    relaxation = Relaxation(frame, forced, distances)
    tearing = Tearing(frame, distances, relaxation, forces.every)
    lap = frame.watch.lap
    frame.watch.begin()
    while not frame.is_over:
        forces.apply(bodies)
        sleep.feel_forces()
        lap("forces")
        motion.integrate()
        motion.drive()
        relaxation.slow()
        lap("integrate")
        bodies.begin()
        lap("bodies")
        surfaces.find()
        contacts.find()
        heaps.look_around()
        contacts.bounce()
        heaps.solve()
        lap("contacts")
        for number in relaxation.passes():
            if number > 0:
                contacts.collide()
                lap("contacts")
            distances.relax()
            relaxation.project_preceding()
            lap("distances")
            relaxation.project_constraints(contacts.ground())
            lap("constraints")
            contacts.relax()
            surfaces.relax()
            lap("contacts")
        is_shortened = distances.limit_strain()
        lap("distances")
        bodies.release()
        if is_shortened:
            contacts.part_again()
        contacts.settle()
        relaxation.settle()
        contacts.collide()
        relaxation.follow()
        surfaces.settle(contacts)
        lap("contacts")
        bodies.move()
        lap("bodies")
        surfaces.limit()
        calming.slow_down()
        forced.measure(is_shortened, surfaces.contact_count > 0)
        lap("contacts")
        bodies.end()
        lap("bodies")
        motion.keep_velocity()
        frame.substep += 1
        is_torn = tearing.happens()
        lap("tearing")
        if is_torn:
            break
    surfaces.finish()
    calming.finish()
    forced.finish()
    heaps.finish()
    lap("contacts")
