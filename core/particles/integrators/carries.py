"""Which features of a scene each integrator carries, and which of a given scene are left out."""

from __future__ import annotations

from ...errors import ModelError
from ...model import Model
from ...settings import INTEGRATORS, SolverSettings

_FORCES = frozenset(
    {
        "springs",
        "dampers",
        "forces",
        "pins",
        "weak pins",
        "colliders",
        "self-collision",
        "changing step",
    }
)
_ALL = _FORCES | {"sticks", "tethers", "constraints", "bodies"}

CARRIES: dict[str, frozenset[str]] = {
    **{identifier: _FORCES for identifier, _, _ in INTEGRATORS},
    "POSITION_VERLET": _ALL - {"changing step"},
    "TIME_CORRECTED": _ALL,
}
"""Features by integrator. Those that lack "sticks" take them for springs."""


def left_out(model: Model, settings: SolverSettings) -> tuple[str, ...]:
    """What of this model the chosen integrator does not carry, in plain words; () when nothing."""
    carried = CARRIES[settings.integrator]
    left = []
    if len(model.sticks) and "sticks" not in carried:
        left.append(
            f"rigid sticks ({len(model.sticks)} become springs of {settings.edge_stiffness:g} N/m)"
        )
    if len(model.tethers) and "tethers" not in carried:
        left.append(f"tethers ({len(model.tethers)})")
    if "constraints" not in carried:
        for kind in dict.fromkeys(type(one) for one in model.constraints):
            names = dict.fromkeys(
                model.objects[one.object].name for one in model.constraints if type(one) is kind
            )
            left.append(f"{kind.__name__} ({', '.join(names)})")
    if (len(model.bodies) or len(model.particle_bodies)) and "bodies" not in carried:
        left.append(f"rigid bodies ({', '.join(_bodies(model))})")
    return tuple(left)


def refuse_bodies(model: Model, settings: SolverSettings) -> None:
    """Raise `ModelError` that names the first rigid body when the integrator carries none."""
    if (len(model.bodies) or len(model.particle_bodies)) and "bodies" not in CARRIES[
        settings.integrator
    ]:
        raise ModelError(
            _bodies(model)[0],
            f"{settings.integrator_label} does not carry rigid bodies; choose Position Verlet as "
            "the Integrator, or remove the simulation from this object",
        )


def _bodies(model: Model) -> list[str]:
    return [span.name for span in model.objects if span.body >= 0]
