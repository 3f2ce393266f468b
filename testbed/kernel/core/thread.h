// SPDX-License-Identifier: MIT
// The state of every thread that runs driver code: a page that GS (x86: FS) points to, where kernel code
// finds its processor block (KPCR: wdm.h), the IRQL, and a side stack with one frame for each call from the
// driver into an export. A thread stands for a separate processor: code at DISPATCH_LEVEL on two threads runs
// in parallel, as on a machine with several processors, so missing locks in a driver show up.
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
  uint64_t returnAddress, sp;  // rsp at the first instruction of the export
  uint64_t rbx, rbp, rsi, rdi, r12, r13, r14, r15;
  uint64_t padding;
  uint8_t xmm[10][16];  // xmm6..xmm15
};
static_assert(sizeof(ExportFrame) == 256);
#else
struct ExportFrame {
  const Export* entry;
  uint32_t returnAddress, sp;  // esp at the first instruction of the export
  uint32_t ebx, ebp, esi, edi;
  uint32_t padding;
};
static_assert(sizeof(ExportFrame) == 32);
#endif

inline constexpr unsigned kMaximumFrames = 32;

struct Thread;

#if defined(__x86_64__)
/// The page that GS points to.
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
/// EXCEPTION_REGISTRATION_RECORD: lies on the stack of the function that made it.
struct SehRegistration {
  SehRegistration* next;
  uint32_t handler;
};
/// Ends a thread's list of registrations.
inline SehRegistration* const kSehChainEnd = reinterpret_cast<SehRegistration*>(UINT32_MAX);

/// The page that FS points to.
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

/// One per Linux thread that may run driver code; PsGetCurrentThread returns `this`.
struct Thread {
  ProcessorBlock block;
  const char* name = "";
  uint64_t stackLow = 0, stackHigh = 0;
  uint64_t processId = 4;       // the simulated process that makes this call; 4 = System
  uint64_t driverEntryRsp = 0;  // rsp at the outermost call into the driver, 0 = not in the driver
  // core/driver_stack.h: where the call into the driver began, how far below it the stack is painted, and how
  // much it has used; 0: not watched.
  uintptr_t stackBase = 0, paintedLow = 0;
  uint64_t deepestStack = 0;
  SideStacks stacks;
  unsigned heldSpinLocks = 0;
  unsigned heldFastMutexes = 0;
  unsigned criticalRegions = 0;
  const char* ddi = "";  // the function that the host is calling, for messages
  int64_t waitedNs = 0;  // time waited in this call, as far as the driver asked for it
  // The decision of __C_specific_handler: where unwinding ends (0 = nowhere).
  uint64_t unwindTargetFrame = 0, unwindTargetIp = 0;

  uint8_t irql() const { return block.irql; }
};

/// Makes the calling thread able to run driver code (GS or FS, stack limits, an alternate stack for signals).
/// Called once per thread; the object lives until the thread ends.
Thread* attachThread(const char* name);
/// Runs `body` on a new, detached thread, which is attached as `name` when this returns: an unattached thread
/// would not keep the clock from jumping (core/clock.h).
void startThread(const char* name, std::function<void()> body);
/// Returns the calling thread's object; attaches it if necessary.
Thread* currentThread();
/// Returns null if the thread was never attached; safe in a signal handler.
Thread* currentThreadOrNull();

/// Returns the name of an IRQL for messages.
const char* irqlName(uint8_t irql);

/// Sets the IRQL of this thread without checking any rule (for the host's own transitions).
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
