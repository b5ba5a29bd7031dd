"""docs/BENCHMARKS.md has several parts, each made by a run of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = "<!-- Made by "
"""How the first line of a part begins; the whole line tells the parts apart."""


def with_part(whole: str, part: str) -> str:
    """The page with one part exchanged, or added at the end."""
    parts = [text for text in re.split(f"(?m)^(?={BEGIN})", whole) if text.strip()]
    line = part.partition("\n")[0]
    kept = [part if text.startswith(line) else text for text in parts]
    if part not in kept:
        kept.append(part)
    return "\n".join(text.rstrip("\n") + "\n" for text in kept)


def write_part(target: Path, part: str) -> None:
    """Exchange one part of a page that may not be there yet."""
    target.parent.mkdir(exist_ok=True)
    whole = target.read_text("utf-8") if target.exists() else ""
    target.write_text(with_part(whole, part), "utf-8")
