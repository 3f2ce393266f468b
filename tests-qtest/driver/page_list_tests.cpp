// SPDX-License-Identifier: MIT
// Tests the aperture's page list under failures: host memory that programs have used up, a GPU that is lost
// or gone, a ring that is stopped or full, the time between reset and restart. ApertureList checks that a
// page which VidMm unmaps is unmapped when the call returns; these tests check that no program reaches a page
// that has a new owner. Pages "DxgkDdiBuildPagingBuffer", "Thread Synchronization and TDR".
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/cmd_packets.hpp"
#include "testbed/kernel/core/page.h"
#include "tests-qtest/driver/exhaustion.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

constexpr uint64_t kPages = 16, kBytes = kPages * kPage;
constexpr uint8_t kGivenBack = 0xDB;  // what the memory manager leaves in pages that are nobody's

/// A program, and one allocation of it in the aperture.
struct PagedProgram {
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  std::shared_ptr<Allocation> allocation;
  OpenAllocation* opened = nullptr;

  bool begin(Adapter& adapter, uint64_t process) {
    client = Client::create(adapter, process);
    context = client ? client->createContext() : nullptr;
    return expect(context != nullptr, "program %llu", static_cast<unsigned long long>(process));
  }
  bool allocate(Adapter& adapter) {
    auto created = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), kBytes, true)}, false);
    if (!expect(ntSuccess(created.status), "an allocation (0x%08x)", created.status)) return false;
    allocation = created.allocations[0];
    const auto all = client->open(created.allocations, true);
    opened = all.empty() ? nullptr : all[0];
    const std::vector<uint8_t> content(kBytes, 0x55);
    return expect(opened != nullptr, "it opens") &&
           expect(adapter.vidmm().write(*allocation, 0, content.data(), kBytes), "it has content") &&
           expect(adapter.vidmm().makeResident({{allocation.get(), true}}), "it becomes resident") &&
           expect(adapter.vidmm().isAperture(allocation->segment), "it lies in the aperture");
  }
  void give(Adapter& adapter) {
    if (!allocation) return;
    if (opened) client->close(opened);
    adapter.vidmm().destroy({allocation});
    allocation.reset();
  }
  /// Lets the device write a number into each page: EXT_WRITE_VALUE finds the pages through the page list.
  bool writeValues(Adapter& adapter, uint64_t value, bool wait = true) {
    Stream stream;
    for (uint64_t page = 0; page < kPages; ++page)
      packets::writeValue(stream.writer(), allocIdOf(allocation->privateData), page * kPage + 8,
                          value + page);
    uint64_t number = 0;
    const NTSTATUS status = context->render(stream.bytes(), {{opened, true}}, &number);
    return expect(ntSuccess(status), "values (0x%08x)", status) &&
           (!wait || expect(adapter.scheduler().waitIdle(number), "they are written"));
  }
  void expectValues(uint64_t value) const {
    for (uint64_t page = 0; page < kPages; ++page) {
      uint64_t word;
      std::memcpy(&word, allocation->pages[page].cpu + 8, sizeof word);
      expect(word == value + page, "page %llu has its value (0x%llx)", static_cast<unsigned long long>(page),
             static_cast<unsigned long long>(word));
    }
  }
};

/// Pages that the memory manager has taken back: their next owner is not visible here, so they must not
/// change.
class TakenBack {
public:
  explicit TakenBack(const Allocation& allocation) : m_pages(allocation.pages) {}
  void expectUntouched(const char* when) const {
    for (const SystemPage& page : m_pages)
      expect(std::all_of(page.cpu, page.cpu + kPage, [](uint8_t byte) { return byte == kGivenBack; }),
             "page 0x%llx, which was given back, is as it was %s", static_cast<unsigned long long>(page.gpa),
             when);
  }
  bool has(const Allocation& allocation) const {
    return std::any_of(allocation.pages.begin(), allocation.pages.end(), [&](const SystemPage& page) {
      return std::any_of(m_pages.begin(), m_pages.end(),
                         [&](const SystemPage& other) { return other.gpa == page.gpa; });
    });
  }

private:
  std::vector<SystemPage> m_pages;
};

