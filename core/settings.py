"""Every tunable of the product, once: unit, range, default and description.

The Blender properties, the command line and the documentation are generated from the
dataclasses on this page, so nothing about a parameter stands anywhere else.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from .errors import ModelError


@dataclass(frozen=True)
class Tunable:
    """What a person needs to know about one parameter."""

    label: str
    description: str
    unit: str = ""  # SI, "" for a pure number
    minimum: float | None = None
    maximum: float | None = None
    soft_minimum: float | None = None  # slider range, where it differs from the hard one
    soft_maximum: float | None = None
    choices: tuple[tuple[str, str, str], ...] = ()  # (identifier, label, description)
    advanced: bool = False
    paintable: bool = False  # a vertex group may scale it


def _tunable(default: Any, label: str, description: str, **details: Any) -> Any:
    about = Tunable(label=label, description=description, **details)
    return dataclasses.field(default=default, metadata={"tunable": about})


def _friction() -> Any:
    return _tunable(
        0.5,
        "Friction",
        "Coulomb friction against other surfaces",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=1.0,
        paintable=True,
    )


def _restitution() -> Any:
    return _tunable(0.0, "Bounciness", "Speed kept by a bounce", minimum=0.0, maximum=1.0)


def _drag(default: float) -> Any:
    return _tunable(
        default,
        "Air Drag",
        "Share of the velocity lost per second to still air",
        unit="1/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=10.0,
        paintable=True,
    )


def _meets_others(default: bool = True) -> Any:
    return _tunable(
        default,
        "Meet Others",
        "Collide with other cloths, ropes, soft bodies and particles too",
        advanced=True,
    )


def tunables(settings: type | object) -> dict[str, tuple[Any, Tunable]]:
    """``{field name: (default, Tunable)}`` of a settings dataclass, in panel order."""
    return {
        field.name: (field.default, field.metadata["tunable"])
        for field in dataclasses.fields(settings)  # type: ignore[arg-type]
        if "tunable" in field.metadata
    }


class _Checked:
    """Settings refuse values outside their range when they are made."""

    def __post_init__(self) -> None:
        for name, (_, about) in tunables(self).items():
            value = getattr(self, name)
            if about.choices:
                known = [identifier for identifier, _, _ in about.choices]
                if value not in known:
                    raise ModelError("", f"{about.label}: {value!r} is none of {', '.join(known)}")
            for number in value if isinstance(value, tuple) else (value,):
                if not isinstance(number, int | float) or isinstance(number, bool):
                    continue
                below = about.minimum is not None and number < about.minimum
                above = about.maximum is not None and number > about.maximum
                if number != number or below or above:
                    limits = f"{about.minimum} to {about.maximum} {about.unit}".strip()
                    raise ModelError("", f"{about.label} = {number} lies outside {limits}")


STICK_FORMS = (
    (
        "MOMENTUM",
        "Momentum Conserving",
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
        "Every particle reads an old copy and writes a new one: the order of the mesh's edges "
        "means nothing, but several times as many passes are needed",
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
class SolverSettings(_Checked):
    """How a scene is stepped. One per scene."""

    substep_rate: float = _tunable(
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
    iterations: int = _tunable(
        1,
        "Iterations",
        "Relaxation passes over all constraints in each substep",
        minimum=1,
        maximum=200,
        soft_maximum=20,
        advanced=True,
    )
    body_iterations: int = _tunable(
        4,
        "Body Passes",
        "Passes over contacts and the six sticks of each rigid body in every relaxation pass",
        minimum=1,
        maximum=100,
        soft_maximum=20,
        advanced=True,
    )
    stick_form: str = _tunable(
        "MOMENTUM",
        "Stick Form",
        "Formula that brings a stick back to its length",
        choices=STICK_FORMS,
        advanced=True,
    )
    relaxation: str = _tunable(
        "GAUSS_SEIDEL",
        "Relaxation",
        "How a pass goes through sticks and springs",
        choices=RELAXATIONS,
        advanced=True,
    )
    over_relaxation: float = _tunable(
        1.0,
        "Over-Relaxation",
        "Corrections of sticks are multiplied by it. Above 1.3 it needs two or more iterations, "
        "above 1.6 four, or the sticks ring",
        minimum=1.0,
        maximum=1.95,
        advanced=True,
    )
    acceleration: str = _tunable(
        "NONE",
        "Acceleration",
        "How passes of one substep learn from each other",
        choices=ACCELERATIONS,
        advanced=True,
    )
    spectral_radius: float = _tunable(
        0.95,
        "Spectral Radius",
        "Share of the error that a plain pass leaves, for the Chebyshev acceleration: nearer to 1 "
        "for more iterations and finer meshes; too near, and it overshoots",
        minimum=0.0,
        maximum=0.9999,
        advanced=True,
    )
    tolerance: float = _tunable(
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
    strain_limit: float = _tunable(
        0.02,
        "Strain Limit",
        "Sticks that a load has stretched by more than this share are shortened in extra rounds; "
        "0 switches them off",
        minimum=0.0,
        maximum=1.0,
        soft_maximum=0.2,
        advanced=True,
    )
    time_budget: float = _tunable(
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
    integrator: str = _tunable(
        "POSITION_VERLET",
        "Integrator",
        "How places and speeds are taken from one step to the next",
        choices=INTEGRATORS,
        advanced=True,
    )
    spring_form: str = _tunable(
        "COMPLIANT",
        "Spring Form",
        "How Position Verlet takes springs; the integrators by forces always take Hooke's law",
        choices=SPRING_FORMS,
        advanced=True,
    )
    edge_stiffness: float = _tunable(
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
    speed_limit: float = _tunable(
        5000.0,
        "Blow-Up Speed",
        "A particle faster than this counts as blown up: the simulation stops and names it",
        unit="m/s",
        minimum=1.0,
        maximum=1e9,
        advanced=True,
    )
    threads: int = _tunable(
        0,
        "Threads",
        "Processor threads; 0 takes as many as are worth it. The result does not depend on it",
        minimum=0,
        maximum=256,
        advanced=True,
    )

    def substep_count(self, duration: float) -> int:
        """Substeps in a frame of ``duration`` seconds."""
        return max(1, round(self.substep_rate * duration))

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


@dataclass(frozen=True)
class WindSettings(_Checked):
    """Moving air. One per scene."""

    velocity: tuple[float, float, float] = _tunable(
        (0.0, 0.0, 0.0),
        "Wind",
        "Velocity of the air",
        unit="m/s",
        minimum=-200.0,
        maximum=200.0,
        soft_minimum=-20.0,
        soft_maximum=20.0,
    )
    gust: float = _tunable(
        0.3,
        "Gusts",
        "How much the wind swells, fades and turns about its mean",
        minimum=0.0,
        maximum=1.0,
    )
    gust_length: float = _tunable(
        2.0,
        "Gust Length",
        "Distance between two gusts along the wind",
        unit="m",
        minimum=0.01,
        maximum=1000.0,
        soft_maximum=20.0,
        advanced=True,
    )
    air_density: float = _tunable(
        1.2,
        "Air Density",
        "Mass of the air per volume: 1.2 at sea level",
        unit="kg/m³",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=2.0,
        advanced=True,
    )
    drag: float = _tunable(
        1.0,
        "Drag",
        "Factor on the push along the wind: what carries things away",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=2.0,
        advanced=True,
    )
    lift: float = _tunable(
        1.0,
        "Lift",
        "Factor on the push across the wind on what stands askew to it: what makes a flag flutter "
        "and a leaf sail",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=2.0,
        advanced=True,
    )
    skin_friction: float = _tunable(
        0.02,
        "Skin Friction",
        "Pull of the air along a surface, as a share of its pressure on a surface square to it",
        minimum=0.0,
        maximum=1.0,
        soft_maximum=0.1,
        advanced=True,
    )


IMPULSE_KINDS = (
    ("EXPLOSION", "Explosion", "Throws everything away from it, less with the square of distance"),
    ("HIT", "Hit", "Throws everything within reach along its Z axis"),
)


@dataclass(frozen=True)
class ImpulseSettings(_Checked):
    """A push at one moment: particles are moved, once (Jakobsen §7)."""

    kind: str = _tunable("EXPLOSION", "Impulse", "How it pushes", choices=IMPULSE_KINDS)
    strength: float = _tunable(
        8.0,
        "Strength",
        "Speed that it gives: an explosion at a distance of one metre, a hit everywhere",
        unit="m/s",
        minimum=-10_000.0,
        maximum=10_000.0,
        soft_minimum=0.0,
        soft_maximum=50.0,
    )
    radius: float = _tunable(
        3.0,
        "Radius",
        "Nothing farther away than this is moved",
        unit="m",
        minimum=0.0,
        maximum=1e6,
        soft_maximum=20.0,
    )


@dataclass(frozen=True)
class FlockSettings(_Checked):
    """One flock: particles that steer by their neighbours."""

    radius: float = _tunable(
        5.0,
        "Sight",
        "Distance within which a boid sees the others",
        unit="m",
        minimum=1e-3,
        maximum=1e4,
        soft_minimum=0.1,
        soft_maximum=20.0,
    )
    distance: float = _tunable(
        1.0,
        "Personal Space",
        "Boids nearer than this steer away from each other",
        unit="m",
        minimum=0.0,
        maximum=1e4,
        soft_maximum=5.0,
    )
    separation: float = _tunable(
        1.5,
        "Separation",
        "How strongly boids keep out of each other's personal space",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=5.0,
    )
    alignment: float = _tunable(
        2.0,
        "Alignment",
        "How strongly a boid takes on the mean course of those it sees",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=5.0,
    )
    cohesion: float = _tunable(
        0.5,
        "Cohesion",
        "How strongly a boid is drawn to the middle of those it sees",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=5.0,
    )
    cruise_speed: float = _tunable(
        3.0,
        "Cruise Speed",
        "Speed that a boid left alone takes on",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=20.0,
    )
    max_speed: float = _tunable(
        8.0,
        "Top Speed",
        "No boid steers itself beyond this speed",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=40.0,
    )
    max_acceleration: float = _tunable(
        20.0,
        "Agility",
        "Largest acceleration that steering gives",
        unit="m/s²",
        minimum=0.0,
        maximum=1e5,
        soft_maximum=100.0,
    )
    flies: bool = _tunable(
        True,
        "Flies",
        "Boids carry their own weight. Off: they fall, and steer as far as that allows",
        advanced=True,
    )


def _factor(label: str, description: str, maximum: float = 10.0) -> Any:
    return _tunable(
        1.0,
        label,
        description,
        minimum=0.0,
        maximum=maximum,
        soft_maximum=min(maximum, 2.0),
    )


@dataclass(frozen=True)
class AnimatedSettings(_Checked):
    """Factors on what one object was set up with: the ones that may be keyed."""

    pin: float = _factor("Pin", "Hold of the pins: key it to 0 to let the object go", 1.0)
    stiffness: float = _factor("Stiffness", "Factor on all that gives way: bend, shear, shape")
    drag: float = _factor("Air Drag", "Factor on the drag of still air", 100.0)
    friction: float = _factor("Friction", "Factor on the friction against other surfaces")
    wind: float = _factor("Wind", "Factor on what the wind does to this object")
    fields: float = _factor("Force Fields", "Factor on what force fields do to this object")
    pressure: float = _factor("Pressure", "Factor on the pressure inside a closed object")


BEND_MODELS = (
    ("SUPPORT", "Support Springs", "Springs between vertices two edges apart: fast"),
    (
        "DIHEDRAL",
        "Fold Angles",
        "Resist folding at every edge: keeps curved shapes, needs faces",
    ),
)


@dataclass(frozen=True)
class ClothSettings(_Checked):
    """One cloth object."""

    shear: float = _tunable(
        0.5,
        "Shear",
        "Resistance of the weave to being pulled askew",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    bend: float = _tunable(
        0.25,
        "Bend",
        "Resistance to folding: silk is near 0, leather near 1",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    stretch: float = _tunable(
        0.0,
        "Stretch",
        "How far it gives when it is pulled: 0 like woven cloth, 1 like thin rubber",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    drag: float = _drag(1.5)
    friction: float = _friction()
    restitution: float = _restitution()
    area_density: float = _tunable(
        0.3,
        "Mass per Area",
        "Mass of a square metre: silk 0.1, cotton 0.3, leather 1",
        unit="kg/m²",
        minimum=1e-4,
        maximum=1e4,
        soft_minimum=0.05,
        soft_maximum=2.0,
        advanced=True,
    )
    thickness: float = _tunable(
        0.1,
        "Contact Distance",
        "Distance kept from other surfaces, in mean edge lengths",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=0.5,
        advanced=True,
    )
    bend_model: str = _tunable(
        "SUPPORT", "Bend Model", "What resists folding", choices=BEND_MODELS, advanced=True
    )
    sewing: float = _tunable(
        0.0,
        "Sewing Speed",
        "Edges without faces are threads that close at this speed; 0 leaves them as they are",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=5.0,
        advanced=True,
    )
    tethers: bool = _tunable(
        True,
        "Tethers",
        "Keep each vertex within its distance along the cloth from the pins, so that long "
        "cloth does not stretch",
        advanced=True,
    )
    meets_others: bool = _meets_others()


def _line_density(default: float) -> Any:
    return _tunable(
        default,
        "Mass per Length",
        "Mass of one metre: string 0.005, rope 0.1, steel cable 0.4",
        unit="kg/m",
        minimum=1e-5,
        maximum=1e4,
        soft_minimum=0.005,
        soft_maximum=2.0,
        advanced=True,
    )


def _density(default: float) -> Any:
    return _tunable(
        default,
        "Density",
        "Mass of a cubic metre: foam 50, wood 600, rubber 1100",
        unit="kg/m³",
        minimum=1e-3,
        maximum=1e5,
        soft_minimum=10.0,
        soft_maximum=2000.0,
        advanced=True,
    )


@dataclass(frozen=True)
class RopeSettings(_Checked):
    """One object of ropes: a mesh of edges or a curve."""

    stretch: float = _tunable(
        0.0,
        "Stretch",
        "How far it gives when it is pulled: 0 not at all, 1 like a rubber band",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    bend: float = _tunable(
        0.3,
        "Bend",
        "Resistance to bending: 0 like a chain, 1 like a steel cable",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    springback: float = _tunable(
        0.0,
        "Springback",
        "How much it wants back to the shape that it was drawn in; 0 takes straight as its rest",
        minimum=0.0,
        maximum=1.0,
    )
    diameter: float = _tunable(
        0.0,
        "Diameter",
        "Thickness of the rope for collisions and wind; 0 takes it from the rope's size",
        unit="m",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=0.5,
    )
    drag: float = _drag(0.4)
    friction: float = _friction()
    restitution: float = _restitution()
    line_density: float = _line_density(0.1)
    meets_others: bool = _meets_others()


@dataclass(frozen=True)
class PlantSettings(_Checked):
    """One plant: branches of edges, leaves of faces, rooted where it is pinned."""

    stiffness: float = _tunable(
        0.5,
        "Stiffness",
        "How fast it sways, and so how hard it is to bend: grass is near 0, a tree near 1",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    recovery: float = _tunable(
        0.5,
        "Recovery",
        "How fast it comes to rest when the wind is over: 0 sways for long, 1 hardly at all",
        minimum=0.0,
        maximum=1.0,
    )
    leaf_softness: float = _tunable(
        0.6,
        "Leaf Softness",
        "How much softer leaves are than branches",
        minimum=0.0,
        maximum=1.0,
    )
    taper: float = _tunable(
        0.7,
        "Taper",
        "How much softer and lighter branches get toward their ends",
        minimum=0.0,
        maximum=1.0,
        advanced=True,
    )
    diameter: float = _tunable(
        0.0,
        "Branch Diameter",
        "Thickness of bare branches for collisions and wind; 0 takes it from the plant's size",
        unit="m",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=0.5,
    )
    drag: float = _drag(0.5)
    friction: float = _friction()
    restitution: float = _restitution()
    area_density: float = _tunable(
        0.5,
        "Leaf Mass per Area",
        "Mass of a square metre of leaves and stems: the lighter, the more the wind bends them",
        unit="kg/m²",
        minimum=1e-4,
        maximum=1e4,
        soft_minimum=0.05,
        soft_maximum=2.0,
        advanced=True,
    )
    meets_others: bool = _meets_others(default=False)


@dataclass(frozen=True)
class SoftBodySettings(_Checked):
    """One soft body: a closed mesh that keeps its volume and, more or less, its shape."""

    stiffness: float = _tunable(
        0.4,
        "Skin",
        "Resistance of the surface to stretching: jelly is near 0, a ball near 1",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    shape: float = _tunable(
        0.4,
        "Shape",
        "How much it wants back to its own shape: 0 like a bag, 1 like hard rubber",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    volume: float = _tunable(
        1.0,
        "Volume",
        "How well the volume is kept: 0 not at all, 1 as if filled with water",
        minimum=0.0,
        maximum=1.0,
    )
    pressure: float = _tunable(
        1.0,
        "Pressure",
        "Volume that it aims at, as a factor on its own: above 1 it swells like a balloon",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=3.0,
    )
    bend: float = _tunable(
        0.2,
        "Bend",
        "Resistance of the surface to folding",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
        advanced=True,
    )
    damping: float = _tunable(
        0.2,
        "Damping",
        "How fast wobbling dies away",
        minimum=0.0,
        maximum=1.0,
    )
    drag: float = _drag(0.2)
    friction: float = _friction()
    restitution: float = _restitution()
    density: float = _density(200.0)
    thickness: float = _tunable(
        0.1,
        "Contact Distance",
        "Distance kept from other surfaces, in mean edge lengths",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=0.5,
        advanced=True,
    )
    meets_others: bool = _meets_others()


PARTICLE_BEHAVIOURS = (
    ("DUST", "Dust", "Falls, floats and bounces as the air and the forces take it"),
    ("FLOCK", "Flock", "Flies with its neighbours like a swarm of birds or fish"),
    ("FLOW", "Flow", "Is carried by a turbulent stream that neither gathers nor thins it out"),
)


@dataclass(frozen=True)
class ParticleSettings(_Checked):
    """One cloud: each vertex of a mesh is a particle of its own."""

    behaviour: str = _tunable(
        "DUST", "Behaviour", "What moves the particles", choices=PARTICLE_BEHAVIOURS
    )
    radius: float = _tunable(
        0.03,
        "Radius",
        "Size of a particle for collisions",
        unit="m",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=0.5,
        paintable=True,
    )
    mass: float = _tunable(
        0.01,
        "Mass",
        "Mass of a particle",
        unit="kg",
        minimum=1e-9,
        maximum=1e6,
        soft_minimum=1e-4,
        soft_maximum=1.0,
        paintable=True,
    )
    weight: float = _tunable(
        1.0,
        "Gravity",
        "Share of gravity that it feels: 0 floats, below 0 rises",
        minimum=-100.0,
        maximum=100.0,
        soft_minimum=-1.0,
        soft_maximum=1.0,
    )
    drag: float = _drag(0.5)
    friction: float = _friction()
    restitution: float = _restitution()
    speed: float = _tunable(
        2.0,
        "Speed",
        "Speed of a flock, or of the stream of a flow",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=20.0,
    )
    size: float = _tunable(
        1.0,
        "Pattern Size",
        "How far birds see each other, or how large the eddies of a flow are",
        unit="m",
        minimum=1e-3,
        maximum=1e4,
        soft_minimum=0.1,
        soft_maximum=10.0,
    )
    separation: float = _tunable(
        1.5, "Separation", "Flock: how hard neighbours keep apart", minimum=0.0, maximum=10.0
    )
    alignment: float = _tunable(
        2.0, "Alignment", "Flock: how hard they turn the same way", minimum=0.0, maximum=10.0
    )
    cohesion: float = _tunable(
        0.5, "Cohesion", "Flock: how hard they keep together", minimum=0.0, maximum=10.0
    )
    seed: int = _tunable(
        0, "Seed", "Another number gives another start", minimum=0, maximum=1_000_000, advanced=True
    )
    meets_itself: bool = _tunable(
        True, "Meet Each Other", "Particles of this cloud collide with each other", advanced=True
    )
    meets_others: bool = _meets_others()


BODY_SHAPES = (
    ("AUTO", "Automatic", "The shape that fits the mesh best"),
    ("BOX", "Box", "The mesh's bounding box"),
    ("SPHERE", "Sphere", "A ball of the mesh's mean radius"),
)

COLLIDER_SHAPES = (
    ("AUTO", "Automatic", "The shape that fits the mesh best"),
    ("PLANE", "Plane", "An endless floor: all below the object's local XY plane is solid"),
    ("BOX", "Box", "The mesh's bounding box, solid"),
    ("ROOM", "Room", "The mesh's bounding box, hollow: keeps things inside"),
    ("SPHERE", "Sphere", "A solid ball"),
    ("CAPSULE", "Capsule", "A solid cylinder with round ends, along the longest side"),
)


@dataclass(frozen=True)
class BodySettings(_Checked):
    """One rigid body."""

    shape: str = _tunable(
        "AUTO", "Shape", "What collides in place of the mesh", choices=BODY_SHAPES
    )
    mass: float = _tunable(
        1.0,
        "Mass",
        "Mass of the body",
        unit="kg",
        minimum=1e-6,
        maximum=1e9,
        soft_minimum=0.01,
        soft_maximum=1000.0,
    )
    friction: float = _friction()
    restitution: float = _restitution()
    drag: float = _drag(0.05)


@dataclass(frozen=True)
class ColliderSettings(_Checked):
    """One thing that others bump into and that nothing moves but its own animation."""

    shape: str = _tunable(
        "AUTO", "Shape", "What collides in place of the mesh", choices=COLLIDER_SHAPES
    )
    friction: float = _friction()
    restitution: float = _restitution()
