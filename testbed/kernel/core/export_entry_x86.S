/* SPDX-License-Identifier: MIT */
/* Entry and exit of an export on x86: thread.h, ExportFrame. For stdcall, fastcall and cdecl alike: the function
 * finds its arguments where the driver put them, and pops them if its convention says so. The host's part runs on
 * the entry stack (driver_stack.h): the memory below the driver's stack pointer still has the driver's traces. */
	.intel_syntax noprefix
	.text

/* eax = the export's row; esp = as the driver called; ecx, edx = arguments of fastcall. */
	.globl aerogpuHostExportEntry
	.type aerogpuHostExportEntry, @function
aerogpuHostExportEntry:
	mov	fs:[0x808], ecx
	mov	fs:[0x80C], edx
	mov	ecx, fs:[0x800]
	mov	[ecx], eax
	mov	eax, [esp]
	mov	[ecx + 4], eax
	mov	[ecx + 8], esp
	mov	[ecx + 12], ebx
	mov	[ecx + 16], ebp
	mov	[ecx + 20], esi
	mov	[ecx + 24], edi
	lea	eax, [ecx + 32]
	mov	fs:[0x800], eax
	mov	eax, esp
	mov	esp, fs:[0x804]
	push	eax
	push	ecx
	cld
	call	aerogpuHostExportEnter
	add	esp, 4
	pop	esp
	mov	ecx, fs:[0x808]
	mov	edx, fs:[0x80C]
	mov	dword ptr [esp], offset aerogpuHostExportExit
	jmp	eax
	.size aerogpuHostExportEntry, . - aerogpuHostExportEntry

	.type aerogpuHostExportExit, @function
aerogpuHostExportExit:
	mov	ecx, fs:[0x800]
	sub	ecx, 32
	mov	fs:[0x800], ecx
	mov	ecx, esp
	mov	esp, fs:[0x804]
	push	ecx
	push	eax
	push	edx
	push	ecx
	call	aerogpuHostExportLeave
	add	esp, 4
	pop	edx
	pop	eax
	pop	esp
	mov	ecx, fs:[0x800]
	jmp	[ecx + 4]
	.size aerogpuHostExportExit, . - aerogpuHostExportExit

/* aerogpuHostOnEntryStack(function, thread): core/driver_stack.cpp. */
	.globl aerogpuHostOnEntryStack
	.type aerogpuHostOnEntryStack, @function
aerogpuHostOnEntryStack:
	push	ebp
	mov	ebp, esp
	mov	eax, [ebp + 8]
	mov	ecx, [ebp + 12]
	mov	esp, fs:[0x804]
	push	ebp
	push	ecx
	call	eax
	mov	esp, ebp
	pop	ebp
	ret
	.size aerogpuHostOnEntryStack, . - aerogpuHostOnEntryStack

	.section .note.GNU-stack,"",@progbits
