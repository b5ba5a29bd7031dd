"""Where things stand at the start: in each other, in a collider, over nothing, in a skew space."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from .. import session
from ..problem import Problem
from ..properties import bake_record, participants
from ..properties.kinds import is_particles
from ..scene.surroundings import bounds
from ..transforms.parents import parent_matrix
from ..transforms.rotations import unevenness
from .solids import SolidCollider

if TYPE_CHECKING:
    from ...core.arrays import Floats, Ints
    from ...core.model import State
    from ..inputs.participant import Participant
    from ..inputs.scene_inputs import SceneInputs
    from ..session import Session

LEAST_INSIDE = 1e-4  # m that something has to be inside of a collider
OVERLAP_AT_START = 0.05  # of the smallest half extent of a shape that may overlap at the start
PARTED = 0.005  # likewise, once they are moved apart
SKEW_SPACE = 1e-3  # share by which a space may stretch along one axis more than along others
MOST_SECONDS = 2.0  # of parting, without weight
PARTING_RATE = 24.0  # 1/s, looks at whether cloth has come apart
FRAMES_APART = 6  # looks for which it goes on apart, to its thickness


# ---------------------------------------------------------------------------- in a skew space


def sheared_by_parents(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Rigid bodies that turn in a space that is scaled unevenly.

    Blender draws them sheared; they are simulated as they stand at the start.
    """
    found = []
    for ob in participants.simulated_objects(scene):
        is_turned = ob.verlet.kind == "BODY" and ob.verlet.body.type == "ACTIVE"
        if ob.parent is None or not is_turned or bake_record.is_baked(ob):
            continue
        if unevenness(parent_matrix(ob, depsgraph)[:3, :3]) > SKEW_SPACE:
            text = (
                f"{ob.name}: its parent {ob.parent.name} is scaled unevenly, and shears what turns "
                "in its space: it is drawn otherwise than simulated. Apply the parent's scale, or "
                "clear the parent"
            )
            button = "verlet.clear_skew_parent", "Clear the Parent"
            found.append(Problem(text, ob.session_uid, *button))
    return found


# ---------------------------------------------------------------------------- over nothing


