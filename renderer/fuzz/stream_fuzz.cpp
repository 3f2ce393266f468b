// SPDX-License-Identifier: MIT
// libFuzzer target: decoder, validator and executor. The input is an allocation table and a command stream,
// as a hostile guest would submit them: u32 length of the table, the table, the stream.
// AEROGPU_FUZZ_BACKEND=vulkan runs the same inputs through Vulkan.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "renderer/testing/harness.h"

namespace {

using aerogpu::test::Harness;

Harness& harness() {
  static const std::unique_ptr<Harness> instance = [] {
    Harness::Options options;
    const char* backend = std::getenv("AEROGPU_FUZZ_BACKEND");
    options.backend = backend ? backend : "null";
    options.maxHostmem = uint64_t{64} << 20;
    options.guestBytes = uint64_t{1} << 20;
    auto h = std::make_unique<Harness>(options);
    if (!h->ok()) std::abort();
    return h;
  }();
  return *instance;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Harness& h = harness();
  uint32_t tableSize = 0;
  if (size < sizeof tableSize) return 0;
  std::memcpy(&tableSize, data, sizeof tableSize);
  std::span<const uint8_t> rest(data + sizeof tableSize, size - sizeof tableSize);
  if (tableSize > rest.size()) tableSize = static_cast<uint32_t>(rest.size());
  // Exact copies on the heap, so that the sanitizer sees a read past either end.
  const std::vector<uint8_t> table(rest.begin(), rest.begin() + tableSize);
  const std::vector<uint8_t> stream(rest.begin() + tableSize, rest.end());
  h.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, 64, 0x1000);
  h.submitRaw(stream, table);
  h.submitRaw(stream, table, 1);  // once more over what the first run left, in another context
  h.snapshotScanout();
  h.takeFrames();
  h.takeOutcomes();
  h.takeErrorLines();
  if (!aerogpu_renderer_reset(h.renderer())) std::abort();
  const aerogpu_renderer_stats stats = h.stats();
  if (stats.host_memory_bytes != 0 && std::strcmp(aerogpu_renderer_backend_name(h.renderer()), "null") == 0)
    std::abort();  // a reset gives everything back
  return 0;
}
