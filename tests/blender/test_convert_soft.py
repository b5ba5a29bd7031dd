"""Blender's Cloth, Soft Body and Collision taken over, and given back as they were."""

import math

import bpy
import pytest
from small_scenes import addon, body, box, cloth, floor, grid, new_object, pin, play, seen, select

pytestmark = pytest.mark.usefixtures("scene")


def values_of(group):
    """All values of Blender's settings, comparable."""
    found = {}
    for name, about in group.bl_rna.properties.items():
        if name in {"rna_type", "name"} or about.is_readonly or about.type == "POINTER":
            continue
        value = getattr(group, name)
        found[name] = tuple(value) if hasattr(value, "__len__") and about.type != "ENUM" else value
    return found


def everything(ob):
    """All that Blender's own physics of an object is made of."""
    found = {"groups": [group.name for group in ob.vertex_groups], "kind": ob.verlet.kind}
    for modifier in ob.modifiers:
        found[modifier.name] = modifier.type, modifier.show_viewport, modifier.show_render
        for name in ("settings", "collision_settings"):
            if modifier.type in {"CLOTH", "SOFT_BODY"} and hasattr(modifier, name):
                found[modifier.name, name] = values_of(getattr(modifier, name))
    if ob.collision is not None:
        found["collision"] = values_of(ob.collision)
    return found


def their_cloth(**options):
    ob = grid(**options)
    modifier = ob.modifiers.new("Cloth", "CLOTH")
    return ob, modifier


def to_ours():
    assert bpy.ops.verlet.convert_soft_physics() == {"FINISHED"}


def to_theirs():
    assert bpy.ops.verlet.convert_to_soft_physics() == {"FINISHED"}


@pytest.mark.without_wheels
def test_cloth_is_taken_over(scene):
    ob, modifier = their_cloth(size=5, spacing=0.25)
    theirs = modifier.settings
    group = ob.vertex_groups.new(name="Hem")
    group.add([0, 4], 1.0, "REPLACE")
    theirs.vertex_group_mass = "Hem"
    theirs.mass, theirs.air_damping, theirs.bending_stiffness = 0.02, 2.0, 10.0
    theirs.shear_stiffness = 40.0
    modifier.collision_settings.distance_min = 0.025
    modifier.collision_settings.friction = 3.0
    modifier.collision_settings.use_self_collision = True
    to_ours()
    ours = ob.verlet.cloth
    assert ours.meets_itself
    assert ob.verlet.kind == "CLOTH"
    assert ob.verlet.pin_group == "Hem"
    assert ours.area_density == pytest.approx(0.02 * 25 / 1.0)
    assert ours.drag == pytest.approx(0.01 * 2.0 * 24 / 0.02)
    assert (ours.bend, ours.shear) == pytest.approx((0.45, 0.7))
    assert ours.thickness == pytest.approx(0.1)
    assert ours.friction == pytest.approx(0.3)
    assert ours.stretch == 0.0
    assert not modifier.show_viewport
    assert not modifier.show_render


@pytest.mark.without_wheels
def test_defaults_are_cotton_and_rubber_stretches(scene):
    ob, _ = their_cloth()
    soft = grid(name="Soft")
    soft.modifiers.new("Cloth", "CLOTH").settings.tension_stiffness = 0.2
    to_ours()
    assert ob.verlet.cloth.bend == pytest.approx(0.25)
    assert ob.verlet.cloth.friction == pytest.approx(0.5)
    assert not ob.verlet.cloth.meets_itself
    assert 0.5 < soft.verlet.cloth.stretch < 1.0


@pytest.mark.without_wheels
def test_closed_cloth_under_pressure_is_a_soft_body(scene, capfd):
    ob = box(size=0.5)
    theirs = ob.modifiers.new("Cloth", "CLOTH").settings
    theirs.use_pressure, theirs.uniform_pressure_force = True, 5.0
    to_ours()
    assert ob.verlet.kind == "SOFT_BODY"
    assert ob.verlet.soft_body.pressure == pytest.approx(1.2)
    assert ob.verlet.soft_body.density == pytest.approx(0.3 * 8 / 0.125)
    assert "its pressure is a force" in capfd.readouterr().out


