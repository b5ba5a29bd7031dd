"""What takes part in a scene's simulation, as arrays; and the model made from it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.builder import ModelBuilder
from ..core.errors import ModelError
from ..core.model import FrameInputs, Model
from ..core.recipes.body import add_body
from ..core.recipes.cloth import add_cloth
from ..core.recipes.collider import add_collider
from ..core.recipes.geometry import Geometry
from ..core.settings import ColliderSettings, SolverSettings, WindSettings
from .bake import restore
from .extract import mesh as meshes
from .extract import pose
from .participants import find_objects, simulated_objects
from .properties import settings_from, settings_of, shared_values, start_frame
from .session import Floats, Problem, Session

# Modifiers that move vertices along with something else: after cloth they move them twice.
DEFORMING_MODIFIERS = {
    "ARMATURE",
    "CLOTH",
    "CURVE",
    "HOOK",
    "LATTICE",
    "MESH_DEFORM",
    "SOFT_BODY",
    "SURFACE_DEFORM",
    "WARP",
    "WAVE",
}


@dataclass(frozen=True)
class Participant:
    """One object at the start frame: everything that the model depends on."""

    uid: int
    name: str
    kind: str  # CLOTH, BODY or COLLIDER
    settings: Any
    matrix: Floats  # (4, 4) to world space
    points: Floats  # (n, 3) local: all vertices of cloth, the visible ones of others
    mesh: meshes.MeshArrays | None = None  # cloth only
    pinned: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))  # (n,), cloth

    @property
    def world_points(self) -> Floats:
        """World positions (n, 3) at the start frame."""
        return pose.transformed(self.matrix, self.points)

    @property
    def pinned_points(self) -> Floats:
        """Local positions of the pinned vertices."""
        return self.points[self.pinned]

    def digest(self) -> bytes:
        """Changes when anything does that the model depends on."""
        arrays: list[NDArray[Any]] = [self.matrix, self.points, self.pinned]
        if self.mesh is not None:
            arrays += [self.mesh.edges, self.mesh.face_offsets, self.mesh.face_vertices]
        return _digest([f"{self.uid} {self.name} {self.kind} {self.settings}", *arrays])


@dataclass(frozen=True)
class SceneInputs:
    """All of them, and how the scene is stepped."""

    participants: tuple[Participant, ...]
    solver: SolverSettings
    wind: WindSettings
    gravity: tuple[float, float, float]  # m/s²
    frame_duration: float  # s
    start: int
    digest: bytes

    @property
    def uids(self) -> frozenset[int]:
        """Session ids of all objects that take part."""
        return frozenset(p.uid for p in self.participants)


def _digest(parts: Iterable[Any]) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else _bytes(part))
    return digest.digest()


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
    return str(part).encode()


def frame_duration(scene: bpy.types.Scene) -> float:
    """Seconds in a frame."""
    return scene.render.fps_base / scene.render.fps


def gravity(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """The scene's gravity in m/s², zero when it is switched off."""
    return tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)


def read_inputs(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    known: Mapping[int, Participant],
) -> tuple[SceneInputs, list[Problem]]:
    """Read everything at the start frame; problems name each object that cannot take part.

    A baked object plays its bake and cannot be read anew: it stays what it was when it is
    ``known``, otherwise a baked body counts as a collider and baked cloth is left out.
    """
    participants: list[Participant] = []
    problems: list[Problem] = []
    for ob in simulated_objects(scene):
        try:
            if not restore.is_baked(ob):
                participants.append(_read(ob, depsgraph, ob.verlet.kind, settings_of(ob)))
                problems += _doubts(ob)
            elif ob.session_uid in known:
                participants.append(known[ob.session_uid])
            elif ob.verlet.kind != "CLOTH":
                settings = shared_values(settings_of(ob), ColliderSettings)
                participants.append(_read(ob, depsgraph, "COLLIDER", settings))
        except ModelError as error:
            problems.append(problem_of(error, ob.session_uid))
    solver = settings_from(scene.verlet.solver, SolverSettings)
    wind = settings_from(scene.verlet.wind, WindSettings)
    start = start_frame(scene)
    duration = frame_duration(scene)
    world = f"{solver} {wind} {gravity(scene)} {duration} {start}"
    digest = _digest([world, *(participant.digest() for participant in participants)])
    inputs = SceneInputs(tuple(participants), solver, wind, gravity(scene), duration, start, digest)
    return inputs, problems


def problem_of(error: ModelError, uid: int = 0) -> Problem:
    """An error as the panel shows it."""
    return Problem(
        str(error), uid, "verlet.show_object" if uid else "", "Show Object", is_error=True
    )


def _read(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, kind: str, settings: Any
) -> Participant:
    if ob.library is not None and kind != "COLLIDER":
        raise ModelError(
            ob.name,
            f"it is linked from {ob.library.filepath} and cannot be moved here. Use Object › "
            "Relations › Make Local, or Object › Library Override › Make",
        )
    matrix = meshes.read_matrix(ob, depsgraph)
    if kind != "CLOTH":
        points = meshes.read_visible_points(ob, depsgraph)
        return Participant(ob.session_uid, ob.name, kind, settings, matrix, points)
    base = meshes.read_base_mesh(ob)
    pinned = meshes.pinned_vertices(ob)
    return Participant(
        ob.session_uid, ob.name, kind, settings, matrix, base.positions, base, pinned
    )


