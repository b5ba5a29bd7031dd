"""Make Tearable: native meshes that part, and come back whole as they were."""

import bpy
import numpy as np
import pytest
from small_scenes import grid, new_object, play, seen, select, session_of

pytestmark = pytest.mark.usefixtures("scene")


def flag(name="Flag", size=9):
    """An upright sheet held along its left side, with a group, a UV map and two materials."""
    ob = grid(name, size)
    ob.rotation_euler = (np.pi / 2, 0, 0)
    for number in range(2):
        ob.data.materials.append(bpy.data.materials.new(f"Dye {number}"))
    ob.data.polygons[3].material_index = 1
    ob.data.uv_layers.new(name="Print")
    group = ob.vertex_groups.new(name="Pole")
    left = min(v.co.x for v in ob.data.vertices)
    group.add([v.index for v in ob.data.vertices if v.co.x < left + 1e-5], 1.0, "REPLACE")
    seam = ob.vertex_groups.new(name="Seam")
    middle = [v.index for v in ob.data.vertices if abs(v.co.x) < 1e-5]
    seam.add(middle, 1.0, "REPLACE")
    select(ob)
    assert bpy.ops.verlet.cloth() == {"FINISHED"}
    ob.verlet.pin_group = "Pole"
    bpy.context.view_layer.update()
    return ob


def text_of(ob):
    """Everything of a mesh that is the user's."""
    mesh = ob.data
    return (
        mesh.name,
        [tuple(v.co) for v in mesh.vertices],
        [tuple(p.vertices) for p in mesh.polygons],
        [p.material_index for p in mesh.polygons],
        [m.name for m in mesh.materials],
        [layer.name for layer in mesh.uv_layers],
        [tuple(one.uv) for one in mesh.uv_layers[0].data],
        [(g.name, g.index) for g in ob.vertex_groups],
        [[(g.group, g.weight) for g in v.groups] for v in mesh.vertices],
        [a.name for a in mesh.attributes],
    )


def shown_count(ob):
    """Vertices of the mesh as it is seen."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return len(evaluated.data.vertices)


def test_remove_gives_the_own_mesh_back(scene):
    ob = flag()
    before = text_of(ob)
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    assert len(ob.data.vertices) == 4 * len(ob.data.polygons)
    assert [m.name for m in ob.data.materials] == before[4]
    assert shown_count(ob) == len(before[1])  # welded for the eye
    play(scene, 1, 5)
    select(ob)
    assert bpy.ops.verlet.remove() == {"FINISHED"}
    assert text_of(ob) == before
    assert not ob.modifiers
    assert [m.name for m in bpy.data.meshes if "Tearable" in m.name] == []


def test_a_bake_of_torn_cloth_plays_natively_and_is_freed(scene):
    ob = flag()
    before = text_of(ob)
    scene.frame_end = 20
    scene.verlet.wind.velocity = (0.0, 15.0, 0.0)
    ob.verlet.cloth.strength = 1.0
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert session_of(scene) is None or not session_of(scene).problems
    assert len(ob.data.shape_keys.key_blocks) >= 20
    scene.frame_set(20)
    torn = shown_count(ob)
    scene.frame_set(1)
    assert torn > shown_count(ob) == len(before[1])
    select(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert bpy.ops.verlet.make_tearable(whole=True) == {"FINISHED"}
    assert text_of(ob) == before


def test_a_seam_opens_at_its_key(scene):
    ob = flag()
    ob.verlet.cloth.strength = 1e6
    ob.verlet.tear_group = "Seam"
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    whole = len(ob.verlet.whole_mesh.vertices)
    assert len(ob.data.vertices) == whole + 9
    ob.verlet.animated.strength = 1.0
    ob.verlet.animated.keyframe_insert("strength", frame=5)
    ob.verlet.animated.strength = 0.0
    ob.verlet.animated.keyframe_insert("strength", frame=6)
    play(scene, 1, 5)
    assert session_of(scene).problems == []
    assert shown_count(ob) == whole
    play(scene, 6, 10)
    assert shown_count(ob) == whole + 9


def test_nothing_tears_and_nothing_changes_without_a_strength(scene):
    ob = flag()
    play(scene, 1, 10)
    plain = seen(ob)
    scene.frame_set(1)
    select(ob)
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    play(scene, 1, 10)
    torn = seen(ob)
    assert torn.shape == plain.shape
    ways = np.linalg.norm(torn[:, None] - plain[None], axis=2).min(axis=1)
    assert ways.max() < 1e-5


def test_a_rope_that_is_too_weak_snaps(scene):
    points = [(0, 0, 2 - 0.1 * i) for i in range(11)]
    ob = new_object("Rope", points, [(i, i + 1) for i in range(10)])
    select(ob)
    assert bpy.ops.verlet.rope() == {"FINISHED"}
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    assert len(ob.data.vertices) == 20
    ob.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    ob.verlet.pin_group = "Pin"
    ob.verlet.rope.strength = 0.4  # N; it weighs 1 N
    play(scene, 1, 20)
    assert session_of(scene).problems == []
    assert seen(ob)[:, 2].min() < 0.5


def test_weights_painted_meanwhile_come_along(scene):
    ob = flag()
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    ob.vertex_groups["Pole"].add([0, 1], 0.5, "REPLACE")
    assert bpy.ops.verlet.make_tearable(whole=True) == {"FINISHED"}
    weights = {v.index: g.weight for v in ob.data.vertices for g in v.groups if g.group == 0}
    assert 0.5 in weights.values()


def test_what_cannot_tear_says_why(scene):
    ob = flag()
    ob.shape_key_add(name="Basis")
    with pytest.raises(RuntimeError, match="shape keys"):
        bpy.ops.verlet.make_tearable()
    other = grid("Ball", 3)
    select(other)
    assert not bpy.ops.verlet.make_tearable.poll()
    ob.shape_key_clear()
    select(ob)
    ob.verlet.tear_group = "Nowhere"
    with pytest.raises(RuntimeError, match="missing"):
        bpy.ops.verlet.make_tearable()


def test_a_mesh_that_was_edited_since_is_named(scene):
    ob = flag()
    assert bpy.ops.verlet.make_tearable() == {"FINISHED"}
    ob.data.vertices[5].co.x += 0.05
    play(scene, 1, 2)
    assert any("edited" in p.message for p in session_of(scene).problems)
