// SPDX-License-Identifier: MIT
// Tests illegal calls: they are refused, and harm nothing. Covers what user mode can cause (pointers,
// streams, private data) and what the documentation tells a driver to check.
#include <sys/mman.h>

#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc.h"
#include "testbed/kernel/core/fault.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

void userPointers(Adapter& adapter, Client& client, Context& context) {
  const uint64_t before = adapter.scheduler().submitted();
  void* const device = adapter.machine().map(1, 0, 4096);
  // Not mapped, kernel addresses, unaligned at a hole, the last user page.
  for (const uintptr_t address :
       {uintptr_t{0}, uintptr_t{0x5000}, kUserProbeAddress - 0x10000, kUserProbeAddress,
        reinterpret_cast<uintptr_t>(device), byWidth(0xFFFFF80000000000, 0xC0000000), UINTPTR_MAX - 64,
        byWidth(0x8000000000000000, 0x80000000)}) {
    const NTSTATUS status = context.renderRaw(pointerTo(address), 256, {}, {});
    expect(!ntSuccess(status), "a command buffer at 0x%llx is refused (0x%08x)",
           static_cast<unsigned long long>(address), status);
  }
  adapter.machine().unmap(device, 4096);
  expect(adapter.scheduler().submitted() == before, "what is refused is not submitted");
  // A buffer that ends in a hole.
  auto* page = static_cast<uint8_t*>(allocateUserMemory(4096));
  Stream stream;
  stream.flush();
  std::memcpy(page + 4096 - stream.bytes().size(), stream.bytes().data(), stream.bytes().size());
  auto* at = page + 4096 - stream.bytes().size();
  // A length past the mapped page: either answer is right, because the header determines how much is read.
  (void)context.renderRaw(at, static_cast<UINT>(stream.bytes().size()) + 64, {}, {});
  aerogpu_cmd_stream_header header;
  std::memcpy(&header, at, sizeof header);
  header.size_bytes += 64;
  std::memcpy(at, &header, sizeof header);
  expect(!ntSuccess(context.renderRaw(at, header.size_bytes, {}, {})),
         "a stream that runs into a hole is refused");
  expect(!ntSuccess(context.renderRaw(page, 0, {}, {})), "a command buffer of 0 bytes is refused");
  expect(!ntSuccess(context.renderRaw(page, 3, {}, {})), "a command buffer of 3 bytes is refused");
  expect(!ntSuccess(context.renderRaw(page, UINT32_MAX, {}, {})), "a command buffer of 4 GiB is refused");
  freeUserMemory(page, 4096);
  expectRendering(adapter, client, context, 0xFFABCDEF);
}

