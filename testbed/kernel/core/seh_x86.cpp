// SPDX-License-Identifier: MIT
// Structured exception handling for x86 images. A function that handles exceptions links a record on its
// stack into the list that begins at KPCR.NtTib.ExceptionList (fs:[0]); an exception goes along the list
// until a handler lets execution continue, with the changed context. Layouts from winnt.h:
// EXCEPTION_REGISTRATION_RECORD, CONTEXT.
//
// Handlers that unwind, like those of a compiler's __try, need RtlUnwind, which this host does not export: no
// compiler that builds the driver makes such code for x86 (kmd/user_copy_x86.S).
#include <cstring>

#include "testbed/kernel/core/seh.h"
#include "testbed/kernel/core/thread.h"

namespace aerogpu::host {

namespace {

struct Context86 {
  uint32_t contextFlags, debug[6];
  uint8_t floatSave[112];
  uint32_t gs, fs, es, ds;
  uint32_t edi, esi, ebx, edx, ecx, eax, ebp, eip, cs, eFlags, esp, ss;
  uint8_t extended[512];
};
static_assert(offsetof(Context86, edi) == 0x9C && offsetof(Context86, eax) == 0xB0);
static_assert(offsetof(Context86, eip) == 0xB8 && sizeof(Context86) == 716);

// CONTEXT_i386 | CONTROL | INTEGER | SEGMENTS.
constexpr uint32_t kContextFlags = 0x10007;
constexpr uint32_t kStackInvalid = 8;  // EXCEPTION_RECORD.ExceptionFlags
constexpr unsigned kMaximumWalk = 256;

using Handler = uint32_t(__attribute__((cdecl)) *)(SehRecord*, SehRegistration*, Context86*,
                                                   void* dispatcher);

uint32_t low(uint64_t value) {
  return static_cast<uint32_t>(value);
}

Context86 toContext86(const SehContext& from) {
  Context86 to{};
  to.contextFlags = kContextFlags;
  to.eax = low(from.gpr[0]), to.ecx = low(from.gpr[1]), to.edx = low(from.gpr[2]), to.ebx = low(from.gpr[3]);
  to.esp = low(from.gpr[kRsp]), to.ebp = low(from.gpr[kRbp]);
  to.esi = low(from.gpr[6]), to.edi = low(from.gpr[7]);
  to.eip = low(from.rip);
  to.eFlags = from.eFlags;
  // Their values in ring 0 on Windows.
  to.gs = 0, to.fs = 0x30, to.es = to.ds = 0x23, to.cs = 8, to.ss = 0x10;
  return to;
}

void fromContext86(const Context86& from, SehContext& to) {
  to.gpr[0] = from.eax, to.gpr[1] = from.ecx, to.gpr[2] = from.edx, to.gpr[3] = from.ebx;
  to.gpr[kRsp] = from.esp, to.gpr[kRbp] = from.ebp;
  to.gpr[6] = from.esi, to.gpr[7] = from.edi;
  to.rip = from.eip;
  to.eFlags = from.eFlags;
}

/// True if a call may end before `address`: E8 with a distance, or FF /2 in any of its lengths.
bool followsCall(const PeImage& image, uint64_t address) {
  const auto* code = pointerTo<const uint8_t>(address);
  if (!image.containsCode(address - 7)) return false;
  if (code[-5] == 0xE8) return true;
  for (const int length : {2, 3, 4, 6, 7})
    if (code[-length] == 0xFF && (code[1 - length] & 0x38) == 0x10) return true;
  return false;
}

}  // namespace

bool dispatchException(const PeImage& image, const StackLimits& stack, SehRecord& record,
                       SehContext& context) {
  Context86 changed = toContext86(context);
  uint64_t above = 0;
  SehRegistration* frame = currentThread()->block.exceptionList;
  for (unsigned i = 0; i < kMaximumWalk && frame != kSehChainEnd; ++i) {
    // Windows skips nothing: an invalid record ends the search.
    const uint64_t address = reinterpret_cast<uintptr_t>(frame);
    if (!stack.holds(address, sizeof *frame) || address % 4 || address <= above ||
        !image.containsCode(frame->handler) || image.noSeh()) {
      record.flags |= kStackInvalid;
      return false;
    }
    above = address;
    void* dispatcher = nullptr;
    const uint32_t answer = reinterpret_cast<Handler>(frame->handler)(&record, frame, &changed, &dispatcher);
    if (answer == kSehContinueExecution) {
      fromContext86(changed, context);
      return (record.flags & kSehNonContinuable) == 0;
    }
    if (answer != kSehContinueSearch) return false;
    frame = frame->next;
  }
  return false;
}

std::string stackTrace(const PeImage& image, const StackLimits& stack, SehContext context) {
  std::string text = "#   " + image.describe(context.rip) + "\n";
  unsigned shown = 0;
  for (uint64_t at = context.gpr[kRsp] & ~uint64_t{3}; shown < 32 && stack.holds(at, 4); at += 4) {
    uint32_t value;
    std::memcpy(&value, pointerTo(at), sizeof value);
    if (!image.containsCode(value) || !followsCall(image, value)) continue;
    text += "#   perhaps " + image.describe(value) + "\n";
    ++shown;
  }
  return text;
}

}  // namespace aerogpu::host
