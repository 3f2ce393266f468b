// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/seh.h"

#include <cstring>

#include "testbed/kernel/core/thread.h"

namespace aerogpu::host {

namespace {

// "Unwind operation code".
enum UnwindOperation : uint8_t {
  kPushNonVolatile = 0,
  kAllocateLarge = 1,
  kAllocateSmall = 2,
  kSetFramePointer = 3,
  kSaveNonVolatile = 4,
  kSaveNonVolatileFar = 5,
  kEpilogue = 6,  // version 2
  kSpare = 7,
  kSaveXmm = 8,
  kSaveXmmFar = 9,
  kPushMachineFrame = 10,
};
constexpr uint8_t kFlagChained = 4;
constexpr unsigned kMaximumWalk = 256, kMaximumChain = 32;

bool load64(const StackLimits& stack, uint64_t address, uint64_t& out) {
  if (!stack.holds(address, 8)) return false;
  std::memcpy(&out, reinterpret_cast<const void*>(address), 8);
  return true;
}

/// "struct UNWIND_INFO", read with bounds checks.
struct UnwindInfo {
  uint8_t version, flags, prologBytes, codeCount, frameRegister, frameOffset;
  const uint8_t* codes;
  const uint8_t* tail;  // handler or chained row
};

bool readUnwindInfo(const PeImage& image, uint32_t rva, UnwindInfo& info) {
  if (rva > image.size() - 4) return false;
  const uint8_t* p = image.base() + rva;
  info = {static_cast<uint8_t>(p[0] & 7),  static_cast<uint8_t>(p[0] >> 3), p[1],  p[2],
          static_cast<uint8_t>(p[3] & 15), static_cast<uint8_t>(p[3] >> 4), p + 4, nullptr};
  const uint32_t tail = rva + 4 + ((info.codeCount + 1u) & ~1u) * 2;
  if ((info.version != 1 && info.version != 2) || tail + 12 > image.size()) return false;
  info.tail = image.base() + tail;
  return true;
}

unsigned slots(uint8_t operation, uint8_t operand) {
  switch (operation) {
    case kAllocateLarge:
      return operand ? 3 : 2;
    case kSaveNonVolatile:
    case kSaveXmm:
      return 2;
    case kSaveNonVolatileFar:
    case kSaveXmmFar:
      return 3;
    case kEpilogue:
      return 1;
    case kSpare:
      return 2;
    default:
      return 1;
  }
}

/// Undoes the operations of one UNWIND_INFO that the code before `offset` has done.
bool undo(const UnwindInfo& info, uint32_t offset, uint64_t frame, const StackLimits& stack,
          SehContext& context, bool& machineFrame) {
  uint64_t& rsp = context.gpr[kRsp];
  for (size_t i = 0; i < info.codeCount;) {
    const uint8_t at = info.codes[2 * i], operation = info.codes[2 * i + 1] & 15,
                  operand = info.codes[2 * i + 1] >> 4;
    const unsigned count = slots(operation, operand);
    if (i + count > info.codeCount) return false;
    uint16_t extra[2] = {};
    std::memcpy(extra, info.codes + 2 * (i + 1), sizeof(uint16_t) * (count - 1));
    const uint32_t wide = extra[0] | static_cast<uint32_t>(extra[1]) << 16;
    i += count;
    if (operation == kEpilogue || operation == kSpare || at > offset) continue;
    switch (operation) {
      case kPushNonVolatile:
        if (!load64(stack, rsp, context.gpr[operand])) return false;
        rsp += 8;
        break;
      case kAllocateLarge:
        rsp += operand ? wide : extra[0] * 8u;
        break;
      case kAllocateSmall:
        rsp += operand * 8u + 8;
        break;
      case kSetFramePointer:
        rsp = context.gpr[info.frameRegister] - info.frameOffset * uint64_t{16};
        break;
      case kSaveNonVolatile:
        if (!load64(stack, frame + extra[0] * uint64_t{8}, context.gpr[operand])) return false;
        break;
      case kSaveNonVolatileFar:
        if (!load64(stack, frame + wide, context.gpr[operand])) return false;
        break;
      case kSaveXmm:
      case kSaveXmmFar: {
        const uint64_t from = frame + (operation == kSaveXmm ? extra[0] * 16u : wide);
        if (!stack.holds(from, 16)) return false;
        std::memcpy(context.xmm[operand], reinterpret_cast<const void*>(from), 16);
        break;
      }
      case kPushMachineFrame: {
        if (operand) rsp += 8;  // the error code
        uint64_t rip, oldRsp;
        if (!load64(stack, rsp, rip) || !load64(stack, rsp + 24, oldRsp)) return false;
        context.rip = rip;
        rsp = oldRsp;
        machineFrame = true;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

bool virtualUnwind(const PeImage& image, const StackLimits& stack, HandlerKind kind, SehContext& context,
                   UnwoundFrame& frame) {
  frame = {};
  const RuntimeFunction* function = image.function(context.rip);
  if (!function) {  // a leaf function: only the return address is on the stack
    frame.establisherFrame = context.gpr[kRsp];
    if (!load64(stack, context.gpr[kRsp], context.rip)) return false;
    context.gpr[kRsp] += 8;
    return true;
  }
  frame.function = function;
  const uint64_t base = reinterpret_cast<uintptr_t>(image.base());
  auto offset = static_cast<uint32_t>(context.rip - base - function->begin);
  UnwindInfo info;
  if (!readUnwindInfo(image, function->unwindInfo, info)) return false;

  // "Establisher frame": the frame pointer's base once it is set up, else rsp.
  frame.establisherFrame = context.gpr[kRsp];
  if (info.frameRegister) {
    bool set = offset >= info.prologBytes || (info.flags & kFlagChained);
    for (size_t i = 0; !set && i < info.codeCount;
         i += slots(info.codes[2 * i + 1] & 15, info.codes[2 * i + 1] >> 4))
      set = (info.codes[2 * i + 1] & 15) == kSetFramePointer && info.codes[2 * i] <= offset;
    if (set) frame.establisherFrame = context.gpr[info.frameRegister] - info.frameOffset * uint64_t{16};
  }
  // A handler counts once the prologue is done.
  if (!(info.flags & kFlagChained) && (info.flags & static_cast<uint8_t>(kind)) &&
      offset >= info.prologBytes) {
    uint32_t handler;
    std::memcpy(&handler, info.tail, 4);
    if (!image.containsCode(base + handler)) return false;
    frame.handler = reinterpret_cast<SehLanguageHandler>(base + handler);
    frame.handlerData = info.tail + 4;
  }
  bool machineFrame = false;
  if (!undo(info, offset, frame.establisherFrame, stack, context, machineFrame)) return false;
  for (unsigned depth = 0; info.flags & kFlagChained; ++depth) {
    RuntimeFunction next;
    std::memcpy(&next, info.tail, sizeof next);
    if (depth == kMaximumChain || !readUnwindInfo(image, next.unwindInfo, info)) return false;
    if (!undo(info, UINT32_MAX, frame.establisherFrame, stack, context, machineFrame)) return false;
  }
  if (machineFrame) return true;
  if (!load64(stack, context.gpr[kRsp], context.rip)) return false;
  context.gpr[kRsp] += 8;
  return true;
}

bool dispatchException(const PeImage& image, const StackLimits& stack, SehRecord& record,
                       SehContext& context) {
  Thread* thread = currentThread();
  const uint64_t imageBase = reinterpret_cast<uintptr_t>(image.base());
  SehContext walk = context;
  uint64_t targetFrame = 0, targetIp = 0;
  for (unsigned i = 0; i < kMaximumWalk && !targetFrame && image.contains(walk.rip); ++i) {
    const uint64_t pc = walk.rip;
    UnwoundFrame frame;
    SehContext here = walk;
    if (!virtualUnwind(image, stack, HandlerKind::Exception, walk, frame)) return false;
    if (!frame.handler) continue;
    SehDispatcher dispatcher{pc,
                             imageBase,
                             frame.function,
                             frame.establisherFrame,
                             0,
                             &here,
                             frame.handler,
                             frame.handlerData,
                             nullptr,
                             0,
                             0};
    thread->unwindTargetFrame = 0;
    const uint32_t answer = frame.handler(&record, frame.establisherFrame, &context, &dispatcher);
    if (thread->unwindTargetFrame) {
      targetFrame = thread->unwindTargetFrame;
      targetIp = thread->unwindTargetIp;
      thread->unwindTargetFrame = 0;
    } else if (answer == kSehContinueExecution) {
      return (record.flags & kSehNonContinuable) == 0;  // continues with `context` as the filter left it
    } else if (answer != kSehContinueSearch) {
      return false;
    }
  }
  if (!targetFrame) return false;

  // RtlUnwindEx: runs termination handlers from the fault to the target, whose body then continues at
  // targetIp.
  walk = context;
  for (unsigned i = 0; i < kMaximumWalk && image.contains(walk.rip); ++i) {
    const uint64_t pc = walk.rip;
    UnwoundFrame frame;
    SehContext here = walk;
    if (!virtualUnwind(image, stack, HandlerKind::Termination, walk, frame)) return false;
    const bool target = frame.establisherFrame == targetFrame;
    if (frame.handler) {
      record.flags |= kSehUnwinding | (target ? kSehTargetUnwind : 0);
      SehDispatcher dispatcher{pc,
                               imageBase,
                               frame.function,
                               frame.establisherFrame,
                               targetIp,
                               &here,
                               frame.handler,
                               frame.handlerData,
                               nullptr,
                               0,
                               0};
      frame.handler(&record, frame.establisherFrame, &here, &dispatcher);
    }
    if (target) {
      context = here;
      context.rip = targetIp;
      context.gpr[0] = record.code;
      return true;
    }
  }
  return false;
}

std::string stackTrace(const PeImage& image, const StackLimits& stack, SehContext context) {
  std::string text;
  for (unsigned i = 0; i < 64; ++i) {
    text += "#   " + image.describe(context.rip) + "\n";
    UnwoundFrame frame;
    if (!image.contains(context.rip) || !virtualUnwind(image, stack, HandlerKind::Exception, context, frame))
      break;
  }
  return text;
}

// "Language-specific handler": the data is a count and records of begin, end, handler (a filter, 1 = take it;
// or a termination handler when the last field is 0) and jump target, all as offsets from the image base.
uint32_t cSpecificHandler(SehRecord* record, uint64_t establisherFrame, SehContext* context,
                          SehDispatcher* dispatcher) {
  struct Scope {
    uint32_t begin, end, handler, target;
  };
  using Filter = int32_t(__attribute__((ms_abi))*)(SehPointers*, uint64_t);
  using Termination = void(__attribute__((ms_abi))*)(uint8_t, uint64_t);
  uint32_t count;
  std::memcpy(&count, dispatcher->handlerData, 4);
  const auto* scopes =
      reinterpret_cast<const Scope*>(static_cast<const uint8_t*>(dispatcher->handlerData) + 4);
  const auto pc = static_cast<uint32_t>(dispatcher->controlPc - dispatcher->imageBase);
  const auto target = static_cast<uint32_t>(dispatcher->targetIp - dispatcher->imageBase);
  const bool unwinding = record->flags & kSehUnwinding;
  for (uint32_t i = dispatcher->scopeIndex; i < count; ++i) {
    const Scope& scope = scopes[i];
    if (pc < scope.begin || pc >= scope.end) continue;
    if (!unwinding) {
      if (scope.target == 0) continue;  // __finally takes no part in the search
      int32_t answer = 1;
      if (scope.handler != 1) {
        SehPointers pointers{record, context};
        answer = reinterpret_cast<Filter>(dispatcher->imageBase + scope.handler)(&pointers, establisherFrame);
      }
      if (answer < 0) return kSehContinueExecution;
      if (answer > 0) {
        Thread* thread = currentThread();
        thread->unwindTargetFrame = establisherFrame;
        thread->unwindTargetIp = dispatcher->imageBase + scope.target;
        return kSehContinueSearch;
      }
    } else {
      // At the target frame: only the scopes inside the one that took the exception.
      if ((record->flags & kSehTargetUnwind) && scope.target == target && scope.target != 0) break;
      if (scope.target == 0) {
        dispatcher->scopeIndex = i + 1;
        reinterpret_cast<Termination>(dispatcher->imageBase + scope.handler)(1, establisherFrame);
      }
    }
  }
  return kSehContinueSearch;
}

}  // namespace aerogpu::host
