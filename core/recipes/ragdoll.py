"""Ragdoll: a skeleton as rigid bodies that hang together by joints with limits.

`plan_ragdoll` decides which bones are bodies, of which shape and mass, and how each turns in its
parent, all in the rest pose; `add_ragdoll` puts them where the skeleton stands at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..geometry.closest_shape import shape_mass_properties
from ..geometry.mass_properties import principal_axes
from ..model.inputs import GRAVITY
from ..model.joint_table import OnBody
from ..settings import BoneSettings, RagdollSettings
from ..vector import rotation_matrix, rotation_quaternion
from .bone_joints import BoneJoint, bone_joint, rotation_vector
from .bone_pins import BonePin, add_pin
from .bone_roles import body_axes, bone_roles, side_of
from .bone_shapes import (
    FEWEST_CORNERS,
    FEWEST_POINTS,
    depth_in,
    fit_to_skin,
    shape_by_length,
    surface_points,
    thickened,
)
from .skeleton import LEAST_LENGTH, NO_SKIN, Skeleton, Skin
from .solid import layer_bits, placed_shapes

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..building.builder import ModelBuilder
    from ..geometry.closest_shape import Fit

REACHES = 2.0
"""A short bone is a body if what hangs on it reaches so many times as far as a part must be long.
"""

MAIN = frozenset({"hand", "foot", "head"})
"""Roles that are bodies down to `MAIN_SHARE` of the length that others need."""

MAIN_SHARE = 0.4

SMALL_ROLES = frozenset({"detail", "face"})
"""Roles that are never bodies of their own unless they are asked to be."""

JOINED_SHARE = 0.12
"""Share of the character within which a part without a parent is joined to the nearest one."""

AT_SHOULDER = 0.04
"""Share of the character within which an arm begins where a shoulder ends."""

ROUNDED = 0.3
"""Least moment of inertia of a part, as a share of its largest. A shin is ten times as easily spun
about its length as turned over; limits of its twist and contacts of its foot would fight for good.
"""

NEVER_COLLIDE_SHARE = 0.12
"""Parts that reach into each other by this share of the thinner one's thickness never collide."""

TOUCH_SHARE = 0.0
"""The same of parts with one part between them: a joint and a contact would fight for good."""

TRUNK = frozenset({"spine", "neck", "head", "tail"})
"""Roles of what bends as a whole."""

BENT_REACH = 1.25
"""Room, beside what their joints can bend, below which parts of a chain with one part between them
are taken to touch when bent: joints and contacts of a thick trunk of short parts would fight."""

LEAST_MASS_SHARE = 0.1
"""Least mass of a part, as a share of what it hangs on and of what hangs on it: the first bone of a
tail, thin as it is, is jerked between a trunk and the rest of the tail."""


@dataclass(frozen=True, eq=False)
class RagdollPart:
    """One body of a ragdoll, in the world in the rest pose."""

    bone: int  # the bone that leads it
    members: tuple[int, ...]  # and those that are one with it
    fit: Fit
    volume: float  # m³, times the factor on its mass
    parent: int  # row of the part that it hangs on, −1 for none
    joint: BoneJoint | None
    role: str


@dataclass(frozen=True, eq=False)
class Plan:
    """A whole ragdoll, in the world in the rest pose."""

    name: str
    skeleton: Skeleton
    settings: RagdollSettings
    parts: tuple[RagdollPart, ...]
    mass: Floats  # (p,) kg
    level: Floats  # (p,) N·m, what holds a part and all that hangs on it out level at its joint
    apart: Ints  # (e, 2) parts that never collide, beside those that are joined
    part_of_bone: Ints  # (b,) −1 for none


@dataclass(frozen=True)
class Ragdoll:
    """Where a ragdoll lies in a model, by part."""

    objects: tuple[int, ...]  # indices in `ModelBuilder.objects`
    joints: tuple[int, ...]  # rows of `Model.joints`, −1 for a part without one
    pins: tuple[int, ...] = ()  # rows of `Model.joints`


