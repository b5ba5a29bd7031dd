"""Prints the types of all properties that the add-on registers, for mypy: see `blender_stubs`.

The add-on's own classes are asked, in a Blender that is only made up: its property functions note
what they are called with.
"""

import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import verlet_physics

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {"BoolProperty": "bool", "IntProperty": "int", "FloatProperty": "float"}
PLAIN |= {"StringProperty": "str"}
VECTORS = {"FloatVectorProperty": "float", "BoolVectorProperty": "bool"}
HEAD = '''from collections.abc import Iterable, Iterator
from typing import Any, Generic, Literal, TypeVar, overload

import bpy

T = TypeVar("T")

class Components(Generic[T]):
    """An array property: it gives numbers by row, and takes any that can be gone through."""

    def __get__(self, group: object, owner: object) -> "Components[T]": ...
    def __set__(self, group: object, value: Iterable[T]) -> None: ...
    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __setitem__(self, key: int, value: T) -> None: ...
    def __iter__(self) -> Iterator[T]: ...
    def __len__(self) -> int: ...
'''


class Made(NamedTuple):
    """What a property was made with."""

    function: Any
    keywords: dict[str, Any]


class MadeUp(ModuleType):
    """A module of Blender that has whatever is asked of it: types, and functions of properties."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith("Property"):

            def made(**keywords: Any) -> Made:
                return Made(made, keywords)

            made.__name__ = name
            found: Any = made
        elif name[0].isupper():
            found = type(name, (), {})
        else:
            found = MadeUp(f"{self.__name__}.{name}")
        setattr(self, name, found)
        return found


def properties() -> Any:
    """The add-on's room of properties, imported without a Blender."""
    for name in ("bpy", "bpy.props", "bpy.types", "mathutils"):
        sys.modules[name] = module = MadeUp(name)
        if "." in name:
            setattr(sys.modules["bpy"], name.partition(".")[2], module)
    for name in ("extension", "extension.verlet_addon"):
        sys.modules[name] = package = ModuleType(name)
        package.__path__ = [str(ROOT / name.removeprefix("extension").replace(".", "/").strip("/"))]
    sys.modules["extension.core"] = verlet_physics
    return importlib.import_module("extension.verlet_addon.properties")


def type_of(made: Made, own: set[type]) -> str:
    """The type of a property as mypy is to see it."""
    name, about = made.function.__name__, made.keywords
    if name in PLAIN:
        return PLAIN[name]
    if name in VECTORS:
        return f"Components[{VECTORS[name]}]"
    if name == "EnumProperty":
        return f"Literal[{', '.join(repr(item[0]) for item in about['items'])}]"
    target = about["type"]
    return target.__name__ if target in own else f"bpy.types.{target.__name__} | None"


def annotations_of(cls: type) -> dict[str, Made]:
    """The properties of a class, and those that it shares with others through a base."""
    found: dict[str, Made] = {}
    for base in reversed(cls.__mro__):
        found |= inspect.get_annotations(base)
    return found


def main() -> None:
    """Print the classes, and behind the line `# owners` what hangs on Blender's own."""
    room = properties()
    classes = [*room.bake_record.CLASSES, *room.CLASSES]
    own = set(classes)
    print(HEAD)
    for cls in classes:
        print(f"class {cls.__name__}(bpy.types.PropertyGroup):")
        for name, made in annotations_of(cls).items():
            print(f"    {name}: {type_of(made, own)}")
        print()
    print("# owners")
    record = Made(MadeUp("bpy.props").PointerProperty, {"type": room.bake_record.VerletBake})
    for owner, name, made in (
        *room.REGISTERED,
        (sys.modules["bpy"].types.Object, "verlet_bake", record),
    ):
        kind = type_of(made, own)
        print(owner.__name__, f"{name}: {f'verlet_properties.{kind}' if kind[0] == 'V' else kind}")


if __name__ == "__main__":
    main()
