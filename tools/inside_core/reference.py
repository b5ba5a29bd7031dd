"""docs/API.md and docs/SETTINGS.md, made from the docstrings and the settings of `verlet_physics`.

    python tools/inside_core/reference.py          writes both (`dev.py docs` calls this)

Runs in the environment of the core.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import verlet_physics

DOCS = Path(__file__).resolve().parents[2] / "docs"

NOTE = "<!-- Made by `python dev.py docs`. Do not edit: change the docstrings and run it again. -->"

SECTIONS = (  # title, what stands there, the modules whose public names are in it
    (
        "A model, step by step",
        "",
        ("building.builder", "building.tearing", "model", "arrays", "step", "errors", "cache"),
    ),
    (
        "Measuring",
        "",
        (
            "particles.particle_bodies.four_particles",
            "diagnostics",
            "model.diagnostics",
            "stages.surfaces",
            "vector",
        ),
    ),
    (
        "Meshes as cloth, ropes, plants, soft bodies, particles",
        "Each recipe takes vertices in world space and adds one object to a builder.",
        (
            *("recipes.all", "recipes.geometry", "recipes.cloth", "recipes.rope", "recipes.plant"),
            *("recipes.soft_body", "recipes.particles"),
        ),
    ),
    (
        "Rigid bodies, colliders and joints",
        "",
        (
            *("recipes.body", "recipes.collider", "collision.shape"),
            *("model.joint_table", "recipes.pieces"),
        ),
    ),
    (
        "Ragdolls and stick figures",
        "",
        (
            *(
                "recipes.skeleton",
                "recipes.ragdoll_plan",
                "recipes.ragdoll_planning",
                "recipes.ragdoll",
            ),
            *("recipes.bone_pins", "recipes.figure"),
            *("recipes.stick_figure", "recipes.figure_pins", "recipes.figure_clothes"),
            *("recipes.limb_frames", "recipes.garment", "recipes.drawn_skin"),
        ),
    ),
    (
        "Constraints",
        "For `ModelBuilder.add_constraint`; recipes add those that their objects need.",
        (
            "model.constraint",
            *(
                f"particles.constraints.{name}"
                for name in (
                    "link",
                    "rod",
                    "hinge_bend",
                    "angle_limit",
                    "plane",
                    "volume",
                    "shape_match",
                )
            ),
        ),
    ),
    ("Forces", "", ("model.force", "model.field", "forces.flock", "model.pull")),
    (
        "A hand that pulls",
        "",
        ("stages.grab", "model.grab"),
    ),
    (
        "Geometry",
        "",
        (
            *("geometry.hull", "geometry.parts", "geometry.closest_shape"),
            "geometry.mass_properties",
        ),
    ),
    (
        "Settings",
        "Every field with unit, range and default: [SETTINGS.md](SETTINGS.md).",
        ("settings", "presets"),
    ),
)


def public_names(module: str) -> list[str]:
    """Names that are public and stand in a module of the package."""
    return [name for name, home in verlet_physics._HOME.items() if home == module]


def api_page() -> str:
    """docs/API.md."""
    parts = [
        NOTE,
        "# Public names",
        "Everything that a script needs, imported from `verlet_physics` itself:",
        inspect.cleandoc(verlet_physics.__doc__ or ""),
        "Arrays are float64 in SI units, Z up, quaternions (w, x, y, z); `(n, 3) m` is the shape "
        "and the unit of one. Anything array-like is taken. All errors are `VerletError`s and name "
        "the object that they are about.",
    ]
    for title, about, modules in SECTIONS:
        parts.append(f"## {title}")
        parts.append(about)
        parts += [entry(name) for module in modules for name in public_names(module)]
    return "\n\n".join(part for part in parts if part) + "\n"


def entry(name: str) -> str:
    """One public name: how it is called, what its docstring says, its methods."""
    thing = getattr(verlet_physics, name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return f"### {name}\n\n{constant_text(name)}"
    if inspect.isfunction(thing):
        return f"### {name}\n\n{code(signature(thing))}\n\n{text_of(thing)}"
    parts = [f"### {name}", class_code(thing), text_of(thing)]
    parts += [method_entry(method, thing) for method in public_methods(thing)]
    return "\n\n".join(part for part in parts if part)


def public_methods(kind: type) -> list[Any]:
    """Functions, class methods and properties of a class and of what it is made of, in order."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith(verlet_physics.__name__):
            for name, value in vars(base).items():
                function = value
                for inner in ("__func__", "fget", "func"):  # class methods, properties, cached ones
                    function = getattr(value, inner, function)
                if not name.startswith("_") and inspect.isfunction(function):
                    found[name] = function
    return list(found.values())


def method_entry(function: Any, kind: type) -> str:
    """A method as an item of its class."""
    head = f"**`{kind.__name__}.{one_line(signature(function))}`**"
    return f"{head}\n\n{text_of(function)}"


def one_line(call: str) -> str:
    """A signature without line breaks and without ``def``."""
    flat = " ".join(call.split()).removeprefix("def ")
    for before, after in (("( ", "("), (", )", ")"), ("(self, ", "("), ("(self)", "()")):
        flat = flat.replace(before, after)
    return flat.replace("(cls, ", "(")