/// Removes the program's allocation, and puts another one at the same place in the aperture with other pages.
/// Returns nothing after a broken rule.
std::unique_ptr<TakenBack> exchange(Adapter& adapter, PagedProgram& program) {
  auto old = std::make_unique<TakenBack>(*program.allocation);
  const uint64_t place = program.allocation->offset;
  program.give(adapter);
  adapter.vidmm().checkApertures("when it is unmapped");
  if (!program.allocate(adapter)) return nullptr;
  adapter.vidmm().checkApertures("when others are mapped");
  const bool there = program.allocation->offset == place && !old->has(*program.allocation);
  return expect(there, "other pages at the same place") ? std::move(old) : nullptr;
}

/// Allocations paged in and out keep their bytes, and fresh ones are zero, in VRAM: this holds if the device
/// copies and fills memory itself (MEM-8), whatever the state of host memory and GPU.
void pages(Adapter& adapter, const char* when) {
  if (!(adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_MEMORY)) {
    skipTest("this device needs a GPU for what is paged");
    return;
  }
  constexpr uint64_t kLarge = 3 << 20;
  std::vector<uint32_t> words(kLarge / 4), read(kLarge / 4);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 0x9E3779B9u);
  const auto allocate = [&] {
    auto created = adapter.vidmm().create({}, {undescribedPrivate(newAllocId(), kLarge)}, false);
    return expect(ntSuccess(created.status), "an allocation") ? created.allocations[0] : nullptr;
  };
  const auto holds = [&](Allocation& allocation, const std::vector<uint32_t>& what) {
    return adapter.vidmm().read(allocation, 0, read.data(), kLarge) && read == what;
  };
  const unsigned resets = adapter.scheduler().resets();
  const auto old = allocate();
  if (!old || !expect(adapter.vidmm().write(*old, 0, words.data(), kLarge), "content")) return;
  expect(adapter.vidmm().makeResident({{old.get(), true}}) && old->segment == 1 && holds(*old, words),
         "what is paged in keeps its bytes %s", when);
  expect(adapter.vidmm().evict(*old) && holds(*old, words), "what is paged out keeps its bytes %s", when);
  if (const auto fresh = allocate()) {
    expect(adapter.vidmm().makeResident({{fresh.get(), true}}) &&
               holds(*fresh, std::vector<uint32_t>(kLarge / 4, 0)),
           "what is fresh is zero %s", when);
    adapter.vidmm().destroy({fresh});
  }
  adapter.vidmm().destroy({old});
  expect(adapter.scheduler().resets() == resets, "without a time-out %s", when);
}

/// True if this device's GPU can be lost.
bool losesGpu(Adapter& adapter) {
  return adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GPU_LOSS;
}

/// Programs hold all host memory that a guest may use.
void withoutHostMemory() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  PagedProgram program;
  if (!program.begin(adapter, 800) || !program.allocate(adapter) || !program.writeValues(adapter, 1)) return;
  program.expectValues(1);
  {
    Exhaustion exhaustion(adapter);
    if (!exhaustion) return;
    const uint32_t errors = deviceErrors(adapter);
    pages(adapter, "without memory of the host's");
    if (const auto old = exchange(adapter, program)) {
      exhaustion.giveSome();  // for the program's packets
      program.writeValues(adapter, 2);
      program.expectValues(2);
      old->expectUntouched("when a program has written");
    }
    expectDeviceErrors(adapter, errors);
  }
  program.give(adapter);
}

/// A program whose pages are paged, and another one whose drawing to a surface shows whether the GPU works.
struct Witnesses {
  PagedProgram program, victim;
  Surface surface;

  /// Starts both programs, as processes `id` and `id` + 1.
  bool begin(Adapter& adapter, uint64_t id) {
    if (!program.begin(adapter, id) || !victim.begin(adapter, id + 1) || !program.allocate(adapter))
      return false;
    if (!makeSurface(adapter, *victim.client, *victim.context, 64, 64, surface)) return false;
    adapter.scheduler().waitIdle();
    return true;
  }
  void end(Adapter& adapter) {
    program.give(adapter);
    victim.client->close(surface.opened);
    adapter.vidmm().destroy({surface.allocation});
  }
};

