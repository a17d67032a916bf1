#!/usr/bin/env python3
"""How many states of AES should be in flight?

Cycles for 512 bytes of a mode that adds something to both ends of each block, in loops of assembly with 8 to 16 vectors a
batch: where 40 is the bound of AES-128 and 56 that of AES-256. Means of many short runs, each between two of the rounds
alone: with eight states a loop falls into one of several gaits and stays there. Needs VAES and AVX-512, and a C compiler.
Run it with real-time priority on one processor: `chrt -f 1 taskset -c 1 studies/states-in-flight.py`.
"""

import pathlib
import subprocess
import tempfile

BATCHES = 240
TURNS = 300


def body(states, rounds, load_keys, apart):
    """A batch. Addends are at %rdx, keys at %rsi; registers from 25 on hold what stays and what is loaded."""
    lines = []
    for n in range(states):
        lines += [f"vmovdqu64 {64 * n}(%rdi), %zmm{n}", f"vpternlogq $0x96, {64 * n}(%rdx), %zmm29, %zmm{n}"]
    for round in range(1, rounds):
        if load_keys:
            lines += [
                f"vpbroadcastq {16 * round}(%rsi), %zmm30",
                f"vpbroadcastq {16 * round + 8}(%rsi), %zmm31",
                "vpunpcklqdq %zmm31, %zmm30, %zmm30",
            ]
        key = 30 if load_keys else 16 + round % 9
        lines += [f"vaesenc %zmm{key}, %zmm{n}, %zmm{n}" for n in range(states)]
    if apart:
        lines += [f"vaesenclast %zmm28, %zmm{n}, %zmm{n}" for n in range(states)]
        for n in range(states):
            lines += [f"vpternlogq $0x96, {64 * n}(%rdx), %zmm29, %zmm{n}", f"vmovdqu64 %zmm{n}, {64 * n}(%rdi)"]
    else:
        for n in range(states):
            lines += [
                f"vpxorq {64 * n}(%rdx), %zmm28, %zmm31",
                f"vaesenclast %zmm31, %zmm{n}, %zmm{n}",
                f"vmovdqu64 %zmm{n}, {64 * n}(%rdi)",
            ]
    return lines


def function(name, lines, step, times):
    """A function that runs `lines` `times` times, `step` bytes further on each time, eight kilobytes of data in turn."""
    wrap = max(1, 8192 // step) if step else times
    text = "\n".join(lines)
    return f""".globl {name}
{name}:
lea memory(%rip), %rsi
lea memory+320(%rip), %rdx
mov ${times // wrap}, %r8d
2: lea data(%rip), %rdi
mov ${wrap}, %ecx
.p2align 6
1:
{text}
add ${step}, %rdi
dec %ecx
jnz 1b
dec %r8d
jnz 2b
vzeroupper
ret
"""


def main():
    cases, loops = [], []
    for rounds in (10, 14):
        for states in (8, 10, 12, 16):
            for load_keys, apart in ((False, False), (True, False), (True, True)):
                cases.append((rounds, states, load_keys, apart))
                times = BATCHES * 8 // states
                step = 64 * states
                wrap = max(1, 8192 // step)
                loops.append((body(states, rounds, load_keys, apart), step, times, times // wrap * wrap * states / 8))
    alone = [f"vaesenc %zmm30, %zmm{n % 12}, %zmm{n % 12}" for n in range(96)]
    loops.append((alone, 0, BATCHES, BATCHES))
    assembly = ".data\n.p2align 12\nmemory: .skip 4096\ndata: .skip 16384\n.text\n"
    assembly += "".join(function(f"loop{i}", lines, step, times) for i, (lines, step, times, _) in enumerate(loops))
    assembly += '.section .note.GNU-stack,"",@progbits\n'
    names = [f"loop{i}" for i in range(len(loops))]
    program = f"""
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
{"".join(f"void {name}(void);" for name in names)}
static void (*loops[])(void) = {{{", ".join(names)}}};
static double ratios[{len(loops)}][{TURNS}];
static int order(const void *a, const void *b)
{{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}}
static double ticks(void (*loop)(void))
{{
    unsigned long from = __rdtsc();
    loop();
    return __rdtsc() - from;
}}
int main(void)
{{
    for (int turn = 0; turn < {TURNS}; turn++)
        for (int i = 0; i < {len(cases)}; i++) {{
            double before = ticks(loops[{len(cases)}]), took = ticks(loops[i]), after = ticks(loops[{len(cases)}]);
            ratios[i][turn] = 2 * took / (before + after);
        }}
    for (int i = 0; i < {len(cases)}; i++) {{
        double sum = 0;
        qsort(ratios[i], {TURNS}, sizeof(double), order);
        for (int turn = {TURNS} / 20; turn < {TURNS} - {TURNS} / 20; turn++)
            sum += ratios[i][turn];
        printf("%.9f\\n", sum / ({TURNS} - 2 * ({TURNS} / 20)));
    }}
}}
"""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "loops.s").write_text(assembly)
        (folder / "main.c").write_text(program)
        binary = folder / "states-in-flight"
        subprocess.run(["cc", "-O1", "-o", binary, folder / "main.c", folder / "loops.s"], check=True)
        ratios = [float(line) for line in subprocess.check_output([binary], text=True).split()]

    # The rounds alone are 96 of them, 48 cycles.
    cycles = [48 * BATCHES * ratio / loop[3] for ratio, loop in zip(ratios, loops)]
    print("| | states | keys in registers | keys loaded by halves | and the output's addend apart |")
    print("|---|---|---|---|---|")
    for first in range(0, len(cases), 3):
        rounds, states, *_ = cases[first]
        shown = " | ".join(f"{cycle:.1f}" for cycle in cycles[first : first + 3])
        print(f"| AES-{128 if rounds == 10 else 256} | {states} | {shown} |")


if __name__ == "__main__":
    main()
