#!/usr/bin/env python3
"""Do runs of `ciphertune tune` agree?

Runs it several times, with all algorithms or those that are named, and compares the choices. For each (algorithm,
operation, contract, length) it takes how far the chosen implementation stood before the best of the others that could
have been chosen, in the run where that was least. Choices whose margin is over 3 % in each run are to be the same in
each.

    cargo build --release && studies/tune-repeatability.py target/release/ciphertune 5 ctr gcm
"""
import json
import os
import subprocess
import sys
import tempfile

CLEAR = 0.03


def tune(program, algorithms, folder, n):
    output = os.path.join(folder, f"{n}.jsonl")
    wisdom = os.path.join(folder, f"{n}.wisdom")
    command = [program, "tune", *algorithms, "--output", output, "--wisdom", wisdom]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(output) as lines:
        return [json.loads(line) for line in lines]


def choices(run):
    """(algorithm, operation, contract, length) -> (chosen, margin over the next best)."""
    cells = {}
    for line in run:
        if line["kind"] == "cell" and line["status"] == "ok" and line["selectable"]:
            # What threads help is chosen apart.
            if line["threads"] == 1:
                place = tuple(line[key] for key in ("algorithm", "operation", "contract", "length"))
                cells.setdefault(place, []).append(line)
    found = {}
    for place, candidates in cells.items():
        rate = lambda cell: cell["bytes_per_second"]["median"]
        chosen = [cell for cell in candidates if cell["chosen"]]
        others = [rate(cell) for cell in candidates if not cell["chosen"]]
        if chosen and others:
            found[place] = (chosen[0]["implementation"], rate(chosen[0]) / max(others) - 1)
    return found


def main():
    program, times, *algorithms = sys.argv[1:]
    times = int(times)
    with tempfile.TemporaryDirectory() as folder:
        runs = [choices(tune(program, algorithms, folder, n)) for n in range(times)]

    print("| task | bytes | chosen (runs) | margin, least to most |")
    print("|---|---|---|---|")
    clear = broken = same = 0
    for place in runs[0]:
        here = [run[place] for run in runs if place in run]
        names = sorted({name for name, _ in here})
        margins = sorted(margin for _, margin in here)
        counts = ", ".join(f"{name} ({sum(1 for other, _ in here if other == name)})" for name in names)
        print(f"| {' '.join(place[:3])} | {place[3]} | {counts} | {margins[0]:+.1%} to {margins[-1]:+.1%} |")
        same += len(names) == 1
        if margins[0] > CLEAR:
            clear += 1
            broken += len(names) > 1
    print()
    print(f"{times} runs, {len(runs[0])} choices, {same} the same in all of them.")
    print(f"{clear} had a margin over {CLEAR:.0%} in every run; {broken} of those differed.")
    return broken > 0


if __name__ == "__main__":
    sys.exit(main())
