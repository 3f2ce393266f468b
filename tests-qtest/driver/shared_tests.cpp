// SPDX-License-Identifier: MIT
// Tests shared surfaces: tokens and their end of life, in any order of close and destroy (EX-40 to EX-44).
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_wddm_alloc.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

namespace {

/// PRIV-3, EX-40, EX-41, EX-42, EX-43, EX-44. Creator, two openers and a witness. The witness imports, closes
/// at once and keeps its handle: the device's resource lives on, so a token that the device has forgotten was
/// released, and not lost with its resource.
class Order {
public:
  Order(Adapter& adapter, uint32_t& errors) : m_adapter(adapter), m_errors(errors) {}

  bool begin() {
    for (uint64_t i = 0; i < 4; ++i) {
      m_sharers[i] = makeSharer(m_adapter, 300 + i);
      if (!m_sharers[i]) return false;
    }
    settle(m_adapter, *witness().context);
    m_resources = deviceCounter("resources");
    m_allocation = makeShared(m_adapter);
    if (!m_allocation) return false;
    // The openers' tokens are compared with this one, which the driver gave when it made the allocation.
    m_token = shareTokenOf(m_allocation->privateData);
    const uint32_t id = allocIdOf(m_allocation->privateData);
    expect(m_token != 0, "a shared allocation has a token");
    if (!openAndExport(m_adapter, *m_sharers[0], m_allocation)) return false;
    if (!hasSpaces(m_adapter)) {
      Stream again;
      again.exportSurface(m_sharers[0]->handle, m_token);
      expect(ntSuccess(m_sharers[0]->context->render(again.bytes(), {})), "the same pair again (EX-42)");
    }
    for (Sharer* sharer : {m_sharers[1].get(), m_sharers[2].get(), &witness()}) {
      if (!openShared(*sharer, m_allocation)) return false;
      expect(ntSuccess(importShared(*sharer)), "import");
    }
    for (const auto& sharer : m_sharers)
      expect(sharer->token == m_token && allocIdOf(sharer->opened->privateData) == id,
             "process %llu reads token and id of the creation",
             static_cast<unsigned long long>(sharer->client->processId()));
    witness().client->close(witness().opened);
    expectToken(true, "while it is open");
    // With handle spaces each process has a separate handle, and so has the driver.
    expectResources(1, "all handles are of one surface");
    return expectDeviceErrors(m_adapter, m_errors);
  }

  void close(int who, bool handleFirst) {
    Sharer& o = *m_sharers[static_cast<size_t>(who)];
    if (handleFirst) expect(ntSuccess(destroyHandle(o)), "a handle goes");
    o.client->close(o.opened);
    if (!handleFirst) expect(ntSuccess(destroyHandle(o)), "a handle goes after its close");
    // The OS' own reference is left.
    expectToken(true, "after a close");
  }

  void end() {
    m_adapter.vidmm().destroy({m_allocation});
    expectToken(false, "after the last close: RELEASE_SHARED_SURFACE was sent (EX-44)");
    expectResources(1, "the witness' handle lives on");
    Stream late;
    late.importSurface(newHandle(), m_token);
    const NTSTATUS status = m_sharers[1]->context->render(late.bytes(), {});
    if (hasSpaces(m_adapter)) {
      expect(ntSuccess(status), "the driver looks at no stream (0x%08x)", status);
      m_errors++;
    } else {
      expect(status == kPrivilegedInstruction, "the driver knows it no more either (0x%08x)", status);
    }
    expect(ntSuccess(destroyHandle(witness())), "the last handle goes");
    settle(m_adapter, *witness().context);
    expectResources(0, "nothing is left");
    expectDeviceErrors(m_adapter, m_errors);
  }

private:
  Sharer& witness() { return *m_sharers[3]; }
  void expectToken(bool living, const char* when) {
    expect(deviceKnowsToken(m_adapter, *witness().context, m_token, m_errors) == living,
           "the device knows the token: %s, %s", living ? "yes" : "no", when);
  }
  void expectResources(uint64_t more, const char* what) {
    if (m_resources) expectDeviceCounter("resources", *m_resources + more, what);
  }

