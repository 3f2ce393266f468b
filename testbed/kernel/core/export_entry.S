/* SPDX-License-Identifier: MIT */
/* Entry and exit of an export: thread.h, ExportFrame. Microsoft's x64 calling convention on the outside. The
 * host's part runs on the entry stack (driver_stack.h): the memory below the driver's stack pointer still has the
 * driver's traces. */
	.intel_syntax noprefix
	.text

/* r11 = the export's row; rsp = as the driver called. */
	.globl aerogpuHostExportEntry
	.type aerogpuHostExportEntry, @function
aerogpuHostExportEntry:
	mov	r10, gs:[0x800]
	mov	[r10], r11
	mov	rax, [rsp]
	mov	[r10 + 8], rax
	mov	[r10 + 16], rsp
	mov	[r10 + 24], rbx
	mov	[r10 + 32], rbp
	mov	[r10 + 40], rsi
	mov	[r10 + 48], rdi
	mov	[r10 + 56], r12
	mov	[r10 + 64], r13
	mov	[r10 + 72], r14
	mov	[r10 + 80], r15
	movups	[r10 + 96], xmm6
	movups	[r10 + 112], xmm7
	movups	[r10 + 128], xmm8
	movups	[r10 + 144], xmm9
	movups	[r10 + 160], xmm10
	movups	[r10 + 176], xmm11
	movups	[r10 + 192], xmm12
	movups	[r10 + 208], xmm13
	movups	[r10 + 224], xmm14
	movups	[r10 + 240], xmm15
	lea	rax, [r10 + 256]
	mov	gs:[0x800], rax
	mov	rax, rsp
	mov	rsp, gs:[0x808]
	push	rax
	push	rcx
	push	rdx
	push	r8
	push	r9
	sub	rsp, 72
	movups	[rsp], xmm0
	movups	[rsp + 16], xmm1
	movups	[rsp + 32], xmm2
	movups	[rsp + 48], xmm3
	mov	rdi, r10
	cld
	call	aerogpuHostExportEnter
	mov	r11, rax
	movups	xmm0, [rsp]
	movups	xmm1, [rsp + 16]
	movups	xmm2, [rsp + 32]
	movups	xmm3, [rsp + 48]
	add	rsp, 72
	pop	r9
	pop	r8
	pop	rdx
	pop	rcx
	pop	rsp
	lea	rax, [rip + aerogpuHostExportExit]
	mov	[rsp], rax
	jmp	r11
	.size aerogpuHostExportEntry, . - aerogpuHostExportEntry

	.type aerogpuHostExportExit, @function
aerogpuHostExportExit:
	mov	r10, gs:[0x800]
	sub	r10, 256
	mov	gs:[0x800], r10
	mov	rdi, rsp
	mov	rsp, gs:[0x808]
	push	rdi
	push	rax
	push	r10
	sub	rsp, 24
	movups	[rsp], xmm0
	call	aerogpuHostExportLeave
	movups	xmm0, [rsp]
	add	rsp, 24
	pop	r10
	pop	rax
	pop	rsp
	mov	rsi, [r10 + 40]
	mov	rdi, [r10 + 48]
	movups	xmm6, [r10 + 96]
	movups	xmm7, [r10 + 112]
	movups	xmm8, [r10 + 128]
	movups	xmm9, [r10 + 144]
	movups	xmm10, [r10 + 160]
	movups	xmm11, [r10 + 176]
	movups	xmm12, [r10 + 192]
	movups	xmm13, [r10 + 208]
	movups	xmm14, [r10 + 224]
	movups	xmm15, [r10 + 240]
	jmp	[r10 + 8]
	.size aerogpuHostExportExit, . - aerogpuHostExportExit

/* aerogpuHostOnEntryStack(function, thread): core/driver_stack.cpp. */
	.globl aerogpuHostOnEntryStack
	.type aerogpuHostOnEntryStack, @function
aerogpuHostOnEntryStack:
	push	rbp
	mov	rbp, rsp
	mov	rax, rdi
	mov	rdi, rsi
	mov	rsi, rbp
	mov	rsp, gs:[0x808]
	call	rax
	mov	rsp, rbp
	pop	rbp
	ret
	.size aerogpuHostOnEntryStack, . - aerogpuHostOnEntryStack

	.section .note.GNU-stack,"",@progbits