/// The GPU is lost, and only the device knows: it does not read the ring any more (LOSS-3).
void whileLost() {
  Session session;
  if (!session.ok() || !losesGpu(session.adapter())) return;
  Adapter& adapter = session.adapter();
  adapter.vidmm().paging().setEmptySubmissions(false);  // they would wait
  Witnesses witnesses;
  if (!witnesses.begin(adapter, 810)) return;
  auto& [program, victim, surface] = witnesses;
  const auto end = [&] { witnesses.end(adapter); };
  if (!adapter.machine().loseGpu()) {
    skipTest("a loss cannot be played here");
    return end();
  }
  pages(adapter, "while the GPU is lost");
  fillSurface(*victim.context, surface, 0xFF102030);
  if (!gpuBecomes(adapter, AEROGPU_EXT_GPU_LOST)) return end();
  const auto old = exchange(adapter, program);
  adapter.scheduler().setTimeoutMs(2000);
  adapter.scheduler().waitIdle();
  adapter.scheduler().setTimeoutMs(10000);
  expect(adapter.scheduler().resets() == 1, "one time-out (%u)", adapter.scheduler().resets());
  adapter.vidmm().checkApertures("after the reset");
  PagedProgram next;
  if (old && gpuBecomes(adapter, AEROGPU_EXT_GPU_WORKS) && next.begin(adapter, 812)) {
    program.give(adapter);
    if (next.allocate(adapter) && next.writeValues(adapter, 77)) next.expectValues(77);
    old->expectUntouched("when the GPU is back");
  }
  next.give(adapter);
  end();
}

/// The GPU is gone, and fences advance (LOSS-6); then the GPU is back, without a time-out.
void whileGone() {
  Session session;
  if (!session.ok() || !losesGpu(session.adapter())) return;
  Adapter& adapter = session.adapter();
  Witnesses witnesses;
  if (!witnesses.begin(adapter, 820)) return;
  auto& [program, victim, surface] = witnesses;
  const auto end = [&] { witnesses.end(adapter); };
  if (!adapter.machine().refuseGpu(true) || !adapter.machine().loseGpu()) {
    skipTest("a loss cannot be played here");
    return end();
  }
  adapter.scheduler().setTimeoutMs(2000);
  fillSurface(*victim.context, surface, 0xFF102030);
  adapter.scheduler().waitIdle();
  adapter.scheduler().setTimeoutMs(10000);
  if (!gpuBecomes(adapter, AEROGPU_EXT_GPU_GONE)) return end();
  std::vector<std::unique_ptr<TakenBack>> old;
  for (unsigned round = 0; round < 3; ++round) {
    old.push_back(exchange(adapter, program));
    if (!old.back()) return end();
  }
  pages(adapter, "while the GPU is gone");
  for (const auto& pages : old) pages->expectUntouched("while the GPU is gone");
  // The driver reports in a DPC that the GPU is gone. The next program that starts makes the driver try
  // again.
  drainDpcs();
  expect(adapter.machine().refuseGpu(false), "the host's GPU is there again");
  PagedProgram next;
  if (next.begin(adapter, 822)) {
    program.give(adapter);
    if (next.allocate(adapter) && next.writeValues(adapter, 99)) next.expectValues(99);
    gpuBecomes(adapter, AEROGPU_EXT_GPU_WORKS);
    expectRendering(adapter, *next.client, *next.context, 0xFF00CC00);
  }
  for (const auto& pages : old) pages->expectUntouched("when the GPU is back");
  adapter.vidmm().checkApertures("when the GPU is back");
  next.give(adapter);
  end();
}

