/* SPDX-License-Identifier: MIT
 * An x86 image for seh_x86_test.cpp: functions with their own exception handlers, and the shipped guarded
 * copy. */
#include <stddef.h>

typedef unsigned int u32;

struct record {
  u32 code, flags;
  struct record* next;
  void* address;
};
struct context {
  u32 flags, debug[6];
  unsigned char fpu[112];
  u32 gs, fs, es, ds, edi, esi, ebx, edx, ecx, eax, ebp, eip, cs, eflags, esp, ss;
};
struct registration {
  struct registration* next;
  u32(__cdecl* handler)(struct record*, struct registration*, struct context*, void*);
};

#define CONTINUE_EXECUTION 0
#define CONTINUE_SEARCH 1

u32 __stdcall AeroGuardedCopy(void* destination, const void* source, size_t bytes);
__declspec(dllimport) void __stdcall ExRaiseStatus(u32 status);

static u32 s_order, s_good = 0x600D, s_code;

static struct registration* exceptionList(void) {
  struct registration* list;
  __asm__ volatile("movl %%fs:0, %0" : "=r"(list));
  return list;
}
static void setExceptionList(struct registration* list) {
  __asm__ volatile("movl %0, %%fs:0" : : "r"(list) : "memory");
}

/* Each handler appends its digit to s_order. */
static u32 __cdecl passOn(struct record* record, struct registration* frame, struct context* context,
                          void* dispatcher) {
  (void)record, (void)frame, (void)context, (void)dispatcher;
  s_order = s_order * 10 + 1;
  return CONTINUE_SEARCH;
}
static u32 __cdecl repair(struct record* record, struct registration* frame, struct context* context,
                          void* dispatcher) {
  (void)frame, (void)dispatcher;
  s_order = s_order * 10 + 2;
  s_code = record->code;
  context->eax = (u32)&s_good;
  return CONTINUE_EXECUTION;
}

/* Reads through eax, which repair() changes, while all other registers that a function must preserve are
 * in use. */
static __attribute__((noinline)) u32 load(const u32* from, u32* kept) {
  u32 value, b = 0xB, s = 0x5, d = 0xD;
  __asm__ volatile("movl (%%eax), %%eax" : "=a"(value), "+b"(b), "+S"(s), "+D"(d) : "0"(from) : "memory");
  *kept = b << 8 | s << 4 | d;
  return value;
}

static __attribute__((noinline)) u32 loadBelow(const u32* from, u32* kept) {
  struct registration inner = {exceptionList(), passOn};
  setExceptionList(&inner);
  u32 value = load(from, kept);
  setExceptionList(inner.next);
  return value;
}

static u32 __stdcall nested(const u32* from, u32* order, u32* kept) {
  struct registration outer = {exceptionList(), repair};
  setExceptionList(&outer);
  s_order = 0;
  u32 value = loadBelow(from, kept);
  setExceptionList(outer.next);
  *order = s_order;
  return value;
}

static u32 __stdcall raised(u32 status) {
  struct registration frame = {exceptionList(), repair};
  setExceptionList(&frame);
  s_code = 0;
  ExRaiseStatus(status);
  setExceptionList(frame.next);
  return s_code;
}

static u32 __stdcall unhandled(const u32* from) {
  u32 kept;
  return load(from, &kept);
}

/* Makes a list with a record or a handler at an impossible place. */
static u32 __stdcall broken(const u32* from, struct registration* frame, u32 handler) {
  struct registration own = {exceptionList(), NULL}, *old = own.next;
  u32 kept;
  __asm__ volatile("movl %1, %0" : "=m"(own.handler) : "r"(handler));
  setExceptionList(frame ? frame : &own);
  u32 value = load(from, &kept);
  setExceptionList(old);
  return value;
}

/* Leaves its handler in the list. */
static void __stdcall forgetful(void) {
  struct registration frame = {exceptionList(), passOn};
  setExceptionList(&frame);
}

struct tests {
  u32(__stdcall* guardedCopy)(void*, const void*, size_t);
  u32(__stdcall* nested)(const u32*, u32*, u32*);
  u32(__stdcall* raised)(u32);
  u32(__stdcall* unhandled)(const u32*);
  u32(__stdcall* broken)(const u32*, struct registration*, u32);
  void(__stdcall* forgetful)(void);
};

int __stdcall DriverEntry(struct tests* out, void* unused) {
  (void)unused;
  out->guardedCopy = AeroGuardedCopy;
  out->nested = nested;
  out->raised = raised;
  out->unhandled = unhandled;
  out->broken = broken;
  out->forgetful = forgetful;
  return 0;
}
