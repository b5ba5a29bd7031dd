"""The manual as web pages, by MkDocs: for `dev.py manual`, and in every zip, for F1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.environments import manual_environment
from tools.processes import ROOT, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

UNUSED = ("css/fonts/*.eot", "css/fonts/*.svg", "css/fonts/*.ttf", "css/fonts/*.woff", "sitemap*")
"""What the theme brings for browsers older than .woff2 fonts, and for web servers."""


def manual_sources() -> list[Path]:
    """What the pages are made of."""
    files = (path for path in (ROOT / "docs").rglob("*") if path.is_file())
    return [ROOT / "mkdocs.yml", *sorted(files)]


def build_manual(folder: Path, arguments: Sequence[str] = ()) -> None:
    """Make the pages anew in a folder; a link that leads nowhere fails."""
    command = [manual_environment(), "-m", "mkdocs", "build", "--clean", "--quiet"]
    run([*command, "--site-dir", folder, *arguments], "manual")
    for pattern in UNUSED:
        for path in folder.glob(pattern):
            path.unlink()
