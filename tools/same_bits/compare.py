"""Steps one file of models on everything that can run here, and compares where they end."""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.processes import Failure, output_of, run, timed
from tools.same_bits.machines import FOLDER, PYTHON_OF, Machine, machines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PROBE = "import platform, numpy; print(platform.python_version(), numpy.__version__)"


@dataclass(frozen=True)
class Ends:
    """Where scenes end on a machine: hashes by name, and how many differ on two threads."""

    hashes: dict[str, str]
    differ: int
    seconds: float


def compare_bits(arguments: Sequence[str]) -> None:
    """Print a table of all machines; fail if any scene ends elsewhere on any of them."""
    parser = argparse.ArgumentParser(prog="dev.py same-bits", description=__doc__)
    parser.add_argument("machines", nargs="*", help="parts of their names; default all")
    parser.add_argument("--random", type=int, default=40, help="random scenes (default: 40)")
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="LIBRARY=COMMAND",
        help="a command that starts a Python with NumPy that takes this library, as in"
        " linux-arm64='qemu-aarch64 -L ROOT ROOT/usr/bin/python3'",
    )
    parser.add_argument("--scenes", nargs="+", default=[], help="these alone, by name")
    options = parser.parse_args(arguments)
    given = dict(one.split("=", 1) for one in options.python)
    FOLDER.mkdir(parents=True, exist_ok=True)
    all_of_them = list(machines(given))
    chosen = [
        machine
        for machine in all_of_them
        if not options.machines or any(part in machine.name for part in options.machines)
    ]
    models = FOLDER / "models.pickle"
    with timed("make the models"):
        # The oldest NumPy here: an older one does not read what a newer one has written.
        maker = next((one for one in all_of_them if PYTHON_OF in one.name), all_of_them[0])
        command = (*maker.python, "-m", "tools.same_bits.models", models, options.random)
        run(command, "making the models", variables=dict(maker.variables))
    first: Ends | None = None
    elsewhere = 0
    print(f"\n{'library':44} {'Python, NumPy':16} {'scenes':>6} {'elsewhere':>9} {'threads':>7}")
    for machine in chosen:
        ends = _ends(machine, models, options.scenes)
        first = first or ends
        differ = [name for name, bits in ends.hashes.items() if first.hashes.get(name) != bits]
        elsewhere += len(differ) + ends.differ
        versions = " ".join(_output(machine, "-c", PROBE).split())
        counts = f"{len(ends.hashes):6} {len(differ):9} {ends.differ:7}"
        named = "  " + " ".join(differ[:5]) if differ else ""
        print(f"{machine.name:44} {versions:16} {counts} {ends.seconds:7.0f} s{named}", flush=True)
    if elsewhere:
        raise Failure(f"{elsewhere} scenes end elsewhere")


def _ends(machine: Machine, models: Path, scenes: Sequence[str]) -> Ends:
    """Step all models on one thread and on two."""
    saved = FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', machine.name.lower())}.json"
    saved.unlink(missing_ok=True)
    begun = time.perf_counter()
    said = _output(
        machine, *machine.engine, "golden", *scenes, "--models", str(models), "--save", str(saved)
    )
    hashes = json.loads(saved.read_text("utf-8"))["scenes"]
    return Ends(hashes, said.count("  two threads: "), time.perf_counter() - begun)


def _output(machine: Machine, *arguments: str) -> str:
    """What a command on a machine prints; 1 says that threads differ, which is counted."""
    variables = dict(machine.variables)
    status, said = output_of((*machine.python, *arguments), variables=variables)
    if status not in (0, 1) or "Traceback" in said:
        raise Failure(f"{machine.name} failed (exit status {status}):\n{said[-4000:]}")
    return said
