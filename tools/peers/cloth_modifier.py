"""Blender's Cloth modifier: untouched, or stiffer with the scene's clock and drag.

Settings: ``quality`` (steps a frame) and ``tension``; without them everything stays at default.
"""

import blender_sheet
import sheet

# The modifier's unit of time in seconds: a frame lasts one, whatever the scene's rate is, and the
# air takes `air_damping` / 100 / `mass` of the speed in one.
UNIT = 0.001**0.5

wanted = sheet.request()
cloth = blender_sheet.add_object(wanted["n"])
modifier = cloth.modifiers.new("cloth", "CLOTH")
modifier.collision_settings.use_collision = False
modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, sheet.FRAMES + 1
settings = modifier.settings
settings.vertex_group_mass = "pin"
if "quality" in wanted:
    settings.quality = wanted["quality"]
    settings.tension_stiffness = settings.compression_stiffness = wanted["tension"]
    settings.shear_stiffness = wanted["tension"]
    settings.time_scale = 1.0 / sheet.FPS / UNIT
    settings.air_damping = sheet.DRAG * UNIT * settings.mass * 100.0
blender_sheet.simulate(cloth, wanted["n"], wanted["seconds"])
