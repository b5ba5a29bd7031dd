"""The import rule: core/ knows nothing of Blender, and imports point one way."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import verlet_physics

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
CORE_FILES = sorted((ROOT / "core").rglob("*.py"))
BLENDER_MODULES = {"bpy", "bmesh", "mathutils", "gpu", "gpu_extras", "blf", "bl_ext", "bl_ui"}
OWN_NAMES = {"core", "verlet_physics", "verlet_addon"}


def imports(tree: ast.AST) -> Iterator[tuple[int, str, int]]:
    """Line, top-level module name and relative level of every import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.split(".")[0], 0
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, (node.module or "").split(".")[0], node.level


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_core_is_free_of_blender_and_imports_itself_relatively(path):
    package_depth = len(path.relative_to(ROOT / "core").parts)
    for line, name, level in imports(ast.parse(path.read_text("utf-8"))):
        where = f"{path.relative_to(ROOT)}:{line}"
        if level == 0:
            assert name not in BLENDER_MODULES, f"{where} imports {name}: core/ runs without it"
            assert name not in OWN_NAMES, f"{where}: inside core/ use relative imports"
        assert level <= package_depth, f"{where} reaches out of core/"


def test_root_module_imports_nothing_at_top_level():
    """Or pytest and other tools need Blender just to look at the checkout."""
    tree = ast.parse((ROOT / "__init__.py").read_text("utf-8"))
    assert not [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def test_every_module_of_core_imports_without_blender():
    prefix = "verlet_physics."
    names = [module.name for module in pkgutil.walk_packages(verlet_physics.__path__, prefix)]
    for name in names:
        if not name.endswith("__main__"):
            importlib.import_module(name)
    assert names


def test_importing_core_loads_no_blender_module():
    code = "import sys, verlet_physics; print(*sorted(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not BLENDER_MODULES & set(done.stdout.split())


def _sources(room: str) -> dict[str, Path]:
    """Files of a folder by the full names of their modules."""
    found = {}
    for path in sorted((ROOT / room).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imported(module: str, path: Path, modules: Iterable[str]) -> set[str]:
    """Which of the modules a file imports relatively, for type checkers alone too."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
            names = [".".join([*base, alias.name]) for alias in node.names]
            found |= {name if name in modules else ".".join(base) for name in names}
    return (found & set(modules)) - {module}


@pytest.mark.parametrize("room", ["core", "verlet_addon"])
def test_no_files_import_each_other_in_a_circle(room):
    """Not even for their types: who reads one file need not have read a second one first.

    Import-linter looks at layers alone, and lets files of one layer's room do as they like.
    """
    files = _sources(room)
    graph = {module: _imported(module, path, files) for module, path in files.items()}
    assert sum(map(len, graph.values())) > len(graph)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def _is_record(value: ast.expr) -> bool:
    """Whether that makes a type of records: of rows of a table, or of what kernels get together."""
    makes = ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    return makes.lower() == "namedtuple" or ".dtype(" in ast.unparse(value)


def test_no_two_classes_or_tables_have_one_name():
    """A reader who meets a name anywhere knows which class or record it means."""
    places: dict[str, list[str]] = {}
    for path in [*CORE_FILES, *sorted((ROOT / "verlet_addon").rglob("*.py"))]:
        for node in ast.parse(path.read_text("utf-8")).body:
            names = []
            if isinstance(node, ast.ClassDef):
                names = [node.name]
            elif isinstance(node, ast.Assign) and _is_record(node.value):
                names = [ast.unparse(target) for target in node.targets]
            for name in names:
                places.setdefault(name.lstrip("_"), []).append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


EACH_HAS_ITS_OWN = {"CLASSES", "MODULES", "SCENES"}
"""What a file registers, tries or measures: the same question everywhere, each with its answer."""


def test_no_two_constants_have_one_name():
    """Not even with one value, which one of them could change, nor with an underscore before it."""
    places: dict[str, list[str]] = {}
    ready = ROOT / "verlet_addon" / "ready"  # things to add, each with measures of its own
    addon = [path for path in (ROOT / "verlet_addon").rglob("*.py") if ready not in path.parents]
    for path in [*CORE_FILES, *sorted(addon)]:
        for node in ast.parse(path.read_text("utf-8")).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                    name = ast.unparse(one).lstrip("_")
                    if name.isupper() and name not in EACH_HAS_ITS_OWN:
                        places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    """All functions of a file, methods and inner ones too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


def _parameters(function: ast.FunctionDef) -> int:
    """How many parameters a function has, self included."""
    has = function.args
    named = [*has.posonlyargs, *has.args, *has.kwonlyargs]
    return len(named) + (has.vararg is not None) + (has.kwarg is not None)


KERNELS = {"kernel", "parallel_kernel", "allocating_kernel"}
MOST_PARAMETERS = 9
"""Of a kernel: what belongs together goes in as one record. Elsewhere few functions have more."""

FEW = 10
LONGEST = 80
"""Lines from a function's name to its end."""

ALL_FILES = [*CORE_FILES, *sorted((ROOT / "verlet_addon").rglob("*.py"))]


def test_no_kernel_has_more_than_nine_parameters():
    kernels, wide = 0, []
    for path in CORE_FILES:
        for function in _functions(path):
            if KERNELS & {ast.unparse(decorator) for decorator in function.decorator_list}:
                kernels += 1
                if _parameters(function) > MOST_PARAMETERS:
                    wide.append(f"{path.relative_to(ROOT)}: {function.name}")
    assert kernels > 100  # or they are called something else by now
    assert wide == []


def test_few_functions_have_ten_parameters_or_more():
    """Those have names for most of what they are given, as `add_particles` of the builder has."""
    wide = [
        f"{path.relative_to(ROOT)}: {function.name}"
        for path in ALL_FILES
        for function in _functions(path)
        if _parameters(function) > MOST_PARAMETERS
    ]
    assert len(wide) < FEW, wide


def test_no_function_is_longer_than_a_page():
    long = [
        f"{path.relative_to(ROOT)}: {function.name}"
        for path in ALL_FILES
        for function in _functions(path)
        if function.end_lineno - function.lineno + 1 > LONGEST
    ]
    assert long == []
