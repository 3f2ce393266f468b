// SPDX-License-Identifier: MIT
// Tests that a process owns its objects: no other one may use them, they end with the process, and their
// number is limited. docs/windows/driver.md, "What a process may do".
#include <algorithm>
#include <cstring>

#include "testbed/kernel/core/device_pages.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/process_objects.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

/// PRIV-6 to PRIV-8: a handle belongs to the process that made it, a token to those that have its allocation
/// open; a stream that violates this is not submitted at all.
void processRights() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!driverChecks(adapter)) return;
  auto owner = makeSharer(adapter, 500), stranger = makeSharer(adapter, 501);
  if (!owner || !stranger) return;
  const Objects theirs, own;
  expect(ntSuccess(owner->context->render(makeObjects(theirs, 0).bytes(), {})), "the owner's objects");
  expect(ntSuccess(stranger->context->render(makeObjects(own, 0).bytes(), {})), "the stranger's objects");
  settle(adapter, *owner->context);
  settle(adapter, *stranger->context);
  expectNoDeviceErrors(adapter);

  uint64_t submitted = adapter.scheduler().submitted();
  const auto refused = [&](const Use& use) {
    const NTSTATUS status = stranger->context->render(use.stream.bytes(), {});
    expect(status == kPrivilegedInstruction, "%s of another process is refused (0x%08x)", use.what, status);
    // Also after correct packets: nothing of the stream runs.
    Stream late;
    late.upload(own.buffer, 0, &submitted, 4);
    late.writer().raw(use.stream.bytes().data() + sizeof(aerogpu_cmd_stream_header),
                      use.stream.bytes().size() - sizeof(aerogpu_cmd_stream_header));
    expect(stranger->context->render(late.bytes(), {}) == kPrivilegedInstruction,
           "%s of another process, later in a stream", use.what);
    expect(adapter.scheduler().submitted() == submitted, "%s: nothing is submitted", use.what);
  };
  for (const Use& use : usesOf(theirs, own)) refused(use);
  for (const Use& use : endsOf(theirs)) refused(use);
  Objects kernels;  // no process owns the driver's own handles
  kernels.texture = kernels.depth = kernels.buffer = kernels.view = kernels.vertexShader =
      kernels.pixelShader = kernels.inputLayout = kernels.sampler = 0xF8000001;
  for (const Use& use : usesOf(kernels, own)) refused(use);
  for (const Use& use : endsOf(kernels)) refused(use);
  // The packets themselves were fine: their owner may send them. The device's opinion of them does not matter
  // here.
  for (const Use& use : usesOf(theirs, theirs)) {
    const NTSTATUS status = owner->context->render(use.stream.bytes(), {});
    expect(ntSuccess(status), "%s by its owner (0x%08x)", use.what, status);
  }
  settle(adapter, *owner->context);
  const uint32_t errors = deviceErrors(adapter);

  // Tokens: a process that does not have the allocation open may neither import nor export.
  const auto allocation = makeShared(adapter);
  if (!allocation || !openAndExport(adapter, *owner, allocation)) return;
  stranger->token = owner->token;
  submitted = adapter.scheduler().submitted();
  const auto tryBoth = [&](NTSTATUS expected, const char* when) {
    const NTSTATUS import = importShared(*stranger);
    expect(import == expected, "import %s: 0x%08x (0x%08x)", when, expected, import);
    return import;
  };
  tryBoth(kPrivilegedInstruction, "by who never opened it");
  NTSTATUS status = stranger->context->render(Stream().exportSurface(own.texture, owner->token).bytes(), {});
  expect(status == kPrivilegedInstruction, "export by who never opened it (0x%08x)", status);
  status = stranger->context->render(Stream().importSurface(newHandle(), owner->token + 1).bytes(), {});
  expect(status == kPrivilegedInstruction, "a token that was never made (0x%08x)", status);
  expect(adapter.scheduler().submitted() == submitted, "nothing is submitted");
  if (!openShared(*stranger, allocation)) return;
  tryBoth(kSuccess, "by who has it open");
  const uint32_t imported = stranger->handle;
  status = owner->context->render(Stream().destroy(imported).bytes(), {});
  expect(status == kPrivilegedInstruction, "an import is the importer's (0x%08x)", status);
  stranger->client->close(stranger->opened);
  tryBoth(kPrivilegedInstruction, "by who has closed it");
  stranger->handle = imported;
  expect(ntSuccess(destroyHandle(*stranger)) && ntSuccess(destroyHandle(*owner)), "handles go");
  owner->client->close(owner->opened);
  adapter.vidmm().destroy({allocation});

  // A handle is free again once its owner has destroyed it.
  expect(ntSuccess(owner->context->render(Stream().destroy(theirs.buffer).bytes(), {})), "its end");
  expect(ntSuccess(stranger->context->render(Stream().createBuffer(theirs.buffer, 16, 0).bytes(), {})),
         "a handle that was given up is anybody's");
  settle(adapter, *stranger->context);
  expectDeviceErrors(adapter, errors);
}