def plan_ragdoll(
    name: str,
    skeleton: Skeleton,
    settings: RagdollSettings,
    skin: Skin = NO_SKIN,
    bones: Sequence[BoneSettings] | None = None,
) -> Plan:
    """Bodies, masses, joints and limits of a skeleton; nothing is added anywhere.

    bones (b,): choices for each. Raises `ModelError` that names the character for a skeleton that
    nothing can be made of.
    """
    skeleton.checked(name)
    chosen = list(bones) if bones is not None else [BoneSettings()] * len(skeleton)
    roles = bone_roles(skeleton)
    body = body_axes(skeleton, roles)
    part_of_bone, leaders = _parts_of(name, skeleton, settings, roles, chosen, skin)
    parents = _parents_of(skeleton, part_of_bone, leaders, roles)
    owners = skin.owners(part_of_bone, len(leaders))
    parts: list[RagdollPart] = []
    for row, bone in enumerate(leaders):
        members = tuple(int(b) for b in np.flatnonzero(part_of_bone == row))
        wanted = chosen[bone].shape if chosen[bone].shape != "AUTO" else settings.shape
        fit = _fit(skeleton, bone, members, skin.points[owners == row], wanted, roles[bone], body)
        fit = thickened(fit, chosen[bone].size)
        joint = None
        if parents[row] >= 0:
            joint = bone_joint(
                skeleton,
                bone,
                leaders[parents[row]],
                roles[bone],
                side_of(skeleton.name[bone]),
                body,
                chosen[bone],
                settings.looseness,
            )
        volume = shape_mass_properties(fit).volume * chosen[bone].mass
        parts.append(RagdollPart(bone, members, fit, volume, parents[row], joint, roles[bone]))
    volumes = _evened(np.array([part.volume for part in parts]), parents)
    if settings.mass_by == "MASS":
        mass = settings.mass * volumes / volumes.sum()
    else:
        mass = settings.density * volumes
    level = _level_torques(skeleton, parts, mass)
    apart = _apart(parts, everything=not settings.collides_itself)
    return Plan(name, skeleton, settings, tuple(parts), mass, level, apart, part_of_bone)


def _parts_of(
    name: str,
    skeleton: Skeleton,
    settings: RagdollSettings,
    roles: list[str],
    chosen: list[BoneSettings],
    skin: Skin,
) -> tuple[Ints, list[int]]:
    """Part (b,) of each bone, −1 for none, and the bone that leads each part.

    Parents come before their children, so that a bone that is too short finds its parent's part.
    """
    length, reach = skeleton.length, _reach(skeleton)
    shortest = settings.smallest * skeleton.size
    has_skin = np.zeros(len(skeleton), dtype=bool)
    has_skin[skin.bone[skin.weight > 0.0]] = True
    if not has_skin.any():
        has_skin[:] = True
    part = np.full(len(skeleton), -1, dtype=np.int32)
    leaders: list[int] = []
    for bone in _parents_first(skeleton):
        choice = chosen[bone].part
        if not skeleton.deforms[bone] or choice == "NONE":
            continue
        above = _part_above(skeleton, part, bone)
        if not length[bone] > LEAST_LENGTH * skeleton.size and choice == "OWN":
            raise ModelError(
                name,
                f"bone {skeleton.name[bone]} has no length and cannot be a body of its own; draw "
                "it longer in Edit Mode, or set its Body to With Parent",
            )
        own = choice == "OWN"
        if choice == "AUTO":
            own = _deserves_a_body(skeleton, bone, above, leaders, roles, shortest, length, reach)
            own = own and bool(has_skin[bone])
            own = own or (
                above < 0 and length[bone] > LEAST_LENGTH * skeleton.size and has_skin[bone]
            )
        if own and above >= 0 and choice == "AUTO":
            own = not _is_one_limb(skeleton, bone, roles)
            own = own and not _lies_in_trunk(skeleton, bone, roles)
        if own:
            part[bone] = len(leaders)
            leaders.append(bone)
        else:
            part[bone] = above
    if not leaders:
        raise ModelError(
            name,
            "none of its bones is a body; set Body to Own Body for one, or lower Smallest Part",
        )
    return part, leaders


def _deserves_a_body(
    skeleton: Skeleton,
    bone: int,
    above: int,
    leaders: list[int],
    roles: list[str],
    shortest: float,
    length: Floats,
    reach: Floats,
) -> bool:
    """Whether a bone is long enough, by itself or with what hangs on it."""
    role = roles[bone]
    if role in SMALL_ROLES or not length[bone] > LEAST_LENGTH * skeleton.size:
        return False
    if length[bone] >= shortest or (role in MAIN and length[bone] >= MAIN_SHARE * shortest):
        return True
    if role in ("finger", "toe") or reach[bone] < REACHES * shortest:
        return False
    # of several short ones in a row, a neck, every second is a body at most
    return above < 0 or length[leaders[above]] >= shortest


