#!/usr/bin/env python3
"""Does Ciphertune measure what `gnutls-cli --benchmark-ciphers` measures?

Times the system's GnuTLS with both, in turn, several times, and compares the fastest turns, since other work only slows
either down. The tool seals messages of 16 KiB from buffer to buffer, key and nonce kept, without additional data, for
five seconds by the clock. Each message begins a page after the one before, in 64 MiB: a quarter of each comes from
memory, where Ciphertune's come from the cache.

    cargo build --release && studies/agrees-with-gnutls-benchmark.py target/release/ciphertune 3
"""
import json
import os
import subprocess
import sys
import tempfile

AGREE = 0.05
LENGTH = 16384
# By Ciphertune's name and by GnuTLS's. The tool begins with these, and has no way to be asked for less than all.
ALGORITHMS = {"AES-128-GCM": "AES-128-GCM", "AES-128-CCM": "AES-128-CCM", "ChaCha20-Poly1305": "CHACHA20-POLY1305"}
UNITS = {"GB/sec": 1e9, "MB/sec": 1e6, "KB/sec": 1e3}


def by_gnutls():
    rates = {}
    command = ["stdbuf", "-oL", "gnutls-cli", "--benchmark-ciphers"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        for line in tool.stdout:
            words = line.split()
            if len(words) == 3 and words[2] in UNITS:
                rates[words[0]] = float(words[1]) * UNITS[words[2]]
            if set(ALGORITHMS.values()) <= rates.keys():
                tool.kill()
    return rates


def by_ciphertune(program, folder, implementation):
    output = os.path.join(folder, "run.jsonl")
    command = [program, "speed", *ALGORITHMS, "--lengths", str(LENGTH), "--seconds", "1", "--aad", "0"]
    subprocess.run(
        command + ["--implementations", implementation, "--output", output],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with open(output) as lines:
        cells = [line for line in map(json.loads, lines) if line["kind"] == "cell" and line["status"] == "ok"]
    return {cell["algorithm"]: cell["bytes_per_second"]["median"] for cell in cells}


def gnutls_id(program):
    listed = subprocess.run([program, "list"], capture_output=True, text=True).stdout.split()
    return next(word for word in listed if word.startswith("gnutls@"))


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    implementation = gnutls_id(program)
    with tempfile.TemporaryDirectory() as folder:
        turns = [(by_ciphertune(program, folder, implementation), by_gnutls()) for _ in range(times)]
    apart = 0
    print("| algorithm | ciphertune, GB/s | gnutls-cli, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|")
    for algorithm, name in ALGORITHMS.items():
        pairs = [(ours[algorithm], theirs[name]) for ours, theirs in turns]
        here, there = (max(side) for side in zip(*pairs))
        ratios = sorted(a / b for a, b in pairs)
        apart += abs(here / there - 1) > AGREE
        print(
            f"| {algorithm} | {here / 1e9:.3f} | {there / 1e9:.3f} | {here / there:.3f} "
            f"| {ratios[0]:.3f} to {ratios[-1]:.3f} |"
        )
    print()
    print(f"{apart} of {len(ALGORITHMS)} differ by more than {AGREE:.0%}.")
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
