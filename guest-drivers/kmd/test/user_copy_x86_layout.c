// SPDX-License-Identifier: MIT
// Compiled, never linked: checks the offsets that user_copy_x86.S and its test write by hand against winnt.h.
#include <windows.h>

#define SAME(type, member, offset) _Static_assert(__builtin_offsetof(type, member) == (offset), #type "." #member)

SAME(EXCEPTION_RECORD, ExceptionCode, 0x00);
SAME(EXCEPTION_RECORD, ExceptionFlags, 0x04);
SAME(EXCEPTION_RECORD, ExceptionAddress, 0x0C);
_Static_assert(sizeof(EXCEPTION_RECORD) == 0x50, "EXCEPTION_RECORD");
SAME(CONTEXT, SegFs, 0x90);
SAME(CONTEXT, Edi, 0x9C);
SAME(CONTEXT, Eax, 0xB0);
SAME(CONTEXT, Ebp, 0xB4);
SAME(CONTEXT, Eip, 0xB8);
SAME(CONTEXT, Esp, 0xC4);
_Static_assert(sizeof(CONTEXT) == 0x2CC, "CONTEXT");
SAME(NT_TIB, ExceptionList, 0);
_Static_assert(ExceptionContinueExecution == 0 && ExceptionContinueSearch == 1, "EXCEPTION_DISPOSITION");
_Static_assert((EXCEPTION_UNWINDING | EXCEPTION_EXIT_UNWIND) == 0x06, "EXCEPTION_UNWINDING_OR_EXIT");
