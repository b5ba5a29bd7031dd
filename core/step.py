"""`advance`: one frame of the whole scene, as the paper reads.

Each substep: forces → integrate → contacts → relax (sticks, springs, yarns, tethers, other
constraints, bodies, contacts). The stages themselves are in `stages/`.
"""

from __future__ import annotations

from .model import Diagnostics, FrameInputs, Model, State
from .settings import SolverSettings
from .stages.ball_sleep import BallSleep
from .stages.bodies import Bodies
from .stages.calming import Calming
from .stages.contacts import Contacts
from .stages.forced_stretch import ForcedStretch
from .stages.forces import Forces
from .stages.frame import Frame
from .stages.grab import Hand
from .stages.heaps import Heaps
from .stages.motion import Motion
from .stages.object_sleep import ObjectSleep
from .stages.relaxation import Relaxation
from .stages.sleepers import Mask
from .stages.surfaces import SurfaceContacts
from .stages.tearing import Tearing


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
    frame = Frame(model, state, inputs, settings)
    motion, roused = _run(frame)
    while not frame.is_over or roused is not None:
        if roused is not None:  # a sleeper was touched: all once more, with that one awake
            frame = Frame(model, state, inputs, settings, roused=roused)
        else:  # something has torn: the rest goes on with other neighbours
            frame = frame.rest_of_it()
        motion, roused = _run(frame)
    return frame.finish(motion.velocity(), motion.elastic_energy())


def _run(frame: Frame) -> tuple[Motion, Mask | None]:
    """All substeps of a frame, or those until something tears; who (o,) should have been awake."""
    forces = Forces(frame)
    sleep = BallSleep(frame, forces)
    hand = Hand(frame)
    motion = Motion(frame, forces, hand)
    bodies = Bodies(frame, hand)
    if bodies.are_alone or (sleep.is_all and bodies.is_idle):
        while not frame.is_over:
            forces.apply(bodies)
            with frame.timed("bodies"):
                frame.substep += bodies.run()
    else:
        _advance_all(frame, forces, motion, bodies, sleep)
    motion.finish()
    bodies.finish()
    sleep.store_stillness()
    return motion, ObjectSleep(frame, forces, bodies).settle()


def _advance_all(
    frame: Frame, forces: Forces, motion: Motion, bodies: Bodies, sleep: BallSleep
) -> None:
    """All substeps of a frame in which particles and bodies move together."""
    contacts = Contacts(frame, bodies)
    heaps = Heaps(frame, contacts, sleep)
    surfaces = SurfaceContacts(frame)
    calming = Calming(frame, forces, surfaces)
    forced = ForcedStretch(frame)
    relaxation = Relaxation(frame, forced)
    tearing = Tearing(frame, relaxation, forces.every)
    while not frame.is_over:
        with frame.timed("forces"):
            forces.apply(bodies)
            sleep.feel_forces()
        with frame.timed("integrate"):
            motion.integrate()
            motion.drive()
            relaxation.slow()
        with frame.timed("bodies"):
            bodies.begin()
        with frame.timed("contacts"):
            surfaces.find()
            contacts.find()
            heaps.look_around()
            contacts.bounce()
            heaps.solve()
        for number in relaxation.passes():
            if number > 0:
                with frame.timed("contacts"):
                    contacts.collide()
            with frame.timed("distances"):
                relaxation.relax_distances()
                relaxation.relax_tethers()
            with frame.timed("constraints"):
                relaxation.project_constraints(contacts.ground())
            with frame.timed("contacts"):
                contacts.relax()
                surfaces.relax()
        with frame.timed("distances"):
            is_shortened = relaxation.limit_strain()
        with frame.timed("contacts"):
            bodies.release()
            if is_shortened:
                contacts.part_again()
            contacts.settle()
            relaxation.settle()
            contacts.collide()
            relaxation.follow()
            surfaces.settle(contacts)
            surfaces.limit()
            calming.slow_down()
            forced.measure()
        with frame.timed("bodies"):
            bodies.end()
        motion.keep_velocity()
        frame.substep += 1
        with frame.timed("tearing"):
            is_torn = tearing.happens()
        if is_torn:
            break
    with frame.timed("contacts"):
        surfaces.finish()
        calming.finish()
        heaps.finish()
