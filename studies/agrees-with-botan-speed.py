#!/usr/bin/env python3
"""Does Ciphertune measure what `botan speed` measures?

Times the system's Botan with both, in turn, several times, and compares the fastest turns, since other work only slows
either down. Where both time the same thing the ratio is to be within 5 % of 1. Ciphertune reaches Botan by its C
interface, which hands blocks, MACs and digests straight on, and copies messages of the modes in and out; `botan speed`
calls the C++ behind it.

With real-time priority (`chrt -f 1`) the kernel takes 50 ms from each second, and `botan speed` counts them as the
library's. So each of its runs is shorter, and begins with a second of its own.

    cargo build --release && studies/agrees-with-botan-speed.py target/release/ciphertune 7
"""
import json
import subprocess
import sys
import time

from turns import AGREE, implementation, rates, row, speed

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


def by_ciphertune(program, named, algorithm):
    lengths = ",".join(map(str, LENGTHS))
    seconds = str(2 * MILLISECONDS / 1000)
    return rates(speed(program, named, algorithm, "--lengths", lengths, "--seconds", seconds, "--aad", "0"), "length")


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    named = implementation(program, "botan")
    apart = 0
    print("| algorithm | bytes | ciphertune, GB/s | botan speed, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    for algorithm, (name, operation) in ALGORITHMS.items():
        turns = [(by_ciphertune(program, named, algorithm), by_botan(name, operation)) for _ in range(times)]
        for length in LENGTHS:
            pairs = [(ours[length], theirs[length]) for ours, theirs in turns if length in ours]
            differs = row(f"{algorithm} | {length}", pairs)
            apart += algorithm not in COPIED and differs
    print()
    straight = (len(ALGORITHMS) - len(COPIED)) * len(LENGTHS)
    print(f"{apart} of {straight} differ by more than {AGREE:.0%}, besides {' and '.join(COPIED)}, which are copied.")
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
