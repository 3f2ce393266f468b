// SPDX-License-Identifier: MIT
// What every thread that runs driver code has: a page that GS (x86: FS) points to, as kernel code finds its
// processor block there (KPCR: wdm.h), the IRQL, and a side stack with one frame for each call from the
// driver into an export. A thread stands for a processor of its own: code at DISPATCH_LEVEL on two threads
// runs in parallel, as on a machine with several processors, so what a driver does not lock shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "testbed/kernel/core/side_stacks.h"

namespace aerogpu::host {

enum Irql : uint8_t {
  kPassiveLevel = 0,
  kApcLevel = 1,
  kDispatchLevel = 2,
  kDeviceLevel = 9,
  kHighLevel = 15
};

struct Export;

/// Saved by the entry code of an export (export_entry*.S know the offsets): enough to return into the driver
/// from anywhere, and to unwind from there.
#if defined(__x86_64__)
struct alignas(16) ExportFrame {
  const Export* entry;
  uint64_t returnAddress, sp;  // rsp as it was at the first instruction of the export
  uint64_t rbx, rbp, rsi, rdi, r12, r13, r14, r15;
  uint64_t padding;
  uint8_t xmm[10][16];  // xmm6..xmm15
};
static_assert(sizeof(ExportFrame) == 256);
#else
struct ExportFrame {
  const Export* entry;
  uint32_t returnAddress, sp;  // esp as it was at the first instruction of the export
  uint32_t ebx, ebp, esi, edi;
  uint32_t padding;
};
static_assert(sizeof(ExportFrame) == 32);
#endif

inline constexpr unsigned kMaximumFrames = 32;

struct Thread;

#if defined(__x86_64__)
/// The page behind GS.
struct alignas(4096) ProcessorBlock {
  uint8_t before[0x18];
  ProcessorBlock* self;  // KPCR.Self
  uint8_t to50[0x30];
  uint8_t irql;  // KPCR.Irql
  uint8_t to188[0x188 - 0x51];
  Thread* currentThread;  // KPRCB.CurrentThread
  uint8_t to800[0x800 - 0x190];
  ExportFrame* nextFrame;  // 0x800
  uint8_t* entryStack;     // 0x808: core/side_stacks.h
  ExportFrame frames[kMaximumFrames];
};
static_assert(offsetof(ProcessorBlock, self) == 0x18 && offsetof(ProcessorBlock, irql) == 0x50);
static_assert(offsetof(ProcessorBlock, currentThread) == 0x188 &&
              offsetof(ProcessorBlock, nextFrame) == 0x800);
#else
/// EXCEPTION_REGISTRATION_RECORD: on the stack of the function that made it.
struct SehRegistration {
  SehRegistration* next;
  uint32_t handler;
};
/// The end of a thread's list of them.
inline SehRegistration* const kSehChainEnd = reinterpret_cast<SehRegistration*>(UINT32_MAX);

/// The page behind FS.
struct alignas(4096) ProcessorBlock {
  SehRegistration* exceptionList = kSehChainEnd;  // KPCR.NtTib
  uint32_t stackBase, stackLimit;                 // highest and lowest address
  uint8_t to1C[0x10];
  ProcessorBlock* self;  // KPCR.SelfPcr
  uint8_t to24[4];
  uint8_t irql;  // KPCR.Irql
  uint8_t to124[0x124 - 0x25];
  Thread* currentThread;  // KPRCB.CurrentThread
  uint8_t to800[0x800 - 0x128];
  ExportFrame* nextFrame;       // 0x800
  uint8_t* entryStack;          // 0x804: core/side_stacks.h
  uint32_t savedEcx, savedEdx;  // 0x808
  ExportFrame frames[kMaximumFrames];
};
static_assert(offsetof(ProcessorBlock, self) == 0x1C && offsetof(ProcessorBlock, irql) == 0x24);
static_assert(offsetof(ProcessorBlock, currentThread) == 0x124 &&
              offsetof(ProcessorBlock, nextFrame) == 0x800);
#endif

/// One per Linux thread that may run driver code; `this` is what PsGetCurrentThread returns.
struct Thread {
  ProcessorBlock block;
  const char* name = "";
  uint64_t stackLow = 0, stackHigh = 0;
  uint64_t processId = 4;       // of the simulated process whose call this is; 4 = System
  uint64_t driverEntryRsp = 0;  // rsp at the outermost call into the driver, 0 = not in the driver
  // core/driver_stack.h: where the call into the driver began, how far below it the stack is painted, and
  // what it has used; 0: nobody looks.
  uintptr_t stackBase = 0, paintedLow = 0;
  uint64_t deepestStack = 0;
  SideStacks stacks;
  unsigned heldSpinLocks = 0;
  unsigned heldFastMutexes = 0;
  unsigned criticalRegions = 0;
  const char* ddi = "";  // what the host is calling, for messages
  int64_t waitedNs = 0;  // in this call, as far as the driver asked for it
  // The decision of __C_specific_handler: where the unwinding goes (0 = nowhere).
  uint64_t unwindTargetFrame = 0, unwindTargetIp = 0;

  uint8_t irql() const { return block.irql; }
};

/// Makes the calling thread able to run driver code (GS or FS, stack limits, an alternate stack for signals).
/// Once per thread; the object lives until the thread ends.
Thread* attachThread(const char* name);
/// Runs `body` on a new thread, detached, which is attached as `name` when this returns: a thread that nobody
/// knows of yet would not keep the clock from jumping (core/clock.h).
void startThread(const char* name, std::function<void()> body);
/// The calling thread's object; attaches it when needed.
Thread* currentThread();
/// Null when the thread was never attached; safe in a signal handler.
Thread* currentThreadOrNull();

/// Name of an IRQL for messages.
const char* irqlName(uint8_t irql);

/// Sets the IRQL of this thread without any rule being checked (the host's own transitions).
class IrqlScope {
public:
  explicit IrqlScope(uint8_t irql) : m_old(currentThread()->block.irql) {
    currentThread()->block.irql = irql;
  }
  ~IrqlScope() { currentThread()->block.irql = m_old; }
  IrqlScope(const IrqlScope&) = delete;
  IrqlScope& operator=(const IrqlScope&) = delete;

private:
  uint8_t m_old;
};

}  // namespace aerogpu::host
