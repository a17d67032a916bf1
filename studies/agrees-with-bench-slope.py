#!/usr/bin/env python3
"""Does Ciphertune measure what libgcrypt's own tests/bench-slope measures?

Times the system's libgcrypt with both, in turn, several times, and compares the fastest turns, since other work only
slows either down. bench-slope fits a line to the times of messages of 16 bytes to 4 KiB and shows its slope,
nanoseconds a byte, without what each call costs. So what is compared is the slope of such a line through the same
lengths of Ciphertune's: where the time goes up in steps, as that of ChaCha20 by eight blocks at a time, another choice
of lengths has another slope. The ratio of the rates is to be within 5 % of 1.

No package has bench-slope: it is built here of libgcrypt's source, `bench-slope.c` alone, against the system's library.

    apt-get source libgcrypt20 && apt-get install libgcrypt20-dev
    cargo build --release
    studies/agrees-with-bench-slope.py target/release/ciphertune libgcrypt20-1.10.1 7
"""
import os
import statistics
import subprocess
import sys
import tempfile

from turns import AGREE, implementation, speed

# By Ciphertune's name, and by bench-slope's group, algorithm and mode.
ALGORITHMS = {
    "AES-128-ECB": ("cipher", "aes", "ECB enc"),
    "AES-128-CBC": ("cipher", "aes", "CBC enc"),
    "AES-128-CFB": ("cipher", "aes", "CFB enc"),
    "AES-128-CTR": ("cipher", "aes", "CTR enc"),
    "AES-256-CTR": ("cipher", "aes256", "CTR enc"),
    "AES-128-XTS": ("cipher", "aes", "XTS enc"),
    "AES-256-GCM": ("cipher", "aes256", "GCM enc"),
    "ChaCha20-Poly1305": ("cipher", "chacha20", "POLY1305 enc"),
    "SHA2-256": ("hash", "sha256", ""),
    "SHA2-512": ("hash", "sha512", ""),
}
AUTHENTICATED = {"AES-256-GCM", "ChaCha20-Poly1305"}
# bench-slope's own.
LENGTHS = range(16, 4113, 64)
SECONDS = 0.02
CONFIG = """
#define _GCRYPT_CONFIG_H_INCLUDED 1
#define VERSION "system"
#define HAVE_CLOCK_GETTIME 1
typedef unsigned long long u64;
"""


def build(source, folder):
    with open(os.path.join(folder, "config.h"), "w") as config:
        config.write(CONFIG)
    # What it takes for its own source's header is the system's.
    tests, header = os.path.join(folder, "tests"), os.path.join(folder, "src")
    os.makedirs(tests)
    os.makedirs(header)
    with open(os.path.join(header, "gcrypt.h"), "w") as file:
        file.write("#include <gcrypt.h>\n")
    for name in ["bench-slope.c", "t-common.h"]:
        with open(os.path.join(source, "tests", name)) as original, open(os.path.join(tests, name), "w") as copy:
            copy.write(original.read())
    program = os.path.join(folder, "bench-slope")
    code = os.path.join(tests, "bench-slope.c")
    flags = ["-O2", "-DHAVE_CONFIG_H", f"-I{folder}"]
    subprocess.run(["cc", *flags, "-o", program, code, "-lgcrypt", "-lgpg-error"], check=True)
    return program


def by_bench_slope(program, group, algorithm, mode):
    output = subprocess.run(
        [program, "--csv", group, algorithm], check=True, capture_output=True, text=True
    ).stdout
    [rate] = [line.split(",") for line in output.splitlines() if line.split(",")[2] == mode]
    return float(rate[rate.index("ns/B") - 1])


def by_ciphertune(program, named, algorithm):
    lengths = ",".join(map(str, LENGTHS))
    # bench-slope has no additional data, and what takes none is not to be given any.
    words = ["--aad", "0"] if algorithm in AUTHENTICATED else []
    measured = speed(program, named, algorithm, "--lengths", lengths, "--seconds", str(SECONDS), *words)
    nanoseconds = [cell["ns_per_byte"] * cell["length"] for cell in measured]
    return statistics.linear_regression([cell["length"] for cell in measured], nanoseconds).slope


def main():
    program, source, times = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 7
    named = implementation(program, "libgcrypt")
    apart = 0
    print("| algorithm | ciphertune, ns/B | bench-slope, ns/B | ratio of rates | least to most |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bench_slope = build(source, folder)
        for algorithm, theirs in ALGORITHMS.items():
            pairs = [
                (by_ciphertune(program, named, algorithm), by_bench_slope(bench_slope, *theirs))
                for _ in range(times)
            ]
            here, there = (min(side) for side in zip(*pairs))
            ratios = sorted(b / a for a, b in pairs)
            apart += abs(there / here - 1) > AGREE
            print(
                f"| {algorithm} | {here:.4f} | {there:.4f} | {there / here:.3f} "
                f"| {ratios[0]:.3f} to {ratios[-1]:.3f} |",
                flush=True,
            )
    print()
    print(f"{apart} of {len(ALGORITHMS)} differ by more than {AGREE:.0%}.")
    return apart > 0


if __name__ == "__main__":
    sys.exit(main())
