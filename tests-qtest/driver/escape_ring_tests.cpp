// SPDX-License-Identifier: MIT
// Tests DxgkDdiEscape on submissions: the ring's slots as they lie in memory, and the counters.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_extension.h"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/ring_view.h"
#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

/// ESC-3, QUERY_PERF: each event is counted, by the right counter.
void performance() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto& r = adapter.registers();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  Escapes escapes(adapter, *client);
  const auto ask = [&] {
    return escapes.answer<aerogpu_escape_query_perf_out>(AEROGPU_ESCAPE_OP_QUERY_PERF);
  };
  Surface surface;
  if (!makeSurface(adapter, *client, *context, 64, 64, surface)) return;
  const auto primary = client->open({adapter.display().sharedPrimary()}, false);
  if (!expect(!primary.empty(), "the primary opens")) return;
  DXGK_PRESENTFLAGS blt{};
  blt.Blt = 1;
  const auto present = [&] {
    return context->present(surface.opened, primary[0], {0, 0, 64, 64}, {0, 0, 64, 64}, {}, blt);
  };
  // Once in advance: the first move into a segment takes submissions of its own.
  expect(ntSuccess(fillSurface(*context, surface, 0xFF000001)) && ntSuccess(present()), "a fill, a present");
  adapter.scheduler().waitIdle();

  auto before = ask();
  const auto grew = [&](uint64_t aerogpu_escape_query_perf_out::*counter, uint64_t by, const char* what) {
    const auto now = ask();
    expect(now.*counter - before.*counter == by, "QUERY_PERF: %s grows by %llu (%llu)", what,
           static_cast<unsigned long long>(by),
           static_cast<unsigned long long>(now.*counter - before.*counter));
  };
  using Perf = aerogpu_escape_query_perf_out;
  expect(before.flags == (AEROGPU_DBGCTL_QUERY_PERF_FLAGS_VALID | AEROGPU_DBGCTL_QUERY_PERF_FLAG_RING_VALID |
                          AEROGPU_DBGCTL_QUERY_PERF_FLAG_VBLANK_VALID |
                          AEROGPU_DBGCTL_QUERY_PERF_FLAG_GETSCANLINE_COUNTERS_VALID),
         "QUERY_PERF: flags 0x%08x", before.flags);
  expect(before.last_completed_fence == r.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) &&
             static_cast<uint32_t>(before.last_submitted_fence) == adapter.scheduler().lastFence(),
         "QUERY_PERF: fences");
  aerogpu_ring_header ring{};
  if (const uint8_t* at = adapter.memory().at(r.read64(AEROGPU_MMIO_REG_RING_GPA_LO)))
    std::memcpy(&ring, at, sizeof ring);
  expect(before.ring0_head == ring.head && before.ring0_tail == ring.tail && ring.head == ring.tail &&
             before.ring0_size_bytes == r.read(AEROGPU_MMIO_REG_RING_SIZE_BYTES) &&
             before.ring0_entry_count == ring.entry_count && ring.entry_count != 0,
         "QUERY_PERF: the ring at rest (%u, %u of %u)", before.ring0_head, before.ring0_tail,
         before.ring0_entry_count);
  expect(before.ring_push_failures == 0 && before.reset_from_timeout_count == 0 &&
             before.last_reset_time_100ns == 0 && before.pending_meta_handle_count == 0 &&
             before.pending_meta_handle_bytes == 0 && before.contig_pool_hit == 0 &&
             before.contig_pool_miss == 0 && before.contig_pool_bytes_saved == 0,
         "QUERY_PERF: what there is not is 0");

  for (uint32_t i = 0; i < 3; ++i) fillSurface(*context, surface, 0xFF000000 | i);
  adapter.scheduler().waitIdle();
  grew(&Perf::total_submissions, 3, "submissions, by fills,");
  grew(&Perf::total_render_submits, 3, "renders");
  grew(&Perf::total_presents, 0, "presents, without one,");
  grew(&Perf::total_internal_submits, 0, "internal submissions, without one,");
  grew(&Perf::alloc_table_count, 3, "tables");
  grew(&Perf::alloc_table_entries, 3, "entries of tables");
  grew(&Perf::alloc_table_readonly_entries, 0, "read-only entries, without one,");
  const uint64_t delivered = ask().irq_fence_delivered - before.irq_fence_delivered;
  expect(delivered >= 1 && delivered <= 3, "QUERY_PERF: fence interrupts (%llu for 3)",
         static_cast<unsigned long long>(delivered));

  before = ask();
  Stream read;
  read.copyTexture(surface.target, surface.backed, 64, 64, false);
  expect(ntSuccess(context->render(read.bytes(), {{surface.opened, false}})), "a stream that reads");
  grew(&Perf::alloc_table_entries, 1, "entries, by a stream that reads,");
  grew(&Perf::alloc_table_readonly_entries, 1, "read-only entries");
  adapter.scheduler().waitIdle();

  before = ask();
  expect(ntSuccess(present()), "a present");
  adapter.scheduler().waitIdle();
  grew(&Perf::total_presents, 1, "presents, by DxgkDdiPresent,");
  grew(&Perf::total_render_submits, 0, "renders, by a present,");
  if (!hasSpaces(adapter)) {  // else a program's stream presents nothing (SPACE-12)
    before = ask();
    expect(ntSuccess(context->render(Stream().present(false).bytes(), {})), "a stream that presents");
    adapter.scheduler().waitIdle();
    grew(&Perf::total_presents, 1, "presents, by DxgkDdiRender,");
    grew(&Perf::total_submissions, 1, "submissions");
  }

  before = ask();
  // The context's number may have had another owner: the driver resets it before the first Render.
  const bool resets = r.read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_RESET_CONTEXT;
  auto second = client->createContext();
  grew(&Perf::total_submissions, 0, "submissions, by a context that draws nothing,");
  Stream flush;
  flush.flush();
  expect(second && ntSuccess(second->render(flush.bytes(), {})), "the context's first Render");
  grew(&Perf::total_internal_submits, resets ? 1 : 0, "internal submissions, by a context's first Render,");
  grew(&Perf::total_submissions, resets ? 2 : 1, "submissions, by a context's first Render,");
  second.reset();

  before = ask();
  for (int i = 0; i < 10; ++i) {
    DXGKARG_GETSCANLINE line{};
    expect(ntSuccess(adapter.display().getScanLine(line)), "a scan line");
  }
  const auto lines = ask();
  expect(lines.get_scanline_cache_hits + lines.get_scanline_mmio_polls ==
             before.get_scanline_cache_hits + before.get_scanline_mmio_polls + 10,
         "QUERY_PERF: scan lines");

  before = ask();
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  expect(adapter.scheduler().waitVsync(5, 5000), "vertical syncs arrive");
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
  const auto vblanks = ask();
  expect(vblanks.irq_vblank_delivered >= before.irq_vblank_delivered + 5, "QUERY_PERF: vblank interrupts");
  const uint64_t sequence = r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO),
                 time = r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
  const auto clock = ask();
  expect(clock.vblank_seq >= sequence &&
             clock.vblank_seq <= r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO) &&
             clock.last_vblank_time_ns >= time &&
             clock.last_vblank_time_ns <= r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO) &&
             clock.vblank_period_ns == r.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) &&
             clock.vblank_seq > before.vblank_seq,
         "QUERY_PERF: the vblank clock");

  // Interrupts of another device on the line.
  adapter.setSharedLineNoise(true);
  expect(comes([&] { return adapter.interruptsRefused() >= 5; }), "QUERY_PERF: interrupts of others come");
  adapter.setSharedLineNoise(false);
  uint64_t spurious = 0, refused = 0;
  const auto handled = [&] {  // the last of them too
    refused = adapter.interruptsRefused();
    spurious = ask().irq_spurious;
    return spurious == refused;
  };
  expect(comes(handled) && refused >= 5, "QUERY_PERF: %llu interrupts of others (%llu)",
         static_cast<unsigned long long>(refused), static_cast<unsigned long long>(spurious));

  before = ask();
  const uint64_t wrong = submitErrors(adapter, *context);
  grew(&Perf::error_irq_count, 1, "error interrupts");
  expect(ask().last_error_fence == wrong, "QUERY_PERF: the fence of the last error");
  client->close(primary[0]);
  dropSurface(adapter, *client, *context, surface);
  adapter.scheduler().waitIdle();
  expectDeviceErrors(adapter, 2);
}

