"""Blender's force fields, explosions and hits act on everything that is simulated."""

import bpy
import numpy as np
import pytest
from small_scenes import cloth, play, seen, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def force_field(kind, strength, location=(0, 0, 0)):
    ob = bpy.data.objects.new(kind.title(), None)
    bpy.context.scene.collection.objects.link(ob)
    ob.location = location
    select(ob)
    bpy.ops.object.forcefield_toggle()
    ob.field.type = kind
    ob.field.strength = strength
    return ob


def middle_after(scene, last=10):
    ob = next(ob for ob in scene.objects if ob.verlet.kind != "NONE")
    play(scene, 1, last)
    return seen(ob).mean(axis=0)


def test_a_force_field_pushes(scene):
    scene.use_gravity = False
    ob = cloth(location=(0, 0, 2))
    ob.verlet.cloth.drag = 0.0
    force_field("FORCE", 10.0, location=(-50, 0, 2))
    middle = middle_after(scene, 13)
    assert middle[0] == pytest.approx(0.5 * 10 * 0.5**2, rel=0.05)
    assert abs(middle[2] - 2) < 0.01


def test_a_keyed_factor_shields_from_fields(scene):
    scene.use_gravity = False
    ob = cloth(location=(0, 0, 2))
    ob.verlet.animated.fields = 0.0
    force_field("FORCE", 10.0, location=(-50, 0, 2))
    assert abs(middle_after(scene)[0]) < 1e-4


def test_a_keyed_strength_counts_frame_by_frame(scene):
    scene.use_gravity = False
    cloth(location=(0, 0, 2)).verlet.cloth.drag = 0.0
    wind = force_field("FORCE", 0.0, location=(-50, 0, 2))
    wind.field.keyframe_insert("strength", frame=5)
    wind.field.strength = 20.0
    wind.field.keyframe_insert("strength", frame=6)
    assert abs(middle_after(scene, 5)[0]) < 1e-5
    assert middle_after(scene, 12)[0] > 0.3


def test_fields_that_cannot_act_are_named(scene):
    cloth()
    force_field("HARMONIC", 1.0)
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert not problem.is_error
    assert "Harmonic" in problem.message


@pytest.mark.parametrize("verb", ["add_explosion", "add_hit"])
def test_an_impulse_acts_in_its_frame(scene, verb):
    scene.use_gravity = False
    sheet = cloth(location=(0, 0, 2))
    rest = seen(sheet)
    scene.cursor.location = (0, 0, 1.5)
    scene.frame_set(6)
    assert getattr(bpy.ops.verlet, verb)() == {"FINISHED"}
    impulse = bpy.context.object
    assert impulse.verlet.is_impulse
    assert impulse.verlet.impulse_frame == 6
    play(scene, 1, 5)
    np.testing.assert_allclose(seen(sheet), rest, atol=1e-5)
    play(scene, 6, 9)
    assert seen(sheet)[:, 2].mean() > 2.2
    assert session_of(scene).last == 9


def test_a_changed_impulse_is_simulated_anew(scene):
    cloth(location=(0, 0, 2))
    bpy.ops.verlet.add_hit()
    hit = bpy.context.object
    play(scene, 1, 4)
    hit.verlet.impulse.strength = 20.0
    play(scene, 5, 6)
    assert session_of(scene).is_outdated


def test_impulse_operators_are_greyed_out_in_edit_mode(scene):
    select(cloth())
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Go to Object Mode first"):
        bpy.ops.verlet.add_hit()
