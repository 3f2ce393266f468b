/* SPDX-License-Identifier: MIT */
/* A kernel image for the tests of the loader and of exception handling. Built by clang, whose __try guards
 * calls; the accesses are therefore in separate functions. */
typedef unsigned int u32;
typedef unsigned long long u64;

__declspec(dllimport) void* memcpy(void* to, const void* from, u64 bytes);
__declspec(dllimport) void ExRaiseStatus(int status);

struct tests {
  u32 (*read)(const u32* from, u32* to);
  u32 (*copy)(void* to, const void* from, u64 bytes);
  u32 (*nested)(const u32* from, u32* log);
  u32 (*filtered)(const u32* from, u32 wanted);
  u32 (*raised)(u32 status);
  u32 (*divided)(u32 by);
  u32 (*preserved)(const u32* from);
  u32 (*breakpoint)(void);
  u64 (*irql)(u64 next);
  u32 (*unhandled)(const u32* from);
  u64 (*sharedData)(u32* minor);
  u32 (*jump)(u32 (*where)(void));
  u32 (*big)(const u32* from, u32* to);
  int (*guardedCopy)(void* to, const void* from, u64 bytes);
};

int AeroGuardedCopy(void* to, const void* from, u64 bytes); /* the object that ships in aerogpu.sys */

static __attribute__((noinline)) u32 load(const volatile u32* from) {
  return *from;
}
static __attribute__((noinline)) u32 divide(u32 by) {
  return 1000 / by;
}
static __attribute__((noinline)) void trap(void) {
  __asm__ volatile("int3");
}

static u32 read(const u32* from, u32* to) {
  __try {
    *to = load(from);
  } __except (1) {
    return __exception_code();
  }
  return 0;
}

static u32 copy(void* to, const void* from, u64 bytes) {
  __try {
    memcpy(to, from, bytes);
  } __except (1) {
    return __exception_code();
  }
  return 0;
}

static u32 nested(const u32* from, u32* log) {
  *log = 1;
  __try {
    __try {
      __try {
        load(from);
      } __finally {
        *log = *log * 10 + 2;
      }
    } __except (0) {
      *log = 99;
    }
    *log = 98;
  } __except ((*log = *log * 10 + 3), 1) {
    *log = *log * 10 + 4;
  }
  return *log;
}

static u32 filtered(const u32* from, u32 wanted) {
  __try {
    __try {
      load(from);
    } __except (__exception_code() == wanted) {
      return 1;
    }
  } __except (1) {
    return 2;
  }
  return 0;
}

static u32 raised(u32 status) {
  __try {
    ExRaiseStatus((int)status);
  } __except (1) {
    return __exception_code();
  }
  return 0;
}

static u32 divided(u32 by) {
  __try {
    return divide(by);
  } __except (1) {
    return __exception_code();
  }
}

/* Not a leaf: a frame must be unwound. */
static __attribute__((noinline)) u32 clobber(const u32* from) {
  u32 value;
  __asm__ volatile(
      "xorl %%ebx, %%ebx; xorl %%esi, %%esi; xorl %%edi, %%edi; xorl %%r12d, %%r12d;"
      "xorl %%r13d, %%r13d; xorps %%xmm6, %%xmm6; xorps %%xmm15, %%xmm15; movl (%1), %0"
      : "=a"(value)
      : "r"(from)
      : "rbx", "rsi", "rdi", "r12", "r13", "xmm6", "xmm15");
  return value;
}

static u32 preserved(const u32* from) {
  volatile u32 result = 0;
  register u64 a __asm__("rbx") = 11;
  register u64 b __asm__("r12") = 12;
  __asm__ volatile("" : "+r"(a), "+r"(b));
  __try {
    result = clobber(from);
  } __except (1) {
    result = 7;
  }
  return result;
}

static u32 breakpoint(void) {
  __try {
    trap();
  } __except (1) {
    return __exception_code();
  }
  return 0;
}

static u64 irql(u64 next) {
  u64 old;
  __asm__ volatile("movq %%cr8, %0; movq %1, %%cr8" : "=&r"(old) : "r"(next));
  return old;
}

static u32 unhandled(const u32* from) {
  return load(from) + 1;
}

static u64 sharedData(u32* minor) {
  *minor = *(volatile u32*)0xFFFFF78000000270ULL;
  return *(volatile u64*)0xFFFFF78000000008ULL;
}

static u32 jump(u32 (*where)(void)) {
  return where() + 1;
}

/* A frame of more than a page and a frame pointer. */
static __attribute__((noinline)) u32 deep(const u32* from, volatile unsigned char* keep, u32 size) {
  volatile unsigned char* local = __builtin_alloca(size + 100);
  local[size] = keep[0];
  return load(from) + local[size];
}

static u32 big(const u32* from, u32* to) {
  volatile unsigned char buffer[6000];
  buffer[0] = 1;
  __try {
    *to = deep(from, buffer, 300);
  } __except (1) {
    return __exception_code() + buffer[0];
  }
  return 0;
}

/* clang calls this for frames of more than a page: the stack is touched elsewhere. */
__asm__(".globl ___chkstk_ms\n___chkstk_ms:\n\tret\n");

/* Pointers in data: these need relocations. */
static const struct tests table = {read,       copy, nested,    filtered,   raised, divided, preserved,
                                   breakpoint, irql, unhandled, sharedData, jump,   big,     AeroGuardedCopy};

int DriverEntry(struct tests* t, void* unused) {
  (void)unused;
  memcpy(t, &table, sizeof table);
  return 0;
}
