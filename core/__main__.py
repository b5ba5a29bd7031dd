"""Command line: ``python -m verlet_physics truth | bench | random | golden | list | compile``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from .kernels import jit, library

MOST_STOPPED = 0.002
"""Share of random scenes that may blow up: their parameters go to the ends of every slider."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m verlet_physics", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    truth = commands.add_parser("truth", help="compare the engine with exact answers")
    truth.add_argument("cases", nargs="*", metavar="CASE", help="names from `list`; default all")
    truth.add_argument("--json", action="store_true", help="one JSON object a line")

    bench = commands.add_parser("bench", help="time and measure scenes")
    bench.add_argument("scenes", nargs="*", metavar="SCENE", help="names from `list`; default all")
    bench.add_argument("--n", type=int, help="size: vertices along a side, or bodies")
    bench.add_argument("--threads", type=int, default=0, help="0 takes as many as are worth it")
    bench.add_argument("--json", action="store_true", help="one JSON object a line")

    random = commands.add_parser("random", help="simulate random scenes twice: no NaN, same bits")
    random.add_argument("--count", type=int, default=10_000, help="how many")
    random.add_argument("--first", type=int, default=0, help="seed of the first one")

    golden = commands.add_parser("golden", help="hash where small scenes of everything end")
    golden.add_argument("scenes", nargs="*", metavar="SCENE", help="names from `list`; default all")
    golden.add_argument("--save", type=Path, metavar="FILE", help="keep the hashes")
    golden.add_argument(
        "--against", type=Path, metavar="FILE", help="compare with those of another commit"
    )
    golden.add_argument(
        "--models",
        type=Path,
        metavar="FILE",
        help="step the models in it, which another machine has made; made here if it is not there",
    )

    commands.add_parser("list", help="names of all cases and scenes")
    commands.add_parser("compile", help="compile all kernels into the cache folder")

    options = parser.parse_args(arguments)
    if os.environ.get("VERLET_LIBRARY") and library.why_not():
        # Who names a library wants its figures and its bits, not Numba's or plain Python's.
        return _fail(f"VERLET_LIBRARY: {library.why_not()}")
    if options.command == "truth":
        return _truth(options.cases, options.json)
    if options.command == "bench":
        return _bench(options.scenes, options.n, options.threads, options.json)
    if options.command == "random":
        return _random(options.count, options.first)
    if options.command == "golden":
        return _golden(options.scenes, options.save, options.against, options.models)
    if options.command == "list":
        return _list()
    return _compile()


def _fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


def _truth(names: list[str], as_json: bool) -> int:
    from .truth.all import CASES, select

    try:
        chosen = select(names)
    except KeyError as unknown:
        return _fail(f"no truth case {unknown}; known are: {', '.join(CASES)}")
    failed = 0
    if not as_json:
        print(f"{'case':26} {'measured':>14} {'expected':>14} {'tolerance':>12}  result")
    for name in chosen:
        begun = time.perf_counter()
        result = CASES[name]()
        failed += not result.passed
        if as_json:
            line: dict[str, object] = {
                "case": name,
                "measured": result.measured,
                "expected": result.expected,
                "tolerance": result.tolerance,
                "pass": result.passed,
            }
            if result.published:
                line["published"] = result.published
            print(json.dumps(line), flush=True)
        else:
            verdict = "pass" if result.passed else "FAIL"
            took = time.perf_counter() - begun
            others = f"  published: {result.published}" if result.published else ""
            print(
                f"{name:26} {result.measured:14.6g} {result.expected:14.6g} "
                f"{result.tolerance:12.2g}  {verdict}  ({took:.1f} s){others}",
                flush=True,
            )
    if not as_json:
        print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _bench(names: list[str], n: int | None, threads: int, as_json: bool) -> int:
    from .bench.compare import COMPARISONS
    from .bench.rigid_bodies import measure_named
    from .bench.rigid_scenes import SCENES as RIGID_SCENES
    from .bench.run import run_scene
    from .bench.scenes import SCENES

    known = [*SCENES, *RIGID_SCENES, *COMPARISONS]
    for name in names:
        if name not in known:
            return _fail(f"no bench scene {name!r}; known are: {', '.join(known)}")
    if n is not None and n < 2:
        return _fail(f"--n {n}: at least 2")
    if threads < 0:
        return _fail(f"--threads {threads}: 0 or more")
    for name in names or known:
        if name in COMPARISONS:
            figures = COMPARISONS[name](n, threads)
        elif name in RIGID_SCENES:
            figures = measure_named(name, n, threads)
        else:
            figures = run_scene(name, n, threads)
        if as_json:
            print(json.dumps(figures), flush=True)
        else:
            print(f"{name}: " + ", ".join(f"{k} {v}" for k, v in figures.items() if k != "scene"))
            sys.stdout.flush()
    return 0