/// PRIV-10: a killed process leaves nothing, neither in the driver nor on the device.
void processKilled() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto survivor = makeSharer(adapter, 510);
  if (!survivor) return;
  Surface untouched;
  if (!makeSurface(adapter, *survivor->client, *survivor->context, 64, 64, untouched)) return;
  fillSurface(*survivor->context, untouched, 0xFF335577);
  settle(adapter, *survivor->context);
  const auto resources = deviceCounter("resources"), held = deviceCounter("held-objects");
  const uint64_t pool = poolBytes();
  const size_t allocations = adapter.vidmm().liveAllocations();
  const Objects objects;
  std::vector<uint32_t> many;
  many.reserve(100);
  for (int i = 0; i < 100; ++i) many.push_back(newHandle());
  // Repeatedly with the same handles: leftovers would be in the way.
  for (uint32_t round = 0; round < 4; ++round) {
    auto victim = Client::create(adapter, 511);
    std::vector<std::unique_ptr<Context>> contexts;
    for (int i = 0; i < 3 && victim; ++i) contexts.push_back(victim->createContext());
    if (!expect(victim && contexts[2], "the process of round %u", round)) return;
    Surface surface;
    if (!makeSurface(adapter, *victim, *contexts[0], 64, 64, surface)) return;
    expect(ntSuccess(contexts[0]->render(makeObjects(objects, 0).bytes(), {})), "its objects");
    Stream buffers;
    for (const uint32_t handle : many) buffers.createBuffer(handle, 256, 0);
    buffers.target(surface.target);  // and bound while the process dies
    expect(ntSuccess(contexts[1]->render(buffers.bytes(), {})), "more of them");
    for (uint32_t i = 0; i < 6; ++i) fillSurface(*contexts[2], surface, 0xFF000000 | i);
    if (round == 0) {
      settle(adapter, *contexts[2]);
      // Surface: two textures; objects: two textures and a buffer.
      if (resources)
        expectDeviceCounter("resources", *resources + 2 + 3 + many.size(), "what the process has made");
    }
    expectNoDeviceErrors(adapter);
    Client::terminate(std::move(victim), std::move(contexts));
    settle(adapter, *survivor->context);
    expectDeviceCounter("resources", resources, "after its end");
    expectDeviceCounter("held-objects", held, "after its end, contexts with what is bound in them too");
    expect(poolBytes() == pool, "no pool is left in round %u (%lld bytes)", round,
           static_cast<long long>(poolBytes() - pool));
    expect(adapter.vidmm().liveAllocations() == allocations, "no allocation is left in round %u", round);
    expectNoDeviceErrors(adapter);
  }
  // All handles are free: the driver and the device let another process have each of them.
  expect(ntSuccess(survivor->context->render(makeObjects(objects, 0).bytes(), {})), "handles of the dead");
  settle(adapter, *survivor->context);
  expectNoDeviceErrors(adapter);
  expect(surfaceIs(adapter, untouched, 0xFF335577), "others' pixels");
  dropSurface(adapter, *survivor->client, *survivor->context, untouched);
}

/// User memory that another thread changes as soon as it has been read: the first read of a byte returns that
/// of `first`, and later reads that of `later`.
class ChangingMemory final : public DeviceWindow {
public:
  ChangingMemory(std::span<const uint8_t> first, std::span<const uint8_t> later)
      : m_first(first.begin(), first.end()), m_later(later.begin(), later.end()), m_reads(first.size()) {
    m_user = allocateUserMemory(first.size());
    if (m_user && !makeDevicePages(m_user, *this, first.size())) m_user = nullptr;
  }
  ~ChangingMemory() override {
    if (!m_user) return;
    forgetDevicePages(m_user);
    freeUserMemory(m_user, m_first.size());
  }
  uint64_t read(uint64_t offset, unsigned bytes) override {
    uint64_t value = 0;
    readBlock(offset, &value, bytes);
    return value;
  }
  void readBlock(uint64_t offset, void* to, uint64_t bytes) override {
    for (uint64_t i = offset; i < offset + bytes && i < m_reads.size(); ++i)
      static_cast<uint8_t*>(to)[i - offset] = m_reads[i]++ ? m_later[i] : m_first[i];
  }
  void write(uint64_t, uint64_t, unsigned) override { brokenRule("the driver writes to a command buffer"); }
  void writeBlock(uint64_t, const void*, uint64_t) override {
    brokenRule("the driver writes to a command buffer");
  }
  void* user() const { return m_user; }
  /// Returns the least and the most reads of its bytes from `from` on.
  std::pair<uint32_t, uint32_t> reads(size_t from) const {
    const auto [least, most] =
        std::minmax_element(m_reads.begin() + static_cast<ptrdiff_t>(from), m_reads.end());
    return {*least, *most};
  }

private:
  std::vector<uint8_t> m_first, m_later;
  std::vector<uint32_t> m_reads;
  void* m_user = nullptr;
};

