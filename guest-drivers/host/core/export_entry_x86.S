/* SPDX-License-Identifier: MIT */
/* Entry and exit of an export on x86: thread.h, ExportFrame. For stdcall, fastcall and cdecl alike: the function finds
 * its arguments where the driver put them, and takes them off the stack if its convention says so. */
	.intel_syntax noprefix
	.text

/* eax = the export's row; esp = as the driver called; ecx, edx = arguments of fastcall. */
	.globl aerogpuHostExportEntry
	.type aerogpuHostExportEntry, @function
aerogpuHostExportEntry:
	push	ecx
	push	edx
	mov	ecx, fs:[0x800]
	mov	[ecx], eax
	mov	eax, [esp + 8]
	mov	[ecx + 4], eax
	lea	eax, [esp + 8]
	mov	[ecx + 8], eax
	mov	[ecx + 12], ebx
	mov	[ecx + 16], ebp
	mov	[ecx + 20], esi
	mov	[ecx + 24], edi
	lea	eax, [ecx + 32]
	mov	fs:[0x800], eax
	push	ecx
	cld
	call	aerogpuHostExportEnter
	add	esp, 4
	pop	edx
	pop	ecx
	mov	dword ptr [esp], offset aerogpuHostExportExit
	jmp	eax
	.size aerogpuHostExportEntry, . - aerogpuHostExportEntry

	.type aerogpuHostExportExit, @function
aerogpuHostExportExit:
	mov	ecx, fs:[0x800]
	sub	ecx, 32
	mov	fs:[0x800], ecx
	jmp	[ecx + 4]
	.size aerogpuHostExportExit, . - aerogpuHostExportExit

	.section .note.GNU-stack,"",@progbits
