"""Files that others made: set up, simulated, baked, freed, removed, and nothing in them differs.

`rna_walk` asks Blender itself for every property. A folder of further files is named by
`VERLET_BLEND_FILES`, as of the tests of the Khronos glTF-Blender-IO repository.
"""

import os
from contextlib import suppress
from pathlib import Path

import bpy
import pytest
import rna_walk
from small_scenes import addon, box, grid, new_object, pin, select

pytestmark = pytest.mark.usefixtures("scene")

FRAMES = 6
VERBS = {
    "MESH": ("cloth", "rigid_body", "soft_body", "plant", "collider", "particles"),
    "CURVE": ("rope",),
    "ARMATURE": ("ragdoll",),
}
OTHERS = sorted(Path(os.environ.get("VERLET_BLEND_FILES", os.devnull)).glob("**/*.blend"))


def set_up(turn):
    """Press a verb on all that is seen, each mesh another one; names by verb, of what took it."""
    seen = [ob for ob in bpy.context.view_layer.objects if ob.type in VERBS and ob.visible_get()]
    own = [ob for ob in seen if ob.library is None and not carried(ob)]
    taken = {}
    for index, ob in enumerate(own):
        verbs = VERBS[ob.type]
        verb = verbs[(turn + index) % len(verbs)]
        select(ob)
        with suppress(RuntimeError):  # refused, with the reason
            getattr(bpy.ops.verlet, verb)()
            taken.setdefault(verb, []).append(ob.name)
    return taken


def carried(ob):
    return ob.type == "MESH" and any(m.type == "ARMATURE" for m in ob.modifiers)


def differs_after_all(turn):
    """Go the whole way; what differs, and which verbs were taken."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    scene.frame_set(scene.frame_start + 1)  # Blender's own evaluation has its effect before
    scene.frame_set(scene.frame_start)
    chosen, active = [ob.name for ob in layer.objects if ob.select_get()], layer.objects.active
    before = rna_walk.walk()
    taken = set_up(turn)
    for frame in range(scene.frame_start, scene.frame_start + FRAMES):
        scene.frame_set(frame)
    names = [name for some in taken.values() for name in some]
    if bpy.ops.verlet.bake.poll():
        bpy.ops.verlet.bake(frame_end=scene.frame_start + FRAMES)
        assert any(addon("properties.bake_record").is_baked(bpy.data.objects[n]) for n in names)
        bpy.ops.verlet.free_bake()
    if names:
        select(*[bpy.data.objects[name] for name in names])
        bpy.ops.verlet.remove()
    scene.frame_set(scene.frame_start)
    for ob in layer.objects:
        ob.select_set(ob.name in chosen)
    layer.objects.active = active
    return rna_walk.differences(before, rna_walk.walk()), taken


def crowded_scene():
    """Shape keys, actions, drivers, groups, modifiers, parents, of every kind that takes a verb."""
    sheet = grid("Sheet", size=6)
    pin(sheet, [0, 5])
    sheet.shape_key_add(name="Basis")
    sheet.shape_key_add(name="Bulge").data[7].co.z += 0.2
    sheet.modifiers.new("Smooth", "SMOOTH")
    sheet.modifiers.new("Thick", "SOLIDIFY")
    sheet.modifiers.active = sheet.modifiers["Smooth"]
    crate = box("Crate", location=(2, 0, 1))
    crate.rotation_mode = "QUATERNION"
    crate.keyframe_insert("location", frame=1)
    crate.location.z = 2.0
    crate.keyframe_insert("location", frame=20)
    child = box("Child", size=0.2, location=(0, 0, 1))
    child.parent = crate
    old = box("Old", location=(4, 0, 1))
    old.modifiers.new("Bevel", "BEVEL")
    old.modifiers.active = None
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.curve.primitive_bezier_curve_add(location=(-3, 0, 2))
    bpy.ops.object.armature_add(location=(-5, 0, 1))
    new_object("Stray", [(0, 0, 0)], location=(6, 0, 0))
    driver = child.driver_add("scale", 0).driver
    driver.expression = "1 + 0 * frame"
    bpy.context.view_layer.update()


@pytest.mark.parametrize("turn", range(len(VERBS["MESH"])))
def test_a_crowded_scene_is_left_as_it_was(scene, turn):
    crowded_scene()
    found, taken = differs_after_all(turn)
    assert taken.keys() >= {"rope", "ragdoll"}
    assert not found


def test_the_walk_finds_what_is_left_behind(scene):
    crowded_scene()
    before = rna_walk.walk()
    assert not rna_walk.differences(before, rna_walk.walk())
    bpy.data.objects["Sheet"].modifiers.new("Left", "MESH_CACHE")
    bpy.data.objects["Crate"].rotation_quaternion.x = 1e-6
    bpy.data.objects["Sheet"].data.shape_keys.key_blocks[1].data[3].co.x += 1e-6
    bpy.data.meshes.new("Orphan")
    found = "\n".join(rna_walk.differences(before, rna_walk.walk()))
    for what in ("modifiers/2", "rotation_quaternion", "key_blocks", "meshes/Orphan"):
        assert what in found, found


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_a_file_of_others_is_left_as_it_was(scene, path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    found, _ = differs_after_all(OTHERS.index(path))
    assert not found
