#!/usr/bin/env python3
"""Does Ciphertune measure what `openssl speed` measures?

Times the system's libcrypto with both, in turn, several times, and compares the fastest turns: what else runs on the
machine only slows either down. Where both time the same thing the ratio is to be within 5 % of 1. What `openssl speed`
3.0 times:

- a cipher without a tag: one long message in place, key and IV set before, as `stream`;
- GCM: a message in place under a new key, as `new-key`, and with -aead 13 bytes of additional data; its tag is computed
  and not asked for, which saves a call;
- ChaCha20-Poly1305: one message without end or tag, with -aead and without, which no contract has;
- a digest: a message with a context made and freed around it, where Ciphertune keeps one;
- public keys: 36 or 20 bytes are signed that it takes for a digest, the other's public key is read beforehand, and DSA
  keys have an order of 160 bits.

The last three are shown and not judged.

    cargo build --release && studies/agrees-with-openssl-speed.py target/release/ciphertune 7
"""
import os
import subprocess
import sys
import tempfile

from turns import AGREE, cells, rates, row, speed

LENGTHS = [16, 64, 256, 1024, 8192, 16384]
# By Ciphertune's name and options, and by those of `openssl speed`.
JUDGED = [
    ("AES-128-CTR", [], ["-evp", "aes-128-ctr"]),
    ("AES-256-CTR", [], ["-evp", "aes-256-ctr"]),
    ("AES-128-CBC", [], ["-evp", "aes-128-cbc"]),
    ("AES-128-CBC", ["--decrypt"], ["-decrypt", "-evp", "aes-128-cbc"]),
    ("AES-128-GCM", ["--contract", "new-key", "--aad", "13"], ["-aead", "-evp", "aes-128-gcm"]),
    ("AES-256-GCM", ["--contract", "new-key", "--aad", "13"], ["-aead", "-evp", "aes-256-gcm"]),
]
SHOWN = [
    ("ChaCha20-Poly1305", ["--aad", "13"], ["-aead", "-evp", "chacha20-poly1305"]),
    ("SHA2-256", [], ["-evp", "sha256"]),
    ("SHA2-512", [], ["-evp", "sha512"]),
]
KEYS = {
    "RSA-2048": "rsa2048",
    "RSA-4096": "rsa4096",
    "DSA-2048": "dsa2048",
    "ECDSA-P-256": "ecdsap256",
    "ECDSA-P-384": "ecdsap384",
    "Ed25519": "ed25519",
    "X25519": "ecdhx25519",
}
SECONDS = 1


def by_openssl(options, length):
    command = ["openssl", "speed", "-mr", "-seconds", str(SECONDS), "-bytes", str(length), *options]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    [line] = [line for line in output.splitlines() if line.startswith("+F:")]
    return float(line.split(":")[3])


def by_ciphertune(program, algorithm, options):
    lengths = ",".join(map(str, LENGTHS))
    words = [algorithm, "--lengths", lengths, "--seconds", str(SECONDS / 2), *options]
    return {cell["length"]: cell for cell in speed(program, openssl_id(), *words)}


def compare(program, times, rows):
    """A row of the table for each length, and how many differ."""
    apart = 0
    for algorithm, options, theirs in rows:
        turns = [
            (by_ciphertune(program, algorithm, options), {length: by_openssl(theirs, length) for length in LENGTHS})
            for _ in range(times)
        ]
        for length in LENGTHS:
            cell = turns[0][0][length]
            what = " ".join([algorithm, cell["operation"], cell["contract"]])
            pairs = [(ours[length]["bytes_per_second"]["median"], other[length]) for ours, other in turns]
            apart += row(f"{what} | {length}", pairs)
    return apart


def keys_by_openssl(program, name):
    with tempfile.TemporaryDirectory() as folder:
        printed, output = os.path.join(folder, "printed"), os.path.join(folder, "imported.jsonl")
        with open(printed, "w") as file:
            command = ["openssl", "speed", "-mr", "-seconds", str(SECONDS), name]
            subprocess.run(command, check=True, stdout=file, stderr=subprocess.DEVNULL)
        command = [program, "import", printed, "--output", output]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return rates(cells(output), "operation")


def keys_by_ciphertune(program, algorithm):
    return rates(speed(program, openssl_id(), algorithm, "--seconds", str(SECONDS / 2)), "operation")


def openssl_id():
    version = subprocess.run(["openssl", "version"], check=True, capture_output=True, text=True).stdout.split()[1]
    return f"openssl@{version}/default"


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    print("| what | bytes | ciphertune, GB/s | openssl speed, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    apart = compare(program, times, JUDGED)
    compare(program, times, SHOWN)
    print()
    print(f"{apart} of {len(JUDGED) * len(LENGTHS)} differ by more than {AGREE:.0%}, besides what is shown alone.")
    print()
    print("| keys | operation | ciphertune, 1/s | openssl speed, 1/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    for algorithm, name in KEYS.items():
        turns = [(keys_by_ciphertune(program, algorithm), keys_by_openssl(program, name)) for _ in range(times)]
        for operation in turns[0][0]:
            pairs = [(ours[operation], theirs[operation]) for ours, theirs in turns]
            row(f"{algorithm} | {operation}", pairs, unit=1, digits=0)
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