void streams(Adapter& adapter, Client& client, Context& context) {
  const auto refused = [&](std::vector<uint8_t> bytes, const char* what) {
    const NTSTATUS status = context.render(bytes, {});
    expect(!ntSuccess(status), "%s is refused (0x%08x)", what, status);
  };
  Stream good;
  good.flush();
  const std::vector<uint8_t> bytes(good.bytes().begin(), good.bytes().end());
  expect(ntSuccess(context.render(bytes, {})), "the good stream is taken");
  auto bad = bytes;
  bad[0] ^= 1;
  refused(bad, "a wrong magic");
  bad = bytes;
  bad[6] ^= 1;
  refused(bad, "another major version");
  const auto patch = [&](size_t at, uint32_t value) {
    auto changed = bytes;
    std::memcpy(changed.data() + at, &value, 4);
    return changed;
  };
  constexpr size_t kSize = offsetof(aerogpu_cmd_stream_header, size_bytes),
                   kPacket = sizeof(aerogpu_cmd_stream_header);
  refused(patch(kSize, 8), "a stream shorter than its header");
  refused(patch(kSize, static_cast<uint32_t>(bytes.size()) + 4), "a stream longer than its buffer");
  refused(patch(kSize, 0xFFFFFFFC), "a stream of 4 GiB");
  // Errors inside the stream: driver or device, whichever checks it, finds the error, and nothing of it runs.
  const auto inside = [&](std::vector<uint8_t> bad, const char* what) {
    if (!hasSpaces(adapter)) return refused(std::move(bad), what);
    adapter.scheduler().waitIdle();
    const uint32_t before = deviceErrors(adapter);
    expect(ntSuccess(context.render(bad, {})) && adapter.scheduler().waitIdle(), "%s is taken", what);
    expect(deviceErrors(adapter) == before + 1, "the device refuses %s (%u)", what,
           deviceErrors(adapter) - before);
  };
  inside(patch(kPacket + 4, 0), "a packet of 0 bytes");
  inside(patch(kPacket + 4, 4), "a packet shorter than its header");
  inside(patch(kPacket + 4, 7), "a packet of 7 bytes");
  inside(patch(kPacket + 4, 0x10000), "a packet past the end");
  if (!hasSpaces(adapter)) {  // PRIV-12; the device skips unknown packets (CMD-4)
    refused(patch(kPacket, 0x7FFF), "an opcode that nobody knows");
    refused(patch(kPacket, 0xFFFF), "an extension that nobody knows");
  }
  Stream release;
  aerogpu_cmd_release_shared_surface packet{};
  packet.share_token = 1;
  release.writer().packet(packet);
  inside({release.bytes().begin(), release.bytes().end()}, "RELEASE_SHARED_SURFACE from user mode");
  // Random bytes after a good header: any answer but a fault, and the adapter continues.
  Random random(options().seed);
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<uint8_t> noise(sizeof(aerogpu_cmd_stream_header) + size_t{4} * (1 + random.below(64)));
    for (size_t k = 0; k < noise.size(); ++k) noise[k] = static_cast<uint8_t>(random.next());
    std::memcpy(noise.data(), bytes.data(), sizeof(aerogpu_cmd_stream_header));
    const auto size = static_cast<uint32_t>(noise.size());
    std::memcpy(noise.data() + kSize, &size, 4);
    if (random.below(2) && noise.size() >= kPacket + 8) {
      const uint32_t first = 4 * (2 + random.below(4));
      std::memcpy(noise.data() + kPacket + 4, &first, 4);
    }
    context.render(noise, {});
  }
  expect(adapter.scheduler().waitIdle(), "nothing hangs");
  expectRendering(adapter, client, context, 0xFF123456);
}

