"""The XPBD solver node of Blender 5.2, through the asset "Cloth Dynamics (Experimental)".

Settings: ``substeps`` and ``iterations``; without them everything stays at default.
"""

from pathlib import Path

import blender_sheet
import bpy
import sheet

ASSET = "assets/nodes/geometry_nodes_dynamics_assets.blend"
GROUP = "Cloth Dynamics (Experimental)"

wanted = sheet.request()
cloth = blender_sheet.add_object(wanted["n"])
with bpy.data.libraries.load(
    str(Path(bpy.utils.system_resource("DATAFILES"), ASSET)), link=False
) as (_, loaded):
    loaded.node_groups = [GROUP]
modifier = cloth.modifiers.new("xpbd", "NODES")
modifier.node_group = loaded.node_groups[0]
inputs = {
    item.name: getattr(modifier.properties.inputs, item.identifier)
    for item in modifier.node_group.interface.items_tree
    if item.item_type == "SOCKET"
    and item.in_out == "INPUT"
    and item.name in ("Pin Group", "Substeps", "Constraint Steps", "Linear Damping")
}
inputs["Pin Group"].type = "ATTRIBUTE"
inputs["Pin Group"].attribute_name = "pin"
if "substeps" in wanted:
    inputs["Substeps"].value = wanted["substeps"]
    inputs["Constraint Steps"].value = wanted["iterations"]
    inputs["Linear Damping"].value = sheet.DRAG
blender_sheet.simulate(cloth, wanted["n"], wanted["seconds"])