@pytest.mark.without_wheels
def test_soft_bodies_and_their_goal(scene):
    jelly, sheet = box(name="Jelly"), grid(name="Sheet")
    for ob in (jelly, sheet):
        ob.modifiers.new("Softbody", "SOFT_BODY")
    jelly.modifiers["Softbody"].settings.goal_default = 0.25
    jelly.modifiers["Softbody"].settings.pull = 0.75
    sheet.modifiers["Softbody"].settings.use_goal = False
    before = everything(jelly), everything(sheet)
    to_ours()
    assert (jelly.verlet.kind, sheet.verlet.kind) == ("SOFT_BODY", "CLOTH")
    assert jelly.verlet.soft_body.stiffness == pytest.approx(0.75)
    (weight,) = {round(v.groups[0].weight, 4) for v in jelly.data.vertices}
    assert weight == 0.25
    assert jelly.verlet.pin_group == jelly.vertex_groups[0].name
    assert sheet.verlet.pin_group == ""
    to_theirs()
    assert (everything(jelly), everything(sheet)) == before


@pytest.mark.without_wheels
def test_colliders_are_taken_over_and_fields_are_left_alone(scene, capfd):
    ground = box(name="Ground", size=2.0, location=(0, 0, -1))
    ground.modifiers.new("Collision", "COLLISION")
    ground.collision.cloth_friction = 8.0
    ground.collision.absorption = 0.5
    their_cloth()
    for kind in ("WIND", "CHARGE"):
        ob = bpy.data.objects.new(kind.title(), None)
        scene.collection.objects.link(ob)
        select(ob)
        bpy.ops.object.forcefield_toggle()
        ob.field.type = kind
    to_ours()
    assert ground.verlet.kind == "COLLIDER"
    assert ground.verlet.collider.friction == pytest.approx(0.8)
    said = capfd.readouterr().out
    assert "Ground: it shields nothing" in said
    assert "Charge: force fields of type" in said
    assert "Wind: " not in said


@pytest.mark.without_wheels
def test_a_scene_comes_back_equal(scene):
    ground = box(name="Ground", size=2.0, location=(0, 0, -1))
    ground.modifiers.new("Collision", "COLLISION")
    ob, modifier = their_cloth()
    ob.modifiers.new("Subdivision", "SUBSURF")
    modifier.show_render = False
    modifier.settings.use_sewing_springs = True
    modifier.settings.tension_stiffness = 1.0
    objects = [ground, ob]
    before = list(map(everything, objects))
    to_ours()
    play(scene, 1, 3)
    to_theirs()
    assert list(map(everything, objects)) == before
    assert not any(one.verlet.own_physics for one in objects)


@pytest.mark.without_wheels
def test_what_was_edited_meanwhile_is_written_back(scene):
    ob, modifier = their_cloth()
    to_ours()
    ob.verlet.cloth.bend, ob.verlet.cloth.meets_itself = 0.45, True
    pin(ob, [0], name="New")
    before = values_of(modifier.settings)
    to_theirs()
    after = values_of(modifier.settings)
    changed = {name for name in after if after[name] != before[name]}
    # Blender itself keeps the largest above the value
    assert changed <= {"bending_stiffness", "bending_stiffness_max", "vertex_group_mass"}
    assert modifier.settings.bending_stiffness == pytest.approx(10.0)
    assert modifier.settings.vertex_group_mass == "New"
    assert modifier.collision_settings.use_self_collision