def _is_one_limb(skeleton: Skeleton, bone: int, roles: list[str]) -> bool:
    """Whether a bone is the second half of a limb that its rig has cut in two to twist it."""
    parent = int(skeleton.parent[bone])
    if parent < 0 or roles[bone] not in ("upper_arm", "forearm", "thigh", "shin"):
        return False
    is_straight = float(skeleton.direction(bone) @ skeleton.direction(parent)) > 0.996
    gap = float(np.linalg.norm(skeleton.head[bone] - skeleton.tail[parent]))
    return roles[parent] == roles[bone] and is_straight and gap < 0.01 * skeleton.size


def _lies_in_trunk(skeleton: Skeleton, bone: int, roles: list[str]) -> bool:
    """Whether a bone ends in the trunk: a belly or a chest that only shapes the skin."""
    parent = int(skeleton.parent[bone])
    if roles[bone] != "spine" or parent < 0 or bone in skeleton.parent:
        return False
    gap = float(np.linalg.norm(skeleton.head[bone] - skeleton.tail[parent]))
    return gap > 0.01 * skeleton.size


def _reach(skeleton: Skeleton) -> Floats:
    """How far (b,) m from its head the farthest tail of all lies that hang on a bone."""
    reach = skeleton.length.copy()
    for bone in range(len(skeleton)):
        if skeleton.deforms[bone]:
            above = int(skeleton.parent[bone])
            while above >= 0:
                far = float(np.linalg.norm(skeleton.tail[bone] - skeleton.head[above]))
                reach[above] = max(reach[above], far)
                above = int(skeleton.parent[above])
    return reach


def _parents_first(skeleton: Skeleton) -> list[int]:
    done = np.zeros(len(skeleton), dtype=bool)
    order: list[int] = []
    for bone in range(len(skeleton)):
        chain = []
        while bone >= 0 and not done[bone]:
            done[bone] = True
            chain.append(bone)
            bone = int(skeleton.parent[bone])
        order += chain[::-1]
    return order


def _part_above(skeleton: Skeleton, part: Ints, bone: int) -> int:
    """The part of the nearest ancestor that belongs to one, −1 for none."""
    above = int(skeleton.parent[bone])
    while above >= 0 and part[above] < 0:
        above = int(skeleton.parent[above])
    return int(part[above]) if above >= 0 else -1


def _parents_of(skeleton: Skeleton, part: Ints, leaders: list[int], roles: list[str]) -> list[int]:
    """The part on which each hangs. One whose bone has no parent hangs on what is near its head.

    Generated rigs parent limbs to bones of their own that deform nothing, and arms to the chest
    where the shoulder that they begin at hangs on it too.
    """
    parents = [_part_above(skeleton, part, bone) for bone in leaders]
    for row, bone in enumerate(leaders):
        if roles[bone] in ("upper_arm", "thigh") and parents[row] >= 0:
            for other, girdle in enumerate(leaders):
                gap = float(np.linalg.norm(skeleton.tail[girdle] - skeleton.head[bone]))
                if (
                    roles[girdle] == "clavicle"
                    and parents[other] == parents[row]
                    and gap < AT_SHOULDER * skeleton.size
                ):
                    parents[row] = other
    roots = [row for row, parent in enumerate(parents) if parent < 0]
    weight = [sum(_hangs_on(parents, other, row) for other in range(len(leaders))) for row in roots]
    main = roots[int(np.argmax(weight))]
    for row in roots:
        if row == main:
            continue
        head = skeleton.head[leaders[row]]
        best, nearest = JOINED_SHARE * skeleton.size, -1
        for other, bone in enumerate(leaders):
            if not _hangs_on(parents, other, row):
                gap = _distance(head, skeleton.head[bone], skeleton.tail[bone])
                if gap < best:
                    best, nearest = gap, other
        parents[row] = nearest
    return parents


def _hangs_on(parents: list[int], row: int, root: int) -> bool:
    while row >= 0 and row != root:
        row = parents[row]
    return row == root


def _distance(point: Floats, a: Floats, b: Floats) -> float:
    """From a point to the line between two others, m."""
    way = b - a
    share = float((point - a) @ way) / max(float(way @ way), 1e-30)
    return float(np.linalg.norm(point - a - min(max(share, 0.0), 1.0) * way))


def _fit(
    skeleton: Skeleton,
    bone: int,
    members: tuple[int, ...],
    points: Floats,
    wanted: str,
    role: str,
    body: tuple[Floats, Floats, Floats],
) -> Fit:
    """The shape of a part: by its skin, else by the length of its bones."""
    if len(points) >= (FEWEST_CORNERS if wanted == "HULL" else FEWEST_POINTS):
        fit = fit_to_skin(points, skeleton.head[bone], skeleton.axes[bone], wanted, role)
        if fit is not None:
            return fit
    head, along = skeleton.head[bone], skeleton.direction(bone)
    far = max(
        float((skeleton.tail[m] - head) @ along) for m in members if _is_in_line(skeleton, bone, m)
    )
    return shape_by_length(head, head + far * along, body[0], wanted, role, skeleton.size)