  Adapter& m_adapter;
  uint32_t& m_errors;
  std::unique_ptr<Sharer> m_sharers[4];
  std::shared_ptr<Allocation> m_allocation;
  uint64_t m_token = 0;
  std::optional<uint64_t> m_resources;
};

void sharedOrders() {
  Session session;
  if (!session.ok()) return;
  uint32_t errors = 0, round = 0;
  uint64_t after = 0;
  const uint64_t before = poolBytes();
  int order[] = {0, 1, 2};
  do {
    for (const bool handleFirst : {true, false}) {
      Order walk(session.adapter(), errors);
      if (!walk.begin()) return;
      for (const int who : order) walk.close(who, handleFirst);
      walk.end();
      if (++round == 2) after = poolBytes();
    }
  } while (std::next_permutation(std::begin(order), std::end(order)));
  // EX-46: repeatedly without a leak.
  expect(poolBytes() <= after + 4096, "no growth: %llu bytes before, %llu after two rounds, %llu at the end",
         static_cast<unsigned long long>(before), static_cast<unsigned long long>(after),
         static_cast<unsigned long long>(poolBytes()));
}

/// EX-44, PRIV-10: processes are killed in every order. The token ends with the last of them, and each one's
/// handles end with it.
void sharedKilled() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  uint32_t errors = 0;
  int order[] = {0, 1, 2};
  do {
    std::unique_ptr<Sharer> sharers[3];
    auto witness = makeSharer(adapter, 320);
    for (uint64_t i = 0; i < 3; ++i) sharers[i] = makeSharer(adapter, 321 + i);
    if (!witness || !sharers[0] || !sharers[1] || !sharers[2]) return;
    settle(adapter, *witness->context);
    const auto resources = deviceCounter("resources");
    const auto allocation = makeShared(adapter);
    if (!allocation || !openAndExport(adapter, *sharers[0], allocation)) return;
    for (Sharer* sharer : {sharers[1].get(), sharers[2].get(), witness.get()})
      if (!openShared(*sharer, allocation) || !expect(ntSuccess(importShared(*sharer)), "import")) return;
    const uint64_t token = witness->token;
    witness->client->close(witness->opened);
    for (size_t i = 0; i < 3; ++i) {
      terminate(std::move(sharers[order[i]]));
      const bool last = i == 2;
      expect(deviceKnowsToken(adapter, *witness->context, token, errors) == !last,
             "the token lives as long as somebody has it open (%zu of 3 are killed)", i + 1);
    }
    if (resources) expectDeviceCounter("resources", *resources + 1, "the witness' handle lives on");
    expect(ntSuccess(destroyHandle(*witness)), "the last handle goes");
    settle(adapter, *witness->context);
    expectDeviceCounter("resources", resources, "the dead leave nothing");
    if (!expectDeviceErrors(adapter, errors)) return;
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

/// One process writes to a surface, another one reads it.
void sharedPixels() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  auto producer = makeSharer(adapter, 310), consumer = makeSharer(adapter, 311);
  const auto allocation = makeShared(adapter);
  if (!producer || !consumer || !allocation) return;
  if (!openAndExport(adapter, *producer, allocation) || !openShared(*consumer, allocation)) return;
  expect(ntSuccess(importShared(*consumer)), "import");
  Surface result;
  if (!makeSurface(adapter, *consumer->client, *consumer->context, 64, 64, result)) return;
  for (uint32_t i = 0; i < 10; ++i) {
    const uint32_t color = 0xFF000000 | i * 0x080402;
    Stream draw;
    draw.target(producer->handle).clear(color).target(0);
    producer->context->render(draw.bytes(), {{producer->opened, true}});
    Stream take;
    take.copyTexture(result.backed, consumer->handle, 64, 64, true);
    consumer->context->render(take.bytes(), {{result.opened, true}, {consumer->opened, false}});
    expect(surfaceIs(adapter, result, color), "the consumer sees colour %08x", color);
  }
  dropSurface(adapter, *consumer->client, *consumer->context, result);
  for (Sharer* o : {producer.get(), consumer.get()}) {
    expect(ntSuccess(destroyHandle(*o)), "a handle goes");
    o->client->close(o->opened);
  }
  adapter.vidmm().destroy({allocation});
  settle(adapter, *producer->context);
  expectNoDeviceErrors(adapter);
}

/// EX-45: a shared resource is one allocation with one level and one layer, when it is made, when it is
/// opened, and when an allocation is added to it.
void sharedSingle() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Vidmm& vidmm = adapter.vidmm();
  const uint64_t pool = poolBytes();
  const auto texture = [](bool shared, uint32_t rows = 64) {
    auto data = texturePrivate(newAllocId(), 64, 64, D3DDDIFMT_A8R8G8B8, shared);
    aerogpu_wddm_alloc_priv_v2 priv;
    std::memcpy(&priv, data.data(), sizeof priv);
    priv.size_bytes = uint64_t{64} * 4 * rows;
    std::memcpy(data.data(), &priv, sizeof priv);
    return data;
  };
  const auto refused = [&](const char* what, const Vidmm::CreateResult& result) {
    expect(result.status == kInvalidParameter, "%s is refused (0x%08x)", what, result.status);
    if (ntSuccess(result.status)) vidmm.destroy(result.allocations);
  };
  refused("a shared one with another", vidmm.create({}, {texture(true), texture(false)}, true));
  refused("another one with a shared one", vidmm.create({}, {texture(false), texture(true)}, true));
  refused("two shared ones", vidmm.create({}, {texture(true), texture(true)}, true));
  refused("room for more levels", vidmm.create({}, {texture(true, 64 + 32)}, true));
  refused("room for six layers", vidmm.create({}, {texture(true, 64 * 6)}, true));
  for (const bool shared : {true, false}) {
    auto first = vidmm.create({}, {texture(shared)}, true);
    if (!expect(ntSuccess(first.status), "a resource (0x%08x)", first.status)) return;
    const auto resource = first.allocations[0]->resource;
    refused("a shared one more", vidmm.create({}, {texture(true)}, true, false, resource));
    auto more = vidmm.create({}, {texture(false)}, true, false, resource);
    if (shared)
      refused("one more for a shared one", more);
    else if (expect(ntSuccess(more.status), "an ordinary resource grows (0x%08x)", more.status))
      first.allocations.push_back(more.allocations[0]);
    vidmm.destroy(first.allocations);
  }
  {
    auto creator = makeSharer(adapter, 330);
    const auto one = makeShared(adapter), other = makeShared(adapter);
    if (!creator || !one || !other) return;
    expect(creator->client->open({one, other}, false).empty(), "two are not opened together");
    const auto opened = creator->client->open({one}, true);
    if (!expect(!opened.empty(), "one is")) return;
    const uint32_t id = allocIdOf(opened[0]->privateData);
    // With handle spaces such a texture concerns only its program: no other one ever sees it.
    for (const bool layers : {false, true}) {
      if (hasSpaces(adapter)) break;
      aerogpu_cmd_create_texture2d packet{};
      packet.texture_handle = newHandle();
      packet.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
      packet.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
      packet.width = packet.height = 32;
      packet.mip_levels = layers ? 1 : 2;
      packet.array_layers = layers ? 2 : 1;
      packet.row_pitch_bytes = 128;
      packet.backing_alloc_id = id;
      Stream stream;
      stream.writer().packet(packet);
      const NTSTATUS status = creator->context->render(stream.bytes(), {{opened[0], true}});
      expect(status == kPrivilegedInstruction, "a texture of two %s over it (0x%08x)",
             layers ? "layers" : "levels", status);
    }
    creator->client->closeAll();
    vidmm.destroy({one});
    vidmm.destroy({other});
    expectNoDeviceErrors(adapter);
  }
  expect(poolBytes() == pool, "nothing is left (%llu bytes)",
         static_cast<unsigned long long>(poolBytes() - pool));
}