/// PRIV-2, PRIV-4, EX-47.
void privateData() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const auto refused = [&](std::vector<uint8_t> data, const char* what) {
    auto result = adapter.vidmm().create({}, {std::move(data)}, false);
    expect(result.status == kInvalidParameter, "%s is refused (0x%08x)", what, result.status);
    if (ntSuccess(result.status)) adapter.vidmm().destroy(result.allocations);
  };
  const uint64_t pool = poolBytes();
  const std::vector<uint8_t> good = texturePrivate(newAllocId(), 64, 64, D3DDDIFMT_A8R8G8B8);
  refused({}, "no private data");
  for (const size_t size : {size_t{1}, size_t{8}, size_t{39}})
    refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}, "short private data");
  auto bad = good;
  bad[0] ^= 1;
  refused(bad, "a wrong magic");
  bad = good;
  bad[4] = 9;
  refused(bad, "an unknown version");
  const auto with = [&](auto change) {
    aerogpu_wddm_alloc_priv_v2 priv;
    std::memcpy(&priv, good.data(), sizeof priv);
    priv.alloc_id = newAllocId();
    change(priv);
    std::vector<uint8_t> data(sizeof priv);
    std::memcpy(data.data(), &priv, sizeof priv);
    return data;
  };
  refused(with([](auto& p) { p.size_bytes = 0; }), "a size of 0");
  refused(with([](auto& p) { p.size_bytes = UINT64_MAX; }), "a size of 2^64 - 1");
  refused(with([](auto& p) { p.size_bytes = uint64_t{1} << 40; }), "a size of 1 TiB");
  refused(with([](auto& p) { p.alloc_id = 0x80000001; }), "an id of the kernel driver's range");
  refused(with([](auto& p) { p.alloc_id = 0xFFFFFFFF; }), "the last id of it");
  auto chosen = adapter.vidmm().create({}, {with([](auto& p) { p.alloc_id = 0; })}, false);
  if (expect(ntSuccess(chosen.status), "no id (0x%08x)", chosen.status)) {
    const uint32_t id = allocIdOf(chosen.allocations[0]->privateData);
    expect(id >= AEROGPU_WDDM_ALLOC_ID_KMD_MIN, "the driver chooses one of its own (0x%08x)", id);
    adapter.vidmm().destroy(chosen.allocations);
  }
  // An id that is in use.
  auto first = adapter.vidmm().create({}, {good}, false);
  expect(ntSuccess(first.status), "the good data are taken");
  if (!hasSpaces(adapter)) {
    refused(good, "an id that lives already");
  } else if (auto second = adapter.vidmm().create({}, {good}, false);
             expect(ntSuccess(second.status), "the same wish again (0x%08x)", second.status)) {
    // PRIV-4: the driver chooses ids there.
    const uint32_t one = allocIdOf(first.allocations[0]->privateData),
                   two = allocIdOf(second.allocations[0]->privateData);
    expect(one >= AEROGPU_WDDM_ALLOC_ID_KMD_MIN && two >= AEROGPU_WDDM_ALLOC_ID_KMD_MIN && one != two,
           "both are the driver's (0x%08x, 0x%08x)", one, two);
    adapter.vidmm().destroy(second.allocations);
  }
  adapter.vidmm().destroy(first.allocations);
  expect(poolBytes() == pool, "refusals leave no pool behind");
}

void handles(Adapter& adapter, Client& client, Context&) {
  // Handles that user mode cannot forge, but that a confused caller may pass: of another kind, or destroyed.
  DXGKARG_RENDER render{};
  NTSTATUS status =
      callDdi("DxgkDdiRender", kPassiveLevel, adapter.ddi.DxgkDdiRender, client.device(), &render);
  expect(!ntSuccess(status), "a device where a context belongs is refused");
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = static_cast<DXGK_QUERYADAPTERINFOTYPE>(77);
  status = callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel, adapter.ddi.DxgkDdiQueryAdapterInfo,
                   adapter.context(), &query);
  expect(!ntSuccess(status), "an unknown query is refused");
  uint8_t small[4];
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = small;
  query.OutputDataSize = sizeof small;
  status = callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel, adapter.ddi.DxgkDdiQueryAdapterInfo,
                   adapter.context(), &query);
  expect(!ntSuccess(status), "a short buffer is refused");
  status = callDdi("DxgkDdiControlInterrupt", kPassiveLevel, adapter.ddi.DxgkDdiControlInterrupt,
                   adapter.context(), DXGK_INTERRUPT_DMA_COMPLETED, static_cast<BOOLEAN>(1));
  expect(status == kNotImplemented,
         "DxgkDdiControlInterrupt of another type is STATUS_NOT_IMPLEMENTED (0x%08x)", status);
  DXGKARG_SETVIDPNSOURCEVISIBILITY visibility{7, TRUE};
  status = callDdi("DxgkDdiSetVidPnSourceVisibility", kPassiveLevel,
                   adapter.ddi.DxgkDdiSetVidPnSourceVisibility, adapter.context(), &visibility);
  expect(!ntSuccess(status), "an unknown source is refused");
}

const TestCase kRefusalTests[] = {
    {"user-pointers", 60, inProcess<userPointers>},
    {"streams", 60, inProcess<streams>},
    {"private-data", 60, privateData, Runs::kBesideQemu},
    {"handles", 60, inProcess<handles>},
};

}  // namespace

std::span<const TestCase> refusalTests() {
  return kRefusalTests;
}

}  // namespace aerogpu::host
