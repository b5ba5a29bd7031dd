"""Commands of the farm's job types, run for real one after the other, and what they are made of."""

import bpy
import numpy as np
import pytest
from small_scenes import addon, body, cloth, floor, seen

pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def path(scene, tmp_path):
    """A saved file of a cloth and a body that fall, with a camera and a light."""
    floor()
    cloth(location=(0, 0, 0.8))
    body(location=(0.1, 0, 1.5))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0, -6, 1), (1.5, 0, 0)
    light = bpy.data.objects.new("Light", bpy.data.lights.new("Light", "SUN"))
    for ob in (camera, light):
        scene.collection.objects.link(ob)
    scene.camera = camera
    scene.frame_start, scene.frame_end = 1, 8
    render = scene.render
    render.engine, scene.cycles.samples = "CYCLES", 1
    render.resolution_x, render.resolution_y = 64, 48
    render.image_settings.file_format = "PNG"
    found = tmp_path / "flag.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(found))
    return found


def rendered(blend, folder, frame):
    """What a worker does with a task that renders."""
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.filepath = str(folder / f"{frame:06}")
    bpy.ops.render.render(write_still=True)
    return folder / f"{frame:06}.png"


def test_a_wedge_from_the_file_to_the_sheet(path, tmp_path):
    setting = 'bpy.data.scenes["Scene"].gravity[2]'
    pictures, shapes = [], []
    for value in ("-2", "-9"):
        baked = path.with_name(f"flag.{value}.blend")
        arguments = ["--rebake", "--set", f"{setting}={value}", "--frames", "1-8"]
        bpy.ops.wm.open_mainfile(filepath=str(path))
        assert addon("cli").run([*arguments, "--output", str(baked)]) == 0
        picture = rendered(baked, tmp_path / value, 8)
        sheet = bpy.data.objects["Cloth"]
        assert addon("properties.bake_record").is_baked(sheet)
        assert bpy.context.scene.gravity[2] == float(value)
        shapes.append(seen(sheet))
        pictures.append(f"{value} / 8={picture}")
    assert np.abs(shapes[0] - shapes[1]).max() > 1e-3
    out = tmp_path / "out" / "sheet.png"
    assert addon("contact_sheet").run(["--columns", "2", "--output", str(out), *pictures]) == 0
    image = bpy.data.images.load(str(out))
    assert tuple(image.size) == (2 * 320 + 3 * 8, 240 + 18 + 2 * 8)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert not addon("properties.bake_record").is_baked(bpy.data.objects["Cloth"])


def test_settings_of_every_type_by_their_path(scene):
    sheet = cloth()
    set_by_path = addon("properties.by_path").set_by_path
    set_by_path('bpy.data.objects["Cloth"].verlet.cloth.bend', "0.25")
    assert sheet.verlet.cloth.bend == 0.25
    set_by_path('bpy.data.scenes["Scene"].verlet.solver.substep_rate', "240")
    assert scene.verlet.solver.substep_rate == 240
    set_by_path('bpy.data.scenes["Scene"].gravity', "0 1 -2")
    assert tuple(scene.gravity) == (0, 1, -2)
    set_by_path('bpy.data.scenes["Scene"].gravity[2]', "-5")
    assert tuple(scene.gravity) == (0, 1, -5)
    set_by_path('bpy.data.scenes["Scene"].verlet.mesh_bake', "RELATIVE")
    assert scene.verlet.mesh_bake == "RELATIVE"
    set_by_path('bpy.data.scenes["Scene"].use_gravity', "false")
    assert not scene.use_gravity


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ('bpy.data.objects["Nobody"].location', "1 2 3", "no such setting"),
        ('bpy.data.objects["Cloth"].verlet.cloth.bending', "1", "no such setting"),
        ('bpy.data.objects["Cloth"].verlet.cloth.bend', "much", "cannot be 'much'"),
        ('bpy.data.objects["Cloth"].verlet.cloth.bend', "nan", "lies between"),
        ('bpy.data.objects["Cloth"].verlet.kind', "CAKE", "cannot be 'CAKE'"),
        ('bpy.data.objects["Cloth"].location[3]', "1", "cannot be"),
        ('bpy.data.objects["Cloth"].location', "1 2", "cannot be"),
        ('bpy.data.objects["Cloth"].matrix_basis', "1", "cannot be"),
        ('bpy.data.objects["Cloth"].session_uid', "1", "cannot be set"),
        ("", "1", "no such setting"),
    ],
)
def test_what_cannot_be_set_is_refused_with_the_reason(path, value, reason):
    cloth()
    with pytest.raises(Exception, match=reason):
        addon("properties.by_path").set_by_path(path, value)


def test_the_command_ends_with_the_reason(path, capsys):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert addon("cli").run(["--set", "nothing"]) == 1
    assert "PATH=VALUE" in capsys.readouterr().err
    assert addon("cli").run(["--set", 'bpy.data.objects["Cloth"].verlet.cloth.bend=much']) == 1
    assert "bend cannot be 'much'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--output", "{}/s.png", "1={}/none.png"], 1, "is not there"),
        (["--output", "{}/s.png", "1={}/text.png"], 1, "damaged, or no picture"),
        (["--output", "{}/s.png", "{}/text.png"], 2, "LABEL=FILE"),
        (["--output", "{}/s.png", "--columns", "0", "1={}/text.png"], 2, "one column"),
        (["1={}/text.png"], 2, "--output"),
    ],
)
def test_a_sheet_that_cannot_be_made_says_why(tmp_path, capsys, arguments, status, reason):
    (tmp_path / "text.png").write_text("no picture")
    given = [one.replace("{}", str(tmp_path)) for one in arguments]
    assert addon("contact_sheet").run(given) == status
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "s.png").exists()


def test_labels_are_written_over_their_pictures():
    sheet = addon("contact_sheet")
    assert sheet.written("1").tolist() == [
        [False, True, False, False],
        [True, True, False, False],
        [False, True, False, False],
        [False, True, False, False],
        [True, True, True, False],
    ]
    black = np.zeros((10, sheet.WIDTH, 4), np.float32)
    found = sheet.sheet_of([black, black, black], ["a", "b", "0.5"], 2)
    tall = 10 + 2 * sheet.HEIGHT + 2 * sheet.GAP
    assert found.shape == (2 * tall + sheet.GAP, 2 * (sheet.WIDTH + sheet.GAP) + sheet.GAP, 4)
    ink = (found == np.array(sheet.INK, np.float32)).all(axis=2)
    dots = 4 * sum(int(sheet.written(text).sum()) for text in ("a", "b", "0.5"))
    assert ink.sum() == dots
