// SPDX-License-Identifier: GPL-3.0-or-later
// A job type for Flamenco: one worker bakes the simulation, then all of them render what it wrote.
// Copy it into the folder `scripts` beside Flamenco Manager. Workers need Verlet Physics enabled.

const JOB_TYPE = {
    label: "Verlet: Bake and Render",
    description: "Bake the simulation once, into a file beside the original, then render that",
    settings: [
        { key: "frames", type: "string", required: true,
          eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          evalInfo: { showLinkButton: true, description: "The scene's frames" },
          description: "Frames to render, like '1-250' or '1, 24, 48-60'" },
        { key: "chunk_size", type: "int32", default: 10, visible: "submission",
          description: "Frames that one worker renders at a time" },
        { key: "bake_frames", type: "string", required: true,
          eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          evalInfo: { showLinkButton: true, description: "The scene's frames" },
          description: "First and last frame of the bake, like '1-250'" },
        { key: "render_output_root", type: "string", subtype: "dir_path", required: true,
          visible: "submission", description: "Folder under which the pictures are kept" },
        { key: "add_path_components", type: "int32", required: true, default: 0,
          propargs: { min: 0, max: 32 }, visible: "submission",
          description: "How many folders above the blend file are repeated there" },
        { key: "render_output_path", type: "string", subtype: "file_path", editable: false,
          eval: "str(Path(abspath(settings.render_output_root), last_n_dir_parts(settings.add_path_components), jobname, '{timestamp}', '######'))",
          description: "Where pictures will be" },

        { key: "blendfile", type: "string", required: true, visible: "web",
          description: "The file that is baked; it stays as it is" },
        { key: "format", type: "string", required: true, visible: "web",
          eval: "C.scene.render.image_settings.file_format" },
        { key: "scene", type: "string", required: true, visible: "web", eval: "C.scene.name" },
    ],
};

const MOVIES = ["FFMPEG", "AVI_RAW", "AVI_JPEG"];

function compileJob(job) {
    const settings = job.settings;
    if (MOVIES.indexOf(settings.format) >= 0) {
        throw `This job renders pictures, not ${settings.format}: choose PNG or another one`;
    }
    if (!/^\s*-?\d+\s*-\s*-?\d+\s*$/.test(settings.bake_frames)) {
        throw `"${settings.bake_frames}" is no first and last frame: write them like 1-250`;
    }
    settings.render_output_path = settings.render_output_path.replace(
        "{timestamp}", formatTimestampLocal(job.created));

    const baked = bakedPath(settings.blendfile);
    const bake = author.Task("bake", "blender");
    bake.addCommand(author.Command("exec", {
        exe: "{blender}",
        args: [
            "--background", settings.blendfile,
            "--command", "verlet_bake",
            "--resume",
            "--frames", settings.bake_frames.replace(/\s/g, ""),
            "--output", baked,
        ],
    }));
    job.addTask(bake);

    for (const chunk of frameChunker(settings.frames, settings.chunk_size)) {
        const render = author.Task(`render-${chunk}`, "blender");
        render.addCommand(author.Command("blender-render", {
            exe: "{blender}",
            exeArgs: "{blenderArgs}",
            argsBefore: [],
            blendfile: baked,
            args: [
                "--scene", settings.scene,
                "--render-output", settings.render_output_path,
                "--render-format", settings.format,
                "--render-frame", chunk.replace(/-/g, ".."),
            ],
        }));
        render.addDependency(bake);
        job.addTask(render);
    }
}

// Beside the original, so that what it links to by relative paths is found.
function bakedPath(blendfile) {
    return path.join(path.dirname(blendfile), `${path.stem(blendfile)}.baked.blend`);
}
