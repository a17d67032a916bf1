#!/usr/bin/env python3
"""Is nothing called a difference, and is a planted one found?

Builds two libraries from planted.c: one does what the system's libcrypto does, and one is 5 % slower. Then it
measures, many times over, two copies of the first side by side (nothing is to be called a difference) and the first
beside the second (which is to be called slower), and asks `ciphertune compare` at its default confidence. With
--between, the two of a pair are measured in a session each, one after the other.

    cargo build --release && studies/planted.py target/release/ciphertune 100 [--between]

Each pair is one cell; half of them are of 1350-byte messages, half of 16 KiB.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTHS = [1350, 16384]
SECONDS = "0.1"


def build(folder, name, flags):
    library = os.path.join(folder, name)
    source = os.path.join(HERE, "planted.c")
    command = ["cc", "-O2", "-shared", "-fPIC", "-Wl,--no-as-needed", *flags, "-o", library, source, "-l:libcrypto.so.3", "-ldl"]
    subprocess.run(command, check=True)
    return library


def measure(program, libraries, output, ids):
    command = [program, "speed", "aes-128-ctr", "--seconds", SECONDS, "--output", output]
    command += ["--lengths", ",".join(map(str, LENGTHS)), "--implementations", ",".join(ids)]
    for library in libraries:
        command += ["--libcrypto", library]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def verdicts(program, words):
    command = [program, "compare", *words, "--format", "json"]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    rows = [row for compared in json.loads(shown)["compared"] for row in compared["rows"]]
    return [cell["change"] for row in rows for cell in row["cells"]]


def ids_of(program, libraries):
    """The ids of the named libraries: the system's own comes first and is left out."""
    command = [program, "list"]
    for library in libraries:
        command += ["--libcrypto", library]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [line.split()[0] for library in libraries for line in lines if line.endswith(library)]


def pair(program, folder, libraries, between):
    if not between:
        output = os.path.join(folder, "run.jsonl")
        ids = ids_of(program, libraries)
        measure(program, libraries, output, ids)
        return verdicts(program, [output, "--by", "implementation", "--baseline", ids[0]])
    outputs = [os.path.join(folder, name) for name in ("before.jsonl", "after.jsonl")]
    for library, output in zip(libraries, outputs):
        measure(program, [library], output, ids_of(program, [library]))
    return verdicts(program, outputs)


def main():
    between = "--between" in sys.argv
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    program, times = words[0], int(words[1]) if len(words) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        same = [build(folder, name, []) for name in ("same-1.so", "same-2.so")]
        slow = build(folder, "slow.so", ["-DEVERY=20"])
        experiments = {"A/A: nothing planted": [same[0], same[1]], "5 % planted": [same[0], slow]}
        counts = {name: {"faster": 0, "slower": 0, "same": 0, "unknown": 0} for name in experiments}
        leads = {name: [] for name in experiments}
        # In turn, so that both meet the same weather.
        for _ in range(-(-times // len(LENGTHS))):
            for name, libraries in experiments.items():
                for change in pair(program, folder, libraries, between):
                    counts[name][change["verdict"]] += 1
                    leads[name].append(change["ratio"]["median"] - 1)

    print("| experiment | comparisons | no difference | slower | faster | ratio, median and range |")
    print("|---|---|---|---|---|---|")
    for name, count in counts.items():
        total = sum(count.values())
        lead = sorted(leads[name])
        middle = lead[len(lead) // 2]
        print(
            f"| {name} | {total} | {count['same']} | {count['slower']} | {count['faster']} "
            f"| {middle:+.1%} ({lead[0]:+.1%} to {lead[-1]:+.1%}) |"
        )


if __name__ == "__main__":
    sys.exit(main())
