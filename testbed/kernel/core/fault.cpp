// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/fault.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "testbed/kernel/core/device_pages.h"
#include "testbed/kernel/core/driver_stack.h"
#include "testbed/kernel/core/exports.h"
#include "testbed/kernel/core/report.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kBugPageFault = 0x50, kBugDriverIrql = 0xD1, kBugUnhandled = 0x7E, kBugFastFail = 0x139,
                   kBugKmodeException = 0x1E;
constexpr greg_t kTrapPageFault = 14;

EmulationHooks s_hooks;

struct PendingRaise {
  bool set = false;
  uint32_t status = 0;
  unsigned count = 0;
  uintptr_t parameters[2] = {};
};
thread_local PendingRaise t_raise;

// REG_* order of the general registers by their encoding.
#if defined(__x86_64__)
constexpr int kGregs[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                          REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
constexpr int kProgramCounter = REG_RIP;
constexpr size_t kMxCsr = offsetof(_libc_fpstate, mxcsr), kXmm = offsetof(_libc_fpstate, _xmm);
#else
constexpr int kGregs[] = {REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI};
constexpr int kProgramCounter = REG_EIP;
// The kernel's struct _fpstate_32 (asm/sigcontext.h); glibc declares its beginning, as the 387 has it.
constexpr size_t kMxCsr = 136, kXmm = 272;
#endif
constexpr unsigned kRegisters = sizeof kGregs / sizeof *kGregs;

uint8_t* fpState(const ucontext_t& uc) {
  return reinterpret_cast<uint8_t*>(uc.uc_mcontext.fpregs);
}

void fromUcontext(const ucontext_t& from, SehContext& to) {
  std::memset(&to, 0, sizeof to);
  to.contextFlags = 0x10000B;  // CONTEXT_AMD64 | CONTROL | INTEGER | FLOATING_POINT
  for (unsigned i = 0; i < kRegisters; ++i)
    to.gpr[i] = static_cast<uintptr_t>(from.uc_mcontext.gregs[kGregs[i]]);
  to.rip = static_cast<uintptr_t>(from.uc_mcontext.gregs[kProgramCounter]);
  to.eFlags = static_cast<uint32_t>(from.uc_mcontext.gregs[REG_EFL]);
  if (from.uc_mcontext.fpregs) {
    std::memcpy(&to.mxCsr, fpState(from) + kMxCsr, sizeof to.mxCsr);
    std::memcpy(to.xmm, fpState(from) + kXmm, kRegisters * sizeof *to.xmm);
  }
}

void toUcontext(const SehContext& from, ucontext_t& to) {
  for (unsigned i = 0; i < kRegisters; ++i)
    to.uc_mcontext.gregs[kGregs[i]] = static_cast<greg_t>(from.gpr[i]);
  to.uc_mcontext.gregs[kProgramCounter] = static_cast<greg_t>(from.rip);
  to.uc_mcontext.gregs[REG_EFL] = static_cast<greg_t>(from.eFlags);
  if (to.uc_mcontext.fpregs) std::memcpy(fpState(to) + kXmm, from.xmm, kRegisters * sizeof *from.xmm);
}

/// Fills in the driver's registers as they are after the export's return.
void contextOfFrame(const ExportFrame& frame, SehContext& context) {
  context.rip = frame.returnAddress;
  context.gpr[kRsp] = frame.sp + sizeof(void*);
#if defined(__i386__)
  context.gpr[3] = frame.ebx;
  context.gpr[kRbp] = frame.ebp;
  context.gpr[6] = frame.esi;
  context.gpr[7] = frame.edi;
#else
  context.gpr[3] = frame.rbx;
  context.gpr[kRbp] = frame.rbp;
  context.gpr[6] = frame.rsi;
  context.gpr[7] = frame.rdi;
  context.gpr[12] = frame.r12;
  context.gpr[13] = frame.r13;
  context.gpr[14] = frame.r14;
  context.gpr[15] = frame.r15;
  std::memcpy(context.xmm + 6, frame.xmm, sizeof frame.xmm);
#endif
}

StackLimits limitsOf(const Thread& thread) {
  return {thread.stackLow, thread.stackHigh};
}

std::string registers(const SehContext& c) {
  static const char* const names[16] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
                                        "8 ", "9 ", "10", "11", "12", "13", "14", "15"};
  std::string text;
  char item[64];
  for (unsigned i = 0; i < kRegisters; ++i) {
    std::snprintf(item, sizeof item, "%s%c%s=%0*llx%s", i % 4 ? " " : "#   ", kRegisters == 8 ? 'e' : 'r',
                  names[i], static_cast<int>(2 * sizeof(void*)), static_cast<unsigned long long>(c.gpr[i]),
                  i % 4 == 3 ? "\n" : "");
    text += item;
  }
  return text;
}

