"""Every RNA property of every datablock of the open file, as plain values that compare with ==.

Wider and slower than `object_snapshot`: it asks Blender itself which properties there are, so that
it also finds what nobody thought of.
"""

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

MANY = 64  # items from which on a collection is read by columns, numbers alone
DEEPEST = 12
UNSTABLE = {  # what Blender itself changes while it works, or finds anew by each look
    "rna_type",
    "original",
    "depsgraph",
    "is_evaluated",
    "is_runtime_data",
    "session_uid",
    "tag",
    "preview",
    "id_type",
    "frame_current_final",
    "frame_float",
    "debug_depsgraph_time",
    "execution_time",
    "is_editable",
    "is_updated",
    "pixels",  # of pictures: nothing of ours, and millions
    "storage_type",  # of attributes, which 5.2 stores one by one once they were looked at
    "uv_sculpt",  # whose brush is a dangling pointer in 4.2
}
OURS = "verlet"  # our own settings: what Remove leaves in them is no part of the file
DERIVED = {  # the window, and what follows from the rest or repeats it in another place
    "window_managers",
    "screens",
    "workspaces",
    "depsgraph",
    "view_layers",
    "brushes",
}


def walk() -> dict[str, Any]:
    """All values of the file, by path: like ``objects/Cube/modifiers/0/levels``."""
    found: dict[str, Any] = {}
    for kind in bpy.data.bl_rna.properties:
        if kind.type != "COLLECTION" or kind.identifier in DERIVED:
            continue
        for datablock in getattr(bpy.data, kind.identifier):
            library = f"{datablock.library.name}:" if datablock.library else ""
            path = f"{kind.identifier}/{library}{datablock.name}"
            found.update(_values(datablock, path, 0))
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Where two walks differ, in words."""
    found = [f"lost {path} (was {before[path]!r:.60})" for path in before if path not in after]
    found += [f"new {path} = {after[path]!r:.60}" for path in after if path not in before]
    return found + [
        f"{path}: {before[path]!r:.80} -> {after[path]!r:.80}"
        for path in before
        if path in after and before[path] != after[path]
    ]


def _values(owner: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    for about in owner.bl_rna.properties:
        name = about.identifier
        if name in UNSTABLE or name in DERIVED or name.startswith(OURS) or depth > DEEPEST:
            continue
        try:
            value = getattr(owner, name)
        except Exception as error:  # Blender itself cannot say
            yield f"{path}/{name}", f"({type(error).__name__})"
            continue
        yield from _value(about, value, f"{path}/{name}", depth)


def _value(about: Any, value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    if about.type == "POINTER":
        if value is None or isinstance(value, bpy.types.ID):
            yield path, None if value is None else value.name_full
            owned = isinstance(value, bpy.types.NodeTree) and about.identifier == "node_tree"
            if owned and value.is_embedded_data:
                yield from _values(value, path, depth + 1)
        elif not _points_back(about):
            yield from _values(value, path, depth + 1)
    elif about.type == "COLLECTION" and not _points_back(about):
        yield f"{path}/count", len(value)
        if len(value) >= MANY and not isinstance(value[0], bpy.types.ID):
            yield from _columns(value, path)
            return
        for index, item in enumerate(value):
            if item is None or isinstance(item, bpy.types.ID):
                yield f"{path}/{index}", None if item is None else item.name_full
            else:
                yield from _values(item, f"{path}/{index}", depth + 1)
    elif about.type == "COLLECTION":
        yield f"{path}/count", len(value)
    elif getattr(about, "is_array", False):
        yield path, _flat(value)
    elif isinstance(value, (set, frozenset)):
        yield path, sorted(value)
    else:
        yield path, value


def _columns(items: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Numbers of many items at once, bit by bit: vertices, keys, weights."""
    for about in items[0].bl_rna.properties:
        name = about.identifier
        if about.type not in {"FLOAT", "INT", "BOOLEAN", "ENUM"} or name in UNSTABLE:
            continue
        kind = {"FLOAT": np.float32, "BOOLEAN": np.bool_}.get(about.type, np.int32)
        column = np.zeros(len(items) * max(getattr(about, "array_length", 0), 1), kind)
        try:
            items.foreach_get(name, column)
        except (TypeError, RuntimeError, AttributeError):  # sets of flags, texts
            continue
        yield f"{path}/*/{name}", column.tobytes()
    if "groups" in items[0].bl_rna.properties:  # weights of vertices
        yield f"{path}/*/groups", [[(g.group, g.weight) for g in item.groups] for item in items]


def _flat(value: Any) -> Any:
    return tuple(_flat(item) for item in value) if hasattr(value, "__len__") else value


def _points_back(about: Any) -> bool:
    """Whether a property refers to something that is walked elsewhere: parents, links, active."""
    name = about.identifier
    return name.startswith("active") or name in {
        "parent",
        "child",
        "children",
        "children_recursive",
        "parent_recursive",
        "bones_recursive",
        "collections",
        "collections_all",
        "bone",
        "group",
        "from_node",
        "to_node",
        "from_socket",
        "to_socket",
        "node",
        "socket",
        "relative_key",
        "reference_key",
        "custom_shape_transform",
        "internal_links",
    }
