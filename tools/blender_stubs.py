"""Types of Blender's API for mypy and editors: fake-bpy-module, mended, with our own properties.

The stubs are made from Blender's documentation, which leaves things out: what `MENDS` lists was
tried in a real Blender. What the add-on registers (`Object.verlet` and all below it) is declared
from the classes that register it, so that nothing of it is written down twice.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tools.environments import ENVIRONMENTS, core_environment, digest_of
from tools.processes import BUILD, ROOT, Failure, locked, output_of, run, shown, timed

STUBS = {
    "4.2": "fake-bpy-module-4.2==20260730",
    "5.2": "fake-bpy-module-5.2==20260730",
}
"""By version: the oldest and the newest Blender that is supported."""

ANY_SEQUENCE = "(collections.abc.Sequence[typing.Any])"
ARRAY = """
    def __get__(self, group: object, owner: object) -> typing.Self: ...
    def __set__(self, group: object, value: collections.abc.Iterable[typing.Any]) -> None: ...
    def __getitem__(self, key: typing.Any) -> typing.Any: ...
    def __setitem__(self, key: typing.Any, value: typing.Any) -> None: ...
    def __len__(self) -> int: ...
"""
LENGTH = """
    def __len__(self) -> int: ...
    def __neg__(self) -> typing.Self: ...
"""
CONTEXT = """
    def __enter__(self) -> typing.Self: ...
    def __exit__(self, *error: object) -> None: ...
"""
MENDS = {  # by file and version, "" for both: what is there, what ought to be there
    ("bpy/types", "5.2"): [
        (r"typing\.Literal\[(bpy\.stub_internal\.\w+\.\w+)\]", r"\1"),
        (
            r"class bpy_prop_array\(bpy_prop\):\n(.*)\n",
            rf"class bpy_prop_array{ANY_SEQUENCE}:\n\1{ARRAY}",
        ),
        (r"class ContextTempOverride:", rf"class ContextTempOverride:{CONTEXT}"),
    ],
    ("bpy/types", ""): [
        (
            r"def get\[_GenericType2\]\(\s+self, key: (.*), default: _\w+ = None\s+\) -> .*:",
            r"def get(self, key: \1, default: typing.Any = None) -> _GenericType1 | None:",
        ),
    ],
    ("mathutils", "4.2"): [
        (r"rotation: Euler \| Quaternion", "rotation: Matrix | Euler | Quaternion")
    ],
    ("mathutils/bvhtree", "4.2"): [(r"(def From\w+\([^)]*\)) -> None:", r"\1 -> typing.Self:")],
    ("mathutils", ""): [
        (
            r"class (Vector|Euler|Quaternion|Color):",
            rf"class \1(collections.abc.Sequence[float]):{LENGTH}",
        ),
        (r"class Matrix:", f"class Matrix(collections.abc.Sequence[Vector]):{LENGTH}"),
    ],
    ("bpy/ops", ""): [(r"\Z", "\nimport typing\n\nverlet: typing.Any\n")],
    ("bpy/props", ""): [(r"\) -> None:", ") -> typing.Any:")],
}


def stubs(version: str) -> Path:
    """The folder with the types of one Blender, made anew when anything changed that they tell."""
    pristine = ENVIRONMENTS / f"stubs-{version}"
    folder = BUILD / "stubs" / version
    sources = [*sorted((ROOT / "core/settings").glob("*.py"))]
    sources += sorted((ROOT / "verlet_addon/properties").glob("*.py"))
    sources += [ROOT / "tools/inside_core/stored_properties.py"]
    with locked(folder):
        download(pristine, STUBS[version])
        stamp = folder / "made_of.txt"
        made_of = digest_of([*sources, Path(__file__)], STUBS[version])
        if stamp.exists() and stamp.read_text("utf-8") == made_of:
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        for package in sorted(pristine.glob("*-stubs")):
            shutil.copytree(package, folder / package.name.removesuffix("-stubs"))
        mend(folder, version)
        declare(folder)
        stamp.write_text(made_of, "utf-8")
    return folder


def download(folder: Path, requirement: str) -> None:
    """Install stubs into a folder of their own: all versions are the same packages."""
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text("utf-8") == requirement:
        return
    shutil.rmtree(folder, ignore_errors=True)
    install = [core_environment(), "-m", "pip", "install", "-qq", "--no-deps", "--no-compile"]
    with timed(f"set up {shown(folder)}: {requirement}"):
        run([*install, "--target", folder, requirement], f"installing {requirement}")
    stamp.write_text(requirement, "utf-8")


def mend(folder: Path, version: str) -> None:
    """Put right what the documentation leaves out. Raises Failure for what is not there."""
    for (name, of), changes in MENDS.items():
        if of not in ("", version):
            continue
        path = folder / name / "__init__.pyi"
        text = path.read_text("utf-8")
        for wrong, right in changes:
            text, count = re.subn(wrong, right, text)
            if not count:
                raise Failure(f"{path}: nothing matches {wrong}: mend the list in {__file__}")
        path.write_text(text, "utf-8")
    for path in folder.rglob("*.pyi"):
        text = path.read_text("utf-8")
        if "-> None:" in text and path.parent.parent.name != "ops":
            path.write_text(returning(text), "utf-8")


def returning(text: str) -> str:
    """Functions said to return nothing, whose own description says what they return."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.endswith(") -> None:"):
            continue
        described = []
        for following in lines[number + 1 : number + 40]:
            described.append(following)
            if '"""' in following and (len(described) > 1 or following.count('"""') == 2):
                break
        about = " ".join(described)
        if ":return:" in about or re.match(r'\s*"""Returns? ', about):
            lines[number] = line.removesuffix("None:") + "typing.Any:"
    return "\n".join(lines)


def declare(folder: Path) -> None:
    """Add what the add-on registers to Blender's own classes."""
    script = ROOT / "tools/inside_core/stored_properties.py"
    status, text = output_of([core_environment(), script])
    if status:
        raise Failure(f"{shown(script)} failed:\n{text}")
    declared, _, owners = text.partition("# owners\n")
    (folder / "verlet_properties.pyi").write_text(declared, "utf-8")
    path = folder / "bpy/types/__init__.pyi"
    types = "import verlet_properties\n" + path.read_text("utf-8")
    for line in owners.splitlines():
        owner, _, attribute = line.partition(" ")
        types, count = re.subn(
            rf"^(class {owner}\(.*:)$", rf"\1\n    {attribute}", types, flags=re.M
        )
        if count != 1:
            raise Failure(f"{path} has no class {owner}")
    path.write_text(types, "utf-8")
