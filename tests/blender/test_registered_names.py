"""What the user's files, key maps and scripts know the add-on by: none of it may change its name.

`registered_names.json` is the list. Whoever adds a property or an operator adds it there: run this
file with VERLET_WRITE_NAMES set to the list's path. A name that goes away, or an item of an enum
that gets another number, breaks files that users have saved.
"""

import json
import os
from pathlib import Path

import bpy
import pytest

LIST = Path(__file__).with_name("registered_names.json")
OWNERS = ("Scene", "Object", "PoseBone")
BLENDER_OWN = {"rna_type", "name"}


def properties_of(rna: bpy.types.Struct, path: str) -> dict[str, str]:
    """Type of each property by its path, items of enums with the numbers that files hold."""
    found = {}
    for name, about in rna.properties.items():
        if name in BLENDER_OWN:
            continue
        found[f"{path}.{name}"] = about.type
        if about.type == "ENUM":
            items = sorted((item.value, item.identifier) for item in about.enum_items_static)
            found[f"{path}.{name}"] += " " + " ".join(f"{i}={number}" for number, i in items)
        if about.type == "POINTER" and about.fixed_type.identifier.startswith("Verlet"):
            found |= properties_of(about.fixed_type, f"{path}.{name}")
    return found


def names() -> dict[str, object]:
    """Operators and panels by their names, properties by their paths."""
    stored = {}
    for owner in OWNERS:
        rna = getattr(bpy.types, owner).bl_rna
        for name, about in rna.properties.items():
            if not name.startswith("verlet"):
                continue
            stored[f"{owner}.{name}"] = about.type
            if about.type == "POINTER":
                stored |= properties_of(about.fixed_type, f"{owner}.{name}")
    options = {}
    for name in dir(bpy.ops.verlet):
        rna = getattr(bpy.ops.verlet, name).get_rna_type()
        options |= {f"verlet.{name}": "OPERATOR"} | properties_of(rna, f"verlet.{name}")
    classes = sorted(name for name in dir(bpy.types) if name.upper().startswith("VERLET"))
    return {"classes": classes, "operators": options, "stored": stored}


def test_names_that_files_and_scripts_know_stay(scene):
    found = names()
    if "VERLET_WRITE_NAMES" in os.environ:
        text = json.dumps(found, indent=1, sort_keys=True)
        Path(os.environ["VERLET_WRITE_NAMES"]).write_text(text + "\n", "utf-8")
    known = json.loads(LIST.read_text("utf-8"))
    for group, listed in known.items():
        gone = [name for name in listed if name not in found[group]]
        assert not gone, f"{group} that are gone or renamed: {gone}"
        new = [name for name in found[group] if name not in listed]
        assert not new, f"not listed yet (see the docstring): {new}"
    for group in ("operators", "stored"):
        assert found[group] == known[group], "another type, or other numbers in an enum"


@pytest.mark.parametrize("group", ["classes", "operators", "stored"])
def test_the_list_has_something_in_each_group(group):
    assert len(json.loads(LIST.read_text("utf-8"))[group]) > 40
