"""A model as a job: what a simulation is built from, for whichever thread builds it.

It knows nothing of Blender's data. At the window it is built beside it; `simulation` takes it from
there when Blender stands on the start frame again. The same inputs give the same model either way.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.model import Model
from ..scene.inputs import SceneInputs
from ..scene.model import build_model
from .jobs import Job


@dataclass(eq=False)
class BuildJob(Job[Model]):
    """A model to be built, and the model once it is; None where nothing can move."""

    inputs: SceneInputs

    def __post_init__(self) -> None:
        super().__init__()

    def work(self) -> Model | None:
        """Build it. Raises what `build_model` does, ModelError mostly."""
        return build_model(self.inputs)