/// Between DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout the OS takes pages back, and tells the
/// driver.
void whileReset() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  PagedProgram program, other;
  if (!program.begin(adapter, 830) || !other.begin(adapter, 831) || !program.allocate(adapter) ||
      !other.allocate(adapter))
    return;
  adapter.scheduler().waitIdle();
  const TakenBack old(*program.allocation);
  bool inTime = false;
  adapter.scheduler().setCleanup([&] {
    program.give(adapter);
    inTime = adapter.vidmm().checkApertures("between reset and restart") &&
             adapter.vidmm().evict(*other.allocation) &&
             adapter.vidmm().checkApertures("between reset and restart");
  });
  adapter.scheduler().setTimeoutMs(2000);
  stopGpu(adapter);
  // The writes to the pages are in the ring when the pages go.
  program.writeValues(adapter, 0x1111, false);
  adapter.scheduler().waitIdle();
  adapter.scheduler().setTimeoutMs(10000);
  expect(adapter.scheduler().resets() == 1 && inTime, "the pages go in a time-out");
  adapter.vidmm().checkApertures("after the restart");
  if (program.allocate(adapter) && program.writeValues(adapter, 55)) program.expectValues(55);
  expect(adapter.vidmm().makeResident({{other.allocation.get(), true}}), "the other one comes back");
  if (other.writeValues(adapter, 66)) other.expectValues(66);
  old.expectUntouched("after the restart");
  program.give(adapter);
  other.give(adapter);
  expectNoDeviceErrors(adapter);
}

/// The ring accepts no submission: it is stopped, and later it is also full.
void whileRingStands() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  adapter.vidmm().paging().setEmptySubmissions(false);  // they would wait
  PagedProgram program;
  if (!program.begin(adapter, 840) || !program.allocate(adapter)) return;
  adapter.scheduler().waitIdle();
  const RingView ring(adapter);
  if (!ring || !ring.waitEmpty()) return;
  auto& registers = adapter.registers();
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  std::vector<std::unique_ptr<TakenBack>> old;
  const uint64_t submitted = adapter.scheduler().submitted();
  old.push_back(exchange(adapter, program));
  const uint32_t head = ring.header().head;
  ring.setHead(ring.header().tail - ring.header().entry_count);
  if (program.allocation) old.push_back(exchange(adapter, program));
  ring.setHead(head);
  expect(adapter.scheduler().submitted() == submitted, "nothing was submitted for it");
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
  registers.write(AEROGPU_MMIO_REG_DOORBELL, 0);
  if (program.allocation && program.writeValues(adapter, 44)) program.expectValues(44);
  for (const auto& pages : old)
    if (pages) pages->expectUntouched("when the ring runs");
  program.give(adapter);
  expect(adapter.scheduler().resets() == 0, "no time-out");
  expectNoDeviceErrors(adapter);
}

/// MEM-10: paging that cannot be carried out causes a time-out, and never completes. The test uses a
/// destination without memory, as VidMm never does; afterwards paging works.
void failedPaging() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!(adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_MEMORY)) {
    skipTest("this device cannot stop for paging that fails");
    return;
  }
  adapter.scheduler().setTimeoutMs(2000);
  MDL* nowhere = makeMdl({uint64_t{1} << 24}, kPage);  // page 64 GiB
  DXGKARG_BUILDPAGINGBUFFER op{};
  op.Operation = DXGK_OPERATION_TRANSFER;
  op.Transfer.TransferSize = kPage;
  op.Transfer.Flags.TransferStart = op.Transfer.Flags.TransferEnd = 1;
  op.Transfer.Source.SegmentId = 1;
  op.Transfer.Source.SegmentAddress = adapter.vidmm().segment(1).descriptor.BaseAddress;
  op.Transfer.Destination.pMdl = nowhere;
  const uint32_t errors = deviceErrors(adapter);
  expect(adapter.vidmm().buildPaging(op) != 0, "it is built");
  destroyMdl(nowhere);
  adapter.scheduler().waitIdle();
  expect(adapter.scheduler().resets() == 1, "a time-out (%u)", adapter.scheduler().resets());
  expect(deviceErrors(adapter) == errors + 1, "one error (%u)", deviceErrors(adapter) - errors);
  adapter.scheduler().setTimeoutMs(10000);
  pages(adapter, "after the reset");
}

const TestCase kPageListTests[] = {
    {"paging-fails", 60, failedPaging},
    {"page-list-memory", 120, withoutHostMemory, Runs::kBesideQemu},
    {"page-list-lost", 120, whileLost, Runs::kBesideQemu},
    {"page-list-gone", 120, whileGone, Runs::kBesideQemu},
    {"page-list-reset", 60, whileReset},
    {"page-list-ring", 60, whileRingStands},
};

}  // namespace

std::span<const TestCase> pageListTests() {
  return kPageListTests;
}

}  // namespace aerogpu::host
