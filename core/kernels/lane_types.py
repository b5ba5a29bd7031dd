"""What Numba has to know of lanes: two types, and LLVM's code for each function of `lanes`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, models, register_model

from . import lanes
from .lanes import LANES

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_TRUTHS = ir.VectorType(ir.IntType(1), LANES)
_LANE_INDEX = ir.IntType(32)
_FLOAT_BYTES = 8


class Lanes(types.Type):
    """Four floats."""


class Mask(types.Type):
    """Four truths."""


LANES_TYPE, MASK_TYPE = Lanes("Lanes"), Mask("Mask")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _DOUBLES)


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _TRUTHS)


Code = Callable[..., Any]
"""LLVM's value of a call, made with a builder of its arguments."""


def _define(function: Any, result_of: Code, code: Code, *arguments: Sequence[Any]) -> None:
    """Let kernels call a function with such kinds of arguments.

    result_of: the type of what it returns by those of its arguments, None where it takes none such.
    code: gets arrays as Numba's structures of them, and integers with 64 bits.
    """

    class Template(AbstractTemplate):
        def generic(self, kinds: Any, keywords: Any) -> Any:
            result = None if keywords else result_of(*kinds)
            return None if result is None else signature(result, *kinds)

    infer_global(function)(Template)

    def lower(context: Any, builder: Any, signed: Any, values: Any) -> Any:
        given = zip(signed.args, values, strict=True)
        return code(builder, *[_plain(context, builder, *one) for one in given])

    for kinds in arguments:
        lower_builtin(function, *kinds)(lower)


def _plain(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value)
    if isinstance(kind, types.Integer):
        return context.cast(builder, value, kind, types.int64)
    return value


# ------------------------------------------------------------------ operators

_WITH_LANES = [(Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)]


def _in_all(builder: Any, value: Any) -> Any:
    """A float in each lane; lanes as they are."""
    if isinstance(value.type, ir.VectorType):
        return value
    return _packed(builder, *[value] * LANES)


def _packed(builder: Any, *values: Any) -> Any:
    packed = ir.Constant(_DOUBLES, ir.Undefined)
    for k, value in enumerate(values):
        packed = builder.insert_element(packed, value, _LANE_INDEX(k))
    return packed


def _are_numbers(*kinds: Any) -> bool:
    """Whether lanes are among these numbers: Numba knows what floats alone do."""
    return LANES_TYPE in kinds and all(isinstance(k, (Lanes, types.Float)) for k in kinds)


def _define_operator(function: Any, result: Any, code: Code) -> None:
    def result_of(*kinds: Any) -> Any:
        return result if len(kinds) == 2 and _are_numbers(*kinds) else None

    def of_lanes(builder: Any, a: Any, b: Any) -> Any:
        return code(builder, _in_all(builder, a), _in_all(builder, b))

    _define(function, result_of, of_lanes, *_WITH_LANES)


def _compared(sign: str) -> Code:
    def code(builder: Any, a: Any, b: Any) -> Any:
        if sign == "!=":  # as of floats: what is no number equals nothing
            return builder.fcmp_unordered(sign, a, b)
        return builder.fcmp_ordered(sign, a, b)

    return code


for _one in (operator.add, operator.iadd):
    _define_operator(_one, LANES_TYPE, lambda builder, a, b: builder.fadd(a, b))
for _one in (operator.sub, operator.isub):
    _define_operator(_one, LANES_TYPE, lambda builder, a, b: builder.fsub(a, b))
for _one in (operator.mul, operator.imul):
    _define_operator(_one, LANES_TYPE, lambda builder, a, b: builder.fmul(a, b))
for _one in (operator.truediv, operator.itruediv):
    _define_operator(_one, LANES_TYPE, lambda builder, a, b: builder.fdiv(a, b))
for _one, _sign in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _define_operator(_one, MASK_TYPE, _compared(_sign))


def _both_masks(*kinds: Any) -> Any:
    return MASK_TYPE if kinds == (MASK_TYPE, MASK_TYPE) else None


for _one in (operator.and_, operator.iand):
    _define(_one, _both_masks, lambda builder, a, b: builder.and_(a, b), (Mask, Mask))
for _one in (operator.or_, operator.ior):
    _define(_one, _both_masks, lambda builder, a, b: builder.or_(a, b), (Mask, Mask))
_define(
    operator.neg,
    lambda *kinds: LANES_TYPE if kinds == (LANES_TYPE,) else None,
    lambda builder, a: builder.fneg(a),
    (Lanes,),
)


# ------------------------------------------------------------------ functions of `lanes`


def _number_of(*kinds: Any) -> Any:
    """Lanes where any are among numbers, a float where none are."""
    if all(isinstance(k, types.Float) for k in kinds):
        return types.float64
    return LANES_TYPE if _are_numbers(*kinds) else None


def _alike(builder: Any, *values: Any) -> list[Any]:
    """All as lanes where any are."""
    if any(isinstance(v.type, ir.VectorType) for v in values):
        return [_in_all(builder, v) for v in values]
    return list(values)


def _selected(builder: Any, mask: Any, a: Any, b: Any) -> Any:
    if isinstance(mask.type, ir.VectorType):
        a, b = _in_all(builder, a), _in_all(builder, b)
    else:
        a, b = _alike(builder, a, b)
    return builder.select(mask, a, b)


