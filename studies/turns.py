"""What the studies have in common that time a library by Ciphertune and by its own tool, in turn."""
import json
import os
import subprocess
import tempfile

# How much of the other's the rate of one may be away.
AGREE = 0.05


def implementation(program, library):
    """The first of Ciphertune's names for it."""
    listed = subprocess.run([program, "list"], capture_output=True, text=True).stdout.split()
    return next(word for word in listed if word.startswith(f"{library}@"))


def cells(run):
    """What was measured, of a run file."""
    with open(run) as lines:
        return [line for line in map(json.loads, lines) if line["kind"] == "cell" and line["status"] == "ok"]


def speed(program, named, *words):
    """What `ciphertune speed` of one implementation measures."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "run.jsonl")
        subprocess.run(
            [program, "speed", *words, "--implementations", named, "--output", output],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return cells(output)


def rates(measured, field):
    """Bytes per second, by a field of the cell."""
    return {cell[field]: cell["bytes_per_second"]["median"] for cell in measured}


def row(what, pairs, unit=1e9, digits=3):
    """Prints the fastest turns of both and their ratio. Answers whether they differ."""
    here, there = (max(side) for side in zip(*pairs))
    ratios = sorted(a / b for a, b in pairs)
    print(
        f"| {what} | {here / unit:.{digits}f} | {there / unit:.{digits}f} | {here / there:.3f} "
        f"| {ratios[0]:.3f} to {ratios[-1]:.3f} |",
        flush=True,
    )
    return abs(here / there - 1) > AGREE
