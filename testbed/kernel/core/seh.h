// SPDX-License-Identifier: MIT
// Structured exception handling. For x64 images: Microsoft, "x64 exception handling" (unwind data, unwind
// procedure, language-specific handler), and the layouts of CONTEXT, EXCEPTION_RECORD and DISPATCHER_CONTEXT
// in winnt.h. The image's own tables unwind its frames, and its language handlers run as they are. For x86
// images: handlers register themselves in a list that begins at fs:[0] (seh_x86.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/width.h"

namespace aerogpu::host {

/// CONTEXT of x64; `gpr` has the encoding's numbers (0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi,
/// ...). On x86 the host keeps registers in it too: the first eight, zero-extended.
struct alignas(16) SehContext {
  uint64_t home[6];
  uint32_t contextFlags, mxCsr;
  uint16_t segments[6];
  uint32_t eFlags;
  uint64_t debug[6];
  uint64_t gpr[16];
  uint64_t rip;
  uint8_t fltSave[160];  // XSAVE_FORMAT up to its xmm registers
  uint8_t xmm[16][16];
  uint8_t rest[0x4D0 - 0x2A0];
};
static_assert(offsetof(SehContext, gpr) == 0x78 && offsetof(SehContext, rip) == 0xF8);
static_assert(offsetof(SehContext, xmm) == 0x1A0 && sizeof(SehContext) == 0x4D0);
inline constexpr unsigned kRsp = 4, kRbp = 5;

/// EXCEPTION_RECORD.
struct SehRecord {
  uint32_t code, flags;
  SehRecord* next;
  uintptr_t address;
  uint32_t parameterCount;
  uintptr_t parameters[15];
};
static_assert(sizeof(SehRecord) == byWidth(152, 80));

#if defined(__x86_64__)
struct SehPointers {
  SehRecord* record;
  SehContext* context;
};

using SehLanguageHandler = uint32_t(__attribute__((ms_abi)) *)(SehRecord*, uint64_t establisherFrame,
                                                               SehContext*, struct SehDispatcher*);

/// DISPATCHER_CONTEXT.
struct SehDispatcher {
  uint64_t controlPc, imageBase;
  const RuntimeFunction* functionEntry;
  uint64_t establisherFrame, targetIp;
  SehContext* context;
  SehLanguageHandler languageHandler;
  const void* handlerData;
  void* historyTable;
  uint32_t scopeIndex, fill;
};
static_assert(offsetof(SehDispatcher, handlerData) == 56 && sizeof(SehDispatcher) == 80);

#endif

// EXCEPTION_RECORD.ExceptionFlags and the results of a language handler (winnt.h, excpt.h).
inline constexpr uint32_t kSehNonContinuable = 1, kSehUnwinding = 2, kSehTargetUnwind = 0x20;
inline constexpr uint32_t kSehContinueExecution = 0, kSehContinueSearch = 1;

inline constexpr uint32_t kStatusAccessViolation = 0xC0000005, kStatusBreakpoint = 0x80000003,
                          kStatusIllegalInstruction = 0xC000001D, kStatusIntegerDivideByZero = 0xC0000094,
                          kStatusPrivilegedInstruction = 0xC0000096, kStatusDatatypeMisalignment = 0x80000002;

/// Memory that unwinding may read: the thread's stack.
struct StackLimits {
  uint64_t low, high;
  bool holds(uint64_t address, uint64_t bytes) const {
    return address >= low && address <= high && bytes <= high - address;
  }
};

#if defined(__x86_64__)
/// The result of virtualUnwind() about the frame that it left.
struct UnwoundFrame {
  uint64_t establisherFrame = 0;
  const RuntimeFunction* function = nullptr;
  SehLanguageHandler handler = nullptr;  // set if the function has one of the requested kinds
  const void* handlerData = nullptr;
};

enum class HandlerKind : uint8_t { Exception = 1, Termination = 2 };  // UNW_FLAG_EHANDLER, UNW_FLAG_UHANDLER

/// Leaves one frame: `context` becomes the caller's. Returns false if the stack or the unwind data make no
/// sense. Faults in epilogues are not distinguished: their instructions only fault if the stack itself is
/// gone.
bool virtualUnwind(const PeImage& image, const StackLimits& stack, HandlerKind kind, SehContext& context,
                   UnwoundFrame& frame);
#endif

/// Finds a handler for `record`, runs the termination handlers below it, and sets `context` (the fault's, in
/// the image) to the place where execution continues. Returns false if there is no handler; `context` is then
/// unchanged.
bool dispatchException(const PeImage& image, const StackLimits& stack, SehRecord& record,
                       SehContext& context);

/// Returns the return addresses from `context` to where the image was entered, one line each; on x86, where
/// no table locates them, values that look like one.
std::string stackTrace(const PeImage& image, const StackLimits& stack, SehContext context);

#if defined(__x86_64__)
/// Implements the export __C_specific_handler: interprets the scope table of __try, __except and __finally.
__attribute__((ms_abi)) uint32_t cSpecificHandler(SehRecord* record, uint64_t establisherFrame,
                                                  SehContext* context, SehDispatcher* dispatcher);
#endif

}  // namespace aerogpu::host
