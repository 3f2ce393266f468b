// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/base/instruction_count.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr DWORD kTrapFlag = 0x100;

uintptr_t imageBegin, imageEnd;  // image of the driver; 0: nothing is counted
DWORD countedThread;
volatile LONG stepping;  // 1 during a call
volatile uint32_t instructions;
std::map<std::string, std::vector<uint32_t>> *calls;

DWORD64 instructionPointer(const CONTEXT &context) {
#ifdef __x86_64__
  return context.Rip;
#else
  return context.Eip;
#endif
}

LONG CALLBACK onException(EXCEPTION_POINTERS *exception) {
  if (exception->ExceptionRecord->ExceptionCode != static_cast<DWORD>(EXCEPTION_SINGLE_STEP))
    return EXCEPTION_CONTINUE_SEARCH;
  CONTEXT *context = exception->ContextRecord;
  if (stepping) {
    const DWORD64 at = instructionPointer(*context);
    instructions = instructions + (at >= imageBegin && at < imageEnd);
    context->EFlags |= kTrapFlag;
  } else {
    context->EFlags &= ~kTrapFlag;
  }
  return EXCEPTION_CONTINUE_EXECUTION;
}

}  // namespace

void openInstructionCount(HMODULE driver) {
  char value[2];
  if (calls || GetEnvironmentVariableA("AEROGPU_D3D9_COUNT", value, sizeof value) != 1 || value[0] != '1') return;
  imageBegin = reinterpret_cast<uintptr_t>(driver);
  const auto *dos = reinterpret_cast<const IMAGE_DOS_HEADER *>(driver);
  const auto *headers = reinterpret_cast<const IMAGE_NT_HEADERS *>(imageBegin + static_cast<uintptr_t>(dos->e_lfanew));
  imageEnd = imageBegin + headers->OptionalHeader.SizeOfImage;
  countedThread = GetCurrentThreadId();
  calls = new std::map<std::string, std::vector<uint32_t>>;
  AddVectoredExceptionHandler(TRUE, onException);
}

void beginInstructionCount() {
  if (!calls || GetCurrentThreadId() != countedThread) return;
  instructions = 0;
  stepping = 1;
#ifdef __x86_64__
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
#else
  asm volatile("pushfl; orl $0x100, (%%esp); popfl" ::: "memory", "cc");
#endif
}

void endInstructionCount(const char *name) {
  if (!calls || !stepping || GetCurrentThreadId() != countedThread) return;
  stepping = 0;
  const uint32_t count = instructions;
  (*calls)[name].push_back(count);
}

void abandonInstructionCount() {
  if (calls && GetCurrentThreadId() == countedThread) stepping = 0;
}

void closeInstructionCount() {
  if (!calls) return;
  for (auto &[name, counts] : *calls) {
    std::sort(counts.begin(), counts.end());
    logLine("instructions %s: %u in a call (median of %u)", name.c_str(), counts[counts.size() / 2],
            static_cast<unsigned>(counts.size()));
  }
  delete calls;
  calls = nullptr;
}

}  // namespace aerogpu::runtime