def _random(count: int, first: int) -> int:
    from .truth.random_scenes import survey

    begun = time.perf_counter()
    problems: list[str] = []
    stopped: list[str] = []
    for number, outcome in enumerate(survey(count, first), start=1):
        for text, kept in ((outcome.problem, problems), (outcome.stopped, stopped)):
            if text:
                kept.append(text)
                print(text, flush=True)
        if number % 1000 == 0 and number < count:
            print(f"{number} of {count}", file=sys.stderr, flush=True)
    print(
        f"{count} random scenes in {time.perf_counter() - begun:.0f} s: "
        f"{len(problems)} with a NaN, an exception or other bits the second time, "
        f"{len(stopped)} blew up"
    )
    return 1 if problems or len(stopped) > MOST_STOPPED * count else 0


def _golden(names: list[str], save: Path | None, against: Path | None, models: Path | None) -> int:
    from .golden import hashes

    makers = hashes.SCENES
    if models is not None:
        if not models.exists():
            hashes.keep_models(models, hashes.SCENES)
        makers = hashes.kept_models(models)
    unknown = [name for name in names if name not in makers]
    if unknown:
        return _fail(f"no golden scene {unknown[0]!r}; known are: {', '.join(makers)}")
    found: dict[str, str] = {}
    differ = 0
    for name in names or makers:
        one, two = hashes.scene_hashes(name, makers[name])
        found[name] = one
        differ += one != two
        print(f"{name:32} {one}" + ("" if one == two else f"  two threads: {two}"), flush=True)
    if save is not None:
        hashes.save(save, found, models)
    changes = []
    if against is not None:
        try:
            changes = list(hashes.differences(against, found, models))
        except (OSError, ValueError) as error:
            return _fail(str(error))
    for change in changes:
        print(change)
    print(f"{len(found)} scenes: {differ} differ between one thread and two", end="")
    print("" if against is None else f", {len(changes)} from {against}")
    return 1 if differ or changes else 0


def _list() -> int:
    from .bench.compare import COMPARISONS
    from .bench.rigid_scenes import SCENES as RIGID_SCENES
    from .bench.scenes import SCENES
    from .golden.hashes import SCENES as GOLDEN_SCENES
    from .truth.all import CASES

    print("truth:", *CASES, sep="\n  ")
    print("bench:", *SCENES, *RIGID_SCENES, *COMPARISONS, sep="\n  ")
    print("golden:", *GOLDEN_SCENES, sep="\n  ")
    return 0


def _compile() -> int:
    if jit.compiled_by() != "Numba":
        return _fail(f"kernels are compiled by {jit.compiled_by()}: nothing to do without Numba")
    from .compile_together import compile_together
    from .kernels.folder import cache_folder

    was_warm = jit.is_warm()
    seconds = compile_together()
    done = "All kernels were there" if was_warm else "All kernels compiled"
    print(f"{done}, {seconds:.1f} s, in {cache_folder()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
