"""How a scene is stepped."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from .tunable import Checked, tunable

STICK_FORMS = (
    (
        "MOMENTUM",
        "Keeps Momentum",
        "Correct along the direction that the stick had at the start of the step "
        "(SHAKE): linear and angular momentum are kept, swings do not die by themselves",
    ),
    ("SQRT_FREE", "Square-Root Free", "Jakobsen's fast form: one Newton step, one division"),
    ("MASS_WEIGHTED", "Mass Weighted", "Exact length; the lighter end moves more"),
    ("EXACT", "Exact", "Exact length; both ends move alike unless pinned"),
)


RELAXATIONS = (
    (
        "GAUSS_SEIDEL",
        "Gauss–Seidel",
        "Each correction sees those before it: fewer passes",
    ),
    (
        "JACOBI",
        "Jacobi",
        "Every particle or body reads an old copy and writes a new one: the order of edges and "
        "contacts means nothing, but several times as many passes are needed",
    ),
)


ACCELERATIONS = (
    ("NONE", "None", "Plain passes"),
    (
        "CHEBYSHEV",
        "Chebyshev",
        "Each pass is carried on along the change of the two before: pays with ten passes or more",
    ),
)


_BY_FORCES = (
    "Carries masses, springs, dampers, pins, colliders and forces. Sticks become springs of the "
    "Edge Stiffness; tethers and all other constraints are left out; rigid bodies are refused"
)


INTEGRATORS = (
    (
        "POSITION_VERLET",
        "Position Verlet",
        "Places alone, constraints by projection: carries everything. A step of another length "
        "than the one before changes the speed",
    ),
    (
        "TIME_CORRECTED",
        "Time-Corrected Verlet",
        "Position Verlet that keeps the speed when the step changes its length (frames of "
        "unlike duration, another Substep Rate midway). Carries everything",
    ),
    ("LEAPFROG", "Leapfrog", f"Velocities between the steps; second order. {_BY_FORCES}"),
    (
        "VELOCITY_VERLET",
        "Velocity Verlet",
        f"Velocities at the steps; second order, energy does not drift. {_BY_FORCES}",
    ),
    (
        "EXPLICIT_EULER",
        "Explicit Euler",
        f"First order; undamped springs gain energy and blow up. To compare with. {_BY_FORCES}",
    ),
    (
        "SYMPLECTIC_EULER",
        "Symplectic Euler",
        f"Velocity first, then place with it; first order, energy does not drift. {_BY_FORCES}",
    ),
    ("MIDPOINT", "Midpoint", f"A slope from the middle of the step; second order. {_BY_FORCES}"),
    (
        "TRAPEZOID",
        "Trapezoid (Heun)",
        f"The mean of the slopes at both ends of the step; second order. {_BY_FORCES}",
    ),
    (
        "IMPLICIT_EULER",
        "Implicit Euler",
        "Solves for the velocity at the end of the step: stable at any stiffness and step, first "
        f"order, damps. {_BY_FORCES}",
    ),
)


SPRING_FORMS = (
    (
        "COMPLIANT",
        "Compliant",
        "Taken implicitly as constraints that give way: stable at any stiffness, damp a little",
    ),
    (
        "FORCE",
        "Force",
        "Hooke's law as a force: second order with Position Verlet and energy is kept, but stiff "
        "springs need a higher Substep Rate or blow up",
    ),
)


@dataclass(frozen=True)
class SolverSettings(Checked):
    """How a scene is stepped. One per scene."""

    substep_rate: float = tunable(
        480.0,
        "Substep Rate",
        "Steps per second. More steps make everything stiffer and more exact; the motion "
        "stays the same at any frame rate",
        unit="1/s",
        minimum=24.0,
        maximum=100_000.0,
        soft_minimum=120.0,
        soft_maximum=2400.0,
    )
    iterations: int = tunable(
        1,
        "Iterations",
        "Relaxation passes over all constraints in each substep",
        minimum=1,
        maximum=200,
        soft_maximum=20,
        advanced=True,
    )
    contact_iterations: int = tunable(
        1,
        "Contact Passes",
        "Passes over contacts and joints of rigid bodies in every substep; they remember the "
        "forces of the last one, so one pass is enough for most",
        minimum=1,
        maximum=100,
        soft_maximum=20,
        advanced=True,
    )
    body_iterations: int = tunable(
        4,
        "Body Passes",
        "Passes over contacts of particles and the six sticks of each body of particles in every "
        "relaxation pass",
        minimum=1,
        maximum=100,
        soft_maximum=20,
        advanced=True,
    )
    stick_form: str = tunable(
        "MOMENTUM",
        "Stick Form",
        "Formula that brings a stick back to its length",
        choices=STICK_FORMS,
        advanced=True,
    )
    relaxation: str = tunable(
        "GAUSS_SEIDEL",
        "Relaxation",
        "How a pass goes through sticks, springs and contacts of rigid bodies",
        choices=RELAXATIONS,
        advanced=True,
    )
    over_relaxation: float = tunable(
        1.0,
        "Over-Relaxation",
        "Corrections of sticks are multiplied by up to so much, less from iteration to iteration "
        "and not at all in the last one: with a single iteration it does nothing",
        minimum=1.0,
        maximum=1.95,
        advanced=True,
    )
    contact_relaxation: float = tunable(
        1.0,
        "Contact Factor",
        "Corrections of contacts of rigid bodies are multiplied by this: less is softer and calmer "
        "where many push each other, more is firmer",
        minimum=0.05,
        maximum=1.5,
        advanced=True,
    )
    acceleration: str = tunable(
        "NONE",
        "Acceleration",
        "How passes of one substep learn from each other",
        choices=ACCELERATIONS,
        advanced=True,
    )
    spectral_radius: float = tunable(
        0.95,
        "Spectral Radius",
        "Share of the error that a plain pass leaves, for the Chebyshev acceleration: nearer to 1 "
        "for more iterations and finer meshes; too near, and it overshoots",
        minimum=0.0,
        maximum=0.9999,
        advanced=True,
    )
    tolerance: float = tunable(
        0.0,
        "Tolerance",
        "Passes of a substep end early once the last one moved nothing by more than this along "
        "any axis; 0 makes all iterations always",
        unit="m",
        minimum=0.0,
        maximum=1.0,
        soft_maximum=1e-3,
        advanced=True,
    )
    strain_limit: float = tunable(
        0.02,
        "Strain Limit",
        "Sticks that a load has stretched by more than this share are shortened in extra rounds; "
        "0 switches them off",
        minimum=0.0,
        maximum=1.0,
        soft_maximum=0.2,
        advanced=True,
    )
    time_budget: float = tunable(
        0.0,
        "Time Budget",
        "Milliseconds that the passes of a frame may take in live preview, 0 = as many as they "
        "need. What is left out makes the preview differ from the bake",
        unit="ms",
        minimum=0.0,
        maximum=60_000.0,
        soft_maximum=100.0,
        advanced=True,
    )
    integrator: str = tunable(
        "POSITION_VERLET",
        "Integrator",
        "How places and speeds are taken from one step to the next",
        choices=INTEGRATORS,
        advanced=True,
    )
    spring_form: str = tunable(
        "COMPLIANT",
        "Spring Form",
        "How Position Verlet takes springs; the integrators by forces always take Hooke's law",
        choices=SPRING_FORMS,
        advanced=True,
    )
    edge_stiffness: float = tunable(
        1000.0,
        "Edge Stiffness",
        "Stiffness of the springs that stand for sticks where the integrator carries no sticks: "
        "a cloth of 1 kg hung from it stretches by about one percent",
        unit="N/m",
        minimum=1e-6,
        maximum=1e12,
        soft_minimum=1.0,
        soft_maximum=100_000.0,
        advanced=True,
    )
    speed_limit: float = tunable(
        5000.0,
        "Blow-Up Speed",
        "A particle faster than this counts as blown up: the simulation stops and names it",
        unit="m/s",
        minimum=1.0,
        maximum=1e9,
        advanced=True,
    )
    threads: int = tunable(
        0,
        "Threads",
        "Processor threads; 0 takes as many as are worth it. The result does not depend on it",
        minimum=0,
        maximum=256,
        advanced=True,
    )

    def substep_count(self, duration: float, takes_turns: bool = False) -> int:
        """Substeps in a frame of ``duration`` seconds.

        An even number where springs take turns: what trembles between them is then the same in
        each picture. At 25 pictures a second 480 substeps would end one in the one turn and the
        next in the other, and a shirt would shimmer.
        """
        count = max(1, round(self.substep_rate * duration))
        return count + count % 2 if takes_turns and not self.takes_springs_as_forces else count

    def without_budget(self) -> SolverSettings:
        """The same without a time budget: for bakes and renders, where the clock must not count.

        Frames that were made under a budget are not those of a bake; simulate them again.
        """
        return dataclasses.replace(self, time_budget=0.0)

    @property
    def is_force_based(self) -> bool:
        """Whether the integrator sees forces alone and no constraints."""
        return self.integrator not in ("POSITION_VERLET", "TIME_CORRECTED")

    @property
    def takes_springs_as_forces(self) -> bool:
        """Whether springs pull by Hooke's law instead of being projected."""
        return self.is_force_based or self.spring_form == "FORCE"

    @property
    def integrator_label(self) -> str:
        """The integrator's name for people."""
        return next(label for name, label, _ in INTEGRATORS if name == self.integrator)
