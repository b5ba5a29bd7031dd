"""What object files define and what they ask for, in the forms that Linux, macOS and Windows have.

Linkers take what nothing else defines from the system's libraries, quietly: `sincos` of mingw's has
other bits than the sine and cosine that are linked in.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Symbol = tuple[bytes, bool]  # its name, and whether it is defined here


@dataclass(frozen=True)
class Symbols:
    """Names that others may use, and names that others have to define."""

    defined: frozenset[str]
    wanted: frozenset[str]


def symbols_of(data: bytes) -> Symbols:
    """The public symbols of an object file."""
    if data[:4] == b"\x7fELF":
        found = list(_elf(data))
    elif data[:4] == b"\xcf\xfa\xed\xfe":
        found = list(_mach(data))
    else:
        found = list(_coff(data))
    return Symbols(
        frozenset(name.decode() for name, is_defined in found if is_defined),
        frozenset(name.decode() for name, is_defined in found if not is_defined),
    )


def _elf(data: bytes) -> Iterator[Symbol]:
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * k) for k in range(count)]
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        for at in range(offset, offset + length, 24):
            name, about, _, section = struct.unpack_from("<IBBH", data, at)
            if about >> 4 and name:  # not local
                yield _text(data, sections[link][4] + name), section != 0


def _mach(data: bytes) -> Iterator[Symbol]:
    (commands,) = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, at)
        if command == 2:  # LC_SYMTAB
            symbols, count, names, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(count):
                name, kind = struct.unpack_from("<IB", data, symbols + 16 * k)
                if kind & 1 and not kind & 0xE0:  # external, and none of a debugger's
                    yield _text(data, names + name).removeprefix(b"_"), kind & 14 != 0
        at += size


def _coff(data: bytes) -> Iterator[Symbol]:
    start, count = struct.unpack_from("<II", data, 8)
    names = start + 18 * count
    k = 0
    while k < count:
        at = start + 18 * k
        value, section, _, kind, more = struct.unpack_from("<IhHBB", data, at + 8)
        zeros, offset = struct.unpack_from("<II", data, at)
        name = data[at : at + 8].rstrip(b"\0") if zeros else _text(data, names + offset)
        if kind == 2:  # external
            yield name, section != 0 or value != 0
        k += 1 + more


def _text(data: bytes, start: int) -> bytes:
    return data[start : data.index(b"\0", start)]