def without_floor(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """What falls and has nothing of the simulation below it."""
    if not scene.use_gravity or scene.gravity[2] >= 0.0 or _may_be_carried(scene):
        return []
    taking_part = participants.simulated_objects(scene)
    held = _held(scene)
    boxes = {ob: bounds(ob) for ob in taking_part}
    found = []
    for ob in taking_part:
        if (
            bake_record.is_baked(ob)
            or not participants.is_moved(ob)
            or ob in held
            or _is_thrown(ob)
        ):
            continue
        lower, upper = boxes[ob]
        below = (
            other
            for other, (their_lower, their_upper) in boxes.items()
            if other != ob
            and (their_lower[:2] < upper[:2]).all()
            and (their_upper[:2] > lower[:2]).all()
            and their_lower[2] < 0.5 * (lower[2] + upper[2])
        )
        if next(below, None) is None:
            text = f"{ob.name}: nothing lies below it, so it goes on falling"
            button = "verlet.add_floor_below", "Add a Floor"
            found.append(Problem(text, ob.session_uid, *button))
    return found


def _may_be_carried(scene: bpy.types.Scene) -> bool:
    """Whether fields, or gravity that is animated, may take things elsewhere than down."""
    animation = scene.animation_data
    is_keyed = animation is not None and (animation.action is not None or len(animation.drivers))
    return bool(is_keyed) or any(
        ob.field is not None and ob.field.type != "NONE" for ob in scene.objects
    )


def _held(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """What pins, joints, the own animation or clothes' wearers hold."""
    found = {one for ob in participants.joints(scene) for one in _joined(ob) if one is not None}
    for ob in participants.simulated_objects(scene):
        own = ob.verlet
        has_pins = bool(own.pin_group or own.pin_points) and is_particles(own.kind)
        is_led = own.kind == "BODY" and own.body.type == "ANIMATED"
        has_pinned_bones = ob.pose is not None and any(
            bone.verlet.pin_target is not None for bone in ob.pose.bones
        )
        if has_pins or is_led or has_pinned_bones or own.kind == "PLANT" or ob.parent is not None:
            found.add(ob)
    return found


def _joined(ob: bpy.types.Object) -> tuple[bpy.types.Object | None, bpy.types.Object | None]:
    return ob.verlet.joint.object_a, ob.verlet.joint.object_b


def _is_thrown(ob: bpy.types.Object) -> bool:
    """Whether it sets out with a speed of its own, and may land elsewhere."""
    group = getattr(ob.verlet, ob.verlet.kind.lower(), None)
    return any(getattr(group, "velocity", (0.0,))) or ob.animation_data is not None


# ---------------------------------------------------------------------------- in each other


def overlapping_bodies(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Rigid bodies whose collision shapes overlap at the start, as the engine itself sees them."""
    running = session.of(scene)
    if running is None or not running.is_ready or not running.participants("BODY"):
        return []
    found = []
    for a, b, depth in overlaps(running, _substep(running, running.cache[running.start])):
        text = (
            f"{a.name}: it overlaps {b.name} by {in_millimetres(depth)} at the start, and is "
            "pressed out of it while it falls"
        )
        found.append(Problem(text, a.uid, "verlet.part_bodies", "Part Them"))
    return found


def in_millimetres(depth: float) -> str:
    """A depth in m with a unit that suits it."""
    return f"{1000.0 * depth:.2g} mm" if depth < 0.01 else f"{100.0 * depth:.3g} cm"


def overlaps(
    running: Session, state: State, share: float = OVERLAP_AT_START
) -> list[tuple[Participant, Participant, float]]:
    """Pairs of a body and a body or collider, with what is left of their overlap in a state (m).

    Only overlaps of more than a share of the smaller one's half extent.
    """
    from ...core.collision.shapes import smallest_half_extent

    shapes = running.model.shapes
    thin = smallest_half_extent(shapes)
    owners = _solids(running)
    found: dict[tuple[int, int], float] = {}
    remembered = state.contacts.remembered
    for pair, depth in zip(remembered["shape"].tolist(), remembered["overlap"].tolist()):
        a, b = sorted((int(shapes.owner[pair[0]]), int(shapes.owner[pair[1]])))
        if depth > share * min(thin[pair[0]], thin[pair[1]]) and a in owners and b in owners:
            found[a, b] = max(found.get((a, b), 0.0), depth)
    return [(owners[a], owners[b], depth) for (a, b), depth in found.items()]


def _solids(running: Session) -> dict[int, Participant]:
    """Rigid bodies and colliders by the number that the engine has for them."""
    owners = dict(zip(running.body_rows, running.participants("BODY")))
    first = len(running.model.bodies)
    return owners | dict(enumerate(running.participants("COLLIDER"), first))


def _substep(running: Session, state: State) -> State:
    """The state after one substep without weight, wind and keys."""
    from ...core.model import FrameInputs
    from ...core.step import advance

    solver = running.inputs.solver.without_budget()
    inputs = FrameInputs(1.0 / solver.substep_rate, (0.0, 0.0, 0.0))
    return advance(running.model, state, inputs, solver)[0]


def part(running: Session) -> dict[int, Floats]:
    """World matrices (4, 4) by session id of the bodies that have to move to overlap no more.

    The engine parts them, without weight and from rest: what does not overlap stays.
    """
    from ..live import simulation

    start = running.cache[running.start]
    state = replace(
        start,
        previous=start.position.copy(),
        body_previous=start.body_position.copy(),
        body_previous_orientation=start.body_orientation.copy(),
    )
    for _ in range(round(MOST_SECONDS * running.inputs.solver.substep_rate)):
        state = _substep(running, state)
        if not overlaps(running, state, PARTED):
            break
    worlds = simulation.world_matrices(running, state)
    now = running.placements[0].bodies
    moved = np.abs(worlds - now).max(axis=(1, 2)) > LEAST_INSIDE
    return {
        body.uid: worlds[row]
        for row, body in enumerate(running.participants("BODY"))
        if moved[row] and body.settings.type == "ACTIVE"
    }


# ---------------------------------------------------------------------------- in a collider


def inside_solids(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """What bends and has vertices inside of a collider or body at the start."""
    running = session.of(scene)
    inputs = None if running is None else running.inputs
    if inputs is None:
        return []
    found = []
    for participant in inputs.of_particles:
        for name, rows in stuck(inputs, participant):
            what = "vertex starts" if len(rows) == 1 else "vertices start"
            text = (
                f"{participant.name}: {len(rows)} {what} inside {name}, and will be pushed out to "
                "whichever side is near"
            )
            found.append(Problem(text, participant.uid, "verlet.move_out", "Move It Out"))
    return found


def crossing_surfaces(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Cloth that passes through itself, other cloth, a mesh or a body at the start."""
    from ...core import crossings_at_start

    running = session.of(scene)
    if running is None or not running.is_ready:
        return []
    uids = {one.name: one.uid for one in running.inputs.participants}
    found = []
    for one in crossings_at_start(running.model):
        what = "itself" if one.name == one.other else one.other
        text = (
            f"{one.name}: it passes through {what} at the start ({one.pairs} pairs of faces), and "
            "comes apart at up to 1 m/s when it is played, but for its pins"
        )
        found.append(Problem(text, uids.get(one.name, 0), "verlet.take_apart", "Take It Apart"))
    return found


def untangled(running: Session) -> dict[int, Floats]:
    """World places (n, 3) by session id of cloth that passes through something at the start.

    Once the engine has taken it apart, without weight and from rest, which is what is done when it
    is played too. Pins stay, so some may still be gone through; nothing where that is all of it.
    """
    from ...core import crossings_at_start
    from ...core.model import FrameInputs
    from ...core.step import advance

    first = crossings_at_start(running.model)
    crossed = {name for one in first for name in (one.name, one.other)}
    solver = running.inputs.solver.without_budget()
    inputs = FrameInputs(1.0 / PARTING_RATE, (0.0, 0.0, 0.0))
    state, apart, last = running.cache[running.start], 0, first
    for _ in range(round(MOST_SECONDS * PARTING_RATE)):
        state = replace(state, previous=state.position.copy())
        state, figures = advance(running.model, state, inputs, solver)
        last = figures.crossings
        apart = 0 if last else apart + 1
        if apart > FRAMES_APART:
            break
    if sum(one.pairs for one in last) >= sum(one.pairs for one in first):
        return {}
    spans = [span for span in running.model.objects if span.body < 0]
    return {
        participant.uid: state.position[span.particles]
        for participant, span in zip(running.particle_objects(), spans)
        if participant.name in crossed
    }


def stuck(inputs: SceneInputs, participant: Participant) -> list[tuple[str, Ints]]:
    """Names of solids with the rows of the free particles that lie in them."""
    points = participant.world_points
    found = []
    for solid in near_solids(inputs, participant):
        rows, _ = pushes(solid, participant, points)
        if len(rows):
            found.append((solid.name, rows))
    return found


def pushes(solid: SolidCollider, participant: Participant, points: Floats) -> tuple[Ints, Floats]:
    """Rows of free particles that lie in a solid, and what brings each of them out (k, 3)."""
    rows, ways = solid.pushes(points, LEAST_INSIDE)
    is_free = participant.pin_weight[rows] == 0.0
    return rows[is_free], ways[is_free]


def near_solids(inputs: SceneInputs, participant: Participant) -> list[SolidCollider]:
    """Colliders and bodies whose boxes meet that of something that bends, and that do not hold it.

    What wears clothes keeps them off by itself.
    """
    points = participant.world_points
    lower, upper = points.min(axis=0), points.max(axis=0)
    holders = {tie.body for tie in inputs.ties if tie.owner == participant.uid}
    holders |= {participant.carrier}
    found = []
    for other in inputs.participants:
        if other.kind not in {"COLLIDER", "BODY"} or other.uid in holders:
            continue
        solid = SolidCollider(other)
        if (solid.lower <= upper).all() and (solid.upper >= lower).all():
            found.append(solid)
    return found


def way_out(inputs: SceneInputs, participant: Participant) -> Floats | None:
    """How far (3,) m something that bends has to be moved to lie in no solid; None for nowhere."""
    solids = near_solids(inputs, participant)
    points = participant.world_points
    moved = np.zeros(3)
    for _ in range(MOST_MOVES):
        ways = [way for solid in solids for way in pushes(solid, participant, points + moved)[1]]
        if not ways:
            return moved
        deepest = max(ways, key=lambda way: float(np.linalg.norm(way)))
        length = float(np.linalg.norm(deepest))
        moved += deepest * (length + CLEARANCE) / length
    return None


MOST_MOVES = 40
CLEARANCE = 2e-3  # m that is left between it and what it has been moved out of
