#!/usr/bin/env python3
"""What five old documents measured, and the same today.

Prints a table for each: Tor (2007), IPFire (2015), HPN-SSH (2008), Mono (2005) and iXBT (2003), or for those that are
named. Their figures are in studies/history and, iXBT's, among the tests of `ciphertune import`; each file says where
they come from. Machines and years differ, so what can be compared is the ratios within a row or a column.

Mono's needs mono-runtime, mono-mcs and the C library beside the command:

    make build && studies/history.py target/release/ciphertune [tor ipfire hpn mono ixbt]
"""
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from turns import cells

HERE = pathlib.Path(__file__).resolve().parent
IXBT = HERE.parent / "crates/results/tests/imports/openssl-0.9.7c-ixbt.txt"
# Of iXBT's Pentium 4.
IXBT_GHZ = 3.06


def old(name):
    with open(HERE / "history" / name) as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def output_of(command, **how):
    """What it prints."""
    done = subprocess.run(command, capture_output=True, text=True, **how)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        sys.exit(f"history.py: {' '.join(map(str, command))}: {said[-1]}")
    return done.stdout


def speed(program, output, *words):
    """The cells and the machine of a run, and what it printed."""
    load = os.getloadavg()[0]
    said = output_of([program, "speed", *words, "--output", output])
    with open(output) as lines:
        machine = next(line for line in map(json.loads, lines) if line["kind"] == "machine")
    clock = f", core at {machine['core_hz'] / 1e9:.2f} GHz" if machine.get("core_hz") else ""
    where = f"{machine['cpu']} ({machine['cpu_signature']}), {machine['processors']} processors{clock}, load {load:.1f}"
    print(f"`ciphertune speed {' '.join(words)}`, {machine['date']}, {where}:\n")
    return cells(output), machine, said


def table(*columns):
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


def row(*values):
    print(f"| {' | '.join(map(str, values))} |")


def is_own(name):
    return name.startswith("ciphertune/")


def by_aes(name):
    return "aes" in name.split("/")[1]


def rate(cell):
    return cell["bytes_per_second"]["median"]


def best(measured, fits):
    """The fastest of those whose names fit; None where there is none."""
    return max((cell for cell in measured if fits(cell["implementation"])), key=rate, default=None)


def tor(program, folder):
    print("Seconds for a million cells of 509 bytes, AES-128-CTR.\n")
    found, _, _ = speed(program, folder / "run", "aes-128-ctr", "--lengths", "509")
    table("machine", "Tor's own", "its best form", "OpenSSL's EVP", "fastest", "which", "Tor's own over fastest")

    def tell(machine, by):
        """By a name's first word, in seconds."""
        fastest = min(by, key=by.get)
        tables = min(seconds for name, seconds in by.items() if name.split()[0] in ("builtin", "counter"))
        seconds = (by["counter -O2"], tables, by["openssl-evp -O2"], by[fastest])
        row(machine, *(f"{value:.3g}" for value in seconds), fastest, f"{by['counter -O2'] / by[fastest]:.2f}")

    entries = old("tor-2007.csv")
    for cpu in dict.fromkeys(entry["cpu"] for entry in entries):
        here = [entry for entry in entries if entry["cpu"] == cpu]
        by = {f"{entry['implementation']} {entry['flags']}": float(entry["seconds"]) for entry in here}
        tell(f"2007: {cpu}", by)
    named = {
        "builtin": best(found, "tor2007/rijndael".__eq__),
        "counter -O2": best(found, "tor2007/counter".__eq__),
        "counter full-unroll": best(found, "tor2007/unrolled".__eq__),
        "openssl-evp -O2": best(found, lambda name: name.startswith("openssl@") and name.endswith("/default")),
    }
    own = best(found, is_own)
    named[own["implementation"]] = own
    tell("today", {name: 1e6 * 509 / rate(cell) for name, cell in named.items() if cell})


def ipfire(program, folder):
    print("10⁶ bytes a second, 1024 bytes.\n")
    entries = old("ipfire-2015.csv")
    machines = list(dict.fromkeys(entry["cpu"] for entry in entries))
    names = list(dict.fromkeys(entry["algorithm"] for entry in entries))
    found, _, said = speed(program, folder / "run", *names, "--lengths", "1024", "--masks")
    sides = ["best of others", "Ciphertune"]
    table("algorithm", *machines, *sides, *(f"{side}, without AES or SHA instructions" for side in sides))
    for name in names:
        then = [entry["mbytes_per_second"] for entry in entries if entry["algorithm"] == name]
        # What the command takes a name for, its cells have in full.
        full = name.upper().replace("SHA256", "SHA2-256").replace("SHA512", "SHA2-512")
        here = [cell for cell in found if cell["algorithm"].upper() == full]
        chosen = [
            best(here, lambda name: not is_own(name) and name.endswith("/default")),
            best(here, is_own),
            best(here, lambda name: name.endswith(("/no-aes", "/no-sha"))),
            best(here, lambda name: is_own(name) and not by_aes(name)),
        ]
        row(name, *then, *(f"{rate(cell) / 1e6:.0f} ({cell['implementation']})" if cell else "" for cell in chosen))
    lines = said.splitlines()
    start = next((n for n, line in enumerate(lines) if "ewer instructions" in line), len(lines))
    print("\n```\n" + "\n".join(lines[start:]) + "\n```")


