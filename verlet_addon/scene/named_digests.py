"""Digests of what a model depends on that hold in another session too: objects count by name.

Session ids are new whenever a file is opened. Here each stands replaced by a number made of the
object's name, so that what was simulated yesterday is known again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np

from ... import core
from ...core.kernels.jit import compiled_by
from ..inputs.digests import digest_of
from ..inputs.participant import Participant
from ..inputs.scene_inputs import SceneInputs

THE_WORLD = "the world"
"""The part that is no object: gravity, wind, force fields, the solver, time."""

Number = Callable[[int], int]


@dataclass(frozen=True)
class NamedDigests:
    """What a simulation is known by in any session."""

    parts: dict[str, bytes]  # see `named_digests`
    whole: bytes  # of all of them, and of the solver

    @classmethod
    def of(cls, inputs: SceneInputs, names: Mapping[int, str]) -> NamedDigests:
        """Those of a scene. ``names``: of all its objects, by session id."""
        parts = named_digests(inputs, names)
        return cls(parts, digest_of_all(parts))


def named_digests(inputs: SceneInputs, names: Mapping[int, str]) -> dict[str, bytes]:
    """One digest for each object, joint and tie by its name, and one of `THE_WORLD`.

    ``names``: of all objects of the scene, by session id.
    """

    def number(uid: int) -> int:
        known = names.get(uid, "") if uid else ""
        return int.from_bytes(blake2b(known.encode(), digest_size=7).digest()) if known else uid

    world = (inputs.solver, inputs.wind, inputs.fields, inputs.gravity, inputs.frame_duration)
    found = {THE_WORLD: digest_of([f"{world} {inputs.start}"])}
    for participant in inputs.participants:
        found[participant.name] = digest_of(_with_numbers(participant, number).parts())
    for joint in inputs.joints:
        known = replace(joint, uid=0, a=number(joint.a), b=number(joint.b))
        found[joint.name] = digest_of(known.parts())
    for tie in inputs.ties:
        known_tie = replace(tie, uid=0, owner=number(tie.owner), body=number(tie.body))
        found[tie.name] = digest_of(known_tie.parts())
    return found


def _with_numbers(participant: Participant, number: Number) -> Participant:
    garment, armature = participant.garment, participant.armature
    if garment is not None:
        garment = replace(garment, armature=number(garment.armature))
    if armature is not None:
        pins = tuple(replace(pin, uid=number(pin.uid)) for pin in armature.pins)
        armature = replace(armature, pins=pins)
    return replace(
        participant, uid=0, carrier=number(participant.carrier), garment=garment, armature=armature
    )


def digest_of_all(parts: Mapping[str, bytes]) -> bytes:
    """One digest of all parts, and of the solver's own sources: others give other bits."""
    return digest_of([_solver(), *(item for name in parts for item in (name, parts[name]))])


@cache
def _solver() -> bytes:
    """The solver that is at work: its sources, who compiled them, and which NumPy it has."""
    root = Path(str(core.__file__)).parent
    sources = [path.read_bytes() for path in sorted(root.rglob("*.py"))]
    return digest_of([f"{compiled_by()} {np.__version__}", *sources])
