#!/usr/bin/env python3
"""Does Ciphertune measure what `gnutls-cli --benchmark-ciphers` measures?

Times the system's GnuTLS with both, in turn, several times, and compares the fastest turns, since other work only slows
either down. The tool seals messages of 16 KiB from buffer to buffer, key and nonce kept, without additional data, for
five seconds by the clock. Each message begins a page after the one before, in 64 MiB: a quarter of each comes from
memory, where Ciphertune's come from the cache.

    cargo build --release && studies/agrees-with-gnutls-benchmark.py target/release/ciphertune 3
"""
import subprocess
import sys

from turns import AGREE, implementation, rates, row, speed

LENGTH = 16384
# By Ciphertune's name and by GnuTLS's. The tool begins with these, and has no way to be asked for less than all.
ALGORITHMS = {"AES-128-GCM": "AES-128-GCM", "AES-128-CCM": "AES-128-CCM", "ChaCha20-Poly1305": "CHACHA20-POLY1305"}
UNITS = {"GB/sec": 1e9, "MB/sec": 1e6, "KB/sec": 1e3}


def by_gnutls():
    found = {}
    command = ["stdbuf", "-oL", "gnutls-cli", "--benchmark-ciphers"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        for line in tool.stdout:
            words = line.split()
            if len(words) == 3 and words[2] in UNITS:
                found[words[0]] = float(words[1]) * UNITS[words[2]]
            if set(ALGORITHMS.values()) <= found.keys():
                tool.kill()
    return found


def by_ciphertune(program, named):
    return rates(speed(program, named, *ALGORITHMS, "--lengths", str(LENGTH), "--seconds", "1", "--aad", "0"), "algorithm")


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    named = implementation(program, "gnutls")
    turns = [(by_ciphertune(program, named), by_gnutls()) for _ in range(times)]
    print("| algorithm | ciphertune, GB/s | gnutls-cli, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|")
    apart = 0
    for algorithm, name in ALGORITHMS.items():
        apart += row(algorithm, [(ours[algorithm], theirs[name]) for ours, theirs in turns])
    print()
    print(f"{apart} of {len(ALGORITHMS)} differ by more than {AGREE:.0%}.")
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