/// A format of docs/abi/formats.md: its D3DFORMAT, the device's number and the bytes of a texel. X1R5G5B5 and
/// D16 are shared as in ABI 1.4.
struct ExtendedFormat {
  uint32_t d3d, number, bytes;
};
constexpr uint32_t fourCc(char a, char b, char c, char d) {
  return static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 8 | static_cast<uint32_t>(c) << 16 |
         static_cast<uint32_t>(d) << 24;
}
constexpr ExtendedFormat kExtendedFormats[] = {
    {20, 0x1014, 3},
    {30, 0x101E, 2},
    {26, 0x101A, 2},
    {28, 0x101C, 1},
    {31, 0x101F, 4},
    {35, 0x1023, 4},
    {34, 0x1022, 4},
    {112, 0x1070, 4},
    {36, 0x1024, 8},
    {113, 0x1071, 8},
    {50, 0x1032, 1},
    {41, 0x1032, 1},  // palette indices
    {81, 0x1051, 2},
    {51, 0x1033, 2},
    {52, 0x1034, 1},
    {60, 0x103C, 2},
    {64, 0x1040, 4},
    {61, 0x103D, 2},
    {62, 0x103E, 4},
    {63, 0x103F, 4},
    {110, 0x106E, 8},
    {67, 0x1043, 4},
    {111, 0x106F, 2},
    {114, 0x1072, 4},
    {115, 0x1073, 8},
    {116, 0x1074, 16},
    {fourCc('U', 'Y', 'V', 'Y'), 0x1205, 2},
    {fourCc('Y', 'U', 'Y', '2'), 0x1206, 2},
};
/// FMT-1: Direct3D 9's formats without a number: R3G3B2, A8R3G3B2, A8P8, P8, CxV8U8, and an unknown one.
constexpr uint32_t kNoFormats[] = {27, 29, 40, 117, 199, fourCc('N', 'O', 'N', 'E')};
constexpr uint32_t kFormatWidth = 64, kFormatHeight = 16;

