"""One kernel as an LLVM module that is not optimised yet, with an entry that takes plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.np import numpy_support

from verlet_physics.kernels import jit, kernel_files, linking

from .signatures import Signature, name_of


@dataclass(frozen=True)
class Entry:
    """A kernel's code for one signature: its symbol, what it takes and gives, and the module."""

    symbol: str
    arguments: list[Any]  # as in kernels.json
    result: Any
    module: bytes


def stop_before_machine_code() -> None:
    """Have Numba hand over what it has linked, and make no code for this machine."""
    JITCodeLibrary._finalize_specific = lambda self: None
    JITCPUCodegen._add_module = lambda self, module: None
    JITCPUCodegen.set_env = lambda self, name, environment: None
    linking.Whole._optimize_final_module = _keep_private
    kernel_files.cache_of = lambda function: numba.core.caching.NullCache()


def _keep_private(library: Any) -> None:
    for function in library._final_module.functions:
        if function.linkage.name in linking.SHARED_LINKAGE and not function.is_declaration:
            function.linkage = "internal"


def compile_kernel(kernel: jit.Kernel, signature: Signature, parallel: bool, symbol: str) -> Entry:
    """Compile a kernel as far as the processor does not matter."""
    kernel.options = kernel.options | {"no_cpython_wrapper": True}
    dispatcher = kernel._compile(parallel)
    dispatcher.compile(signature)
    (compiled,) = dispatcher.overloads.values()
    module = compiled.library._final_module
    function = module.get_function(compiled.fndesc.llvm_func_name)
    result = compiled.signature.return_type
    try:
        entry = _Wrapper(compiled.target_context, signature, result).text(symbol, function)
        if "array" in str(result):
            raise NotImplementedError(f"{result} as its result")
        described = [_described(argument) for argument in signature], _described(result)
    except NotImplementedError as error:
        raise SystemExit(f"{name_of(kernel)} cannot be called from the library: {error}") from None
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"  # environments, which would be shared by name
    function.linkage = "internal"
    function.add_function_attribute("noinline")
    function_name = function.name
    declared = llvm.parse_assembly(entry)
    # The entry declares the function, which private ones cannot be linked to: make it public first.
    module.get_function(function_name).linkage = "external"
    module.link_in(declared)
    module.get_function(function_name).linkage = "internal"
    module.verify()
    return Entry(symbol, *described, module.as_bitcode())


def _described(kind: Any) -> Any:
    """A type in the words of kernels.json."""
    if isinstance(kind, types.Boolean):
        return "truth"
    if isinstance(kind, types.Integer):
        return "integer"
    if isinstance(kind, types.Float):
        return "number"
    if isinstance(kind, types.NoneType):
        return "none"
    if isinstance(kind, types.Array) and kind.layout in "CA":
        dtype = numpy_support.as_dtype(kind.dtype)
        return {"array": _dtype(dtype), "dimensions": kind.ndim, "rows": kind.layout == "C"}
    if isinstance(kind, types.BaseTuple):
        return {"tuple": [_described(item) for item in kind]}
    raise NotImplementedError(f"{kind} among its arguments or results")


def _dtype(dtype: Any) -> Any:
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return {"base": _dtype(base), "shape": list(shape)}
    if dtype.fields is None:
        return dtype.str
    fields = [dtype.fields[name] for name in dtype.names]
    return {
        "names": list(dtype.names),
        "formats": [_dtype(field[0]) for field in fields],
        "offsets": [field[1] for field in fields],
        "itemsize": dtype.itemsize,
    }


