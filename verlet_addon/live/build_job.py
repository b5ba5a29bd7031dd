"""A model as a job: what a simulation is built from, for whichever thread builds it.

It knows nothing of Blender's data. At the window it is built beside it; `simulation` takes it from
there when Blender stands on the start frame again. The same inputs give the same model either way.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from ...core.model import Model
from ..scene.inputs import SceneInputs
from ..scene.model import build_model


@dataclass
class BuildJob:
    """A model to be built, and the model once it is."""

    inputs: SceneInputs
    is_dropped: bool = False
    _result: Model | Exception | None = None
    _is_done: threading.Event = field(default_factory=threading.Event)

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or an error."""
        return self._is_done.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for a moment at most; whether it is done."""
        return self._is_done.wait(seconds)

    def run(self) -> None:
        """Build it, in any thread; what goes wrong is raised by `result`."""
        try:
            if not self.is_dropped:
                self._result = build_model(self.inputs)
        except Exception as error:
            self._result = error
        finally:
            self._is_done.set()

    def result(self) -> Model | None:
        """The model; None where nothing can move. Raises what was raised, ModelError mostly."""
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

    def drop(self) -> None:
        """Nobody wants it any more: it is not begun, or nobody looks at what comes out."""
        self.is_dropped = True
