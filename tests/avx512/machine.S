# Boots Linux in a machine that is nothing but a processor, memory and a serial port: what stands where a PC has its BIOS.
# The assembler is told where the emulator puts the image (`initramfs`), what it is made of (`initramfs_size`, `kernel`)
# and where it ends (`image_end`). Documentation/x86/boot.rst in Linux has what the kernel wants to find.

    .equ here, 0xf0000
    .equ parameters, 0x10000
    .equ was_here, 0x9000

    .text
# struct boot_params, with the kernel's own header in it.
    .org 0x1e8
    .byte 2                                 # entries in the memory map
    .org 0x1f1
    .incbin "vmlinuz", 0x1f1, 0x210 - 0x1f1
    .byte 0xff                              # a loader without a number
    .incbin "vmlinuz", 0x211, 0x218 - 0x211
    .long initramfs, initramfs_size
    .incbin "vmlinuz", 0x220, 0x228 - 0x220
    .long here + command_line
    .incbin "vmlinuz", 0x22c, 0x26c - 0x22c
    .org 0x2d0                              # the memory map: from, length, usable
    .quad 0, 0x9f000
    .long 1
    .quad 0x100000, memory - 0x100000
    .long 1

    .org 0x1000
command_line:
    # No device is there to look for, no leak of the processor's to close, and the end is a reset. Its clock is the number
    # of instructions. What is cleared from CPUID, Bochs 2.7 says wrongly: the layout of saved registers without
    # xsavec and pku would not be believed and AVX be switched off; fsrm stands where fast strings are disabled.
    .ascii "console=ttyS0 quiet pci=off acpi=off noapic nolapic nokaslr mitigations=off panic=-1 reboot=t "
    # Self-tests of code that nobody here asks for take longer than all else.
    .ascii "cryptomgr.notests initcall_blacklist=load_system_certificate_list,init_hw_perf_events "
    .ascii "tsc=reliable tsc_early_khz=10000 clearcpuid=xsavec,xsaves,pku,fsrm"
    .incbin "environment"
    .byte 0

    .balign 8
segments:
    .quad 0, 0, 0x00cf9a000000ffff, 0x00cf92000000ffff
segments_end:
segments_register:
    .word segments_end - segments - 1
    .long here + segments

    .code16
start:
    mov $2, %al                             # the 21st address line
    out %al, $0x92
    lgdtl %cs:segments_register
    mov $1, %eax
    mov %eax, %cr0
    ljmpl $0x10, $here + protected

    .code32
protected:
    mov $0x18, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    # Bochs reads the image into its own memory in one piece, but gives a block of that to an address only when the
    # address is first used: it has to be used in order, before any other.
    mov $initramfs, %esi
1:  mov (%esi), %eax
    add $0x20000, %esi
    cmp $image_end, %esi
    jb 1b

    cmpl $0x600d, was_here
    je end
    movl $0x600d, was_here
    mov $here, %esi
    mov $parameters, %edi
    mov $0x400, %ecx
    rep movsl
    mov $parameters, %esi
    movzbl 0x1f1(%esi), %eax                # sectors before the code
    shl $9, %eax
    add $kernel + 512, %eax
    xor %ebp, %ebp
    xor %edi, %edi
    xor %ebx, %ebx
    jmp *%eax

# After the reset: the word that makes Bochs end.
end:
    mov $0x8900, %dx
    mov $here + word, %esi
    mov $8, %ecx
    rep outsb
1:  hlt
    jmp 1b
word:
    .ascii "Shutdown"

    .code16
    .org 0xfff0
    ljmp $0xf000, $start
    .org 0x10000