@pytest.mark.without_wheels
def test_what_was_made_here_gets_new_modifiers(scene, capfd):
    sheet, ground = cloth(name="Sheet"), floor(name="Ground")
    pin(sheet, [0], name="Hem")
    sheet.verlet.cloth.bend = 0.7
    jelly = box(name="Jelly")
    select(jelly)
    bpy.ops.verlet.soft_body()
    crate = body(name="Crate")
    rope = new_object("Rope", [(0, 0, z) for z in range(5)], edges=[(i, i + 1) for i in range(4)])
    select(rope)
    bpy.ops.verlet.rope()
    to_theirs()
    assert [m.type for m in sheet.modifiers] == ["CLOTH"]
    assert sheet.modifiers[0].settings.bending_stiffness == pytest.approx(150.0, rel=1e-3)
    assert sheet.modifiers[0].settings.vertex_group_mass == "Hem"
    assert sheet.modifiers[0].collision_settings.use_self_collision
    assert [m.type for m in ground.modifiers] == ["COLLISION"]
    assert [m.type for m in jelly.modifiers] == ["SOFT_BODY"]
    assert not jelly.modifiers[0].settings.use_goal
    assert (crate.verlet.kind, rope.verlet.kind) == ("BODY", "ROPE")
    assert "Rope: a rope has no counterpart" in capfd.readouterr().out


@pytest.mark.without_wheels
def test_a_floor_of_both_simulations_goes_back_to_both(scene):
    ground = box(name="Ground", size=2.0, location=(0, 0, -1))
    ground.modifiers.new("Collision", "COLLISION")
    select(ground)
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    ground.rigid_body.friction = 0.9
    their_cloth()
    before = everything(ground), values_of(ground.rigid_body)
    assert bpy.ops.verlet.convert_rigid_body_world() == {"FINISHED"}
    to_ours()
    assert ground.verlet.kind == "COLLIDER"
    to_theirs()
    assert ground.verlet.kind == "COLLIDER"
    assert bpy.ops.verlet.convert_to_rigid_body_world() == {"FINISHED"}
    assert ground.verlet.kind == "NONE"
    assert (everything(ground), values_of(ground.rigid_body)) == before


@pytest.mark.without_wheels
@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY"])
def test_what_is_converted_is_braked_by_the_air_as_before(scene, kind, capfd):
    """In a second it falls 3.6 m, not 4.9; Blender's falls by its own share of gravity."""
    ob = grid(size=4, spacing=0.2, location=(0, 0, 5))
    theirs = ob.modifiers.new("Own", kind).settings
    theirs.mass = 0.24
    if kind == "CLOTH":
        theirs.air_damping = 1.0
    else:
        theirs.friction, theirs.use_goal = 1.0, False
    play(scene, 1, 25)
    fallen = 5.0 - seen(ob)[:, 2].mean()
    scene.frame_set(1)
    to_ours()
    group = ob.verlet.cloth
    assert group.drag == pytest.approx(1.0)  # 1/s
    assert "0.58 of the gravity" in capfd.readouterr().out
    scene.verlet.solver.substep_rate = 240  # plain Python simulates it too
    play(scene, 1, 25)
    expected = 9.81 * math.exp(-1.0)
    assert 5.0 - seen(ob)[:, 2].mean() == pytest.approx(expected, abs=0.02)
    assert fallen == pytest.approx(0.576 * expected, abs=0.06)


@pytest.mark.without_wheels
def test_greyed_out_where_there_is_nothing(scene):
    with pytest.raises(RuntimeError, match="No object of this scene has a Cloth"):
        bpy.ops.verlet.convert_soft_physics()
    with pytest.raises(RuntimeError, match="takes part"):
        bpy.ops.verlet.convert_to_soft_physics()


@pytest.mark.without_wheels
def test_numbers_go_there_and_back():
    scales = addon("convert.scales")
    for scale in (scales.BEND_SCALE, scales.SHEAR):
        for value in (0.0, 0.03, 0.25, 0.5, 0.85, 1.0):
            assert scale.to_ours(scale.to_theirs(value)) == pytest.approx(value)
