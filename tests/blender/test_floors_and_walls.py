"""A flat collider collides where it is drawn; a level floor that stays level goes on for ever."""

import math

import bpy
import pytest
from mathutils.bvhtree import BVHTree
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    grid,
    new_object,
    pin,
    play,
    seen,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def plane(name="Plane", size=3.0, location=(0, 0, 0), **transform):
    """A plane of two triangles as a collider."""
    ob = grid(name=name, size=2, spacing=size, location=location)
    for path, value in transform.items():
        setattr(ob, path, value)
    select(ob)
    assert bpy.ops.verlet.collider() == {"FINISHED"}
    return ob


def is_endless(scene):
    """Of each collider, whether it is an endless floor."""
    from importlib import import_module

    kinds = import_module(
        addon("session").__name__.replace("verlet_addon.session", "core.collision.kinds")
    )
    running = session_of(scene)
    shapes = running.model.shapes
    first = len(running.model.bodies)
    return {
        p.name: bool((shapes.kind[shapes.owner == first + row] == kinds.PLANE).all())
        for row, p in enumerate(running.participants("COLLIDER"))
    }


@pytest.mark.parametrize("angle", [30, 60, 90, 120, 179])
def test_nothing_is_solid_behind_above_and_beside_a_plane_that_leans(scene, angle):
    plane(location=(0, 0, 3), rotation_euler=(math.radians(angle), 0, 0.3))
    places = [(0, 5, 3), (0, -5, 3), (0, 0, 6), (0, 0, -1), (5, 0, 3), (-5, 0, 3)]
    bodies = [body(location=place, size=0.2) for place in places]
    sheet = cloth(size=5, spacing=0.1, location=(4, 4, 3))
    scene.gravity = (0, 0, 0)
    start = seen(sheet).copy()
    play(scene, 1, 12)
    for ob, place in zip(bodies, places):
        assert (ob.location - ob.location.__class__(place)).length < 1e-4
    assert abs(seen(sheet) - start).max() < 1e-4


@pytest.mark.without_wheels
def test_a_wall_stops_what_flies_against_either_side(scene):
    plane(size=4.0, rotation_euler=(0, math.pi / 2, 0))
    left, right = body(location=(-1, 0, 0)), body(location=(1, 0, 0))
    left.verlet.body.velocity, right.verlet.body.velocity = (20, 0, 0), (-20, 0, 0)
    scene.gravity = (0, 0, 0)
    play(scene, 1, 12)
    assert left.location.x < -0.19
    assert right.location.x > 0.19


@pytest.mark.without_wheels
def test_a_floor_is_endless_as_long_as_nothing_may_turn_or_bend_it(scene):
    body(location=(0, 0, 4))

    def turn(ob):
        ob.keyframe_insert("rotation_euler", frame=1)
        ob.rotation_euler.x = 0.5
        ob.keyframe_insert("rotation_euler", frame=20)
        ob.rotation_euler.x = 0.0

    def lift(ob):
        ob.keyframe_insert("location", frame=1)

    def drive(ob):
        ob.driver_add("rotation_euler", 0)

    def constrain(ob):
        ob.constraints.new("COPY_ROTATION").target = bpy.data.objects["Box"]

    def carry(ob):
        parent = bpy.data.objects.new("Hinge", None)
        scene.collection.objects.link(parent)
        ob.parent = parent
        turn(parent)

    def bend(ob):
        ob.modifiers.new("Wave", "WAVE")

    made = {}
    for number, change in enumerate((turn, lift, drive, constrain, carry, bend)):
        ob = plane(name=change.__name__, location=(20.0 * number, 0, 0))
        change(ob)
        made[change.__name__] = change is lift
    made["still"] = True
    plane(name="still", location=(-20, 0, 0))
    play(scene, 1, 1)
    assert is_endless(scene) == made


@pytest.mark.without_wheels
def test_a_table_and_a_terrace_end_where_they_are_drawn(scene):
    ground = floor()
    table = plane("Table", size=1.5, location=(0, 0, 1))
    under = body(location=(0, 0, 0.21))
    beside = body(location=(2, 0, 1.3))
    on = body(location=(0.3, 0.3, 1.3), size=0.2)
    play(scene, 1, 30)
    assert is_endless(scene) == {ground.name: True, table.name: False}
    assert under.location.z == pytest.approx(0.2, abs=0.01)
    assert beside.location.z == pytest.approx(0.2, abs=0.02)
    assert on.location.z == pytest.approx(1.1, abs=0.01)


@pytest.mark.without_wheels
def test_what_hangs_from_a_ceiling_hangs(scene):
    plane("Ceiling", size=4.0, location=(0, 0, 3))
    sheet = cloth(size=7, spacing=0.1, location=(0, 0, 2.5))
    for vertex in sheet.data.vertices:
        vertex.co = (vertex.co.x, 0.0, vertex.co.y)
    pin(sheet, [v.index for v in sheet.data.vertices if v.co.z > 0.29])
    play(scene, 1, 24)
    assert is_endless(scene) == {"Ceiling": False}
    assert seen(sheet)[:, 2].max() < 2.81


