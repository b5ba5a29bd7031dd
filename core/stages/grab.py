"""A hand takes hold of a particle or of a rigid body, and pulls it while a frame runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..checks import indices, vector
from ..entry import model_of
from ..forces.grab import GRIP, Spring
from ..model import Model, State
from ..model.grab import Grab
from ..particles.constraints.weighted_point import weights_of
from ..rigid.articulation.point_response import point_response
from ..vec3 import inverse_symmetric, rotate, symmetric_times, unrotate
from ..vector import rotation_matrix, shortened
from ..workspace import workspace_of
from .body_scratch import BodyScratch
from .frame import Frame
from .lent_forces import LentForces

MOST_EXTRA_TURN, FASTEST_TURN = 0.05, 0.5
"""rad by which the hand may turn a body in a substep more than in the one before, and at most: what
it reckons with is how the body answers before it has turned."""


def grab_particle(model: Model, state: State, particle: int) -> Grab:
    """A hand that takes hold of a particle where it is: of cloth, rope, soft body, plant, figure.

    What it pulls is the whole object, by the particle and those of its object that lie within
    `GRIP` of it at rest. It goes where `Grab.toward` leads it, in ``FrameInputs.grab``; a frame
    without it lets go. Raises `ModelError` where there is no such particle.
    """
    i = int(indices("", "particle to grab", [particle], len(model.particles))[0])
    if model.tears is not None:
        model = model_of(model, state)
        i = int(state.tears.weld[i])
    rows = model.object_of_particle(i).particles
    mass = float(np.sum(model.particles.mass[rows][model.particles.inverse_mass[rows] > 0.0]))
    x, y, z = state.position[i].tolist()
    held = _within_grip(model, i)
    offset = state.position[held] - state.position[i]
    return Grab(mass, (x, y, z), (x, y, z), held, np.full(len(held), 1.0 / len(held)), offset)


def _within_grip(model: Model, particle: int) -> Ints:
    """A particle and those of its object that lie about it at rest and hang on others."""
    span = model.object_of_particle(particle)
    rest = model.particles.position[span.particles]
    size = float(np.linalg.norm(np.ptp(rest, axis=0)))
    near = np.linalg.norm(rest - model.particles.position[particle], axis=1) <= GRIP * size
    joined = np.zeros(len(model.particles), dtype=bool)
    joined[model.sticks.pair] = joined[model.springs.pair] = True
    near &= joined[span.particles] & (model.particles.inverse_mass[span.particles] > 0.0)
    near[particle - span.first_particle] = True
    return (np.flatnonzero(near) + span.first_particle).astype(np.int32)


def grab_body(model: Model, state: State, body: int, place: ArrayLike) -> Grab:
    """A hand that takes hold of a rigid body at a place (3,) m of the world, on it or beside it.

    ``body`` is the row of `body_poses`, `ObjectSpan.body`. What it pulls is all that joints hold
    together with it. Raises `ModelError` where there is no such body.
    """
    composed = [row for one in workspace_of(model).composing for row in one.composed]
    b = int(indices("", "body to grab", [body], len(model.bodies) + len(composed))[0])
    at = vector("", "place to grab", place)
    x, y, z = at.tolist()
    if b >= len(model.bodies):
        four = composed[b - len(model.bodies)]
        weight = weights_of(state.position[four], at)
        mass = float(model.particles.mass[four].sum())
        return Grab(mass, (x, y, z), (x, y, z), four, weight)
    turn = rotation_matrix(state.body_orientation[b])
    point = unrotate(turn, at - state.body_position[b])
    px, py, pz = map(float, point)
    return Grab(_joined_mass(model, b), (x, y, z), (x, y, z), body=b, point=(px, py, pz))


def _joined_mass(model: Model, body: int) -> float:
    """Mass in kg of a body and all that joints hold together with it."""
    count = len(model.bodies)
    pairs = model.joints.owner
    pairs = pairs[(pairs < count).all(axis=1)]
    found = np.zeros(count, dtype=bool)
    found[body] = True
    size = 0
    while size < (size := int(found.sum())):
        found[pairs[found[pairs].any(axis=1)]] = True
    return float(np.sum(model.bodies.mass[found]))


class Hand:
    """The hand of a frame's inputs, on what moves."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.grab = frame.inputs.grab
        self.holds_particles = self.grab is not None and len(self.grab.particle) > 0
        self.holds_body = self.grab is not None and self.grab.body >= 0
        if self.holds_particles:
            frame.reweigh()  # what it holds is heavier
        if self.grab is not None:
            self.spring = Spring.of(self.grab.mass, frame.h)
            self.velocity = self.grab.velocity(frame.inputs.duration)
            # of the body, and of the point in m/s by N·s
            self.response = (np.zeros((6, 6)), np.zeros((3, 3)))

    # ------------------------------------------------------------------ particles

    def pull_particles(self) -> None:
        """Move what is held, after it has flown on."""
        if not self.holds_particles or self.grab is None:
            return
        if self.grab.offset is None:
            self._pull_point(self.grab)
        else:
            self._pull_each(self.grab, self.grab.offset)

    def _pull_each(self, grab: Grab, offset: Floats) -> None:
        """Pull particles to places of their own; they are heavy until `let_go`.

        A spring that is taken implicitly is a mass more, c h + k h², on the particle: sticks that
        see it are as stiff as those of a pin, whatever the particle weighs.
        """
        frame, spring, held = self.frame, self.spring, grab.particle
        w, share = frame.inverse_mass[held], grab.weight
        now, before = frame.x[held], frame.previous[held]
        behind = grab.place_at(frame.end_share) + offset - now
        drive = spring.drive(behind, self.velocity - (now - before) / frame.h)
        force = drive * (share / (1.0 + spring.softness * share * w))[:, None]
        force[w == 0.0] = 0.0  # pinned
        whole = float(np.sqrt((force.sum(axis=0) ** 2).sum()))
        kept = min(1.0, spring.strength / max(whole, 1e-300))
        frame.x[held] = now + (kept * frame.h**2 * w)[:, None] * force
        frame.inverse_mass[held] = w / (1.0 + kept * spring.softness * share * w)

    def _pull_point(self, grab: Grab) -> None:
        """Pull the place that particles of a body carry, which turns about it."""
        frame, spring, held = self.frame, self.spring, grab.particle
        mobility = grab.weight * frame.inverse_mass[held]
        response = float(np.sum(grab.weight * mobility))
        now = np.sum(grab.weight[:, None] * frame.x[held], axis=0)
        before = np.sum(grab.weight[:, None] * frame.previous[held], axis=0)
        behind = grab.place_at(frame.end_share) - now
        force = spring.drive(behind, self.velocity - (now - before) / frame.h)
        force = shortened(force / (1.0 + spring.softness * response), spring.strength)
        frame.x[held] += mobility[:, None] * (frame.h**2 * force)

    def let_go(self) -> None:
        """Particles weigh again what they do: the substep is over."""
        if self.holds_particles and self.grab is not None:
            held = self.grab.particle
            self.frame.inverse_mass[held] = self.frame.free_inverse_mass[held]

    # ------------------------------------------------------------------ bodies

    def push_body(self, lent: LentForces) -> None:
        """Lend the force on what is held to the forces of the substep."""
        if not self.holds_body or self.grab is None:
            return
        frame, owners, spring, b = self.frame, self.frame.work.owners, self.spring, self.grab.body
        moves = frame.scratch(BodyScratch).moves
        w = float(owners.inverse_mass[b])
        if w == 0.0:
            return
        arm = np.array(rotate(owners.rotation[b], self.grab.point))
        limbs = frame.work.body_contacts.limbs
        point_response(limbs, frame.work.joints, owners, b, arm, *self.response)
        speed = moves.keep[b] * owners.velocity[b] + frame.h * (frame.gravity + w * moves.force[b])
        speed = speed + np.cross(moves.angular_keep[b] * owners.spin[b], arm)
        place = owners.position[b] + arm + frame.h * speed
        behind = self.grab.place_at(frame.end_share) - place
        drive = spring.drive(behind, self.velocity - speed)
        force = np.array(symmetric_times(_softened(self.response[1], spring.softness), drive))
        force = shortened(force, spring.strength)
        force *= self._share_that_may_turn(b, np.concatenate([force, np.cross(arm, force)]))
        lent.add(b, force, np.cross(arm, force))

    def _share_that_may_turn(self, b: int, wrench: Floats) -> float:
        """Share of a force and torque (6,) that turns body b no faster than it may."""
        h, spin = self.frame.h, self.frame.work.owners.spin[b]
        turn = h * h * (wrench[:, None] * self.response[0][:, 3:]).sum(axis=0)
        most = MOST_EXTRA_TURN
        if float((turn * spin).sum()) > 0.0:
            most = min(most, max(0.0, FASTEST_TURN - h * float(np.sqrt((spin * spin).sum()))))
        return min(1.0, most / max(float(np.sqrt((turn * turn).sum())), 1e-300))


def _softened(response: Floats, softness: float) -> tuple[float, ...]:
    """The inverse of 1 + s K as a symmetric matrix."""
    a = np.eye(3) + softness * response
    six = (a[0, 0], a[1, 1], a[2, 2], a[0, 1], a[0, 2], a[1, 2])
    inverse: tuple[float, ...] = inverse_symmetric(six, 1.0)
    return inverse