[[noreturn]] void stop(uint32_t code, const uint64_t (&parameters)[4], const char* why, const Thread& thread,
                       const SehContext& context) {
  const PeImage* image = driverImage();
  std::string text = std::string("#   ") + why + " at " + irqlName(thread.irql()) +
                     (thread.ddi[0] ? std::string(" in ") + thread.ddi : std::string()) + ", thread " +
                     thread.name + "\n" + registers(context);
  if (image) text += stackTrace(*image, limitsOf(thread), context);
  bugCheck(code, parameters, text);
}

/// Makes the exception that Windows makes of a fault.
SehRecord makeRecord(int signal, const siginfo_t& info, const ucontext_t& uc, SehContext& context) {
  SehRecord record{};
  record.address = static_cast<uintptr_t>(context.rip);
  switch (signal) {
    case SIGTRAP:
      record.code = kStatusBreakpoint;
      record.address = static_cast<uintptr_t>(--context.rip);  // int3 has been executed
      break;
    case SIGFPE:
      record.code = kStatusIntegerDivideByZero;
      break;
    case SIGILL:
      record.code = kStatusIllegalInstruction;
      break;
    default:
      record.code = kStatusAccessViolation;
      record.parameterCount = 2;
      if (uc.uc_mcontext.gregs[REG_TRAPNO] == kTrapPageFault) {
        const auto error = static_cast<uintptr_t>(uc.uc_mcontext.gregs[REG_ERR]);
        record.parameters[0] = error & 16 ? 8 : (error >> 1) & 1;
        record.parameters[1] = reinterpret_cast<uintptr_t>(info.si_addr);
      } else {
        record.parameters[1] = UINTPTR_MAX;  // a non-canonical address
      }
  }
  return record;
}

/// Resumes at `context`, and drops the frames of exports that were left.
void resume(Thread& thread, const SehContext& context, ucontext_t& uc) {
  ProcessorBlock& block = thread.block;
  while (block.nextFrame != block.frames && (block.nextFrame - 1)->sp < context.gpr[kRsp]) --block.nextFrame;
  paintStack(thread, static_cast<uintptr_t>(context.gpr[kRsp]));
  toUcontext(context, uc);
}

/// Handles an access to device pages, by any code. Ends the process if the instruction is unknown: it cannot
/// continue.
void onDeviceAccess(uint64_t address, ucontext_t& uc) {
  SehContext context;
  fromUcontext(uc, context);
  if (accessDevicePages(context)) {
    toUcontext(context, uc);
    return;
  }
  char bytes[64] = {};
  const auto* code = pointerTo<const uint8_t>(context.rip);
  for (size_t i = 0; i < 15; ++i) std::snprintf(bytes + i * 3, 4, " %02x", code[i]);
  const std::string where = driverImage() ? driverImage()->describe(context.rip) : std::string("the host");
  std::printf(
      "# device memory at 0x%llx is accessed by an instruction that is not emulated, at 0x%llx (%s):%s\n",
      static_cast<unsigned long long>(address), static_cast<unsigned long long>(context.rip), where.c_str(),
      bytes);
  std::fflush(stdout);
  std::abort();
}