/// PRIV-9: a process changes its stream while the driver checks it. Only the checked bytes run: another
/// process' buffer stays as it is.
void processChanges() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!driverChecks(adapter)) return;
  auto victim = makeSharer(adapter, 530), attacker = makeSharer(adapter, 531);
  if (!victim || !attacker) return;
  Surface surface;
  if (!makeSurface(adapter, *victim->client, *victim->context, 8, 8, surface)) return;
  const uint32_t theirs = newHandle(), own = newHandle(), bytes = static_cast<uint32_t>(surface.bytes());
  std::vector<uint32_t> content(bytes / 4, 0xFF5A5A5A);
  Stream make;
  make.createTexture(theirs, 8, 8, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).upload(theirs, 0, content.data(), bytes);
  expect(ntSuccess(victim->context->render(make.bytes(), {})), "the victim's texture");
  expect(ntSuccess(attacker->context->render(
             Stream().createTexture(own, 8, 8, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0).bytes(), {})),
         "the attacker's texture");
  const uint32_t word = 0x11111111;
  Stream harmless, attack;
  for (int i = 0; i < 400; ++i) {
    harmless.upload(own, 0, &word, sizeof word);
    attack.upload(theirs, 0, &word, sizeof word);
  }
  const auto size = static_cast<UINT>(attack.bytes().size());
  const auto render = [&](const Stream& first, const Stream& later, NTSTATUS wanted, const char* what) {
    ChangingMemory memory(first.bytes(), later.bytes());
    if (!expect(memory.user() != nullptr, "user memory")) return;
    const NTSTATUS status = attacker->context->renderRaw(memory.user(), size, {}, {});
    expect(status == wanted, "%s: 0x%08X", what, static_cast<unsigned>(status));
    const auto [least, most] = memory.reads(sizeof(aerogpu_cmd_stream_header));
    expect(least == 1 && most == 1, "%s: each byte is read once (%u to %u times)", what, least, most);
  };
  render(harmless, attack, kSuccess, "harmless when it is read");
  render(attack, harmless, kPrivilegedInstruction, "an attack when it is read");
  Stream look;
  look.copyTexture(surface.backed, theirs, 8, 8, true);
  expect(ntSuccess(victim->context->render(look.bytes(), {{surface.opened, true}})), "the victim looks");
  expect(surfaceIs(adapter, surface, 0xFF5A5A5A, 1), "its texture is untouched");
  dropSurface(adapter, *victim->client, *victim->context, surface);
  adapter.scheduler().waitIdle();
  expectNoDeviceErrors(adapter);
}

constexpr uint32_t kDeviceHandles = 1u << 18, kAllHandles = 1u << 20;

/// Makes and destroys views with consecutive handles, by streams that only the driver sees: the device has
/// limits of its own.
class UnseenViews {
public:
  static NTSTATUS make(Sharer& who, uint32_t first, uint32_t count) {
    return send<aerogpu_cmd_create_texture_view>(who, AEROGPU_CMD_CREATE_TEXTURE_VIEW, first, count);
  }
  static NTSTATUS drop(Sharer& who, uint32_t first, uint32_t count) {
    return send<aerogpu_cmd_destroy_texture_view>(who, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, first, count);
  }
  /// Makes as many views as one WDDM device may have, and expects that the driver refuses one more.
  static bool makeAll(Sharer& who, uint32_t first) {
    constexpr uint32_t kAtOnce = 1u << 14;
    for (uint32_t i = 0; i < kDeviceHandles; i += kAtOnce) {
      const NTSTATUS status = make(who, first + i, kAtOnce);
      if (!expect(ntSuccess(status), "handles from %u on (0x%08x)", i, status)) return false;
    }
    NTSTATUS status = make(who, first + kDeviceHandles, 1);
    expect(status == kNoMemory, "one more than 2^18 (0x%08x)", status);
    status = make(who, first, 1);
    return expect(ntSuccess(status), "one that the device has anew (0x%08x)", status);
  }

private:
  template <class Packet>
  static NTSTATUS send(Sharer& who, uint32_t opcode, uint32_t first, uint32_t count) {
    Stream stream;
    for (uint32_t i = 0; i < count; ++i) {
      Packet packet{};
      packet.view_handle = first + i;
      stream.writer().packet(opcode, packet);
    }
    return who.context->renderUnseen(stream.bytes());
  }
};

