"""docs/BENCHMARKS.md has several parts, each made by a run of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = "<!-- Made by "
"""How the first line of a part begins; the whole line tells the parts apart."""


def with_part(whole: str, part: str, *, is_first: bool = False) -> str:
    """The page with one part exchanged, or added: at the end, or as the first."""
    parts = [text for text in re.split(f"(?m)^(?={BEGIN})", whole) if text.strip()]
    line = part.partition("\n")[0]
    kept = [part if text.startswith(line) else text for text in parts]
    if part not in kept:
        kept.insert(0 if is_first else len(kept), part)
    return "\n".join(text.rstrip("\n") + "\n" for text in kept)


def write_part(target: Path, part: str, *, is_first: bool = False) -> None:
    """Exchange one part of a page that may not be there yet."""
    target.parent.mkdir(exist_ok=True)
    whole = target.read_text("utf-8") if target.exists() else ""
    target.write_text(with_part(whole, part, is_first=is_first), "utf-8")
