"""``blender -b --command verlet_sheet``: pictures side by side on one sheet, with a label each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.errors import VerletError
from .blender.commands import Command

SHEET_COMMAND = "verlet_sheet"
WIDTH, GAP, DOT = 320, 8, 2  # px: a picture, what is between two, a dot of a letter
SHEET_COLOUR, INK = (0.08, 0.08, 0.08, 1.0), (0.9, 0.9, 0.9, 1.0)
HEIGHT, ADVANCE = 5, 4  # dots of a letter, and to the next one

Pixels = NDArray[np.float32]

_DOTS = """
0 75557 1 26227 2 71747 3 71317 4 55711 5 74717 6 74757 7 71222 8 75757 9 75717 . 00002 - 00700
+ 02720 / 11244 _ 00007 , 00024 : 02020 A 25755 B 65656 C 34443 D 65556 E 74647 F 74644 G 34553
H 55755 I 72227 J 11152 K 55655 L 44447 M 57755 N 65555 O 25552 P 65644 Q 25563 R 65655 S 34216
T 72222 U 55557 V 55552 W 55775 X 55255 Y 55222 Z 71247
"""

LETTERS = {" ": "00000", **dict(zip(_DOTS.split()[::2], _DOTS.split()[1::2]))}
"""Letters of three by five dots: a digit for each row from above, whose bits are its dots."""

UNKNOWN_FRAME = "71202"


def written(text: str) -> NDArray[np.bool_]:
    """A text as dots (5, n), the upper row first; of letters only capitals."""
    rows = np.zeros((HEIGHT, ADVANCE * len(text)), dtype=bool)
    for place, letter in enumerate(text.upper()):
        for row, bits in enumerate(LETTERS.get(letter, UNKNOWN_FRAME)):
            for dot in range(3):
                rows[row, ADVANCE * place + dot] = int(bits) >> (2 - dot) & 1
    return rows


def picture(path: Path) -> Pixels:
    """An image file as pixels (h, `WIDTH`, 4), the lowest row first. Raises VerletError."""
    if not path.is_file():
        raise VerletError(f"{path} is not there")
    image: Any = bpy.data.images.load(str(path))
    try:
        width, height = image.size
        if not image.has_data or not width or not height:
            raise VerletError(f"{path} is damaged, or no picture")
        height = max(1, round(height * WIDTH / width))
        image.scale(WIDTH, height)
        pixels = np.empty((height, WIDTH, 4), np.float32)
        image.pixels.foreach_get(pixels.reshape(-1))
        if image.is_float:
            pixels[..., :3] = _shown(pixels[..., :3])
    finally:
        bpy.data.images.remove(image)
    alpha = pixels[..., 3:]
    found = pixels * alpha + np.array(SHEET_COLOUR, np.float32) * (1.0 - alpha)
    return found.astype(np.float32)


def _shown(linear: Pixels) -> Pixels:
    """Colours as sRGB has them, of linear ones."""
    clipped = np.clip(linear, 0.0, 1.0)
    shown = np.where(clipped <= 0.0031308, 12.92 * clipped, 1.055 * clipped ** (1.0 / 2.4) - 0.055)
    return shown.astype(np.float32)


def sheet_of(pictures: list[Pixels], labels: list[str], columns: int) -> Pixels:
    """All pictures from left to right and from above, with their labels over them."""
    rows = -(-len(pictures) // columns)
    line = DOT * HEIGHT + GAP
    tall = max(one.shape[0] for one in pictures)
    cell = tall + line + GAP
    size = (rows * cell + GAP, columns * (WIDTH + GAP) + GAP, 4)
    sheet = np.empty(size, np.float32)
    sheet[:] = SHEET_COLOUR
    for number, (pixels, label) in enumerate(zip(pictures, labels, strict=True)):
        row, column = divmod(number, columns)
        left = GAP + column * (WIDTH + GAP)
        top = size[0] - GAP - row * cell
        dots = np.kron(written(label), np.ones((DOT, DOT), bool))[::-1, :WIDTH]
        sheet[top - dots.shape[0] : top, left : left + dots.shape[1]][dots] = INK
        sheet[top - line - pixels.shape[0] : top - line, left : left + WIDTH] = pixels
    return sheet


def save(pixels: Pixels, path: Path) -> None:
    """Write pixels (h, w, 4) as a PNG file. Raises RuntimeError where Blender cannot."""
    height, width, _ = pixels.shape
    image: Any = bpy.data.images.new("sheet", width, height)
    try:
        image.pixels.foreach_set(np.ascontiguousarray(pixels).ravel())
        image.filepath_raw, image.file_format = str(path), "PNG"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save()
    finally:
        bpy.data.images.remove(image)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command's own arguments."""
    parser = argparse.ArgumentParser(
        prog=f"blender -b --command {SHEET_COMMAND}", description="Lay pictures out on one sheet."
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="the sheet, a PNG file")
    parser.add_argument("--columns", type=int, default=4, help="pictures in a row (default: 4)")
    parser.add_argument("pictures", nargs="+", metavar="LABEL=FILE", help="what is laid out")
    return parser.parse_args(arguments)


def _act(options: argparse.Namespace) -> int:
    """Make the sheet; 0 when it is there, 2 for a wrong call."""
    pairs = [one.partition("=") for one in options.pictures]
    if options.columns < 1 or not all(mark for _, mark, _ in pairs):
        print("Error: write pictures as LABEL=FILE, and at least one column", file=sys.stderr)
        return 2
    pictures = [picture(Path(file)) for _, _, file in pairs]
    labels = [label for label, _, _ in pairs]
    save(sheet_of(pictures, labels, options.columns), Path(options.output))
    print(f"{len(pictures)} pictures on {options.output}")
    return 0


_command = Command(SHEET_COMMAND, parse, _act)
run, register, unregister = _command.run, _command.register, _command.unregister
