"""Materials that a user chooses from: settings by the name of a verb, in the order of a menu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .settings import (
    BodySettings,
    ClothSettings,
    ParticleSettings,
    PlantSettings,
    RopeSettings,
    SoftBodySettings,
)


@dataclass(frozen=True)
class Preset:
    """Settings with a name and a word on what to expect of them."""

    label: str
    description: str
    settings: Any


PRESETS: dict[str, dict[str, Preset]] = {
    "CLOTH": {
        "SILK": Preset(
            "Silk",
            "Light and flowing, hardly resists folding",
            ClothSettings(shear=0.35, bend=0.05, drag=1.8, friction=0.2, area_density=0.1),
        ),
        "COTTON": Preset(
            "Cotton",
            "Shirts, sheets and flags: the default",
            ClothSettings(),
        ),
        "DENIM": Preset(
            "Denim",
            "Heavier, with larger folds",
            ClothSettings(
                shear=0.7,
                bend=0.45,
                drag=0.8,
                friction=0.6,
                area_density=0.45,
                bend_model="DIHEDRAL",
            ),
        ),
        "LEATHER": Preset(
            "Leather",
            "Stiff and heavy, bends in wide curves",
            ClothSettings(
                shear=0.85,
                bend=0.7,
                drag=0.5,
                friction=0.7,
                area_density=1.0,
                bend_model="DIHEDRAL",
            ),
        ),
        "RUBBER": Preset(
            "Rubber",
            "Gives when it is pulled and springs back",
            ClothSettings(
                shear=0.4,
                bend=0.2,
                stretch=0.6,
                drag=0.5,
                friction=0.9,
                restitution=0.3,
                area_density=0.8,
                tethers=False,
            ),
        ),
    },
    "ROPE": {
        "ROPE": Preset("Rope", "Laid hemp, as thick as a thumb: the default", RopeSettings()),
        "CABLE": Preset(
            "Cable",
            "Steel: heavy and hard to bend",
            RopeSettings(bend=0.95, diameter=0.02, drag=0.1, friction=0.3, line_density=0.8),
        ),
        "CHAIN": Preset(
            "Chain",
            "Heavy and limp, each edge a link",
            RopeSettings(bend=0.0, diameter=0.03, drag=0.05, friction=0.4, line_density=1.5),
        ),
        "STRING": Preset(
            "String",
            "Thin and light, the air slows it",
            RopeSettings(bend=0.1, diameter=0.004, drag=2.0, line_density=0.005),
        ),
        "BUNGEE": Preset(
            "Bungee",
            "Stretches and springs back",
            RopeSettings(stretch=0.7, bend=0.15, diameter=0.015, line_density=0.08),
        ),
    },
    "PLANT": {
        "GRASS": Preset(
            "Grass",
            "Thin blades that every breeze bends",
            PlantSettings(stiffness=0.2, recovery=0.4, drag=1.5),
        ),
        "SHRUB": Preset("Shrub", "Elastic branches, soft leaves: the default", PlantSettings()),
        "TREE": Preset(
            "Tree",
            "Stiff branches that sway slowly",
            PlantSettings(stiffness=0.8, recovery=0.6, drag=0.4),
        ),
        "FLOWER": Preset(
            "Flower",
            "A slender stem with a heavy head",
            PlantSettings(stiffness=0.3, recovery=0.6, leaf_softness=0.4),
        ),
    },
    "SOFT_BODY": {
        "JELLY": Preset(
            "Jelly",
            "Wobbles, keeps its volume",
            SoftBodySettings(stiffness=0.15, shape=0.3, bend=0.35, damping=0.25, density=1000.0),
        ),
        "BALLOON": Preset(
            "Balloon",
            "A light skin blown up by the pressure inside",
            SoftBodySettings(
                stiffness=0.3,
                shape=0.0,
                pressure=1.3,
                bend=0.1,
                damping=0.6,
                drag=1.5,
                density=3.0,
            ),
        ),
        "RUBBER": Preset(
            "Rubber",
            "A solid ball or eraser: gives a little and bounces",
            SoftBodySettings(
                stiffness=0.5,
                shape=0.8,
                damping=0.1,
                friction=0.9,
                density=1100.0,
            ),
        ),
        "CUSHION": Preset(
            "Cushion",
            "Gives way, comes back slowly",
            SoftBodySettings(
                stiffness=0.1, shape=0.25, volume=0.3, damping=1.0, friction=0.7, density=60.0
            ),
        ),
    },
    "PARTICLES": {
        "DUST": Preset(
            "Dust",
            "Fine grains that the air carries",
            ParticleSettings(radius=0.01, mass=0.001, weight=0.15, drag=3.0, meets_itself=False),
        ),
        "BALLS": Preset(
            "Balls",
            "Fall, bounce and pile up",
            # They do not turn: with the friction of what rolls off, or they stand on each other.
            ParticleSettings(radius=0.06, mass=0.1, drag=0.05, restitution=0.5, friction=0.2),
        ),
        "FLOCK": Preset(
            "Flock",
            "Birds or fish that keep together",
            ParticleSettings(
                behaviour="FLOCK", radius=0.05, weight=0.0, drag=0.0, speed=4.0, size=5.0
            ),
        ),
        "FLOW": Preset(
            "Flow",
            "Smoke or leaves carried by a turbulent stream",
            ParticleSettings(
                behaviour="FLOW", radius=0.02, weight=0.0, drag=4.0, meets_itself=False
            ),
        ),
    },
    "BODY": {
        "WOOD": Preset(
            "Wood",
            "Dry timber, 600 kg/m³",
            BodySettings(mass_by="DENSITY", density=600.0, friction=0.5, restitution=0.2),
        ),
        "STONE": Preset(
            "Stone",
            "Hard, hardly bounces, 2600 kg/m³",
            BodySettings(mass_by="DENSITY", density=2600.0, friction=0.7),
        ),
        "STEEL": Preset(
            "Steel",
            "Smooth and hard, 7800 kg/m³",
            BodySettings(mass_by="DENSITY", density=7800.0, friction=0.3, restitution=0.3),
        ),
        "RUBBER": Preset(
            "Rubber",
            "Grips and bounces, 1100 kg/m³",
            BodySettings(mass_by="DENSITY", density=1100.0, friction=1.0, restitution=0.7),
        ),
        "ICE": Preset(
            "Ice",
            "Slides, 920 kg/m³",
            BodySettings(mass_by="DENSITY", density=920.0, friction=0.03),
        ),
    },
}
"""Materials by the name of a verb (a key of `RECIPES`, or BODY) and their own."""
