// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/instruction_count.h"

#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <numeric>

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/core/thread.h"

namespace aerogpu::host {

namespace {

#if defined(__x86_64__)
constexpr int kProgramCounter = REG_RIP, kStackPointer = REG_RSP;
#else
constexpr int kProgramCounter = REG_EIP, kStackPointer = REG_ESP;
#endif
constexpr greg_t kTrapFlag = 0x100;
constexpr uint8_t kInt3 = 0xCC;

struct Breakpoint {
  uintptr_t at = 0;
  uint8_t covered = 0;
  bool planted = false;
};

/// The signal handler's state; there is one InstructionCount.
struct State {
  const PeImage* image = nullptr;
  Thread* thread = nullptr;
  int memory = -1;  // /proc/self/mem: the image's code is not writable
  std::vector<Breakpoint> entries;
  Breakpoint back;  // return address of the function that the driver has called
  uintptr_t last = 0;
  std::vector<uint32_t> steps;  // how often an instruction at each byte of the image was executed
  struct sigaction before {};
} s;

void put(uintptr_t at, uint8_t byte) {
  if (pwrite(s.memory, &byte, 1, static_cast<off_t>(at)) != 1) brokenRule("a breakpoint cannot be written");
}

void plant(Breakpoint& breakpoint) {
  if (breakpoint.planted) return;
  breakpoint.covered = *reinterpret_cast<const uint8_t*>(breakpoint.at);
  breakpoint.planted = breakpoint.covered != kInt3;  // otherwise there is one already
  if (breakpoint.planted) put(breakpoint.at, kInt3);
}

void lift(Breakpoint& breakpoint) {
  if (breakpoint.planted) put(breakpoint.at, breakpoint.covered);
  breakpoint.planted = false;
}

void plantEntries() {
  for (Breakpoint& entry : s.entries) plant(entry);
}

void count(uintptr_t at) {
  // A repeated string instruction traps before each of its steps; it counts once.
  if (at != s.last) ++s.steps[at - reinterpret_cast<uintptr_t>(s.image->base())];
  s.last = at;
}

bool liftAt(uintptr_t at) {
  Breakpoint* found = s.back.planted && s.back.at == at ? &s.back : nullptr;
  for (Breakpoint& entry : s.entries)
    if (entry.planted && entry.at == at) found = &entry;
  if (found) lift(*found);
  return found != nullptr;
}

void onTrap(int, siginfo_t*, void* opaque) {
  auto& registers = static_cast<ucontext_t*>(opaque)->uc_mcontext.gregs;
  const auto at = static_cast<uintptr_t>(registers[kProgramCounter]);
  if (liftAt(at - 1)) {
    registers[kProgramCounter] = static_cast<greg_t>(at - 1);
    if (currentThreadOrNull() != s.thread) return;
    count(at - 1);
    registers[REG_EFL] |= kTrapFlag;
    return;
  }
  if (s.image->contains(at)) return count(at);
  // Leaves the image: for a host function that returns into it, or for good.
  registers[REG_EFL] &= ~kTrapFlag;
  s.last = 0;
  const uintptr_t back = *reinterpret_cast<const uintptr_t*>(registers[kStackPointer]);
  lift(s.back);
  if (!s.image->containsCode(back)) return plantEntries();
  s.back.at = back;
  plant(s.back);
}

}  // namespace

InstructionCount::InstructionCount(const PeImage& image, const std::vector<uintptr_t>& entries)
    : m_image(image) {
  s.image = &image;
  s.thread = currentThread();
  s.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (s.memory < 0) brokenRule("/proc/self/mem cannot be opened");
  for (const uintptr_t at : entries) s.entries.push_back({at});
  clear();
  struct sigaction step {};
  step.sa_sigaction = onTrap;
  step.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGTRAP, &step, &s.before);
  plantEntries();
}

InstructionCount::~InstructionCount() {
  for (Breakpoint& entry : s.entries) lift(entry);
  lift(s.back);
  sigaction(SIGTRAP, &s.before, nullptr);
  close(s.memory);
  s = {};
}

uint64_t InstructionCount::all() const {
  return std::accumulate(s.steps.begin(), s.steps.end(), uint64_t{0});
}

std::map<std::string, uint64_t> InstructionCount::byFunction() const {
  std::map<std::string, uint64_t> functions;
  for (size_t i = 0; i < s.steps.size(); ++i) {
    const std::string name =
        s.steps[i] ? m_image.functionName(reinterpret_cast<uintptr_t>(m_image.base()) + i) : std::string();
    if (!name.empty()) functions[name] += s.steps[i];
  }
  return functions;
}

void InstructionCount::clear() {
  s.steps.assign(m_image.size(), 0);
}

}  // namespace aerogpu::host
