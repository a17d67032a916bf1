#!/usr/bin/env python3
"""Which instructions run beside AES without taking its ports?

For each: how many start per cycle by themselves, and the cycles that 24 VAESENC of 512 bits take with 8 and with 24 of
them in between, where alone they take 12. A cycle is a twelfth of that; where one round starts a cycle it is two. Needs
VAES, VPCLMULQDQ and AVX-512 with GFNI and VBMI, and a C compiler. Run it with real-time priority on one processor:
`chrt -f 1 taskset -c 1 studies/beside-aes.py`.
"""

import pathlib
import subprocess
import tempfile

INSTRUCTIONS = [
    "vpxorq %zmm13, %zmm28, %zmm{}",
    "vpternlogq $0x96, %zmm13, %zmm28, %zmm{}",
    "vpaddd %zmm14, %zmm13, %zmm{}",
    "vpblendmq %zmm13, %zmm14, %zmm{}{{%k1}}",
    "vpsrlq $32, %zmm13, %zmm{}",
    "vpslldq $4, %zmm13, %zmm{}",
    "vpshldq $4, %zmm13, %zmm14, %zmm{}",
    "vpshufd $0x4e, %zmm13, %zmm{}",
    "vpshufb %zmm14, %zmm13, %zmm{}",
    "vshufi64x2 $0x88, %zmm14, %zmm13, %zmm{}",
    "vpunpcklqdq %zmm14, %zmm13, %zmm{}",
    "valignq $2, %zmm14, %zmm13, %zmm{}",
    "vpermb %zmm14, %zmm13, %zmm{}",
    "vpermi2b %zmm14, %zmm13, %zmm{}",
    "vpblendmb %zmm13, %zmm14, %zmm{}{{%k1}}",
    "vgf2p8affineqb $0, %zmm14, %zmm13, %zmm{}",
    "vpclmulqdq $0, %zmm14, %zmm13, %zmm{}",
    "vmovdqa64 memory(%rip), %zmm{}",
    "vmovdqu64 memory(%rip), %zmm{}{{%k1}}",
    "vpbroadcastq memory(%rip), %zmm{}",
    "vbroadcasti32x4 memory(%rip), %zmm{}",
    "vinserti64x4 $1, memory(%rip), %zmm13, %zmm{}",
    "vmovdqa64 %zmm13, memory+64*{}(%rip)",
    "vextracti32x4 $1, %zmm13, memory+64*{}(%rip)",
]
PASSES = 200_000


def aes(n):
    return f"vaesenc %zmm12, %zmm{n % 12}, %zmm{n % 12}"


def with_others(instruction, every):
    """24 rounds of AES, and after each `every` of them one of the others."""
    lines = []
    for n in range(24):
        lines.append(aes(n))
        if instruction and n % every == every - 1:
            lines.append(instruction.format(16 + n // every % 12))
    return lines


def loop(name, lines):
    """A function that runs `lines` as often as it is told; the upper halves are clean afterwards."""
    body = "\n".join(lines)
    return f"""{name}:
mov $0x33, %eax
kmovd %eax, %k1
vpxor %xmm12, %xmm12, %xmm12
.p2align 6
1:
{body}
dec %rdi
jnz 1b
vzeroupper
ret
"""


def main():
    loops = [with_others(None, 1)]
    for instruction in INSTRUCTIONS:
        alone = [instruction.format(16 + n % 12) for n in range(24)]
        loops += [alone, with_others(instruction, 3), with_others(instruction, 1)]
    assembly = ".data\n.p2align 6\nmemory: .skip 4096\n.text\n"
    assembly += "".join(loop(f"loop{i}", lines) for i, lines in enumerate(loops))
    assembly += '.section .note.GNU-stack,"",@progbits\n'
    assembly = assembly.replace("loop0:", "".join(f".globl loop{i}\n" for i in range(len(loops))) + "loop0:")
    names = [f"loop{i}" for i in range(len(loops))]
    program = f"""
#include <stdio.h>
#include <time.h>
{"".join(f"void {name}(long);" for name in names)}
static void (*loops[])(long) = {{{", ".join(names)}}};
int main(void)
{{
    for (unsigned i = 0; i < {len(loops)}; i++) {{
        double best = 1e9;
        for (int turn = 0; turn < 9; turn++) {{
            struct timespec from, to;
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
            loops[i]({PASSES});
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
            double took = (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) * 1e-9;
            best = took < best ? took : best;
        }}
        printf("%.9f\\n", best);
    }}
}}
"""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "loops.s").write_text(assembly)
        (folder / "main.c").write_text(program)
        binary = folder / "beside-aes"
        subprocess.run(["cc", "-O1", "-o", binary, folder / "main.c", folder / "loops.s"], check=True)
        times = [float(line) for line in subprocess.check_output([binary], text=True).split()]

    cycle = times[0] / 12
    print("| instruction | starts per cycle | 8 beside 24 VAESENC | 24 beside |")
    print("|---|---|---|---|")
    for i, instruction in enumerate(INSTRUCTIONS):
        alone, few, many = (time / cycle for time in times[1 + 3 * i : 4 + 3 * i])
        shown = instruction.format("").replace("memory(%rip)", "m").replace("memory+64*(%rip)", "m")
        print(f"| `{shown.replace('%', '')}` | {24 / alone:.2f} | {few:.1f} | {many:.1f} |")


if __name__ == "__main__":
    main()