def signature(function: Any) -> str:
    """The head of a function, as its source has it."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    head = tree.body[0]
    assert isinstance(head, ast.FunctionDef)
    returns = f" -> {ast.unparse(head.returns)}" if head.returns else ""
    given = ast.unparse(head.args)
    if len(given) > 70:
        each = split_arguments(head.args)
        given = "\n    " + ",\n    ".join(each) + ",\n"
    return f"{head.name}({given}){returns}"


def split_arguments(given: ast.arguments) -> list[str]:
    """Each argument by itself."""
    flat = ast.unparse(given)
    found, depth, begun = [], 0, 0
    for place, letter in enumerate(flat):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            found.append(flat[begun:place].strip())
            begun = place + 1
    return [*found, flat[begun:].strip()]


def class_code(kind: type) -> str:
    """The fields of a dataclass as its source has them, with their units."""
    if not dataclasses.is_dataclass(kind):
        return ""
    if "settings" in kind.__module__ and kind.__name__ != "Tunable":
        return f"Fields: [SETTINGS.md](SETTINGS.md#{kind.__name__.lower()})."
    lines = textwrap.dedent(inspect.getsource(kind)).splitlines()
    tree = ast.parse("\n".join(lines)).body[0]
    assert isinstance(tree, ast.ClassDef)
    fields = [node for node in tree.body if isinstance(node, ast.AnnAssign)]
    first, last = fields[0].lineno - 1, fields[-1].end_lineno or 0
    while lines[first - 1].lstrip().startswith("#"):
        first -= 1
    text = textwrap.dedent("\n".join(lines[first:last]))
    return code("\n\n".join([*records_in(text, sys.modules[kind.__module__]), text]))


def records_in(text: str, module: ModuleType) -> list[str]:
    """The source of the records that fields name in their comments, with units."""
    named = set(re.findall(r"# .*?\b([A-Z_]{3,})\b", text))
    source = inspect.getsource(module)
    return [
        "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in named
        if isinstance(getattr(module, ast.unparse(node.targets[0])), np.dtype)
    ]


def code(text: str) -> str:
    """A block of Python."""
    return f"```python\n{text}\n```"


def text_of(thing: Any) -> str:
    """A docstring as Markdown."""
    return inspect.cleandoc(thing.__doc__ or "").replace("``", "`")


def constant_text(name: str) -> str:
    """What the source says below the assignment of a constant or a type."""
    module = sys.modules[f"{verlet_physics.__name__}.{verlet_physics._HOME[name]}"]
    tree = ast.parse(inspect.getsource(module))
    for node, below in zip(tree.body, [*tree.body[1:], None], strict=True):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            about = ""
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                about = inspect.cleandoc(str(below.value.value)).replace("``", "`")
            value = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
            short = f"`{name} = {value}`" if value and len(value) < 60 else ""
            return "\n\n".join(part for part in (short, about) if part)
    raise LookupError(f"{name} is assigned nowhere in {module.__name__}")


def settings_page() -> str:
    """docs/SETTINGS.md."""
    parts = [
        NOTE,
        "# Settings",
        "Every number and choice of the product, as `core/settings/` has it: the properties, "
        "tooltips and panels in Blender are made from the same place. A range in brackets is that "
        "of the slider; more can be typed, up to the range before it. *painted*: a vertex group "
        "may scale it. *advanced*: in a closed sub-panel.",
    ]
    for name in public_names("settings"):
        kind = getattr(verlet_physics, name)
        if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and name != "Tunable":
            parts += [f"## {name}", text_of(kind), settings_table(kind)]
    return "\n\n".join(parts) + "\n"


def settings_table(kind: type) -> str:
    """A row for each tunable, and a list of what choices mean."""
    rows = ["| field | label | default | range | what it does |", "|---|---|---|---|---|"]
    notes = []
    for name, (default, about) in verlet_physics.tunables(kind).items():
        marks = [word for word in ("advanced", "paintable") if getattr(about, word)]
        marks = [f"*{word.replace('paintable', 'painted')}*" for word in marks]
        unit = f" {about.unit}" if about.unit else ""
        what = " ".join([cell(about.description) + ".", *marks])
        rows.append(
            f"| `{name}` | {about.label} | {shown(default)}{unit} | {span(about)} | {what} |"
        )
        if about.choices:
            chosen = "; ".join(
                f"`{identifier}` {label}: {text}" for identifier, label, text in about.choices
            )
            notes.append(f"- `{name}`: {chosen}.")
    return "\n".join(rows) + ("\n\n" + "\n".join(notes) if notes else "")


def cell(text: str) -> str:
    """Text that a table can hold."""
    return text.replace("|", "\\|").rstrip(".")


def shown(value: Any) -> str:
    """A default as people write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(shown(one) for one in value)
    return f"`{value}`" if isinstance(value, str) else str(value)


def span(about: Any) -> str:
    """Hard range, and that of the slider where it differs."""
    low, high = about.minimum, about.maximum
    if about.choices or (low is None and high is None):
        return ""
    hard = f"{'−∞' if low is None else f'{low:g}'} … {'∞' if high is None else f'{high:g}'}"
    soft_low = low if about.soft_minimum is None else about.soft_minimum
    soft_high = high if about.soft_maximum is None else about.soft_maximum
    if (soft_low, soft_high) == (low, high):
        return hard
    left, right = (("−∞" if v is None else f"{v:g}") for v in (soft_low, soft_high))
    return f"{hard} ({left} … {right})"


PAGES = {"API.md": api_page, "SETTINGS.md": settings_page}


def main() -> None:
    """Write both pages."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), "utf-8", newline="\n")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