void onFault(int signal, siginfo_t* info, void* opaque) {
  auto& uc = *static_cast<ucontext_t*>(opaque);
  if (signal == SIGSEGV && uc.uc_mcontext.gregs[REG_TRAPNO] == kTrapPageFault &&
      isDeviceAddress(reinterpret_cast<uintptr_t>(info->si_addr))) {
    onDeviceAccess(reinterpret_cast<uintptr_t>(info->si_addr), uc);
    return;
  }
  Thread* thread = currentThreadOrNull();
  const PeImage* image = driverImage();
  if (!thread || !image) {
    ::signal(signal, SIG_DFL);
    return;  // the instruction faults again and ends the process
  }
  SehContext context;
  fromUcontext(uc, context);
  const bool inDriver = image->contains(context.rip);
  const bool pageFault = signal == SIGSEGV && uc.uc_mcontext.gregs[REG_TRAPNO] == kTrapPageFault;
  const uint64_t address = pageFault || signal == SIGBUS ? reinterpret_cast<uintptr_t>(info->si_addr) : 0;

  if (inDriver && signal == SIGSEGV && context.rip != address) {
    // A page fault on KUSER_SHARED_DATA arrives with its address; on some kernels as a general protection
    // fault.
    const Emulated done = emulateInstruction(context, address, s_hooks);
    if (done == Emulated::Done) {
      toUcontext(context, uc);
      return;
    }
    if (done == Emulated::Privileged)
      stop(kBugKmodeException, {kStatusPrivilegedInstruction, context.rip, 0, 0},
           "an instruction that a display driver must not execute", *thread, context);
    if (done == Emulated::FastFail)
      stop(kBugFastFail, {context.gpr[1], 0, 0, 0}, "__fastfail", *thread, context);
  }

  SehRecord record = makeRecord(signal, *info, uc, context);
  ProcessorBlock& block = thread->block;
  const ExportFrame* frame = block.nextFrame == block.frames ? nullptr : block.nextFrame - 1;
  if (t_raise.set) {
    record = {};
    record.code = t_raise.status;
    record.parameterCount = t_raise.count;
    std::memcpy(record.parameters, t_raise.parameters, sizeof t_raise.parameters);
    t_raise.set = false;
  } else if (!inDriver && context.rip == address) {
    uint64_t caller = 0;
    if (limitsOf(*thread).holds(context.gpr[kRsp], sizeof(void*)))
      std::memcpy(&caller, pointerTo(context.gpr[kRsp]), sizeof(void*));
    if (image->contains(caller)) {
      SehContext from = context;
      from.rip = caller;
      from.gpr[kRsp] += sizeof(void*);
      stop(kBugDriverIrql, {address, thread->irql(), 8, caller}, "a call to an address without code", *thread,
           from);
    }
  }
  if (!inDriver) {
    if (!frame) {
      std::printf("# the host itself faulted: signal %d at %p, address %p, ddi %s\n", signal,
                  pointerTo(context.rip), pointerTo(address), thread->ddi);
      std::fflush(stdout);
      ::signal(signal, SIG_DFL);
      return;
    }
    // The rest of the export cannot run any more, so the exception is not continuable, like those that
    // Windows raises.
    record.flags |= kSehNonContinuable;
    const uint64_t hostRip = context.rip;
    contextOfFrame(*frame, context);
    record.address = static_cast<uintptr_t>(context.rip);
    if (!(frame->entry->flags & kExportMayRaise)) {
      char why[160];
      std::snprintf(why, sizeof why, "signal %d inside of %s (host code at 0x%llx) for address 0x%llx",
                    signal, frame->entry->name, static_cast<unsigned long long>(hostRip),
                    static_cast<unsigned long long>(address));
      stop(kBugPageFault, {address, record.parameters[0], context.rip, 0}, why, *thread, context);
    }
  }
  if (record.code == kStatusAccessViolation && address >= kUserProbeAddress)
    stop(kBugPageFault, {address, record.parameters[0], context.rip, 0}, "a fault on a kernel address",
         *thread, context);
  if (record.code == kStatusAccessViolation && thread->irql() >= kDispatchLevel)
    stop(kBugDriverIrql, {address, thread->irql(), record.parameters[0], context.rip}, "a page fault",
         *thread, context);
  const SehContext atFault = context;
  if (!dispatchException(*image, limitsOf(*thread), record, context))
    stop(kBugUnhandled, {record.code, record.address, 0, 0}, "nobody handles the exception", *thread,
         atFault);
  resume(*thread, context, uc);
}

}  // namespace

void installFaultHandlers(const EmulationHooks& hooks) {
  s_hooks = hooks;
  struct sigaction action {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigaction(signal, &action, nullptr);
}

void raiseFromExport(uint32_t status, unsigned parameterCount, uint64_t first, uint64_t second) {
  t_raise = {true, status, parameterCount, {static_cast<uintptr_t>(first), static_cast<uintptr_t>(second)}};
  // The signal handler restores all registers of the driver.
  __builtin_trap();
}

}  // namespace aerogpu::host
