/* SPDX-License-Identifier: MIT
 * user_copy_x86.S: guarded copy for x86. Neither gcc nor clang compiles __try for i686 mingw, so the exception frame is
 * made by hand: a registration record on the stack, linked at fs:[0], whose handler changes the context and continues
 * (x86 structured exception handling; layouts from winnt.h: EXCEPTION_RECORD, CONTEXT). Faults of the copy are
 * continuable: access violations and in-page errors that the hardware raises.
 *
 * NTSTATUS __stdcall AeroGuardedCopy(void *destination, const void *source, SIZE_T bytes) */

        .set ExceptionContinueExecution, 0
        .set ExceptionContinueSearch, 1
        .set EXCEPTION_UNWINDING_OR_EXIT, 0x06
        .set Record_Code, 0x00
        .set Record_Flags, 0x04
        .set Context_Eax, 0xB0
        .set Context_Ebp, 0xB4
        .set Context_Eip, 0xB8
        .set Context_Esp, 0xC4
        .set FrameToEbp, 16           /* from the registration record up to the saved ebp */

        .text
        .globl  _AeroGuardedCopy@12
_AeroGuardedCopy@12:
        pushl   %ebp
        movl    %esp, %ebp
        pushl   %esi
        pushl   %edi
        pushl   $guarded_copy_handler
        pushl   %fs:0
        movl    %esp, %fs:0
        movl    8(%ebp), %edi
        movl    12(%ebp), %esi
        movl    16(%ebp), %ecx
        cld
guarded_copy_begin:
        rep movsb
guarded_copy_end:
        xorl    %eax, %eax
guarded_copy_leave:
        popl    %fs:0
        addl    $4, %esp
        popl    %edi
        popl    %esi
        popl    %ebp
        ret     $12

/* EXCEPTION_DISPOSITION __cdecl handler(EXCEPTION_RECORD *record, void *frame, CONTEXT *context, void
 * *dispatcher): continues after the copy with the exception's code as the result. For any other fault the search
 * continues with the next handler. */
guarded_copy_handler:
        movl    4(%esp), %ecx
        testl   $EXCEPTION_UNWINDING_OR_EXIT, Record_Flags(%ecx)
        jnz     1f
        movl    12(%esp), %edx
        movl    Context_Eip(%edx), %eax
        cmpl    $guarded_copy_begin, %eax
        jb      1f
        cmpl    $guarded_copy_end, %eax
        jae     1f
        movl    Record_Code(%ecx), %eax
        movl    %eax, Context_Eax(%edx)
        movl    $guarded_copy_leave, Context_Eip(%edx)
        movl    8(%esp), %eax
        movl    %eax, Context_Esp(%edx)
        addl    $FrameToEbp, %eax
        movl    %eax, Context_Ebp(%edx)
        movl    $ExceptionContinueExecution, %eax
        ret
1:      movl    $ExceptionContinueSearch, %eax
        ret
