"""Presets that users save, Copy to Selected and Select Similar."""

import json
from pathlib import Path

import bpy
import pytest
from small_scenes import addon, body, box, cloth, floor, grid, pin, refusal, select

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]


def cloth_kind():
    return addon("properties.kinds").KINDS["CLOTH"]


@pytest.fixture(autouse=True)
def no_presets(scene):
    """No preset of another test is left."""
    users = addon("properties.user_presets")
    for kind in addon("properties.kinds").KINDS.values():
        for name in list(users.of_kind(kind)):
            users.delete(kind, name)


def test_a_preset_is_saved_chosen_and_deleted(extension):
    ob, other = cloth(name="A"), cloth(name="B")
    select(ob)
    ob.verlet.cloth.bend, ob.verlet.cloth.thickness = 0.375, 0.25
    ob.verlet.cloth.bend_group = "Mine"
    assert bpy.ops.verlet.save_preset(name=" Sail / Größe 3 ") == {"FINISHED"}
    shown = addon("properties.presets")
    name = "Sail / Größe 3"
    assert shown.label(ob, cloth_kind()) == name
    assert shown.label(other, cloth_kind()) == "Cotton"
    select(other)
    assert bpy.ops.verlet.preset(preset=name) == {"FINISHED"}
    assert other.verlet.cloth.bend == pytest.approx(0.375)
    assert other.verlet.cloth.thickness == pytest.approx(0.25)  # a saved one sets everything
    assert other.verlet.cloth.bend_group == ""
    (file,) = addon("properties.user_presets").folder(cloth_kind()).glob("*.json")
    root = Path(bpy.utils.extension_path_user(extension.__name__))
    assert root in file.parents
    assert bpy.ops.verlet.delete_preset() == {"FINISHED"}
    assert not file.exists()
    assert shown.label(other, cloth_kind()) == "Custom"
    assert other.verlet.cloth.bend == pytest.approx(0.375)
    assert "no preset of Cloth" in refusal(bpy.ops.verlet.delete_preset)


def test_what_comes_with_the_add_on_is_neither_replaced_nor_deleted():
    select(cloth())
    assert "choose another name" in refusal(bpy.ops.verlet.save_preset, name="Silk")
    assert "choose another name" in refusal(bpy.ops.verlet.save_preset, name="SILK")
    assert "a name" in refusal(bpy.ops.verlet.save_preset, name="  ")
    bpy.ops.verlet.save_preset(name="Own")
    assert "none of your presets" in refusal(bpy.ops.verlet.delete_preset, name="SILK")


def test_saving_again_replaces(extension):
    ob = cloth()
    select(ob)
    for bend in (0.25, 0.5):
        ob.verlet.cloth.bend = bend
        bpy.ops.verlet.save_preset(name="Mine")
    assert list(addon("properties.user_presets").of_kind(cloth_kind())) == ["Mine"]
    ob.verlet.cloth.bend = 0.0
    bpy.ops.verlet.preset(preset="Mine")
    assert ob.verlet.cloth.bend == pytest.approx(0.5)


def test_colliders_have_presets_too_and_speed_is_never_saved():
    wall = floor()
    wall.verlet.collider.friction = 0.125
    bpy.ops.verlet.save_preset(name="Ice rink")
    other = floor(name="Other")
    assert bpy.ops.verlet.preset(preset="Ice rink") == {"FINISHED"}
    assert other.verlet.collider.friction == pytest.approx(0.125)
    ball = body()
    ball.verlet.body.velocity = (3, 0, 0)
    bpy.ops.verlet.save_preset(name="Ball")
    still = body(name="Still")
    bpy.ops.verlet.preset(preset="Ball")
    assert tuple(still.verlet.body.velocity) == (0, 0, 0)
    assert (
        addon("properties.presets").label(ball, addon("properties.kinds").KINDS["BODY"]) == "Ball"
    )