def hpn(program, folder):
    for entry in old("hpn-2008.csv"):
        print(f"2008: {entry['claim']}: {entry['value']} {entry['unit']}.\n")
    print("Today, one stream in calls of 32 KiB, GB/s:\n")
    for hashed in [], ["--hash"]:
        words = ["--implementations", "ciphertune", "--lengths", "32K", "--workers", "1", *hashed]
        found, _, _ = speed(program, folder / "run", "aes-128-ctr", "aes-256-ctr", *words)
        table("algorithm", "AES instructions", "alone", "with a worker", "faster")
        for algorithm in dict.fromkeys(cell["algorithm"] for cell in found):
            of = [cell for cell in found if cell["algorithm"] == algorithm]
            without = lambda name: not by_aes(name)
            kinds = ("yes", by_aes), ("no", without), ("no, nor vectors", "ciphertune/portable".__eq__)
            for word, fits in kinds:
                alone, helped = (best([cell for cell in of if cell["threads"] == n], fits) for n in (1, 2))
                if alone and helped:
                    sides = [f"{rate(cell) / 1e9:.3g} ({cell['implementation']})" for cell in (alone, helped)]
                    row(algorithm, word, *sides, f"{rate(helped) / rate(alone) - 1:+.0%}")
        print()


def mono(program, folder):
    for tool, package in ("mcs", "mono-mcs"), ("mono", "mono-runtime"):
        if not shutil.which(tool):
            sys.exit(f"history.py: {tool} is not here; install {package}")
    library = pathlib.Path(program).resolve().parent / "libciphertune.so"
    if not library.exists():
        sys.exit(f"history.py: {library} is not there; `make build` makes it")
    output_of(["mcs", f"-out:{folder}/Aes.exe", HERE / "history/Aes.cs"])
    env = {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
    ways, last = {}, set()
    for way in ("managed", "ciphertune", "openssl"):
        done = [output_of(["mono", folder / "Aes.exe", way], env=env).split() for _ in range(5)]
        ways[way] = statistics.median(float(seconds) for seconds, _ in done)
        last |= {block for _, block in done}
    if len(last) != 1:
        sys.exit(f"history.py: the ways differ in what they encrypt: {', '.join(sorted(last))}")
    version = output_of(["mono", "--version"]).split()[4]
    print("Seconds for 1000 encryptions and decryptions of 32768 bytes; all ways of today gave the same bytes.\n")
    print(f"`studies/history/Aes.cs` by Mono {version}, {time.strftime('%Y-%m-%dT%H:%MZ', time.gmtime())}:\n")
    table("machine", "managed", "native", "which", "managed over native")
    entries = old("mono-2005.csv")
    for entry in (entry for entry in entries if entry["runtime"] == "mono"):
        [native] = (other for other in entries if other["kind"] == "native" and other["cpu"] == entry["cpu"])
        ratio = float(entry["seconds"]) / float(native["seconds"])
        row(f"2005: {entry['cpu']}", entry["seconds"], native["seconds"], native["runtime"], f"{ratio:.0f}")
    for way in ("openssl", "ciphertune"):
        row("today", f"{ways['managed']:.2f}", f"{ways[way]:.4f}", way, f"{ways['managed'] / ways[way]:.0f}")


def ixbt(program, folder):
    then, now = folder / "0.9.7c.jsonl", folder / "today.jsonl"
    output_of([program, "import", IXBT, "--machine", f"Pentium 4 {IXBT_GHZ} GHz", "--output", then])
    before = cells(then)
    # What no libcrypto of Debian has, and keys too short for today's.
    left_out = ("MDC2", "RC5-CBC", "RSA-512", "DSA-512", "DSA-1024")
    names = [name for name in dict.fromkeys(cell["algorithm"] for cell in before) if name not in left_out]
    words = ["--provider", "legacy", "--implementations", "openssl,ciphertune", "--lengths", "16,64,256,1024,8192"]
    found, machine, _ = speed(program, now, *names, *words)
    print(output_of([program, "compare", then, now, "--across-contracts", "--format", "markdown"]))
    ghz = machine.get("core_hz", machine["tsc_hz"]) / 1e9
    print(f"Coefficients, 10⁶ bytes a second for each GHz, 8192 bytes; today at {ghz:.2f} GHz.\n")
    table("algorithm", "0.9.7c", "OpenSSL today", "times", "Ciphertune", "times")
    for cell in before:
        place = lambda cell: (cell["algorithm"], cell["operation"], cell["length"])
        here = [other for other in found if place(other) == place(cell) and cell["length"] == 8192]
        sides = best(here, lambda name: name.startswith("openssl@")), best(here, is_own)
        if here:
            base = rate(cell) / 1e6 / IXBT_GHZ
            new = [rate(side) / 1e6 / ghz if side else None for side in sides]
            told = [part for value in new for part in ((f"{value:.1f}", f"{value / base:.1f}") if value else ("", ""))]
            row(cell["algorithm"], f"{base:.1f}", *told)


DOCUMENTS = {
    "tor": ("Tor, 2007", tor),
    "ipfire": ("IPFire, 2015", ipfire),
    "hpn": ("HPN-SSH, 2008", hpn),
    "mono": ("Mono, 2005", mono),
    "ixbt": ("iXBT, 2003", ixbt),
}


def main():
    if len(sys.argv) < 2:
        sys.exit("history.py: which ciphertune? studies/history.py target/release/ciphertune")
    program, *wanted = sys.argv[1:]
    if not shutil.which(program):
        sys.exit(f"history.py: {program} is no program; `make build` makes target/release/ciphertune")
    if unknown := [name for name in wanted if name not in DOCUMENTS]:
        sys.exit(f"history.py: {unknown[0]} is none of {', '.join(DOCUMENTS)}")
    for name in wanted or DOCUMENTS:
        title, tell = DOCUMENTS[name]
        print(f"## {title}\n", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            tell(program, pathlib.Path(folder))
        print(flush=True)


if __name__ == "__main__":
    main()
