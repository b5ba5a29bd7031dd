"""What can go wrong, said so that a user can act on it: each message names the object."""

from __future__ import annotations


class VerletError(Exception):
    """Base of every error that the engine raises on purpose."""


class ModelError(VerletError, ValueError):
    """Bad input, found while a model is built: nothing has been simulated yet.

    ``object_name`` is the object to look at, or "" when the input belongs to none.
    """

    def __init__(self, object_name: str, problem: str) -> None:
        self.object_name = object_name
        self.problem = problem
        super().__init__(f"{object_name}: {problem}" if object_name else problem)


class SimulationDiverged(VerletError):
    """A step left the finite world. The state from before the step is still good.

    ``frame`` is the frame that could not be computed, ``particle`` counts within the object and is
    -1 for a rigid body.
    ``subject`` is what blew up and ``advice`` the way out.
    """

    def __init__(
        self,
        object_name: str,
        frame: int,
        particle: int,
        reason: str,
        subject: str = "the simulation",
        advice: str = "Raise Substep Rate, or look for colliders that squeeze this object",
    ) -> None:
        self.object_name = object_name
        self.frame = frame
        self.particle = particle
        self.reason = reason
        place = f"vertex {particle}: " if particle >= 0 else ""
        super().__init__(
            f"{object_name}: {subject} blew up at frame {frame} "
            f"({place}{reason}). {advice}; frames before this one are kept."
        )