def test_damaged_and_strange_files_are_passed_over(capfd):
    select(cloth())
    bpy.ops.verlet.save_preset(name="Good")
    folder = addon("properties.user_presets").folder(cloth_kind())
    (folder / "Broken.json").write_text('{"name": "Bro')
    strange = {"name": "Strange", "settings": {"bend": 7.0, "shear": 0.25, "gone": 1}}
    (folder / "Strange.json").write_text(json.dumps(strange))
    addon("properties.user_presets")._known.clear()
    found = addon("properties.user_presets").of_kind(cloth_kind())
    assert sorted(found) == ["Good", "Strange"]
    assert found["Strange"].settings.shear == 0.25
    assert found["Strange"].settings.bend == type(found["Strange"].settings)().bend
    said = capfd.readouterr().out
    assert "Broken.json cannot be read" in said
    assert "Bend = 7.0 lies outside" in said
    for file in folder.glob("*.json"):
        file.unlink()


def test_copy_makes_others_what_the_active_one_is():
    source = cloth(name="Source")
    pin(source, [0], name="Hem")
    source.verlet.cloth.bend, source.verlet.cloth.bend_group = 0.75, "Hem"
    source.verlet.animated.wind = 0.5
    with_group, without, crate = grid(name="With"), grid(name="Without"), body()
    with_group.vertex_groups.new(name="Hem")
    select(with_group, without, crate, source)
    assert bpy.ops.verlet.copy_to_selected() == {"FINISHED"}
    for ob in (with_group, without, crate):
        assert ob.verlet.kind == "CLOTH"
        assert ob.verlet.cloth.bend == pytest.approx(0.75)
        assert ob.verlet.animated.wind == pytest.approx(0.5)
    assert (with_group.verlet.pin_group, with_group.verlet.cloth.bend_group) == ("Hem", "Hem")
    assert (without.verlet.pin_group, without.verlet.cloth.bend_group) == ("", "")


def test_copy_names_those_that_cannot_be():
    source = cloth(name="Source")
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    select(empty, source)
    assert "Empty" in refusal(bpy.ops.verlet.copy_to_selected)
    select(source)
    assert "Select other objects" in refusal(bpy.ops.verlet.copy_to_selected)


def test_copy_of_a_joint_keeps_what_is_joined():
    a, b, c = (body(name=n, location=(x, 0, 1)) for n, x in (("A", 0), ("B", 1), ("C", 2)))
    select(a, b)
    bpy.ops.verlet.join()
    first = bpy.context.object
    select(b, c)
    bpy.ops.verlet.join()
    second = bpy.context.object
    first.verlet.joint.kind, first.verlet.joint.breaking_force = "HINGE", 123.0
    pair = second.verlet.joint.object_a, second.verlet.joint.object_b
    select(second, first)
    assert bpy.ops.verlet.copy_to_selected() == {"FINISHED"}
    assert second.verlet.joint.kind == "HINGE"
    assert second.verlet.joint.breaking_force == pytest.approx(123.0)
    assert (second.verlet.joint.object_a, second.verlet.joint.object_b) == pair


def selected():
    return sorted(ob.name for ob in bpy.context.selected_objects)


def test_select_similar_by_verb_and_by_material():
    silk, other, cotton = cloth(name="Silk"), cloth(name="Other"), cloth(name="Cotton")
    body(name="Crate")
    box(name="Nothing")
    select(silk, other)
    bpy.ops.verlet.preset(preset="SILK")
    select(other)
    assert bpy.ops.verlet.select_similar(by="VERB") == {"FINISHED"}
    assert selected() == ["Cotton", "Other", "Silk"]
    assert bpy.ops.verlet.select_similar(by="MATERIAL") == {"FINISHED"}
    assert selected() == ["Other", "Silk"]
    cotton.select_set(True)
    assert bpy.ops.verlet.select_similar(by="MATERIAL", extend=True) == {"FINISHED"}
    assert selected() == ["Cotton", "Other", "Silk"]
    select(bpy.data.objects["Nothing"])
    assert "takes no part" in refusal(bpy.ops.verlet.select_similar)
