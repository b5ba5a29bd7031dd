"""The job types for Flamenco, compiled by node as its manager would: tasks, commands, order."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

FARM = Path(__file__).resolve().parents[2] / "farm"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node to run JavaScript")

MANAGER = """
const fs = require("fs"), nodePath = require("path");
const [script, given] = process.argv.slice(2);
let asked = [];
const settings = new Proxy(JSON.parse(given), { get(all, key) {
    if (!asked.includes(key)) throw `the setting ${key} is not asked for`;
    return all[key];
} });
const job = { created: new Date(0), settings, tasks: [],
    addTask(task) { this.tasks.push(task); } };
const author = {
    Task: (name, type) => ({ name, type, commands: [], needs: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) { this.needs.push(task.name); } }),
    Command: (name, parameters) => ({ name, parameters }),
};
const path = { join: nodePath.join, dirname: nodePath.dirname, basename: nodePath.basename,
    stem: (p) => nodePath.basename(p, nodePath.extname(p)) };
const formatTimestampLocal = () => "2026-01-01_000000";
function frameChunker(text, size) {
    const frames = [];
    for (const part of text.split(",").map((p) => p.trim()).filter((p) => p)) {
        const [first, last] = part.split("-").map(Number);
        for (let frame = first; frame <= (last === undefined ? first : last); frame++) {
            frames.push(frame);
        }
    }
    const chunks = [];
    for (let at = 0; at < frames.length; at += size) {
        const some = frames.slice(at, at + size);
        const isRun = some[some.length - 1] - some[0] === some.length - 1 && some.length > 1;
        chunks.push(isRun ? `${some[0]}-${some[some.length - 1]}` : some.join(","));
    }
    return chunks;
}
const source = fs.readFileSync(script, "utf8") + "; return { JOB_TYPE, compileJob };";
const names = ["author", "path", "formatTimestampLocal", "frameChunker", "print"];
const made = new Function(...names, source)(
    author, path, formatTimestampLocal, frameChunker, () => {});
asked = made.JOB_TYPE.settings.map((setting) => setting.key);
try {
    made.compileJob(job);
    console.log(JSON.stringify({ type: made.JOB_TYPE, tasks: job.tasks }));
} catch (reason) {
    console.log(JSON.stringify({ type: made.JOB_TYPE, error: `${reason}` }));
}
"""

SETTINGS = {
    "frames": "1-25",
    "chunk_size": 10,
    "bake_frames": "1 - 25",
    "render_output_path": "/renders/job/{timestamp}/######",
    "blendfile": "/shots/flag.blend",
    "format": "PNG",
    "scene": "Scene",
    "image_file_extension": ".png",
    "setting": 'bpy.data.objects["Flag"].verlet.cloth.bend',
    "values": "0.1, 0.5",
    "sheet_frames": "12, 25",
}


def compiled(script, **settings):
    arguments = [NODE, "-e", MANAGER, "-", str(FARM / script), json.dumps(SETTINGS | settings)]
    run = subprocess.run(arguments, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def the_command(task):
    (command,) = task["commands"]
    return command["name"], command["parameters"]


def test_it_bakes_once_and_then_all_render():
    tasks = compiled("verlet_bake_and_render.js")["tasks"]
    assert [task["name"] for task in tasks] == [
        "bake",
        "render-1-10",
        "render-11-20",
        "render-21-25",
    ]
    name, bake = the_command(tasks[0])
    assert (name, bake["exe"]) == ("exec", "{blender}")
    assert bake["args"] == [
        *("--background", "/shots/flag.blend", "--command", "verlet_bake", "--resume"),
        *("--frames", "1-25", "--output", "/shots/flag.baked.blend"),
    ]
    for task, frames in zip(tasks[1:], ("1..10", "11..20", "21..25"), strict=True):
        assert task["needs"] == ["bake"]
        name, render = the_command(task)
        assert (name, render["blendfile"]) == ("blender-render", "/shots/flag.baked.blend")
        assert render["args"] == [
            *("--scene", "Scene", "--render-output", "/renders/job/2026-01-01_000000/######"),
            *("--render-format", "PNG", "--render-frame", frames),
        ]


def test_a_wedge_has_a_file_and_a_folder_for_each_value_and_a_sheet_at_the_end():
    out = "/renders/job/{timestamp}"
    tasks = compiled("verlet_wedge.js", render_output_path=out, chunk_size=25)["tasks"]
    names = ["bake-0.1", "render-0.1-1-25", "bake-0.5", "render-0.5-1-25", "sheet"]
    assert [task["name"] for task in tasks] == names
    _, bake = the_command(tasks[2])
    assert bake["args"] == [
        *("--background", "/shots/flag.blend", "--command", "verlet_bake", "--rebake"),
        *("--set", 'bpy.data.objects["Flag"].verlet.cloth.bend=0.5'),
        *("--frames", "1-25", "--output", "/shots/flag.0.5.blend"),
    ]
    assert tasks[3]["needs"] == ["bake-0.5"]
    assert the_command(tasks[3])[1]["blendfile"] == "/shots/flag.0.5.blend"
    assert tasks[4]["needs"] == ["render-0.1-1-25", "render-0.5-1-25"]
    folder = "/renders/job/2026-01-01_000000"
    assert the_command(tasks[4])[1]["args"] == [
        *("--background", "--command", "verlet_sheet", "--columns", "2"),
        *("--output", f"{folder}/sheet.png"),
        *(f"{v} / {f}={folder}/{v}/0000{f}.png" for v in ("0.1", "0.5") for f in ("12", "25")),
    ]


def test_frames_that_do_not_follow_each_other_are_rendered_as_they_are_listed():
    tasks = compiled("verlet_bake_and_render.js", frames="3, 9, 12-14", chunk_size=2)["tasks"]
    frames = [the_command(task)[1]["args"][-1] for task in tasks[1:]]
    assert frames == ["3,9", "12..13", "14"]


def test_values_may_be_vectors_and_their_folders_have_plain_names():
    tasks = compiled("verlet_wedge.js", values="0 0 1; 0 0 -2.5;", frames="25", sheet_frames="25")
    _, bake = the_command(tasks["tasks"][2])
    assert bake["args"][-1] == "/shots/flag.0_0_-2.5.blend"
    assert bake["args"][6].endswith("=0 0 -2.5")


@pytest.mark.parametrize(
    ("script", "settings", "reason"),
    [
        ("verlet_bake_and_render.js", {"format": "FFMPEG"}, "pictures, not FFMPEG"),
        ("verlet_bake_and_render.js", {"bake_frames": "all"}, "no first and last frame"),
        ("verlet_wedge.js", {"values": " , "}, "no values"),
        ("verlet_wedge.js", {"sheet_frames": "26"}, "Frame 26 of the sheet"),
        ("verlet_wedge.js", {"format": "AVI_JPEG"}, "pictures, not AVI_JPEG"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(script, settings, reason):
    assert reason in compiled(script, **settings)["error"]
