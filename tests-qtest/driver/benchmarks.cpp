// SPDX-License-Identifier: MIT
// Measures submissions per second and interrupt-to-completion latency; the cost of an access to registers and
// video memory on this machine; and an hour of vblanks.
#include <algorithm>
#include <numeric>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

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

void machineAccess() {
  Session session;
  if (!session.ok()) return;
  Machine& machine = session.adapter().machine();
  const unsigned count = options().iterations ? options().iterations : 2000;
  auto* const mapped = static_cast<uint8_t*>(machine.map(0, 0, 4096));
  expect(mapped != nullptr, "a mapping of BAR0");
  if (!mapped) return;
  auto* const magic = reinterpret_cast<volatile uint32_t*>(mapped + AEROGPU_MMIO_REG_MAGIC);
  auto* const acknowledge = reinterpret_cast<volatile uint32_t*>(mapped + AEROGPU_MMIO_REG_IRQ_ACK);
  const auto cost = [&](auto access) {
    const int64_t begin = realNs();
    for (unsigned i = 0; i < count; ++i) access();
    return static_cast<double>(realNs() - begin) / 1000 / count;
  };
  const double read = cost([&] { (void)*magic; }), write = cost([&] { *acknowledge = 0; });
  machine.unmap(mapped, 4096);
  std::vector<uint8_t> block(1 << 20, 0x5A);
  const uint64_t at = machine.bar(1).bytes - block.size();
  const int64_t begin = realNs();
  machine.writeVideoMemory(at, block.data(), block.size());
  const int64_t middle = realNs();
  machine.readVideoMemory(at, block.data(), block.size());
  const int64_t end = realNs();
  note(
      "bench machine: a register is read in %.1f us and written in %.1f us; a MiB of video memory is written "
      "in "
      "%.1f ms and read in %.1f ms",
      read, write, static_cast<double>(middle - begin) / 1e6, static_cast<double>(end - middle) / 1e6);
}

void hourOfVblanks() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  const unsigned minutes = options().iterations ? options().iterations : 60;
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical syncs");
  expect(adapter.scheduler().waitVsync(2, 5000), "the first");
  const auto sequence = [&] { return adapter.registers().read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO); };
  const int64_t begin = realNs(), from = nowNs();
  const uint64_t first = sequence(), notified = adapter.scheduler().vsyncs();
  for (unsigned i = 0; i < minutes * 60; ++i)
    if (!expect(adapter.scheduler().waitVsync(60, 5000), "a second of vertical syncs")) break;
  const uint64_t ticks = sequence() - first, seen = adapter.scheduler().vsyncs() - notified;
  const double real = static_cast<double>(realNs() - begin) / 1e9,
               virtually = static_cast<double>(nowNs() - from) / 1e9;
  note("bench vblanks: %.1f s of the machine's time took %.1f s; %llu vertical syncs of %llu vblanks",
       virtually, real, static_cast<unsigned long long>(seen), static_cast<unsigned long long>(ticks));
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
}

const TestCase kBenchmarksTests[] = {
    {"bench-submissions", 120, submissions, Runs::kOnDemand},
    {"bench-latency", 120, latency, Runs::kOnDemand},
    {"bench-machine", 120, machineAccess, Runs::kOnDemand},
    {"bench-vblanks", 4000, hourOfVblanks, Runs::kOnDemand},
};

}  // namespace

std::span<const TestCase> benchmarks() {
  return kBenchmarksTests;
}

}  // namespace aerogpu::host
