#!/usr/bin/env python3
"""Does Ciphertune measure what `botan speed` measures?

Times the system's Botan with both, in turn, several times, and compares the fastest turns, since other work only slows
either down. Where both time the same thing the ratio is to be within 5 % of 1. Ciphertune reaches Botan by its C interface, which hands blocks, MACs and digests
straight on, and copies messages of the modes in and out; `botan speed` calls the C++ behind it.

With real-time priority (`chrt -f 1`) the kernel takes 50 ms from each second, and `botan speed` counts them as the
library's. So each of its runs is shorter, and begins with a second of its own.

    cargo build --release && studies/agrees-with-botan-speed.py target/release/ciphertune 7
"""
import json
import os
import subprocess
import sys
import tempfile
import time

AGREE = 0.05
# By Ciphertune's name, and by Botan's name and operation.
ALGORITHMS = {
    "AES-128-ECB": ("AES-128", "encrypt"),
    "AES-256-ECB": ("AES-256", "encrypt"),
    "AES-128-CMAC": ("CMAC(AES-128)", "mac"),
    "SHA2-256": ("SHA-256", "hash"),
    "AES-128-CTR": ("AES-128/CTR-BE", "encrypt"),
    "AES-256-GCM": ("AES-256/GCM", "encrypt"),
}
COPIED = ["AES-128-CTR", "AES-256-GCM"]
LENGTHS = [1024, 16384, 65536]
MILLISECONDS = 100


def by_botan(name, operation):
    lengths = ",".join(map(str, LENGTHS))
    time.sleep(1)
    command = ["botan", "speed", f"--msec={MILLISECONDS}", "--format=json", f"--buf-size={lengths}", name]
    entries = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    timed = [entry for entry in entries if entry.get("op") == operation]
    return {entry["buf_size"]: entry["bps"] for entry in timed}


def by_ciphertune(program, folder, algorithm, implementation):
    output = os.path.join(folder, "run.jsonl")
    lengths = ",".join(map(str, LENGTHS))
    command = [program, "speed", algorithm, "--lengths", lengths, "--seconds", str(2 * MILLISECONDS / 1000), "--aad", "0"]
    subprocess.run(
        command + ["--implementations", implementation, "--output", output],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with open(output) as lines:
        cells = [line for line in map(json.loads, lines) if line["kind"] == "cell"]
    return {cell["length"]: cell["bytes_per_second"]["median"] for cell in cells if cell["status"] == "ok"}


def botan_id(program):
    listed = subprocess.run([program, "list"], capture_output=True, text=True).stdout.split()
    return next(word for word in listed if word.startswith("botan@"))


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    implementation = botan_id(program)
    apart = 0
    print("| algorithm | bytes | ciphertune, GB/s | botan speed, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    for algorithm, (name, operation) in ALGORITHMS.items():
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(times):
                ours.append(by_ciphertune(program, folder, algorithm, implementation))
                theirs.append(by_botan(name, operation))
        for length in LENGTHS:
            pairs = [(a[length], b[length]) for a, b in zip(ours, theirs) if length in a]
            here, there = (max(side) for side in zip(*pairs))
            ratios = sorted(a / b for a, b in pairs)
            apart += algorithm not in COPIED and abs(here / there - 1) > AGREE
            print(
                f"| {algorithm} | {length} | {here / 1e9:.3f} | {there / 1e9:.3f} | {here / there:.3f} "
                f"| {ratios[0]:.3f} to {ratios[-1]:.3f} |",
                flush=True,
            )
    print()
    straight = (len(ALGORITHMS) - len(COPIED)) * len(LENGTHS)
    print(f"{apart} of {straight} differ by more than {AGREE:.0%}, besides {' and '.join(COPIED)}, which are copied.")
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