def _is_in_line(skeleton: Skeleton, bone: int, member: int) -> bool:
    """Whether a member goes on where the leader ends; what stands aside makes no limb longer."""
    return member == bone or float(skeleton.direction(bone) @ skeleton.direction(member)) > 0.8


def _evened(volume: Floats, parents: list[int]) -> Floats:
    """Volumes (p,) m³, no one's much less than those of its neighbours (`LEAST_MASS_SHARE`)."""
    least = volume.copy()
    for row, parent in enumerate(parents):
        if parent >= 0:
            least[row] = max(least[row], LEAST_MASS_SHARE * volume[parent])
            least[parent] = max(least[parent], LEAST_MASS_SHARE * volume[row])
    return least


def _level_torques(skeleton: Skeleton, parts: list[RagdollPart], mass: Floats) -> Floats:
    """Torque (p,) N·m of gravity on each joint when all that hangs on it is held out level."""
    moment = mass[:, None] * np.array([part.fit.centre for part in parts])
    total = mass.copy()
    for row in _children_first(parts):
        parent = parts[row].parent
        if parent >= 0:
            moment[parent] += moment[row]
            total[parent] += total[row]
    heads = skeleton.head[[part.bone for part in parts]]
    torque: Floats = GRAVITY * np.linalg.norm(moment - total[:, None] * heads, axis=1)
    return torque


def _children_first(parts: list[RagdollPart]) -> list[int]:
    depth = []
    for row in range(len(parts)):
        steps, above = 0, parts[row].parent
        while above >= 0:
            steps, above = steps + 1, parts[above].parent
        depth.append(steps)
    return [int(row) for row in np.argsort(depth, kind="stable")[::-1]]


def _apart(parts: list[RagdollPart], *, everything: bool) -> Ints:
    """Pairs of parts (e, 2) that never collide: those that overlap in the rest pose, or all."""
    surfaces = [surface_points(part.fit) for part in parts]
    found = []
    for a in range(len(parts)):
        for b in range(a + 1, len(parts)):
            share = TOUCH_SHARE if _are_close(parts, a, b) else NEVER_COLLIDE_SHARE
            deepest = max(depth_in(parts[a].fit, surfaces[b]), depth_in(parts[b].fit, surfaces[a]))
            thin = min(min(s for s in part.fit.size if s > 0.0) for part in (parts[a], parts[b]))
            meet = deepest > share * thin or -deepest < _bent_reach(parts, a, b)
            if everything or meet:
                found.append((a, b))
    return np.array(found, dtype=np.int32).reshape(-1, 2)


def _are_close(parts: list[RagdollPart], a: int, b: int) -> bool:
    """Whether two parts hang on the same one, or one on what the other hangs on."""
    above_a, above_b = parts[a].parent, parts[b].parent
    grand = [parts[above].parent if above >= 0 else -1 for above in (above_a, above_b)]
    return (above_a >= 0 and above_a == above_b) or b == grand[0] or a == grand[1]


def _bent_reach(parts: list[RagdollPart], a: int, b: int) -> float:
    """How far m bending brings two parts of a chain together that have one part between them.

    −∞ for others: limbs that fold are to meet.
    """
    for lower, upper in ((a, b), (b, a)):
        middle = parts[lower].parent
        if middle < 0 or parts[middle].parent != upper:
            continue
        joints = (parts[lower].joint, parts[middle].joint)
        if parts[middle].role not in TRUNK or parts[lower].role not in TRUNK:
            break
        if any(joint is None or joint.kind != "CONE_TWIST" for joint in joints):
            break
        bend = sum(joint.swing for joint in joints if joint is not None)
        if bend > 0.5 * np.pi:
            break
        return BENT_REACH * bend * max(_half_width(parts[row].fit) for row in (a, b))
    return -np.inf


def _half_width(fit: Fit) -> float:
    """Half of how wide m a limb is; a box and a hull are as wide as across their middle axis."""
    return sorted(fit.size)[1] if len(fit.size) == 3 else fit.size[0]


def turned_pose(rest: Floats, pose: Floats) -> tuple[Floats, Floats]:
    """What carries bones from rest to a pose: rotations (b, 3, 3) and moves (b, 3) m.

    rest, pose (b, 4, 4): bones in the world. Of scale and shear, which a body cannot have, only
    the place of the head remains.
    """
    u, _, vt = np.linalg.svd(pose[:, :3, :3] @ np.linalg.inv(rest[:, :3, :3]))
    u[:, :, 2] *= np.linalg.det(u @ vt)[:, None]
    turn = u @ vt
    move = pose[:, :3, 3] - np.einsum("bij,bj->bi", turn, rest[:, :3, 3])
    return turn, move


