"""Blender's properties are the core's settings: nothing about a parameter stands twice."""

import importlib
import subprocess
import sys

import bpy
import pytest
from small_scenes import MODULE, addon, cloth, floor, grid, play, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

GROUPS = {
    "ClothSettings": lambda ob: ob.verlet.cloth,
    "RopeSettings": lambda ob: ob.verlet.rope,
    "PlantSettings": lambda ob: ob.verlet.plant,
    "SoftBodySettings": lambda ob: ob.verlet.soft_body,
    "ParticleSettings": lambda ob: ob.verlet.particles,
    "AnimatedSettings": lambda ob: ob.verlet.animated,
    "BodySettings": lambda ob: ob.verlet.body,
    "ColliderSettings": lambda ob: ob.verlet.collider,
    "ImpulseSettings": lambda ob: ob.verlet.impulse,
    "SolverSettings": lambda ob: bpy.context.scene.verlet.solver,
    "WindSettings": lambda ob: bpy.context.scene.verlet.wind,
}


@pytest.fixture
def settings(extension):
    return importlib.import_module(f"{MODULE}.core.settings")


SIDEBAR = 280  # px at a scale of 1, as wide as Blender opens it


@pytest.mark.without_wheels
def test_no_label_is_cut_off_in_a_sidebar_as_blender_opens_it(settings):
    panel = addon("panels.settings")
    room = panel.label_room(SIDEBAR, 1.0)
    labels = {
        panel.label_within(room, about, 1.0)
        for name, cls in vars(settings).items()
        if name.endswith("Settings")
        for default, about in settings.tunables(cls).values()
        if not isinstance(default, bool)  # which stands on the other side of its box
    }
    assert "Breaking Force" in labels
    assert "Stiffness (N/m)" in labels  # units stay where there is room for them
    assert [label for label in labels if panel.text_width(label, 1.0) > room] == []


@pytest.mark.without_wheels
@pytest.mark.parametrize("name", GROUPS)
def test_untouched_properties_are_the_default_settings(settings, name):
    cls = getattr(settings, name)
    assert addon("properties.tunable_properties").settings_from(GROUPS[name](grid()), cls) == cls()


@pytest.mark.without_wheels
@pytest.mark.parametrize("name", GROUPS)
def test_every_tunable_has_its_label_tooltip_and_range(settings, name):
    properties = GROUPS[name](grid()).bl_rna.properties
    tunables = settings.tunables(getattr(settings, name))
    is_painted = name in {
        k.settings.__name__ for k in addon("properties.kinds").KINDS.values() if k.is_particles
    }
    groups = {
        f"{field}_group" for field, (_, about) in tunables.items() if is_painted and about.paintable
    }
    assert set(properties.keys()) - {"rna_type", "name"} == set(tunables) | groups
    for field, (_, about) in tunables.items():
        shown = properties[field]
        assert shown.name == about.label
        assert shown.description.startswith(about.description)
        if about.minimum is not None:
            assert shown.hard_min == pytest.approx(about.minimum)
        if about.maximum is not None:
            assert shown.hard_max == pytest.approx(about.maximum)
        if about.soft_maximum is not None:
            assert shown.soft_max == pytest.approx(about.soft_maximum)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_the_ends_of_every_range_are_valid_settings(settings, name, end):
    """Blender's 32-bit floats may round an end of a range to outside of it."""
    cls = getattr(settings, name)
    group = GROUPS[name](grid())
    for field, (default, about) in settings.tunables(cls).items():
        limit = getattr(about, end)
        if limit is not None:
            setattr(group, field, (limit,) * len(default) if isinstance(default, tuple) else limit)
    made = addon("properties.tunable_properties").settings_from(group, cls)
    for field, (default, about) in settings.tunables(cls).items():
        limit = getattr(about, end)
        if limit is not None and not isinstance(default, tuple):
            assert getattr(made, field) == pytest.approx(limit)


def test_every_operator_says_what_it_does():
    for name in dir(bpy.ops.verlet):
        operator = getattr(bpy.ops.verlet, name).get_rna_type()
        assert len(operator.description) > 20, name
        lines = operator.description.split("\n")
        assert all(line and line == " ".join(line.split()) for line in lines), name
        assert not lines[-1].endswith("."), name  # Blender ends it by itself
        for key, prop in operator.properties.items():
            assert key == "rna_type" or prop.is_hidden or prop.description, f"{name}.{key}"


@pytest.mark.parametrize("use_own", [False, True])
def test_start_frame(scene, use_own):
    scene.frame_start = 5
    scene.verlet.own_start = 8
    scene.verlet.use_own_start = use_own
    start = 8 if use_own else 5
    cloth()
    play(scene, 1, 12)
    assert session_of(scene).start == start
    assert session_of(scene).last == 12


def test_scripts_change_one_object_only():
    first, second = cloth(name="A"), cloth(name="B")
    select(first, second)
    second.verlet.cloth.bend = 0.9
    assert first.verlet.cloth.bend == pytest.approx(0.25)


def test_settings_change_the_simulation(scene):
    ob = cloth(location=(0, 0, 1))
    floor()
    for friction in (0.0, 1.0):
        ob.verlet.cloth.friction = friction
        play(scene, 1, 3)
        assert session_of(scene).model.particles.friction[:25] == pytest.approx(friction)


def test_enabling_the_extension_does_not_load_numba(extension):
    """Numba takes half a second to import: only scenes that simulate something pay for it."""
    code = (
        "import bpy, sys, addon_utils\n"
        f"addon_utils.enable({MODULE!r}, default_set=True)\n"
        "bpy.context.scene.frame_set(2)\n"
        "assert hasattr(bpy.types.Scene, 'verlet')\n"
        "print('numba' in sys.modules)\n"
        "sys.stdout.flush()\n"
        "import os; os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False", done.stdout + done.stderr
