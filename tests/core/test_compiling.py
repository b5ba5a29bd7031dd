"""What our compiler leaves out of Numba's changes nothing of what comes out."""

import ast
import gc
from pathlib import Path

import numpy as np
import pytest

from verlet_physics.kernels import jit

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.numba


def machine_code(compiler):
    """Assembler of a loop with a function, an index and a tuple in it, compiled anew."""
    part = numba.njit(pipeline_class=compiler)(lambda a, b: (a * b + b, a))

    def loop(x, n):
        total = 0.0
        for k in range(n):
            first, second = part(x[k], total)
            total += first - second
        return total

    dispatcher = numba.njit(pipeline_class=compiler)(loop)
    dispatcher(np.ones(3), 3)
    (text,) = dispatcher.inspect_llvm().values()
    return text.count("fmul"), text.count("fadd"), text.count("load"), text.count("br ")


def test_the_code_is_that_of_numbas_own_compiler():
    from numba.core.compiler import Compiler

    from verlet_physics.kernels.compiling import QuickCompiler

    assert machine_code(QuickCompiler) == machine_code(Compiler)


def test_options_are_equal_while_their_values_are():
    from numba.core.compiler import Flags

    from verlet_physics.kernels.compiling import Options

    plain, options = Flags(), Options(Flags())
    assert options == plain
    assert hash(options) == hash(plain)
    twin = options.copy()
    assert {options: 1}[twin] == 1
    options.nrt = True
    assert options.values()["nrt"] is True
    assert options != twin
    assert options != plain
    options.discard("nrt")
    assert options == twin


def test_sizes_of_types_are_asked_for_once_and_are_right():
    from llvmlite import ir

    from verlet_physics.kernels.compiling import size_of

    data = numba.core.registry.cpu_target.target_context.target_data
    for kind in (ir.DoubleType(), ir.IntType(32), ir.LiteralStructType([ir.IntType(8)] * 3)):
        assert size_of(data, kind) == kind.get_abi_size(data)


def test_nothing_is_collected_while_it_compiles_and_again_after(monkeypatch):
    from numba.core.compiler import Compiler

    seen = []
    define = Compiler.define_pipelines

    def watched(self):
        seen.append(gc.isenabled())
        return define(self)

    monkeypatch.setattr("verlet_physics.kernels.compiling._passes", {})
    monkeypatch.setattr(Compiler, "define_pipelines", watched)
    kernel = jit.Kernel(lambda x: x + 1.0, parallel=False)
    wrong = jit.Kernel(lambda x: x.nothing, parallel=False)
    jit._kernels.remove(kernel)
    jit._kernels.remove(wrong)
    assert kernel._compile(parallel=False)(1.0) == 2.0
    with pytest.raises(numba.core.errors.TypingError):
        wrong._compile(parallel=False)(1.0)
    assert seen == [False]
    assert gc.isenabled()


def number_at(index, compiler):
    """What a compiled function finds at an index of 5 … 9, before which lie 0 … 4 in memory."""
    get = numba.njit(pipeline_class=compiler)(lambda x, k: x[k])
    return get(np.arange(15.0)[5:10], index)


def test_kernels_take_an_index_as_it_is_and_all_else_counts_from_the_end(monkeypatch):
    from numba.core.compiler import Compiler

    from verlet_physics.kernels.compiling import KernelCompiler

    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    assert number_at(3, KernelCompiler) == number_at(3, Compiler) == 8.0
    assert number_at(-2, Compiler) == 8.0
    assert number_at(-2, KernelCompiler) == 3.0


@pytest.mark.parametrize("index", [-1, 5])
def test_an_index_that_is_none_is_found_where_bounds_are_checked(index, monkeypatch):
    from verlet_physics.kernels.compiling import KernelCompiler

    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    with pytest.raises(IndexError):
        number_at(index, KernelCompiler)


COMPILED = {"kernel", "parallel_kernel", "allocating_kernel", "inline", "lean", "lean_inline"}


def compiled_functions(source):
    """The functions of a module's source that become part of kernels."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            names = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
            if names & COMPILED:
                yield node


def counts_from_the_end(index):
    """Whether the source of an index is a negative number, or has one in a tuple."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub) for one in parts)


def test_no_kernel_counts_from_the_end_of_an_array():
    files = sorted(Path(jit.__file__).parents[1].rglob("*.py"))
    sources = [(path, path.read_text("utf-8")) for path in files]
    functions = [(path, one) for path, text in sources for one in compiled_functions(text)]
    assert len(functions) > 1000
    wrong = [
        f"{path.name}: {ast.unparse(node)}"
        for path, function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and counts_from_the_end(node.slice)
    ]
    assert wrong == []
