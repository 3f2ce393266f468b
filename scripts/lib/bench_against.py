# SPDX-License-Identifier: MIT
"""Compares aerogpu-bench of this tree and of another commit, or through a process of the renderer's, row by row; runs
them by turns. For scripts/bench --against and --process.

A pair is one run of each. A row's ratio is the median over the pairs of new time / old time: above 1 is slower.
`direct` is the same ratio for the direct Vulkan half of the benchmark, which is the same code in both: its distance
from 1 is noise of the machine. A row whose ratios scatter by more than SCATTER (quartile to quartile) is not judged by
time; for those rows, or for all with --instructions all, callgrind counts instructions of the program's own code,
without drivers and C library.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import typing

SLOWER = 1.02
# Through a process of the renderer's: 0.97 of the speed.
SLOWER_PROCESS = 1 / 0.97
MORE_INSTRUCTIONS = 1.01
SCATTER = 0.10
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
PROGRAM = pathlib.PurePath("renderer/bench/aerogpu-bench")
TRANSLATOR = pathlib.PurePath("renderer/aerogpu-translator")
RENDERER = pathlib.PurePath("renderer/aerogpu-renderer")


class Side(typing.NamedTuple):
    """What is run: the program of a build folder."""
    folder: pathlib.Path
    process: str = ""  # how the renderer's process comes to guest memory: "shared", "asked"; none: in this process


def command(side, *options):
    """Returns the command line of a side's benchmark program, and its environment."""
    environment = dict(os.environ, AEROGPU_TRANSLATOR=str(side.folder / TRANSLATOR))
    if side.process:
        environment |= {"AEROGPU_TEST_PROCESS": side.process, "AEROGPU_RENDERER": str(side.folder / RENDERER)}
    return [str(side.folder / PROGRAM), *options], environment


def rows(side, pattern):
    words, environment = command(side, "--benchmark_list_tests=true", f"--benchmark_filter={pattern}")
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout.split()


def measure(side, pattern, seconds):
    """Runs the benchmarks once; returns {row: (milliseconds of aerogpu, milliseconds of direct Vulkan or None)}."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        words, environment = command(side, f"--benchmark_filter={pattern}", f"--benchmark_min_time={seconds}",
                                     f"--benchmark_out={out.name}", "--benchmark_out_format=json")
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out.name, encoding="utf-8") as file:
            report = json.load(file)
    found = {}
    for row in report["benchmarks"]:
        # Names of rows with manual time end in a note of Google Benchmark that --benchmark_list_tests prints too.
        ours = row.get("ours_ms", row["real_time"] * UNITS[row["time_unit"]])
        found[row["name"]] = (ours, row.get("direct_ms"))
    return found


def own_instructions(text, program):
    """Returns the sum of the exclusive costs that a callgrind file records for the object `program`.

    In the file (callgrind's manual, "Callgrind Format Specification") ob= names the object of the lines after it, by
    number and, the first time, by name. The line after calls= is the inclusive cost of the call: it is not added, since
    the callee's own lines hold it already.
    """
    names, total, mine, called = {}, 0, False, False
    for line in text:
        if line.startswith("ob="):
            number, name = re.match(r"ob=\((\d+)\)(?: (.*))?", line).groups()
            if name:
                names[number] = name.rstrip("\n")
            mine = names.get(number, "").endswith(program)
        elif line.startswith(("cob=", "cobj=")):
            number, name = re.match(r"cobj?=\((\d+)\)(?: (.*))?", line).groups()
            if name:
                names[number] = name.rstrip("\n")
        elif line.startswith("calls="):
            called = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            if mine and not called:
                total += int(line.split()[1])
            called = False
    return total


def count(side, row):
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "callgrind.out"
        words, environment = command(side, f"--benchmark_filter=^{re.escape(row)}$", "--benchmark_min_time=1e-9")
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=yes", *words],
                       env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8", errors="replace") as file:
            return own_instructions(file, PROGRAM.name)


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3


def compare(old, new, pattern, pairs, seconds):
    """Runs the pairs; returns for each row that both builds have, with an entry per pair in each list,
    {row: ([new/old of aerogpu], [new/old of direct Vulkan], [old ms], [new ms])}."""
    common = [row for row in rows(new, pattern) if row in set(rows(old, pattern))]
    ratios = {}
    for pair in range(pairs):
        order = (old, new) if pair % 2 == 0 else (new, old)
        runs = {side: measure(side, pattern, seconds) for side in order}
        for row in common:
            if row not in runs[old] or row not in runs[new]:
                continue
            (old_ms, old_direct), (new_ms, new_direct) = runs[old][row], runs[new][row]
            ours, direct, olds, news = ratios.setdefault(row, ([], [], [], []))
            ours.append(new_ms / old_ms)
            olds.append(old_ms)
            news.append(new_ms)
            if old_direct and new_direct:
                direct.append(new_direct / old_direct)
        print(f"pair {pair + 1} of {pairs}", file=sys.stderr, flush=True)
    return ratios


def report(ratios, most=SLOWER):
    """`most`: the ratio above which a row is slower. Prints the table; returns the rows that are slower, and those that scatter too much to be judged."""
    slower, scattered = [], []
    print("| row | before | now | ratio (quartiles) | direct | |\n| --- | --- | --- | --- | --- | --- |")
    for row, (ours, direct, olds, news) in ratios.items():
        low, middle, high = quartiles(ours)
        word = ""
        if high - low > SCATTER * middle:
            word = "scatters"
            scattered.append(row)
        elif middle > most:
            word = "slower"
            slower.append(row)
        control = f"{statistics.median(direct):.3f}" if direct else ""
        print(f"| {row} | {statistics.median(olds):.4g} ms | {statistics.median(news):.4g} ms | "
              f"{middle:.3f} ({low:.3f} to {high:.3f}) | {control} | {word} |", flush=True)
    return slower, scattered


def report_instructions(old, new, names):
    more = []
    print("| row | instructions before | now | ratio | |\n| --- | --- | --- | --- | --- |")
    for row in names:
        before, now = count(old, row), count(new, row)
        word = "more" if now > MORE_INSTRUCTIONS * before else ""
        if word:
            more.append(row)
        print(f"| {row} | {before} | {now} | {now / max(before, 1):.4f} | {word} |", flush=True)
    return more


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, help="build folder of the other commit")
    parser.add_argument("new", type=pathlib.Path, help="build folder of this tree")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2, help="the least time of a row in a run")
    parser.add_argument("--filter", default=".", help="rows, a regular expression")
    parser.add_argument("--instructions", choices=("no", "scattered", "all"), default="scattered")
    parser.add_argument("--process", choices=("shared", "asked"), default="",
                        help="run the new side through a process of the renderer's; counts no instructions")
    arguments = parser.parse_args()
    old, new = Side(arguments.old), Side(arguments.new, arguments.process)
    if arguments.instructions == "all" and not new.process:
        return 1 if report_instructions(old, new, rows(new, arguments.filter)) else 0
    slower, scattered = report(compare(old, new, arguments.filter, arguments.pairs, arguments.seconds),
                               SLOWER_PROCESS if new.process else SLOWER)
    more = []
    if arguments.instructions == "scattered" and scattered and not new.process:
        more = report_instructions(old, new, scattered)
    if slower or more:
        print(f"slower: {', '.join(slower + more)}", file=sys.stderr)
    return 1 if slower or more else 0


if __name__ == "__main__":
    sys.exit(main())