std::vector<uint8_t> sharedOf(const ExtendedFormat& format) {
  auto data = texturePrivate(newAllocId(), kFormatWidth, kFormatHeight, format.d3d, true);
  aerogpu_wddm_alloc_priv_v2 priv;
  std::memcpy(&priv, data.data(), sizeof priv);
  priv.row_pitch_bytes = kFormatWidth * format.bytes;
  priv.size_bytes = uint64_t{priv.row_pitch_bytes} * kFormatHeight;
  std::memcpy(data.data(), &priv, sizeof priv);
  return data;
}

/// FMT-17: true if the capability block announces textures of the format.
bool blockHas(Adapter& adapter, uint32_t number) {
  const auto word = [&](size_t offset) {
    return adapter.registers().read(static_cast<uint32_t>(AEROGPU_EXT_REG_CAPS + offset));
  };
  const uint32_t first = word(offsetof(aerogpu_caps, formats_offset)),
                 count = word(offsetof(aerogpu_caps, format_count)),
                 stride = word(offsetof(aerogpu_caps, format_entry_bytes));
  for (uint32_t i = 0; i < count; ++i)
    if (word(first + i * stride) == number)
      return (word(first + i * stride + 4) &
              (AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_DEPTH | AEROGPU_FORMAT_CAP_BLIT_SRC)) != 0;
  return false;
}

/// Writes bytes to the surface in one process, and expects that another process reads them.
void bytesCross(Adapter& adapter, Sharer& producer, Sharer& consumer, const ExtendedFormat& format) {
  const uint32_t bytes = kFormatWidth * kFormatHeight * format.bytes;
  std::vector<uint8_t> given(bytes), read(bytes);
  for (uint32_t i = 0; i < bytes; ++i) given[i] = static_cast<uint8_t>(i * 37 + i / 256 + format.d3d);
  auto memory = adapter.vidmm().create({}, {bufferPrivate(newAllocId(), bytes)}, false);
  if (!expect(ntSuccess(memory.status), "memory (0x%08x)", memory.status)) return;
  const auto opened = consumer.client->open(memory.allocations, true);
  if (!expect(!opened.empty(), "it opens")) return;
  const uint32_t copy = newHandle();
  aerogpu_cmd_create_texture2d create{};
  create.texture_handle = copy;
  create.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
  create.format = format.number;
  create.width = kFormatWidth;
  create.height = kFormatHeight;
  create.mip_levels = create.array_layers = 1;
  create.row_pitch_bytes = kFormatWidth * format.bytes;
  create.backing_alloc_id = allocIdOf(opened[0]->privateData);
  Stream draw, take;
  draw.upload(producer.handle, 0, given.data(), given.size());
  expect(ntSuccess(producer.context->render(draw.bytes(), {{producer.opened, true}})), "an upload");
  take.writer().packet(create);
  take.copyTexture(copy, consumer.handle, kFormatWidth, kFormatHeight, true).destroy(copy);
  expect(ntSuccess(consumer.context->render(take.bytes(), {{opened[0], true}, {consumer.opened, false}})),
         "a copy");
  adapter.scheduler().waitIdle();
  adapter.vidmm().read(*memory.allocations[0], 0, read.data(), read.size());
  expect(read == given, "the other process reads all bits of format 0x%x", format.number);
  consumer.client->close(opened[0]);
  adapter.vidmm().destroy(memory.allocations);
}