/// Allocates what the driver keeps for a context from its first Render on.
bool warmUp(Sharer& who, uint32_t first, uint32_t count) {
  return expect(
      ntSuccess(UnseenViews::make(who, first, count)) && ntSuccess(UnseenViews::drop(who, first, count)),
      "handles come and go");
}

/// One process takes all handles that it may have: others have room, destroyed ones are free again, and it
/// leaves nothing.
void processLimits() {
  constexpr uint32_t kFirst = 0x80000000, kOther = 0x90000000;
  setGuardedPool(false);  // a page for each handle would be 1 GiB
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!driverChecks(adapter)) return;
  auto other = makeSharer(adapter, 521);
  if (!other || !warmUp(*other, kOther, 1000)) return;
  const uint64_t pool = poolBytes();
  auto taker = makeSharer(adapter, 520);
  if (!other || !taker || !UnseenViews::makeAll(*taker, kFirst)) return;
  expect(ntSuccess(UnseenViews::make(*other, kOther, 1000)), "another process has room");
  expect(ntSuccess(UnseenViews::drop(*taker, kFirst + 5, 1)), "one is given up");
  expect(ntSuccess(UnseenViews::make(*taker, kOther + 1000, 1)), "whose room is free");
  expect(UnseenViews::make(*taker, kOther + 1001, 1) == kNoMemory, "for one");
  expect(UnseenViews::make(*other, kFirst + 6, 1) == kPrivilegedInstruction, "handles that are in use");
  terminate(std::move(taker));
  expect(ntSuccess(UnseenViews::make(*other, kFirst, 10000)), "handles of the dead");
  expect(ntSuccess(UnseenViews::drop(*other, kFirst, 10000)), "are given up");
  expect(ntSuccess(UnseenViews::drop(*other, kOther, 1000)), "and the others");
  settle(adapter, *other->context);
  expect(poolBytes() == pool, "nothing is left (%lld bytes)", static_cast<long long>(poolBytes() - pool));
  expectNoDeviceErrors(adapter);
}

/// All processes together take all handles. Takes minutes under TCG, because a bucket in the driver's table
/// then holds 256 handles.
void allHandles() {
  constexpr uint32_t kFirst = 0x80000000, kOther = 0x90000000;
  setGuardedPool(false);
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!driverChecks(adapter)) return;
  auto other = makeSharer(adapter, 524);
  if (!other || !warmUp(*other, kOther, 1)) return;
  const uint64_t pool = poolBytes();
  std::vector<std::unique_ptr<Sharer>> takers;
  for (uint32_t d = 0; d < kAllHandles / kDeviceHandles; ++d) {
    takers.push_back(makeSharer(adapter, 520 + d));
    if (!other || !takers[d] || !UnseenViews::makeAll(*takers[d], kFirst + d * kDeviceHandles)) return;
  }
  expect(UnseenViews::make(*other, kOther, 1) == kNoMemory, "one more than 2^20 in all");
  expect(ntSuccess(UnseenViews::drop(*takers[0], kFirst, 1)), "one is given up");
  expect(ntSuccess(UnseenViews::make(*other, kOther, 1)), "whose room is free");
  expect(UnseenViews::make(*takers[0], kFirst, 1) == kNoMemory, "for one");
  for (auto& taker : takers) terminate(std::move(taker));
  expect(ntSuccess(UnseenViews::drop(*other, kOther, 1)), "the last is given up");
  settle(adapter, *other->context);
  expect(poolBytes() == pool, "nothing is left (%lld bytes)", static_cast<long long>(poolBytes() - pool));
  expectNoDeviceErrors(adapter);
}

const TestCase kProcessTests[] = {
    {"process-rights", 120, processRights, Runs::kOnDemand},
    {"process-changes", 90, processChanges, Runs::kOnDemand},
    {"process-killed", 120, processKilled},
    {"process-limits", 240, processLimits, Runs::kOnDemand},
    {"all-handles", 1200, allHandles, Runs::kOnDemand},
};

}  // namespace

std::span<const TestCase> processTests() {
  return kProcessTests;
}

}  // namespace aerogpu::host
