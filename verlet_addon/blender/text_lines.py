"""Texts in lines that fit."""

from collections.abc import Callable


def lines_of(text: str, fits: Callable[[str], bool]) -> list[str]:
    """A text in lines that fit; a word that does not fit has a line of its own."""
    lines: list[str] = []
    for word in text.split():
        if lines and fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
