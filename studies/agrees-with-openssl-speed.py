#!/usr/bin/env python3
"""Does Ciphertune measure what `openssl speed` measures?

Times the system's libcrypto with both, in turn, several times, and compares the medians. Where both time the same
thing the ratio is to be within 5 % of 1. Public keys are shown and not judged: `openssl speed` signs 36 or 20 bytes that
it takes for a digest, reads the other's public key beforehand, and has DSA keys of an order of 160 bits.

    cargo build --release && studies/agrees-with-openssl-speed.py target/release/ciphertune 7
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

AGREE = 0.05
ALGORITHMS = ["AES-128-CTR", "AES-256-CTR"]
LENGTHS = [16, 64, 256, 1024, 1350, 8192, 16384]
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


def by_openssl(algorithm, length):
    command = ["openssl", "speed", "-mr", "-seconds", str(SECONDS), "-bytes", str(length)]
    output = subprocess.run(
        command + ["-evp", algorithm.lower()], check=True, capture_output=True, text=True
    ).stdout
    [line] = [line for line in output.splitlines() if line.startswith("+F:")]
    return float(line.split(":")[3])


def by_ciphertune(program, folder, algorithm):
    output = os.path.join(folder, "run.jsonl")
    lengths = ",".join(map(str, LENGTHS))
    command = [program, "speed", algorithm, "--lengths", lengths, "--seconds", str(SECONDS / 2)]
    subprocess.run(
        command + ["--implementations", openssl_id(program), "--output", output],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return {cell["length"]: cell["bytes_per_second"]["median"] for cell in cells(output)}


def keys_by_openssl(program, folder, name):
    printed, output = os.path.join(folder, "printed"), os.path.join(folder, "imported.jsonl")
    with open(printed, "w") as file:
        command = ["openssl", "speed", "-mr", "-seconds", str(SECONDS), name]
        subprocess.run(command, check=True, stdout=file, stderr=subprocess.DEVNULL)
    command = [program, "import", printed, "--output", output]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {cell["operation"]: cell["bytes_per_second"]["median"] for cell in cells(output)}


def keys_by_ciphertune(program, folder, algorithm):
    output = os.path.join(folder, "run.jsonl")
    command = [program, "speed", algorithm, "--seconds", str(SECONDS / 2), "--output", output]
    subprocess.run(
        command + ["--implementations", openssl_id(program)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return {cell["operation"]: cell["bytes_per_second"]["median"] for cell in cells(output)}


def cells(run):
    with open(run) as lines:
        return [line for line in map(json.loads, lines) if line["kind"] == "cell" and line["status"] == "ok"]


def openssl_id(program):
    version = subprocess.run(["openssl", "version"], check=True, capture_output=True, text=True).stdout.split()[1]
    return f"openssl@{version}/default"


def main():
    program, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    apart = 0
    print("| algorithm | bytes | ciphertune, GB/s | openssl speed, GB/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    for algorithm in ALGORITHMS:
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(times):
                ours.append(by_ciphertune(program, folder, algorithm))
                theirs.append({length: by_openssl(algorithm, length) for length in LENGTHS})
        for length in LENGTHS:
            pairs = [(a[length], b[length]) for a, b in zip(ours, theirs) if length in a]
            here, there = (statistics.median(side) for side in zip(*pairs))
            ratios = sorted(a / b for a, b in pairs)
            apart += abs(here / there - 1) > AGREE
            print(
                f"| {algorithm} | {length} | {here / 1e9:.3f} | {there / 1e9:.3f} | {here / there:.3f} "
                f"| {ratios[0]:.3f} to {ratios[-1]:.3f} |",
                flush=True,
            )
    print()
    print(f"{apart} of {len(ALGORITHMS) * len(LENGTHS)} differ by more than {AGREE:.0%}.")
    print()
    print("| keys | operation | ciphertune, 1/s | openssl speed, 1/s | ratio | least to most |")
    print("|---|---|---|---|---|---|")
    for algorithm, name in KEYS.items():
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = zip(
                *(
                    (keys_by_ciphertune(program, folder, algorithm), keys_by_openssl(program, folder, name))
                    for _ in range(times)
                )
            )
        for operation in ours[0]:
            here, there = (statistics.median(run[operation] for run in runs) for runs in (ours, theirs))
            ratios = sorted(a[operation] / b[operation] for a, b in zip(ours, theirs))
            print(
                f"| {algorithm} | {operation} | {here:.0f} | {there:.0f} | {here / there:.3f} "
                f"| {ratios[0]:.3f} to {ratios[-1]:.3f} |",
                flush=True,
            )
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