/// PRIV-30, FMT-1, FMT-17: exactly the formats that the device's block announces can be shared.
void sharedFormats() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!hasSpaces(adapter) ||
      !(adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_FORMATS)) {
    skipTest("this device makes no such textures for programs");
    return;
  }
  auto producer = makeSharer(adapter, 340), consumer = makeSharer(adapter, 341);
  if (!producer || !consumer) return;
  unsigned shared = 0;
  for (const ExtendedFormat& format : kExtendedFormats) {
    const bool there = blockHas(adapter, format.number);
    auto made = adapter.vidmm().create({}, {sharedOf(format)}, true);
    expect(made.status == (there ? kSuccess : kInvalidParameter),
           "format 0x%x, which is %s, is shared (0x%08x)", format.number, there ? "there" : "not there",
           made.status);
    if (!ntSuccess(made.status)) continue;
    ++shared;
    if (openAndExport(adapter, *producer, made.allocations[0]) &&
        openShared(*consumer, made.allocations[0]) && expect(ntSuccess(importShared(*consumer)), "import"))
      bytesCross(adapter, *producer, *consumer, format);
    for (Sharer* one : {producer.get(), consumer.get()}) {
      expect(ntSuccess(destroyHandle(*one)), "a handle goes");
      one->client->close(one->opened);
    }
    adapter.vidmm().destroy(made.allocations);
    settle(adapter, *producer->context);
  }
  note("%u of %zu formats are shared", shared, std::size(kExtendedFormats));
  for (const uint32_t none : kNoFormats) {
    auto made = adapter.vidmm().create({}, {sharedOf({none, 0, 4})}, true);
    expect(made.status == kInvalidParameter, "D3DFORMAT %u is refused (0x%08x)", none, made.status);
    if (ntSuccess(made.status)) adapter.vidmm().destroy(made.allocations);
  }
  expectNoDeviceErrors(adapter);
}

/// EXT-1: a device that does not announce the formats of docs/abi/formats.md.
void sharedFormatsUnknown() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  if (!adapter.machine().breakRegister(AEROGPU_MMIO_REG_FEATURES_HI,
                                       {.readAnd = ~AEROGPU_EXT_FEATURE_HI_FORMATS})) {
    skipTest("registers cannot be changed here");
    return;
  }
  if (!session.start()) return;
  if (!hasSpaces(adapter)) {
    skipTest("programs make such textures themselves here");
    return;
  }
  for (const ExtendedFormat& format : kExtendedFormats) {
    auto made = adapter.vidmm().create({}, {sharedOf(format)}, true);
    expect(made.status == kInvalidParameter, "format 0x%x without the feature (0x%08x)", format.number,
           made.status);
    if (ntSuccess(made.status)) adapter.vidmm().destroy(made.allocations);
  }
}

const TestCase kSharedTests[] = {
    {"shared-formats", 120, sharedFormats, Runs::kBesideQemu},
    {"shared-formats-unknown", 60, sharedFormatsUnknown, Runs::kBesideQemu},
    {"shared-single", 60, sharedSingle},
    {"shared-orders", 240, sharedOrders},
    {"shared-killed", 120, sharedKilled},
    {"shared-pixels", 90, sharedPixels},
};

}  // namespace

std::span<const TestCase> sharedTests() {
  return kSharedTests;
}

}  // namespace aerogpu::host
