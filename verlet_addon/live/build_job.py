"""A model as a job: what a simulation is built from, for whichever thread builds it.

It knows nothing of Blender's data. At the window it is built beside it; `simulation` takes it from
there when Blender stands on the start frame again. The same inputs give the same model either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...core.model import Model
from ..inputs.scene_inputs import SceneInputs
from ..jobs import Job
from ..scene.model import build_model
from ..scene.named_digests import NamedDigests


@dataclass(eq=False)
class BuildJob(Job[Model]):
    """A model to be built, and the model once it is; None where nothing can move.

    ``names``: of all objects of the scene, by session id, where frames are kept on the disk: what
    they are known by there takes a while, too.
    """

    what = "Building the simulation"

    inputs: SceneInputs
    names: Mapping[int, str] | None = None
    digests: NamedDigests | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        super().__init__()

    def work(self) -> Model | None:
        """Build it. Raises what `build_model` does, ModelError mostly."""
        if self.names is not None:
            self.digests = NamedDigests.of(self.inputs, self.names)
        return build_model(self.inputs)
