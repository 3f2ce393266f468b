// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/exports.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "testbed/kernel/core/driver_stack.h"
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/core/report.h"

extern "C" void aerogpuHostExportEntry();

namespace aerogpu::host {

namespace {

constexpr size_t kThunkBytes = 32, kThunkArea = 256 << 10;

struct Thunks {
  std::mutex mutex;
  uint8_t* area = nullptr;
  size_t used = 0;
  std::map<const Export*, void*> made;
};

Thunks& thunks() {
  static Thunks instance;
  return instance;
}

std::atomic<const PeImage*> s_image{nullptr};
std::atomic<ExportObserver> s_observer{nullptr};

const ExportFrame* innermostFrame() {
  const Thread* thread = currentThreadOrNull();
  if (!thread || thread->block.nextFrame == thread->block.frames) return nullptr;
  return thread->block.nextFrame - 1;
}

#if defined(__x86_64__)
// mov r11, row; mov rax, entry; jmp rax. Neither register carries an argument.
void encodeThunk(uint8_t* code, const uint8_t*, uint64_t row, uint64_t entry) {
  code[0] = 0x49, code[1] = 0xBB;
  std::memcpy(code + 2, &row, 8);
  code[10] = 0x48, code[11] = 0xB8;
  std::memcpy(code + 12, &entry, 8);
  code[20] = 0xFF, code[21] = 0xE0;
}
constexpr unsigned kStackAlignment = 16, kReturnAddress = 8;
#else
// mov eax, row; jmp entry. ECX and EDX may carry arguments.
void encodeThunk(uint8_t* code, const uint8_t* place, uint32_t row, uint32_t entry) {
  const uint32_t distance = entry - (reinterpret_cast<uint32_t>(place) + 10);
  code[0] = 0xB8;
  std::memcpy(code + 1, &row, 4);
  code[5] = 0xE9;
  std::memcpy(code + 6, &distance, 4);
}
constexpr unsigned kStackAlignment = 4, kReturnAddress = 4;
#endif

}  // namespace

void* exportThunk(const Export& entry) {
  if (entry.flags & kExportData) return const_cast<void*>(entry.function);
  Thunks& t = thunks();
  std::lock_guard lock(t.mutex);
  if (const auto found = t.made.find(&entry); found != t.made.end()) return found->second;
  if (!t.area) {
    // Writable while it runs: rows are added (tables of interfaces) while other threads execute their thunks.
    void* area =
        mmap(nullptr, kThunkArea, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) std::abort();
    t.area = static_cast<uint8_t*>(area);
  }
  if (t.used + kThunkBytes > kThunkArea) std::abort();
  uint8_t code[kThunkBytes];
  std::memset(code, 0xCC, sizeof code);
  encodeThunk(code, t.area + t.used, reinterpret_cast<uintptr_t>(&entry),
              reinterpret_cast<uintptr_t>(&aerogpuHostExportEntry));
  void* thunk = t.area + t.used;
  std::memcpy(thunk, code, sizeof code);
  t.used += kThunkBytes;
  t.made[&entry] = thunk;
  return thunk;
}

void setDriverImage(const PeImage* image) {
  s_image = image;
}

const PeImage* driverImage() {
  return s_image;
}

void setExportObserver(ExportObserver observer) {
  s_observer = observer;
}

uint64_t currentCaller() {
  const ExportFrame* frame = innermostFrame();
  return frame ? frame->returnAddress : 0;
}

std::string currentCall() {
  const ExportFrame* frame = innermostFrame();
  if (!frame) return "the host";
  const PeImage* image = driverImage();
  char plain[32];
  std::snprintf(plain, sizeof plain, "0x%llx", static_cast<unsigned long long>(frame->returnAddress));
  std::string text = std::string(frame->entry->name) + " called from " +
                     (image ? image->describe(frame->returnAddress) : std::string(plain));
  const Thread* thread = currentThreadOrNull();
  if (thread && thread->ddi[0]) text += std::string(" in ") + thread->ddi;
  return text;
}

/// Called by the entry code. Returns the function to continue with.
extern "C" const void* aerogpuHostExportEnter(ExportFrame* frame) {
  const Export& entry = *frame->entry;
  Thread* thread = currentThread();
  if (thread->block.nextFrame >= thread->block.frames + kMaximumFrames)
    bugCheck(0x7F, {8, 0, 0, 0},
             "exports and driver call each other without an end: " + currentCall() + "\n");
  // Microsoft x64: the stack is 16-byte aligned at a call; x86: 4.
  if ((frame->sp + kReturnAddress) % kStackAlignment != 0)
    brokenRule("the stack is not aligned: %s", currentCall().c_str());
  lookAtStack(*thread, static_cast<uintptr_t>(frame->sp));
  if (thread->irql() > entry.maximumIrql || thread->irql() < entry.minimumIrql)
    brokenRule("%s at %s; allowed is %s%s%s", currentCall().c_str(), irqlName(thread->irql()),
               entry.minimumIrql ? irqlName(entry.minimumIrql) : "", entry.minimumIrql ? " to " : "at most ",
               irqlName(entry.maximumIrql));
  if (entry.refuse) entry.refuse(entry);
  if (ExportObserver observer = s_observer.load(std::memory_order_relaxed))
    observer(entry, frame->returnAddress);
  return entry.function;
}

/// Called by the exit code, with the driver's stack pointer: the host's traces below it do not count as the
/// driver's.
extern "C" void aerogpuHostExportLeave(uintptr_t sp) {
  paintStack(*currentThread(), sp);
}

}  // namespace aerogpu::host