/// ESC-3, ESC-4: DUMP_RING and _V2 return the ring's newest slots; only submissions with a present are marked
/// as one.
void ringDump() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  Escapes escapes(adapter, *client);
  RingView ring(adapter);
  if (!ring) return;
  aerogpu_escape_dump_ring_v2_inout wrong{};
  wrong.ring_id = 1;
  aerogpu_escape_dump_ring_inout wrong1{};
  wrong1.ring_id = 1;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_DUMP_RING_V2, wrong) == kInvalidParameter &&
             escapes.ask(AEROGPU_ESCAPE_OP_DUMP_RING, wrong1) == kInvalidParameter,
         "there is one ring");
  const auto dumpIsTrue = [&](uint32_t asked, const char* when) {
    adapter.scheduler().waitIdle();
    ring.waitEmpty();
    aerogpu_escape_dump_ring_v2_inout v2{};
    v2.desc_capacity = asked;
    v2 = escapes.answer(AEROGPU_ESCAPE_OP_DUMP_RING_V2, v2);
    aerogpu_escape_dump_ring_inout v1{};
    v1.desc_capacity = asked;
    v1 = escapes.answer(AEROGPU_ESCAPE_OP_DUMP_RING, v1);
    const aerogpu_ring_header h = ring.header();
    const uint32_t capacity = asked && asked < AEROGPU_DBGCTL_MAX_RECENT_DESCRIPTORS
                                  ? asked
                                  : AEROGPU_DBGCTL_MAX_RECENT_DESCRIPTORS;
    const uint32_t count = std::min(capacity, h.tail);
    expect(v2.ring_format == AEROGPU_DBGCTL_RING_FORMAT_AGPU && v2.ring_size_bytes == h.size_bytes &&
               v2.head == h.head && v2.tail == h.tail && v2.desc_capacity == capacity &&
               v2.desc_count == count,
           "DUMP_RING_V2 %s: %u of %u, head %u, tail %u", when, v2.desc_count, v2.desc_capacity, v2.head,
           v2.tail);
    expect(v1.ring_size_bytes == h.size_bytes && v1.head == h.head && v1.tail == h.tail &&
               v1.desc_capacity == capacity && v1.desc_count == count,
           "DUMP_RING %s: %u of %u, head %u, tail %u", when, v1.desc_count, v1.desc_capacity, v1.head,
           v1.tail);
    for (uint32_t i = 0; i < count; ++i) {
      const aerogpu_submit_desc slot = ring.slot(h.tail - count + i);
      const auto& d = v2.desc[i];
      expect(d.fence == slot.signal_fence && d.cmd_gpa == slot.cmd_gpa &&
                 d.cmd_size_bytes == slot.cmd_size_bytes && d.flags == slot.flags &&
                 d.alloc_table_gpa == slot.alloc_table_gpa &&
                 d.alloc_table_size_bytes == slot.alloc_table_size_bytes,
             "DUMP_RING_V2 %s: descriptor %u", when, i);
      const auto& d1 = v1.desc[i];
      expect(d1.signal_fence == slot.signal_fence && d1.cmd_gpa == slot.cmd_gpa &&
                 d1.cmd_size_bytes == slot.cmd_size_bytes && d1.flags == slot.flags,
             "DUMP_RING %s: descriptor %u", when, i);
    }
    return v2.desc_count ? v2.desc[v2.desc_count - 1] : aerogpu_dbgctl_ring_desc_v2{};
  };

  // A stream as it was rendered: its bytes, its table, its fence.
  Surface surface;
  if (!makeSurface(adapter, *client, *context, 64, 64, surface)) return;
  const auto presents = deviceCounter("presents");
  Stream plain;
  plain.target(surface.target).clear(0xFF112233).target(0);
  plain.copyTexture(surface.backed, surface.target, 64, 64, true);
  const auto sent = [&](const Stream& stream, uint32_t flags, const char* what) {
    const NTSTATUS status = context->render(stream.bytes(), {{surface.opened, true}});
    expect(ntSuccess(status), "%s (0x%08x)", what, status);
    const auto desc = dumpIsTrue(0, what);
    expect(desc.flags == flags, "%s: flags 0x%x (0x%x)", what, flags, desc.flags);
    expect(static_cast<uint32_t>(desc.fence) == adapter.scheduler().lastFence(), "%s: its fence", what);
    const uint8_t* commands = adapter.memory().at(desc.cmd_gpa);
    expect(desc.cmd_size_bytes == stream.bytes().size() && commands &&
               std::memcmp(commands + sizeof(aerogpu_cmd_stream_header),
                           stream.bytes().data() + sizeof(aerogpu_cmd_stream_header),
                           stream.bytes().size() - sizeof(aerogpu_cmd_stream_header)) == 0,
           "%s: its packets, %u bytes", what, desc.cmd_size_bytes);
    struct {
      aerogpu_alloc_table_header header;
      aerogpu_alloc_entry entry;
    } __attribute__((packed)) table{};
    if (const uint8_t* at = adapter.memory().at(desc.alloc_table_gpa)) std::memcpy(&table, at, sizeof table);
    expect(desc.alloc_table_size_bytes == sizeof table && table.header.entry_count == 1 &&
               table.entry.alloc_id == surface.allocId,
           "%s: its table, %u bytes", what, desc.alloc_table_size_bytes);
  };
  sent(plain, AEROGPU_SUBMIT_FLAG_NONE, "a stream without a present");
  const unsigned ofStreams =
      hasSpaces(adapter) ? 0 : 2;  // there a program's stream presents nothing (SPACE-12)
  if (ofStreams) {
    Stream presenting;
    presenting.target(surface.target).clear(0xFF112233).present(false).target(0);
    sent(presenting, AEROGPU_SUBMIT_FLAG_PRESENT, "a stream with a present");
    Stream vsynced;
    vsynced.flush().present(true);
    sent(vsynced, AEROGPU_SUBMIT_FLAG_PRESENT, "a stream with a vsynced present");
  }
  sent(plain, AEROGPU_SUBMIT_FLAG_NONE, "a stream without one again");
  if (presents) expectDeviceCounter("presents", *presents + ofStreams, "presents of streams");

  // DxgkDdiPresent: a present to the screen is marked as one; a blit elsewhere is not (EX-28, EX-22).
  const auto primary = client->open({adapter.display().sharedPrimary()}, false);
  Surface elsewhere;
  if (!expect(!primary.empty(), "the primary opens") ||
      !makeSurface(adapter, *client, *context, 64, 64, elsewhere))
    return;
  DXGK_PRESENTFLAGS blt{};
  blt.Blt = 1;
  const RECT all{0, 0, 64, 64};
  expect(ntSuccess(context->present(surface.opened, primary[0], all, all, {}, blt)), "a present");
  expect(dumpIsTrue(0, "after a present").flags == AEROGPU_SUBMIT_FLAG_PRESENT, "a present to the primary");
  expect(ntSuccess(context->present(surface.opened, elsewhere.opened, all, all, {}, blt)), "a blit");
  expect(dumpIsTrue(0, "after a blit").flags == AEROGPU_SUBMIT_FLAG_NONE, "a blit to what is not shown");
  if (presents) expectDeviceCounter("presents", *presents + ofStreams + 1, "presents of DxgkDdiPresent");
  // The driver's own submissions request no interrupt. When a context that has drawn ends, the last one
  // resets it.
  Stream empty;
  empty.flush();
  auto second = client->createContext();
  expect(second && ntSuccess(second->render(empty.bytes(), {})), "a second context");
  second.reset();
  const aerogpu_submit_desc own = ring.newest();
  expect(!(adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_RESET_CONTEXT) ||
             own.flags == AEROGPU_SUBMIT_FLAG_NO_IRQ,
         "the driver's own: flags 0x%x", own.flags);

  // Requests for more or fewer; then past the ring's end, with a wrap.
  dumpIsTrue(1, "for 1");
  dumpIsTrue(5, "for 5");
  dumpIsTrue(32, "for 32");
  dumpIsTrue(33, "for 33");
  dumpIsTrue(UINT32_MAX, "for 2^32 - 1");
  const uint32_t entries = ring.header().entry_count;
  for (uint32_t i = 0; i < entries + 10; ++i) context->render(empty.bytes(), {});
  dumpIsTrue(0, "after a whole round");
  expect(ring.header().tail > entries, "the ring went round");

  client->close(primary[0]);
  dropSurface(adapter, *client, *context, elsewhere);
  dropSurface(adapter, *client, *context, surface);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

const TestCase kEscapeRingTests[] = {
    {"escape-perf", 90, performance, Runs::kBesideQemu},
    {"escape-ring", 120, ringDump, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> escapeRingTests() {
  return kEscapeRingTests;
}

}  // namespace aerogpu::host