def add_ragdoll(
    builder: ModelBuilder,
    plan: Plan,
    turn: Floats | None = None,
    move: Floats | None = None,
    before: tuple[Floats, Floats] | None = None,
    duration: float = 1.0 / 24.0,
    has_muscles: bool = False,
    pins: Sequence[BonePin] = (),
) -> Ragdoll:
    """Add all bodies, joints and pins of a plan where the skeleton stands at the start.

    turn (b, 3, 3), move (b, 3) m: what carries each bone there from the rest pose, nothing by
    default; before: the same ``duration`` s earlier, from which every body has its velocity
    (Jakobsen §7). has_muscles: joints have motors, and bodies follow `FrameInputs.body_position`
    as long as their pin is 0.5 or more; else joints have friction alone.
    """
    skeleton, settings = plan.skeleton, plan.settings
    count = len(skeleton)
    turn = np.tile(np.eye(3), (count, 1, 1)) if turn is None else turn
    move = np.zeros((count, 3)) if move is None else move
    objects: list[int] = []
    for part, mass in zip(plan.parts, plan.mass, strict=True):
        solid = shape_mass_properties(part.fit)
        moments, axes = principal_axes(solid.inertia_of(float(mass)), part.fit.orientation)
        moments = np.maximum(moments, ROUNDED * moments.max())
        r, d = turn[part.bone], move[part.bone]
        centre = r @ solid.centre + d
        velocity = spin = np.zeros(3)
        if before is not None:
            r0, d0 = before[0][part.bone], before[1][part.bone]
            velocity = (centre - (r0 @ solid.centre + d0)) / duration
            spin = rotation_vector(r @ r0.T) / duration
        objects.append(
            builder.add_rigid_body(
                f"{plan.name}: {skeleton.name[part.bone]}",
                placed_shapes(plan.name, part.fit, solid.centre, axes),
                centre,
                rotation_quaternion(r @ rotation_matrix(axes)),
                mass=float(mass),
                inertia=moments,
                velocity=velocity,
                angular_velocity=spin,
                drag=settings.drag,
                angular_drag=settings.angular_drag,
                friction=settings.friction,
                static_friction=settings.static_friction,
                restitution=settings.restitution,
                sleeps=settings.sleeps,
                follows="ANIMATED" if has_muscles else "ACTIVE",
                layers=layer_bits(settings.layers),
            )
        )
    joints = []
    for row, part in enumerate(plan.parts):
        if part.joint is None:
            joints.append(-1)
            continue
        above = plan.parts[part.parent]
        level = float(plan.level[row])
        joints.append(
            builder.add_joint(
                f"{plan.name}: {skeleton.name[part.bone]}",
                OnBody(objects[part.parent]),
                OnBody(objects[row]),
                turn[part.bone] @ skeleton.head[part.bone] + move[part.bone],
                rotation_quaternion(turn[above.bone] @ part.joint.first),
                part.joint.settings(
                    friction=settings.stiffness * level,
                    motor="POSE" if has_muscles and part.joint.kind != "FIXED" else "NONE",
                    motor_frequency=settings.frequency * _share_of_limb(plan, row),
                    motor_force=settings.torque * level,
                ),
                second_orientation=rotation_quaternion(turn[part.bone] @ part.joint.second),
            )
        )
    for a, b in plan.apart:
        builder.keep_apart(plan.name, OnBody(objects[a]), OnBody(objects[b]))
    made = Ragdoll(tuple(objects), tuple(joints))
    return replace(made, pins=tuple(add_pin(builder, plan, made, p, turn, move) for p in pins))


def _share_of_limb(plan: Plan, row: int) -> float:
    """Factor on a motor's frequency that lets it move the limb alone, whatever that hangs on.

    A motor counts the two sides of its joint as masses at the ends of a spring. A muscle is as
    strong as its limb needs, also while the rest of the body is held.
    """
    head = plan.skeleton.head[plan.parts[row].bone]
    limb = rest = 0.0
    parents = [part.parent for part in plan.parts]
    for other, part in enumerate(plan.parts):
        moment = float(plan.mass[other] * ((part.fit.centre - head) ** 2).sum())
        if _hangs_on(parents, other, row):
            limb += moment
        else:
            rest += moment
    return float(np.sqrt(1.0 + limb / rest))
