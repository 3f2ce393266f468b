// SPDX-License-Identifier: MIT
// Counts the driver's own instructions for a submission: DxgkDdiRender, DxgkDdiPatch and DxgkDdiSubmitCommand
// of its image, without the host's and the kernel's functions, the interrupt and its DPC.
#include <algorithm>
#include <string>

#include "aerogpu/cmd_packets.hpp"
#include "tests-qtest/driver/instruction_count.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// A program with buffers; a submission names some of them.
class CountedProgram {
public:
  bool open(unsigned allocations) {
    if (!m_session.ok()) return false;
    m_client = Client::create(adapter(), 100);
    m_context = m_client ? m_client->createContext() : nullptr;
    if (!expect(m_context != nullptr, "a context")) return false;
    Stream made;
    for (unsigned i = 0; i < allocations; ++i) {
      auto created = adapter().vidmm().create({}, {bufferPrivate(newAllocId(), kBytes)}, false);
      if (!expect(ntSuccess(created.status), "an allocation")) return false;
      m_allocations.push_back(created.allocations[0]);
      m_list.emplace_back(m_client->open(created.allocations, true)[0], false);
      m_handles.push_back(newHandle());
      made.createBuffer(m_handles.back(), kBytes, allocIdOf(m_allocations.back()->privateData));
    }
    return expect(ntSuccess(m_context->render(made.bytes(), m_list)), "buffers");
  }
  void close() {
    Stream ended;
    for (const uint32_t handle : m_handles) ended.destroy(handle);
    m_context->render(ended.bytes(), {});
    adapter().scheduler().waitIdle();
    for (const auto& [opened, written] : m_list) m_client->close(opened);
    for (const auto& allocation : m_allocations) adapter().vidmm().destroy({allocation});
    expectNoDeviceErrors(adapter());
  }
  Adapter& adapter() { return m_session.adapter(); }

  /// Returns a stream like a part of a frame: `packets` packets, of which every other one names a buffer.
  Stream stream(unsigned packets) {
    const float constants[4 * 4] = {};
    Stream drawn;
    for (unsigned i = 0; i < packets / 2; ++i) {
      packets::setConstantsF(drawn.writer(), AEROGPU_SHADER_STAGE_VERTEX, 0, constants);
      drawn.dirty(m_handles[i % m_handles.size()], 0, 64);
    }
    return drawn;
  }
  /// Returns the count for the second of two submissions with the first `allocations` buffers: by then none
  /// of them moves.
  uint64_t count(const Stream& drawn, unsigned allocations, bool functions = false) {
    const Context::List list(m_list.begin(), m_list.begin() + allocations);
    const auto submit = [&] {
      expect(ntSuccess(m_context->render(drawn.bytes(), list)), "a submission");
      adapter().scheduler().waitIdle();
    };
    submit();
    const auto& ddi = adapter().ddi;
    const InstructionCount counted(
        adapter().image(),
        {reinterpret_cast<uintptr_t>(ddi.DxgkDdiRender), reinterpret_cast<uintptr_t>(ddi.DxgkDdiPatch),
         reinterpret_cast<uintptr_t>(ddi.DxgkDdiSubmitCommand)});
    submit();
    if (functions)
      for (const auto& [name, instructions] : counted.byFunction())
        note("%5llu in %s", static_cast<unsigned long long>(instructions), name.c_str());
    return counted.all();
  }

private:
  static constexpr uint32_t kBytes = 4096;
  Session m_session;
  std::unique_ptr<Client> m_client;
  std::unique_ptr<Context> m_context;
  std::vector<std::shared_ptr<Allocation>> m_allocations;
  Context::List m_list;
  std::vector<uint32_t> m_handles;
};

constexpr unsigned kAllocations = 32, kPackets = 200;

