// SPDX-License-Identifier: MIT
// Submissions per second, interrupt-to-completion latency, and the driver's own instructions per submission.
// The instructions are counted by single-stepping (TF of EFLAGS) everything that the driver's image executes
// between the call of DxgkDdiRender and the return of DxgkDdiSubmitCommand; the host's and the kernel's code
// is not counted.
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/fault.h"
#include "suite/streams.h"
#include "suite/test.h"

namespace aerogpu::host {

namespace {

struct Bench {
  std::unique_ptr<Session> session;
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  Surface surface;
  bool open() {
    setGuardedPool(false);
    session = std::make_unique<Session>();
    if (!session->ok()) return false;
    client = Client::create(session->adapter(), 100);
    context = client ? client->createContext() : nullptr;
    return context && makeSurface(session->adapter(), *client, *context, 64, 64, surface);
  }
  void close() {
    dropSurface(session->adapter(), *client, *context, surface);
    context.reset();
    client.reset();
    session.reset();
  }
};

void submissions() {
  Bench bench;
  if (!expect(bench.open(), "a context")) return;
  Scheduler& scheduler = bench.session->adapter().scheduler();
  scheduler.setDepth(32);
  Stream stream;
  stream.flush();
  const unsigned count = options().iterations ? options().iterations : 5000;
  for (unsigned i = 0; i < 100; ++i) bench.context->render(stream.bytes(), {{bench.surface.opened, false}});
  scheduler.waitIdle();
  const int64_t begin = nowNs();
  for (unsigned i = 0; i < count; ++i) bench.context->render(stream.bytes(), {{bench.surface.opened, false}});
  scheduler.waitIdle();
  const double seconds = static_cast<double>(nowNs() - begin) / 1e9;
  note("bench submissions: %.0f a second (%u in %.3f s; Render, Patch, SubmitCommand, interrupt, DPC)",
       count / seconds, count, seconds);
  bench.close();
}

void latency() {
  Bench bench;
  if (!expect(bench.open(), "a context")) return;
  Adapter& adapter = bench.session->adapter();
  Stream stream;
  stream.flush();
  std::vector<int64_t> total, fromInterrupt;
  const unsigned count = options().iterations ? options().iterations : 1000;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t number = 0;
    const int64_t begin = nowNs();
    bench.context->render(stream.bytes(), {{bench.surface.opened, false}}, &number);
    adapter.scheduler().waitIdle(number);
    const int64_t end = nowNs();
    total.push_back(end - begin);
    if (adapter.lastInterruptNs() > begin) fromInterrupt.push_back(end - adapter.lastInterruptNs());
  }
  const auto median = [](std::vector<int64_t>& v) {
    std::sort(v.begin(), v.end());
    return v.empty() ? 0.0 : static_cast<double>(v[v.size() / 2]) / 1000.0;
  };
  const double a = median(total), b = median(fromInterrupt);
  note(
      "bench latency: %.1f us from Render to the waiter, %.1f us from the interrupt to the waiter (medians "
      "of %u and %zu)",
      a, b, count, fromInterrupt.size());
  bench.close();
}

std::atomic<uint64_t> s_instructions{0};
std::atomic<bool> s_counting{false};
const PeImage* s_stepped;

/// Each instruction of this thread ends here; only the driver's are counted.
void onStep(int, siginfo_t*, void* opaque) {
  auto& uc = *static_cast<ucontext_t*>(opaque);
  if (!s_counting) {
    uc.uc_mcontext.gregs[REG_EFL] &= ~0x100;
    return;
  }
  if (s_stepped->contains(static_cast<uint64_t>(uc.uc_mcontext.gregs[REG_RIP]))) ++s_instructions;
}

void setTrapFlag(bool on) {
  if (on)
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  else
    s_counting = false;
}

void instructions() {
  Bench bench;
  if (!expect(bench.open(), "a context")) return;
  Adapter& adapter = bench.session->adapter();
  Stream stream;
  stream.flush();
  bench.context->render(stream.bytes(), {{bench.surface.opened, false}});
  adapter.scheduler().waitIdle();
  s_stepped = &adapter.image();
  struct sigaction step {
  }, old{};
  step.sa_sigaction = onStep;
  step.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGTRAP, &step, &old);
  const unsigned count = options().iterations ? options().iterations : 20;
  s_counting = true;
  for (unsigned i = 0; i < count; ++i) {
    setTrapFlag(true);
    bench.context->render(stream.bytes(), {{bench.surface.opened, false}});
  }
  setTrapFlag(false);
  adapter.scheduler().waitIdle();
  sigaction(SIGTRAP, &old, nullptr);
  note(
      "bench instructions: %llu of the driver for each submission (Render, Patch, SubmitCommand; ISR and DPC "
      "not in it)",
      static_cast<unsigned long long>(s_instructions / count));
  bench.close();
}

const TestCase kTests[] = {
    {"bench-submissions", 120, submissions, true},
    {"bench-latency", 120, latency, true},
    {"bench-instructions", 120, instructions, true},
};

}  // namespace

std::span<const TestCase> benchmarks() {
  return kTests;
}

}  // namespace aerogpu::host
