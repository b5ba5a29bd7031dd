"""Presets: by name, for all selected objects of a kind."""

import importlib
import re
from pathlib import Path

import bpy
import pytest
from small_scenes import MODULE, addon, box, cloth, grid, new_object, play, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def kinds():
    return addon("properties.kinds").KINDS


@pytest.fixture
def core_presets(extension):
    return importlib.import_module(f"{MODULE}.core.presets").PRESETS


KINDS = ["CLOTH", "ROPE", "PLANT", "SOFT_BODY", "PARTICLES", "BODY"]


@pytest.mark.without_wheels
@pytest.mark.parametrize("identifier", KINDS)
def test_every_preset_is_shown_as_what_it_is(core_presets, identifier):
    ob = box()
    select(ob)
    kind = kinds()[identifier]
    getattr(bpy.ops.verlet, kind.verb)()
    shown = addon("properties.presets").current
    labels = set()
    for name, preset in core_presets[identifier].items():
        assert bpy.ops.verlet.preset(preset=name) == {"FINISHED"}
        assert shown(ob, kind) == name
        labels.add(preset.label)
        assert len(preset.description) > 5
    assert len(labels) == len(core_presets[identifier])
    group = getattr(ob.verlet, kind.group)
    group.friction, group.drag = 7.5, 77.0
    assert shown(ob, kind) == ""


def test_a_preset_is_for_all_selected_objects_of_the_kind():
    first, second, crate = cloth(name="A"), cloth(name="B"), box()
    select(crate)
    bpy.ops.verlet.rigid_body()
    select(crate, first, second)
    assert bpy.ops.verlet.preset(preset="LEATHER") == {"FINISHED"}
    for ob in (first, second):
        assert ob.verlet.cloth.bend == pytest.approx(0.7)
    assert crate.verlet.body.friction == pytest.approx(0.5)


def test_a_material_sets_the_density_and_leaves_the_shape_of_a_body_alone():
    crate = box()
    select(crate)
    bpy.ops.verlet.rigid_body()
    crate.verlet.body.mass = 12.0
    crate.verlet.body.shape = "SPHERE"
    bpy.ops.verlet.preset(preset="ICE")
    assert crate.verlet.body.friction == pytest.approx(0.03)
    assert crate.verlet.body.mass_by == "DENSITY"
    assert crate.verlet.body.density == pytest.approx(920.0)
    assert crate.verlet.body.mass == 12.0  # as it was, for when the user wants it back
    assert crate.verlet.body.shape == "SPHERE"


def test_an_unknown_preset_is_refused():
    select(cloth())
    with pytest.raises(RuntimeError, match=r"Velvet.*SILK"):
        bpy.ops.verlet.preset(preset="Velvet")


def test_greyed_out_for_what_has_no_presets():
    wall = grid()
    select(wall)
    bpy.ops.verlet.collider()
    with pytest.raises(RuntimeError, match="presets"):
        bpy.ops.verlet.preset(preset="SILK")


def test_a_preset_during_play_is_simulated_anew(scene):
    select(cloth())
    play(scene, 1, 3)
    bpy.ops.verlet.preset(preset="SILK")
    play(scene, 4, 5)
    assert session_of(scene).is_outdated


def test_a_baked_object_is_refused(scene):
    ob = cloth(name="Flag")
    scene.frame_end = 3
    bpy.ops.verlet.bake()
    select(ob)
    with pytest.raises(RuntimeError, match=r"Flag.*Free Bake"):
        bpy.ops.verlet.preset(preset="SILK")


def test_kinds_have_numbers_of_their_own():
    """Saved files hold the number: it must never change."""
    assert {kind.identifier: kind.number for kind in kinds().values()} == {
        "CLOTH": 1,
        "BODY": 2,
        "COLLIDER": 3,
        "ROPE": 4,
        "PLANT": 5,
        "SOFT_BODY": 6,
        "PARTICLES": 7,
        "RAGDOLL": 8,
    }
    assert new_object("New", [(0, 0, 0)]).verlet.kind == "NONE"


def test_every_icon_is_one_of_this_blender():
    """Icons come and go with Blender's versions, and an unknown one breaks the whole panel."""
    known = bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items.keys()
    package = Path(addon("handlers").__file__).parent
    for file in package.rglob("*.py"):
        for icon in re.findall(r'icon="(\w+)"', file.read_text()):
            assert icon in known, f"{file.name}: {icon}"
    for kind in kinds().values():
        assert kind.icon in known