/// Limits: 500 instructions a submission and 30 an allocation, and none a packet if the device keeps
/// processes apart. 32-bit code has other figures, which are not guaranteed.
void instructions() {
  CountedProgram program;
  if (!program.open(kAllocations)) return;
  const Stream small = program.stream(2), large = program.stream(kPackets);
  const uint64_t one = program.count(small, 1), all = program.count(large, kAllocations, true);
  const uint64_t few = program.count(small, kAllocations);
  note("instructions: %llu with 1 allocation; with %u %llu for 2 packets and %llu for %u (%zu bytes)",
       static_cast<unsigned long long>(one), kAllocations, static_cast<unsigned long long>(few),
       static_cast<unsigned long long>(all), kPackets, large.bytes().size());
  if (hasSpaces(program.adapter())) {
    expect(few == all, "packets cost %llu instructions", static_cast<unsigned long long>(all - few));
    if (sizeof(void*) == 8) {
      expect(one <= 500 + 30, "%llu instructions for a submission with an allocation",
             static_cast<unsigned long long>(one));
      expect(all <= 500 + 30 * kAllocations, "%llu instructions for one with %u",
             static_cast<unsigned long long>(all), kAllocations);
      expect(all - one <= 30 * (kAllocations - 1), "%llu instructions for %u more allocations",
             static_cast<unsigned long long>(all - one), kAllocations - 1);
    }
  }
  program.close();
}

/// Tests the cost of mapping a surface of 4 MiB into the aperture and unmapping it: no byte of a paging
/// buffer, no slot of the ring, and some instructions a page.
void pagingInstructions() {
  constexpr uint64_t kPage = 4096, kPages = (uint64_t{4} << 20) / kPage, kMost = 8 * kPages + 200;
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const RingView ring(adapter);
  if (!ring || adapter.vidmm().segments().size() < 2) return;
  adapter.vidmm().paging().setEmptySubmissions(false);
  const UINT aperture = 2;
  std::vector<uint64_t> frames(kPages);
  for (uint64_t i = 0; i < kPages; ++i) frames[i] = 0x10000 + 2 * i;
  MDL* mdl = makeMdl(frames, kPages * kPage);
  DXGKARG_BUILDPAGINGBUFFER map{}, unmap{};
  map.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  map.MapApertureSegment.SegmentId = aperture;
  map.MapApertureSegment.NumberOfPages = kPages;
  map.MapApertureSegment.pMdl = mdl;
  map.MapApertureSegment.Flags.CacheCoherent = 1;
  unmap.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  unmap.UnmapApertureSegment.SegmentId = aperture;
  unmap.UnmapApertureSegment.NumberOfPages = kPages;
  unmap.UnmapApertureSegment.DummyPage.QuadPart = static_cast<LONGLONG>(adapter.vidmm().paging().dummyPage());
  const auto& ddi = adapter.ddi;
  for (const auto& [what, operation] : {std::pair{"mapping", &map}, std::pair{"unmapping", &unmap}}) {
    const InstructionCount counted(adapter.image(),
                                   {reinterpret_cast<uintptr_t>(ddi.DxgkDdiBuildPagingBuffer),
                                    reinterpret_cast<uintptr_t>(ddi.DxgkDdiPatch),
                                    reinterpret_cast<uintptr_t>(ddi.DxgkDdiSubmitCommand)});
    const uint32_t slots = ring.header().tail;
    const uint64_t multipass = adapter.vidmm().paging().multipass();
    const UINT bytes = adapter.vidmm().buildPaging(*operation);
    adapter.scheduler().waitIdle();
    const uint32_t taken = ring.header().tail - slots;
    note("%s 4 MiB: %llu instructions, %u slots, %llu full paging buffers and %u bytes", what,
         static_cast<unsigned long long>(counted.all()), taken,
         static_cast<unsigned long long>(adapter.vidmm().paging().multipass() - multipass), bytes);
    expect(bytes == 0 && taken == 0, "%s takes nothing of a paging buffer and of the ring", what);
    expect(sizeof(void*) != 8 || counted.all() <= kMost, "%s takes %llu instructions", what,
           static_cast<unsigned long long>(counted.all()));
  }
  destroyMdl(mdl);
}

const TestCase kInstructionTests[] = {{"instructions", 60, instructions},
                                      {"instructions-paging", 60, pagingInstructions, Runs::kBesideQemu}};

}  // namespace

std::span<const TestCase> instructionTests() {
  return kInstructionTests;
}

}  // namespace aerogpu::host