class _Wrapper:
    """Writes `i32 symbol(places)`: loads all numbers from their places and calls the kernel.

    Places hold eight bytes each: where results go, then the arguments as `_described`: of an array
    its address and shape, and its strides if rows do not follow each other.
    """

    def __init__(self, context: Any, signature: Signature, result: Any) -> None:
        self.context, self.signature, self.result = context, signature, result
        self.lines: list[str] = []
        self.values: list[str] = []
        self.place = 1

    def text(self, symbol: str, function: Any) -> str:
        """The module's text."""
        wanted = [str(argument.type) for argument in function.arguments]
        for kind in self.signature:
            self._argument(kind)
        given = [value.rpartition(" ")[0] for value in self.values]
        if given != wanted[2:]:
            raise NotImplementedError(f"its arguments are {wanted[2:]}, not {given}")
        result = str(self.context.call_conv.get_return_type(self.result).pointee)
        call = ", ".join(["ptr %result", "ptr %fault", *self.values])
        results: list[str] = []
        if not isinstance(self.result, types.NoneType):
            results = [
                f"%all = load {result}, ptr %result",
                "%out = load ptr, ptr %places",
                *self._results(self.result, result),
            ]
        body = "\n  ".join(
            [
                f"%result = alloca {result}",
                "%fault = alloca ptr",
                *self.lines,
                f'%status = call i32 @"{function.name}"({call})',
                *results,
                "ret i32 %status",
            ]
        )
        types_ = ", ".join(wanted)
        return (
            f'declare i32 @"{function.name}"({types_})\n'
            f"define i32 @{symbol}(ptr %places) {{\n  {body}\n}}\n"
        )

    def _load(self, kind: str) -> str:
        k, self.place = self.place, self.place + 1
        self.lines += [f"%p{k} = getelementptr i64, ptr %places, i64 {k}"]
        if kind in ("i8", "i1"):
            self.lines += [f"%w{k} = load i64, ptr %p{k}", f"%v{k} = trunc i64 %w{k} to {kind}"]
        else:
            self.lines += [f"%v{k} = load {kind}, ptr %p{k}"]
        return f"%v{k}"

    def _argument(self, kind: Any) -> None:
        if isinstance(kind, types.Array):
            data = self._load("ptr")
            shape = [self._load("i64") for _ in range(kind.ndim)]
            item = self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype))
            if kind.layout == "C":
                strides = [f"{item}"]
                for length in reversed(shape[1:]):
                    strides.insert(0, self._product(strides[0], length))
            else:
                strides = [self._load("i64") for _ in range(kind.ndim)]
            count = "1"
            for length in shape:
                count = self._product(count, length)
            self.values += ["ptr null", "ptr null", f"i64 {count}", f"i64 {item}", f"ptr {data}"]
            self.values += [f"i64 {number}" for number in (*shape, *strides)]
        elif isinstance(kind, types.BaseTuple):
            for item in kind:
                self._argument(item)
        elif isinstance(kind, types.NoneType):
            self.values.append("ptr null")
        else:
            name = str(self.context.data_model_manager[kind].get_argument_type())
            self.values.append(f"{name} {self._load(name)}")

    def _product(self, a: str, b: str) -> str:
        if a == "1":
            return b
        name = f"%m{len(self.lines)}"
        self.lines.append(f"{name} = mul i64 {a}, {b}")
        return name

    def _results(self, kind: Any, whole: str) -> list[str]:
        lines: list[str] = []
        count = 0

        def leaf(item: Any, path: list[int]) -> None:
            nonlocal count
            if isinstance(item, types.BaseTuple):
                for k, part in enumerate(item):
                    leaf(part, [*path, k])
                return
            name = str(self.context.data_model_manager[item].get_return_type())
            value = "%all"
            if path:
                value = f"%e{count}"
                lines.append(f"{value} = extractvalue {whole} %all, {', '.join(map(str, path))}")
            if name in ("i8", "i1"):
                lines.append(f"%z{count} = zext {name} {value} to i64")
                name, value = "i64", f"%z{count}"
            lines.append(f"%o{count} = getelementptr i64, ptr %out, i64 {count}")
            lines.append(f"store {name} {value}, ptr %o{count}")
            count += 1

        leaf(kind, [])
        return lines