def _selected_type(mask: Any, a: Any, b: Any) -> Any:
    if mask == MASK_TYPE:
        return LANES_TYPE if _number_of(a, b) else None
    return _number_of(a, b) if isinstance(mask, types.Boolean) else None


def _extreme(sign: str) -> Code:
    def code(builder: Any, a: Any, b: Any) -> Any:
        a, b = _alike(builder, a, b)
        return builder.select(builder.fcmp_ordered(sign, b, a), b, a)

    return code


def _instruction(name: str) -> Code:
    """A function that LLVM knows for floats and for vectors of them."""

    def code(builder: Any, a: Any) -> Any:
        kind = f"v{LANES}f64" if isinstance(a.type, ir.VectorType) else "f64"
        signed = ir.FunctionType(a.type, [a.type])
        return builder.call(get_or_insert_function(builder.module, signed, f"{name}.{kind}"), [a])

    return code


def _is_any(builder: Any, mask: Any) -> Any:
    if not isinstance(mask.type, ir.VectorType):
        return mask
    bits = builder.bitcast(mask, ir.IntType(LANES))
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


def _is_row(kind: Any) -> bool:
    """Whether an array has its floats side by side."""
    return (
        isinstance(kind, types.Array)
        and kind.ndim == 1
        and kind.layout == "C"
        and kind.dtype == types.float64
    )


def _taken(builder: Any, row: Any) -> Any:
    return builder.load(builder.bitcast(row.data, _DOUBLES.as_pointer()), align=_FLOAT_BYTES)


def _written(builder: Any, row: Any, value: Any) -> Any:
    place = builder.bitcast(row.data, _DOUBLES.as_pointer())
    builder.store(_in_all(builder, value), place, align=_FLOAT_BYTES)


def _are_rows(x: Any, rows: Any, n: Any) -> bool:
    """Whether numbers of x can be gathered from so many rows."""
    return (
        isinstance(x, types.Array)
        and x.layout == "C"
        and x.dtype == types.float64
        and isinstance(rows, types.Array)
        and (rows.ndim, rows.layout, rows.dtype) == (1, "C", types.int32)
        and isinstance(n, types.Integer)
    )


def _places(builder: Any, x: Any, rows: Any, n: Any) -> list[Any]:
    """Where number n of each row of an array lies."""
    long = ir.IntType(64)
    width = builder.sdiv(
        builder.extract_value(x.strides, 0), ir.Constant(long, _FLOAT_BYTES), flags=["exact"]
    )
    places = []
    for k in range(LANES):
        row = builder.sext(builder.load(builder.gep(rows.data, [_LANE_INDEX(k)])), long)
        places.append(builder.gep(x.data, [builder.add(builder.mul(row, width), n)]))
    return places


def _gathered(builder: Any, x: Any, rows: Any, n: Any) -> Any:
    return _packed(builder, *[builder.load(place) for place in _places(builder, x, rows, n)])


def _scattered(builder: Any, x: Any, rows: Any, n: Any, value: Any) -> None:
    for k, place in enumerate(_places(builder, x, rows, n)):
        builder.store(builder.extract_element(value, _LANE_INDEX(k)), place)


_ON_ROWS = (types.Array, types.Array, types.Integer)
_define(
    lanes.gather,
    lambda x, rows, n: LANES_TYPE if _are_rows(x, rows, n) else None,
    _gathered,
    _ON_ROWS,
)
_define(
    lanes.scatter,
    lambda x, rows, n, a: types.void if _are_rows(x, rows, n) and a == LANES_TYPE else None,
    _scattered,
    (*_ON_ROWS, Lanes),
)
_FLOATS = (types.Float,) * 2
_define(
    lanes.pack,
    lambda *kinds: LANES_TYPE if len(kinds) == LANES and _number_of(*kinds) else None,
    _packed,
    (types.Float,) * LANES,
)
_define(
    lanes.lane,
    lambda a, k: types.float64 if a == LANES_TYPE and isinstance(k, types.Integer) else None,
    lambda builder, a, k: builder.extract_element(a, k),
    (Lanes, types.Integer),
)
_define(lanes.take, lambda row: LANES_TYPE if _is_row(row) else None, _taken, (types.Array,))
_define(
    lanes.put,
    lambda row, a: types.void if _is_row(row) and _number_of(a) else None,
    _written,
    (types.Array, Lanes),
    (types.Array, types.Float),
)
_define(
    lanes.select,
    _selected_type,
    _selected,
    *[(mask, *pair) for mask in (Mask, types.Boolean) for pair in [*_WITH_LANES, _FLOATS]],
)
_define(lanes.larger, _number_of, _extreme(">"), *_WITH_LANES, _FLOATS)
_define(lanes.smaller, _number_of, _extreme("<"), *_WITH_LANES, _FLOATS)
_define(lanes.root, _number_of, _instruction("llvm.sqrt"), (Lanes,), (types.Float,))
_define(lanes.size_of, _number_of, _instruction("llvm.fabs"), (Lanes,), (types.Float,))
_define(
    lanes.any_of,
    lambda mask: types.boolean if isinstance(mask, (Mask, types.Boolean)) else None,
    _is_any,
    (Mask,),
    (types.Boolean,),
)