@pytest.mark.without_wheels
def test_a_trap_door_drops_what_stands_on_it(scene):
    door = plane("Door", size=2.0, location=(0, 0, 2))
    door.rotation_euler = (0, 0, 0)
    door.keyframe_insert("rotation_euler", frame=6)
    door.rotation_euler = (0, math.pi / 2, 0)
    door.keyframe_insert("rotation_euler", frame=12)
    on = body(location=(0, 0, 2.21))
    beside = body(location=(3, 0, 1.9))
    scene.frame_set(1)
    play(scene, 1, 5)
    assert on.location.z == pytest.approx(2.2, abs=0.01)
    assert beside.location.x == pytest.approx(3.0, abs=1e-3)  # and is not pushed
    assert beside.location.z < 2
    play(scene, 6, 40)
    assert on.location.z < 0
    assert abs(on.location.x) < 3


def swept(kind, thickness, **settings):
    """A board of two metres that is swept through a sheet, a rope, a jelly and a box at 21 m/s."""
    floor()
    board = box("Board", size=1.0, location=(-2, 0, 1))
    board.scale = (thickness, 2, 2)
    select(board)
    getattr(bpy.ops.verlet, kind)()
    for name, value in settings.items():
        setattr(board.verlet.body, name, value)
    for frame, x in ((1, -2), (6, -2), (10, 1.5)):
        board.location.x = x
        board.keyframe_insert("location", frame=frame)
    board.location.x = -2
    sheet = grid(size=14, spacing=0.08, location=(-0.6, 0, 1.0))
    for vertex in sheet.data.vertices:
        vertex.co = (0.0, vertex.co.x, vertex.co.y)
    rope = new_object("Rope", [(-0.5, 0.03 * n - 0.8, 1.2) for n in range(54)],
                      edges=[(n, n + 1) for n in range(53)])  # fmt: skip
    for ob, verb in ((sheet, "cloth"), (rope, "rope")):
        select(ob)
        getattr(bpy.ops.verlet, verb)()
    return board, [sheet, rope, body(location=(-0.2, 0, 0.21))]


@pytest.mark.parametrize("thickness", [0.005, 0.02, 0.06])
def test_nothing_slips_through_a_board_that_is_swept(scene, thickness):
    board, things = swept("collider", thickness)
    play(scene, 1, 16)
    assert session_of(scene).problems == []
    for ob in things:
        assert seen(ob)[:, 0].min() > seen(board)[:, 0].min(), ob.name


@pytest.mark.without_wheels
def test_a_thin_body_that_keys_move_is_told_where_anything_bends(scene):
    swept("rigid_body", 0.02, type="PASSIVE")
    scene.frame_set(1)
    (problem,) = session_of(scene).problems
    assert problem.message.startswith("Board: it is thin and moves by its keys")
    bpy.data.objects["Board"].scale.x = 0.3
    bpy.context.view_layer.update()
    scene.frame_set(1)
    assert session_of(scene).problems == []


def crossing_faces(first, second):
    """Pairs of faces of two objects, as they are seen, that intersect."""
    trees = [
        BVHTree.FromPolygons(seen(ob).tolist(), [tuple(f.vertices) for f in ob.data.polygons])
        for ob in (first, second)
    ]
    return len(trees[0].overlap(trees[1]))


def rail():
    """A cube that is scaled to a rail of 4 cm, as a collider."""
    ob = box(name="Rail", size=1.0, location=(0, 0, 1))
    ob.scale = (0.04, 1.5, 0.04)
    select(ob)
    assert bpy.ops.verlet.collider() == {"FINISHED"}
    return ob


def test_towels_that_lie_on_each_other_stay_on_a_rail(scene):
    bar = rail()
    floor()
    towels = [
        cloth(name=f"Towel {n}", size=16, spacing=0.05, location=(0.004 * n, 0, 1.06 + 0.03 * n))
        for n in range(4)
    ]
    for frame in range(1, 41):
        scene.frame_set(frame)
        if frame % 4 == 0:
            assert [crossing_faces(towel, bar) for towel in towels] == [0, 0, 0, 0]
    assert all(seen(towel)[:, 2].max() > 1.0 for towel in towels)


def test_a_flag_that_is_pinned_in_its_pole_hangs_quietly(scene):
    pole = box(name="Pole", size=1.0, location=(0, 0, 2))
    pole.scale = (0.1, 0.1, 4.0)
    select(pole)
    assert bpy.ops.verlet.collider() == {"FINISHED"}
    flag = grid(name="Flag", size=12, spacing=0.06, location=(0.33, 0, 2))
    flag.rotation_euler.x = math.pi / 2
    pin(flag, range(0, 144, 12))
    select(flag)
    assert bpy.ops.verlet.cloth() == {"FINISHED"}
    play(scene, 1, 71)
    before = seen(flag).copy()
    play(scene, 72, 72)
    assert abs(seen(flag) - before).max() < 0.02
