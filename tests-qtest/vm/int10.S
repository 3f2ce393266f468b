/* SPDX-License-Identifier: MIT */
/* A boot sector that makes video BIOS calls for a test (vbe_test.py), which talks to it over COM1. Commands:
 *   'i' ax bx cx dx di es si bp  int 10h; answers the eight registers as they came back
 *   'r' offset segment length    answers memory
 *   'w' offset segment length bytes...  writes memory, answers '.'
 *   'o' port value               writes a port, both 16 bits, the value's low byte; answers '.'
 * Numbers are 16 bits, little-endian. */
        .code16
        .globl _start
_start: ljmp $0, $1f
1:      cli
        xor %ax, %ax
        mov %ax, %ds
        mov %ax, %ss
        mov $0x7c00, %sp
        sti
        cld
        mov $'!', %al           /* ready */
        call putc

next:   xor %ax, %ax
        mov %ax, %es
        call getc
        mov $args, %di
        cmp $'i', %al
        je video
        cmp $'r', %al
        je read
        cmp $'w', %al
        je write
        cmp $'o', %al
        jne next

        mov $4, %cx             /* 'o' */
        call getn
        mov args, %dx
        mov args + 2, %al
        out %al, %dx
done:   mov $'.', %al
        call putc
        jmp next

video:  mov $16, %cx
        call getn
        mov args, %ax
        mov args + 2, %bx
        mov args + 4, %cx
        mov args + 6, %dx
        mov args + 8, %di
        mov args + 10, %es
        mov args + 12, %si
        mov args + 14, %bp
        int $0x10
        cld
        mov %ax, %cs:args
        xor %ax, %ax
        mov %ax, %ds
        mov %bx, args + 2
        mov %cx, args + 4
        mov %dx, args + 6
        mov %di, args + 8
        mov %es, args + 10
        mov %si, args + 12
        mov %bp, args + 14
        mov $args, %si
        mov $16, %cx
        call putn
        jmp next

read:   mov $6, %cx
        call getn
        mov args + 4, %cx
        lds args, %si
        call putn
        xor %ax, %ax
        mov %ax, %ds
        jmp next

write:  mov $6, %cx
        call getn
        mov args + 4, %cx
        les args, %di
        call getn
        jmp done

getc:   mov $0x3fd, %dx         /* line status: data ready */
1:      in %dx, %al
        test $1, %al
        jz 1b
        mov $0x3f8, %dx
        in %dx, %al
        ret

putc:   push %ax
        mov $0x3fd, %dx         /* transmitter empty */
1:      in %dx, %al
        test $0x20, %al
        jz 1b
        pop %ax
        mov $0x3f8, %dx
        out %al, %dx
        ret

getn:   jcxz 2f
1:      call getc
        stosb
        loop 1b
2:      ret

putn:   jcxz 2f
1:      lodsb
        call putc
        loop 1b
2:      ret

        .org 510
        .word 0xaa55
args = 0x7e00
