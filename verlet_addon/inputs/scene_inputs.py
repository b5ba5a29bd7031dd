"""All that takes part in a scene, as it was read, and how the scene is stepped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...core.model.field import Field
from ...core.settings import SolverSettings, WindSettings
from .digests import are_same
from .joint_input import JointInput
from .participant import Participant
from .tie_input import TieInput


@dataclass(frozen=True)
class SceneInputs:
    """All that a scene's model depends on."""

    participants: tuple[Participant, ...]
    joints: tuple[JointInput, ...]
    ties: tuple[TieInput, ...]
    solver: SolverSettings
    wind: WindSettings
    fields: tuple[Field, ...]
    gravity: tuple[float, float, float]  # m/s²
    frame_duration: float  # s
    start: int
    notes: tuple[str, ...]  # on the fields that do not act as they do in Blender

    def is_same_as(self, other: SceneInputs) -> bool:
        """Whether the same model follows from them, to the last bit."""
        return are_same(self._parts(), other._parts())

    def _parts(self) -> list[Any]:
        world = f"{self.solver} {self.wind} {self.fields} {self.notes} {self.gravity}"
        return [
            f"{world} {self.frame_duration} {self.start}",
            *(part for one in self.participants for part in one.parts()),
            *(part for joint in self.joints for part in joint.parts()),
            *(part for tie in self.ties for part in tie.parts()),
        ]

    @property
    def uids(self) -> frozenset[int]:
        """Session ids of all objects that take part."""
        return frozenset(p.uid for p in self.participants)

    @cached_property
    def by_kind(self) -> dict[str, list[Participant]]:
        """The participants of each kind, in the order of the model."""
        found: dict[str, list[Participant]] = {}
        for participant in self.participants:
            found.setdefault(participant.kind, []).append(participant)
        return found

    @cached_property
    def row_of_body(self) -> dict[int, int]:
        """Row of each rigid body among them in the order of the model, by session id."""
        return {body.uid: row for row, body in enumerate(self.by_kind.get("BODY", []))}

    @cached_property
    def of_particles(self) -> list[Participant]:
        """What is made of particles, in the order of the model."""
        return [p for p in self.participants if p.particles is not None]

    @cached_property
    def moving(self) -> list[Participant]:
        """What has factors that may be keyed, in the order of the model."""
        return [p for p in self.participants if p.kind != "COLLIDER"]
