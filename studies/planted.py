#!/usr/bin/env python3
"""Is nothing called a difference, and is a planted one found?

Builds libraries from planted.c: two do what the system's libcrypto does, and one is 5 % slower. Then it measures the
two that are the same side by side (nothing is to be called a difference) and the first beside the slow one (which is to
be called slower), many times over, and asks `ciphertune compare` at its default confidence. With --between RUNS each
side has that many sessions of its own, one after the other in turn, and folders of them are compared.

    cargo build --release && studies/planted.py target/release/ciphertune 100 [--between 5] [--keep FOLDER]

Each comparison is one cell, and those of one run have messages of four lengths; their geometric mean is another, counted
by itself. What --keep has measured is not measured again, so that another rule can be tried on it.
"""
import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTHS = [256, 1350, 4096, 16384]
SECONDS = "0.1"
FLAGS = {"same": [], "other": [], "slow": ["-DEVERY=20"]}
MEAN = ", mean of the lengths"
EXPERIMENTS = {"A/A: nothing planted": ("same", "other"), "5 % planted": ("same", "slow")}


def build(folder, name):
    library = os.path.join(folder, f"{name}.so")
    source = os.path.join(HERE, "planted.c")
    flags = ["-O2", "-shared", "-fPIC", "-Wl,--no-as-needed", *FLAGS[name]]
    subprocess.run(["cc", *flags, "-o", library, source, "-l:libcrypto.so.3", "-ldl"], check=True)
    return library


def measure(program, libraries, output):
    if os.path.exists(output):
        return
    os.makedirs(os.path.dirname(output), exist_ok=True)
    # A run that is interrupted keeps what was measured until then, which is not the whole.
    begun = output + ".begun"
    command = [program, "speed", "aes-128-ctr", "--seconds", SECONDS, "--output", begun]
    command += ["--lengths", ",".join(map(str, LENGTHS)), "--implementations", ",".join(ids(program, *libraries))]
    for library in libraries:
        command += ["--libcrypto", library]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.rename(begun, output)


@functools.cache
def ids(program, *libraries):
    """The ids of the named libraries: the system's own comes first and is left out."""
    command = [program, "list"]
    for library in libraries:
        command += ["--libcrypto", library]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    # What instructions each goes by stands behind its file.
    found = {word: line.split()[0] for line in lines for word in line.replace(",", " ").split()}
    return [found[library] for library in libraries]


def changes(program, words):
    command = [program, "compare", *words, "--format", "json"]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    rows = [row for compared in json.loads(shown)["compared"] for row in compared["rows"]]
    return {"": [cell["change"] for row in rows for cell in row["cells"]], MEAN: [row["mean"] for row in rows]}


def within(program, libraries, folder):
    """Each experiment is a run that has both."""
    for name, (one, other) in EXPERIMENTS.items():
        sides = [libraries[one], libraries[other]]
        output = os.path.join(folder, f"{one}-{other}.jsonl")
        measure(program, sides, output)
        words = ["--by", "implementation", "--baseline", ids(program, *sides)[0]]
        yield name, changes(program, [output, *words])


def between(program, libraries, folder, runs):
    """Each library has a folder, and the libraries take turns, so that all meet the same weather."""
    for number in range(runs):
        for name, library in libraries.items():
            measure(program, [library], os.path.join(folder, name, f"{number}.jsonl"))
    for name, sides in EXPERIMENTS.items():
        yield name, changes(program, [os.path.join(folder, side) for side in sides])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("comparisons", type=int, nargs="?", default=100)
    parser.add_argument("--between", type=int, metavar="RUNS")
    parser.add_argument("--keep", metavar="FOLDER")
    options = parser.parse_args()
    found = {name + of: [] for name in EXPERIMENTS for of in ("", MEAN)}
    with tempfile.TemporaryDirectory() as folder:
        libraries = {name: build(folder, name) for name in FLAGS}
        kept = options.keep or os.path.join(folder, "runs")
        for round in range(-(-options.comparisons // len(LENGTHS))):
            place = os.path.join(kept, str(round))
            if options.between:
                results = between(options.program, libraries, place, options.between)
            else:
                results = within(options.program, libraries, place)
            for name, changed in results:
                for of, changes_of in changed.items():
                    found[name + of] += changes_of

    print("| experiment | comparisons | no difference | slower | faster | ratio, median and range |")
    print("|---|---|---|---|---|---|")
    for name, changed in found.items():
        count = {verdict: 0 for verdict in ("same", "slower", "faster", "unknown")}
        for change in changed:
            count[change["verdict"]] += 1
        lead = sorted(change["ratio"]["median"] - 1 for change in changed)
        print(
            f"| {name} | {len(changed)} | {count['same']} | {count['slower']} | {count['faster']} "
            f"| {lead[len(lead) // 2]:+.1%} ({lead[0]:+.1%} to {lead[-1]:+.1%}) |"
        )


if __name__ == "__main__":
    sys.exit(main())
