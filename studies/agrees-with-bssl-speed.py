#!/usr/bin/env python3
"""Does Ciphertune measure what `bssl speed` measures?

Times the BoringSSL that Debian has for Android with both, in turn, several times, and compares the fastest turns, since
other work only slows either down. Where both time the same thing the ratio is to be within 5 % of 1. What
`bssl-tool speed` of Android 13 times:

- digests: init, update and final in a context that is kept, as `one-shot`;
- GCM: a message with 13 bytes of additional data and a tag, as `new-iv`, but from buffer to buffer, and by EVP_AEAD, where
  Ciphertune reaches every libcrypto by EVP_CIPHER;
- public keys by the functions of each, which EVP_PKEY calls in the end: RSA signs and verifies 32 bytes by a key that is
  kept, ECDSA 20 bytes that are taken for a digest, Ed25519 six; an arbitrary point of X25519 is multiplied.

What is by another interface is shown, and judged where its calls are little of the time: GCM from 8 KiB on, and keys.

Not with real-time priority: the kernel then takes 50 ms of each second, which the tool counts as the library's.

    apt-get install android-boringssl
    cargo build --release && studies/agrees-with-bssl-speed.py target/release/ciphertune 7
"""
import json
import subprocess
import sys

from turns import AGREE, rates, row, speed

LIBCRYPTO = "/usr/lib/x86_64-linux-gnu/android/libcrypto.so.0"
NAMED = "boringssl@unversioned/default"
LENGTHS = [16, 256, 1350, 8192, 16384]
SECONDS = 1
# By Ciphertune's name: that of `bssl speed`, and the length from which on the two time the same.
MESSAGES = {
    "SHA1": ("SHA-1 ({} bytes)", 16),
    "SHA2-256": ("SHA-256 ({} bytes)", 16),
    "SHA2-512": ("SHA-512 ({} bytes)", 16),
    "AES-128-GCM": ("AES-128-GCM ({} bytes) seal", 8192),
    "AES-256-GCM": ("AES-256-GCM ({} bytes) seal", 8192),
}
# By Ciphertune's name and operation.
KEYS = {
    "RSA-2048": {"sign": "RSA 2048 signing", "verify": "RSA 2048 verify (same key)"},
    "RSA-4096": {"sign": "RSA 4096 signing", "verify": "RSA 4096 verify (same key)"},
    "ECDSA-P-256": {"sign": "ECDSA P-256 signing", "verify": "ECDSA P-256 verify"},
    "ECDSA-P-384": {"sign": "ECDSA P-384 signing", "verify": "ECDSA P-384 verify"},
    "Ed25519": {"sign": "Ed25519 signing", "verify": "Ed25519 verify"},
    "X25519": {"derive": "Curve25519 arbitrary point multiplication"},
}


def by_bssl(filter_):
    """Calls a second, by what was timed."""
    lengths = ",".join(map(str, LENGTHS))
    command = ["bssl-tool", "speed", "-json", "-filter", filter_, "-timeout", str(SECONDS), "-chunks", lengths]
    timed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {entry["description"]: entry["numCalls"] / entry["microseconds"] * 1e6 for entry in timed}


def by_ciphertune(program, algorithm, field, *words):
    return rates(speed(program, NAMED, algorithm, "--libcrypto", LIBCRYPTO, "--seconds", str(SECONDS / 2), *words), field)


def messages(program, times, algorithm):
    """A row of the table for each length, and how many differ."""
    name, least = MESSAGES[algorithm]
    lengths = ",".join(map(str, LENGTHS))
    turns = [
        (by_ciphertune(program, algorithm, "length", "--lengths", lengths), by_bssl(name.split(" (")[0]))
        for _ in range(times)
    ]
    apart = 0
    for length in LENGTHS:
        pairs = [(ours[length], theirs[name.format(length)] * length) for ours, theirs in turns]
        apart += row(f"{algorithm} | {length}", pairs) and length >= least
    return apart


def keys(program, times, algorithm):
    operations = KEYS[algorithm]
    # The tool looks for the filter in a group's name, or for that in the filter: RSA and 25519 are such.
    filter_ = {"RSA": "RSA", "Ed2": "25519", "X25": "25519"}.get(algorithm[:3], algorithm.replace("-", " ", 1))
    turns = [(by_ciphertune(program, algorithm, "operation"), by_bssl(filter_)) for _ in range(times)]
    apart = 0
    for operation, name in operations.items():
        pairs = [(ours[operation], theirs[name]) for ours, theirs in turns]
        apart += row(f"{algorithm} | {operation}", pairs, unit=1, digits=0)
    return apart


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    print("| algorithm | bytes | ciphertune, GB/s | bssl speed, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    apart = sum(messages(program, times, algorithm) for algorithm in MESSAGES)
    print()
    print("| keys | operation | ciphertune, 1/s | bssl speed, 1/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    apart += sum(keys(program, times, algorithm) for algorithm in KEYS)
    judged = sum(length >= least for _, least in MESSAGES.values() for length in LENGTHS) + sum(map(len, KEYS.values()))
    print()
    print(f"{apart} of {judged} differ by more than {AGREE:.0%}.")
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
