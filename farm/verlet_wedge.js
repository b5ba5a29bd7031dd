// SPDX-License-Identifier: GPL-3.0-or-later
// A job type for Flamenco: bakes and renders a scene once for each value of a setting, into files and
// folders side by side, then lays the pictures out on one sheet, a row for each value.
// Copy it into the folder `scripts` beside Flamenco Manager. Workers need Verlet Physics enabled.

const JOB_TYPE = {
    label: "Verlet: Wedge",
    description: "Bake and render once for each value of a setting, with a sheet of all of them",
    settings: [
        { key: "setting", type: "string", required: true,
          description: "What is varied: right-click it in Blender, Copy Full Data Path, paste it here" },
        { key: "values", type: "string", required: true,
          description: "Its values, like '0.1, 0.2, 0.5'; of vectors, parted by ';', '0 0 1; 0 0 2'" },
        { key: "frames", type: "string", required: true,
          eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          evalInfo: { showLinkButton: true, description: "The scene's frames" },
          description: "Frames to render of each, like '1-250' or '24, 48, 72'" },
        { key: "chunk_size", type: "int32", default: 10, visible: "submission",
          description: "Frames that one worker renders at a time" },
        { key: "bake_frames", type: "string", required: true,
          eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          evalInfo: { showLinkButton: true, description: "The scene's frames" },
          description: "First and last frame of the bakes, like '1-250'" },
        { key: "sheet_frames", type: "string", required: true,
          eval: "str(C.scene.frame_end)",
          description: "Frames on the sheet, a column for each, like '24, 48, 72'; of those rendered" },
        { key: "render_output_root", type: "string", subtype: "dir_path", required: true,
          visible: "submission", description: "Folder under which pictures and sheet are kept" },
        { key: "add_path_components", type: "int32", required: true, default: 0,
          propargs: { min: 0, max: 32 }, visible: "submission",
          description: "How many folders above the blend file are repeated there" },
        { key: "render_output_path", type: "string", subtype: "dir_path", editable: false,
          eval: "str(Path(abspath(settings.render_output_root), last_n_dir_parts(settings.add_path_components), jobname, '{timestamp}'))",
          description: "Where a folder for each value, and the sheet, will be" },

        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "The file that is baked; it stays as it is" },
        { key: "format", type: "string", required: true, visible: "web",
          eval: "C.scene.render.image_settings.file_format" },
        { key: "image_file_extension", type: "string", required: true, visible: "hidden",
          eval: "C.scene.render.file_extension" },
        { key: "scene", type: "string", required: true, visible: "web", eval: "C.scene.name" },
    ],
};

const MOVIES = ["FFMPEG", "AVI_RAW", "AVI_JPEG"];
const DIGITS = 6;

function compileJob(job) {
    const settings = job.settings;
    if (MOVIES.indexOf(settings.format) >= 0) {
        throw `This job renders pictures, not ${settings.format}: choose PNG or another one`;
    }
    if (!/^\s*-?\d+\s*-\s*-?\d+\s*$/.test(settings.bake_frames)) {
        throw `"${settings.bake_frames}" is no first and last frame: write them like 1-250`;
    }
    const values = valuesOf(settings.values);
    if (values.length === 0) {
        throw "There are no values: write them like 0.1, 0.2, 0.5";
    }
    const rendered = frameChunker(settings.frames, 1);
    const shown = frameChunker(settings.sheet_frames, 1);
    for (const frame of shown) {
        if (rendered.indexOf(frame) < 0) {
            throw `Frame ${frame} of the sheet is not among the frames that are rendered`;
        }
    }
    settings.render_output_path = settings.render_output_path.replace(
        "{timestamp}", formatTimestampLocal(job.created));

    const sheet = author.Task("sheet", "blender");
    const pictures = [];
    for (const value of values) {
        const folder = path.join(settings.render_output_path, fileName(value));
        for (const render of bakeAndRender(job, value, folder)) {
            sheet.addDependency(render);
        }
        for (const frame of shown) {
            const picture = path.join(folder, numbered(frame) + settings.image_file_extension);
            pictures.push(`${value} / ${frame}=${picture}`);
        }
    }
    sheet.addCommand(author.Command("exec", {
        exe: "{blender}",
        args: [
            "--background",
            "--command", "verlet_sheet",
            "--columns", `${shown.length}`,
            "--output", path.join(settings.render_output_path, "sheet.png"),
        ].concat(pictures),
    }));
    job.addTask(sheet);
}

// Add the tasks of one value to the job; those that render.
function bakeAndRender(job, value, folder) {
    const settings = job.settings;
    const stem = path.stem(settings.blendfile);
    const baked = path.join(path.dirname(settings.blendfile), `${stem}.${fileName(value)}.blend`);
    const bake = author.Task(`bake-${value}`, "blender");
    bake.addCommand(author.Command("exec", {
        exe: "{blender}",
        args: [
            "--background", settings.blendfile,
            "--command", "verlet_bake",
            "--rebake",
            "--set", `${settings.setting}=${value}`,
            "--frames", settings.bake_frames.replace(/\s/g, ""),
            "--output", baked,
        ],
    }));
    job.addTask(bake);

    const renders = [];
    for (const chunk of frameChunker(settings.frames, settings.chunk_size)) {
        const render = author.Task(`render-${value}-${chunk}`, "blender");
        render.addCommand(author.Command("blender-render", {
            exe: "{blender}",
            exeArgs: "{blenderArgs}",
            argsBefore: [],
            blendfile: baked,
            args: [
                "--scene", settings.scene,
                "--render-output", path.join(folder, "#".repeat(DIGITS)),
                "--render-format", settings.format,
                "--render-frame", chunk.replace(/-/g, ".."),
            ],
        }));
        render.addDependency(bake);
        job.addTask(render);
        renders.push(render);
    }
    return renders;
}

function valuesOf(text) {
    return text.split(text.indexOf(";") >= 0 ? ";" : ",")
        .map((value) => value.trim()).filter((value) => value !== "");
}

function fileName(value) {
    return value.replace(/[^A-Za-z0-9.+-]+/g, "_");
}

function numbered(frame) {
    return "0".repeat(Math.max(0, DIGITS - frame.length)) + frame;
}