def _doubts(ob: bpy.types.Object) -> list[Problem]:
    """What will work, but perhaps not as it was meant."""
    found = []
    if ob.verlet.kind == "CLOTH":
        found += [
            Problem(
                f"{ob.name}: its {modifier.name} modifier moves the cloth a second time",
                ob.session_uid,
                "verlet.show_object",
                "Show Object",
            )
            for modifier in ob.modifiers
            if modifier.type in DEFORMING_MODIFIERS and modifier.show_viewport
        ]
    if ob.rigid_body is not None and ob.verlet.kind == "BODY":
        found.append(
            Problem(
                f"{ob.name}: Blender's own Rigid Body moves it too",
                ob.session_uid,
                "verlet.remove_own_rigid_body",
                "Remove That",
            )
        )
    return found


def timeless_digests(
    scene: bpy.types.Scene, known: Mapping[int, bytes] | None = None
) -> dict[int, bytes]:
    """Settings and meshes, whatever the frame: by session id, 0 for the scene.

    Tells whether to go on is right. Wind and gravity may be keyed, and changed while it plays:
    they count at the start frame only, so that a bake has them from its first frame. A baked
    object's mesh is that of the bake: it counts as what is ``known`` of it.
    """
    world = [
        settings_from(scene.verlet.solver, SolverSettings),
        frame_duration(scene),
        start_frame(scene),
    ]
    digests = {0: _digest(world)}
    for ob in simulated_objects(scene):
        if restore.is_baked(ob):
            digests[ob.session_uid] = (known or {}).get(ob.session_uid, b"")
        else:
            digests[ob.session_uid] = _timeless_digest(ob)
    return digests


def _timeless_digest(ob: bpy.types.Object) -> bytes:
    if ob.mode == "EDIT":
        ob.update_from_editmode()
    mesh = ob.data
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    parts: list[Any] = [ob.verlet.kind, settings_of(ob), positions]
    if ob.verlet.kind == "CLOTH":
        edges = np.empty(2 * len(mesh.edges), np.int32)
        mesh.edges.foreach_get("vertices", edges)
        parts += [edges, len(mesh.polygons), ob.verlet.pin_group]
        if ob.verlet.pin_group in ob.vertex_groups:
            parts.append(meshes.pinned_vertices(ob))
    return _digest(parts)


def build_model(inputs: SceneInputs) -> Model | None:
    """The model of everything that takes part; None when there is nothing that can move."""
    builder = ModelBuilder()
    for p in inputs.participants:
        match p.kind:
            case "CLOTH":
                assert p.mesh is not None
                geometry = Geometry.of(
                    p.name,
                    p.world_points,
                    p.mesh.edges,
                    p.mesh.face_offsets,
                    p.mesh.face_vertices,
                )
                add_cloth(builder, geometry, p.settings, pin_weight=p.pinned)
            case "BODY":
                add_body(builder, p.name, p.world_points, pose.local_axes(p.matrix), p.settings)
            case "COLLIDER":
                add_collider(builder, p.name, p.world_points, pose.local_axes(p.matrix), p.settings)
    return builder.finalize() if builder.objects else None


def read_frame(
    session: Session, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> FrameInputs:
    """What drives the simulation in the evaluated frame.

    Objects that were deleted meanwhile stay where they were last.
    """
    assert session.model is not None
    last = session.last_inputs
    model = session.model
    collider_position = model.collider_position.copy()
    collider_orientation = model.collider_orientation.copy()
    pins = [np.zeros((0, 3))]
    for participant, matrix in _matrices(session, depsgraph, "CLOTH"):
        if matrix is None:
            matrix = session.placements[-1].cloths[participant.uid]
        pins.append(pose.transformed(matrix, participant.pinned_points))
    for index, (participant, matrix) in enumerate(_matrices(session, depsgraph, "COLLIDER")):
        if matrix is None:
            if last is not None:
                collider_position[index] = last.collider_position[index]
                collider_orientation[index] = last.collider_orientation[index]
        elif not np.array_equal(matrix, participant.matrix):  # exactly still while it is still
            change = matrix @ np.linalg.inv(participant.matrix)
            turn = pose.rotation_part(change[:3, :3])
            collider_position[index] = pose.transformed(change, collider_position[index])
            collider_orientation[index] = pose.product(turn, collider_orientation[index])
    return FrameInputs(
        duration=frame_duration(scene),
        gravity=gravity(scene),
        wind=settings_from(scene.verlet.wind, WindSettings),
        pin_position=np.concatenate(pins),
        collider_position=collider_position,
        collider_orientation=collider_orientation,
    )


def _matrices(
    session: Session, depsgraph: bpy.types.Depsgraph, kind: str
) -> Iterator[tuple[Participant, Floats | None]]:
    """Each participant of a kind with its world matrix, None when that is gone or flat."""
    wanted = session.participants(kind)
    for participant, ob in zip(wanted, find_objects(wanted)):
        matrix = pose.matrix_of(ob.evaluated_get(depsgraph)) if ob is not None else None
        yield participant, matrix if matrix is not None and pose.is_invertible(matrix) else None
