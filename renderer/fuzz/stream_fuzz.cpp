// SPDX-License-Identifier: MIT
// libFuzzer target: decoder, validator and executor. The input is an allocation table and a command stream,
// as a hostile guest would submit them: u32 length of the table, the table, the stream. If the length's bit
// 31 is set, handle spaces are enabled, and there may be several consecutive streams: they run in turns as
// the kernel driver's, in space 1 and in space 2. AEROGPU_FUZZ_BACKEND=vulkan runs the inputs through Vulkan,
// under its validation layer, whose messages are findings. In a process of the renderer's own, its death is
// one.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "renderer/cmd/stream.h"
#include "renderer/test/harness.h"

namespace {

using aerogpu::test::Harness;

Harness& harness() {
  static const std::unique_ptr<Harness> instance = [] {
    Harness::Options options;
    const char* backend = std::getenv("AEROGPU_FUZZ_BACKEND");
    options.backend = backend ? backend : "null";
    if (backend && std::strcmp(backend, "vulkan") == 0) options.flags = AEROGPU_RENDERER_VALIDATION;
    options.maxHostmem = uint64_t{64} << 20;
    options.guestBytes = uint64_t{1} << 20;
    auto h = std::make_unique<Harness>(options);
    if (!h->ok()) {
      std::fprintf(stderr, "stream_fuzz: %s\n", h->createError().c_str());
      std::abort();
    }
    return h;
  }();
  return *instance;
}

/// Bounds the work of each draw and dispatch: a run should try many streams, not wait for a software
/// rasteriser.
void shorten(std::vector<uint8_t>& stream) {
  auto reader = aerogpu::cmd::PacketReader::open(stream);
  if (!reader) return;
  while (!reader->atEnd()) {
    const auto packet = reader->next();
    if (!packet) return;
    const bool works = packet->opcode == AEROGPU_CMD_DRAW || packet->opcode == AEROGPU_CMD_DRAW_INDEXED ||
                       packet->opcode == AEROGPU_CMD_DISPATCH;
    if (!works) continue;
    // Counts are the first words of all three; clears the upper halves of two and the upper bytes of the
    // third.
    const size_t words = std::min<size_t>(3, packet->bytes.size() / 4 - 2);
    const uint32_t masks[] = {0xFFF, 0xFF, packet->opcode == AEROGPU_CMD_DISPATCH ? 0xFu : ~0u};
    for (size_t i = 0; i < words; ++i) {
      uint8_t* at = stream.data() + packet->offset + sizeof(aerogpu_cmd_hdr) + i * 4;
      uint32_t word;
      std::memcpy(&word, at, sizeof word);
      word &= masks[i];
      std::memcpy(at, &word, sizeof word);
    }
  }
}

/// Splits `bytes` into streams, each as long as its header says; the last one has the rest.
std::vector<std::vector<uint8_t>> split(std::span<const uint8_t> bytes) {
  constexpr size_t kMost = 16;
  std::vector<std::vector<uint8_t>> streams;
  while (!bytes.empty()) {
    std::vector<uint8_t>& stream = streams.emplace_back(bytes.begin(), bytes.end());
    if (const auto reader = aerogpu::cmd::PacketReader::open(stream); reader && streams.size() < kMost)
      stream.resize(reader->sizeBytes());
    bytes = bytes.subspan(stream.size());
  }
  return streams;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Harness& h = harness();
  uint32_t tableSize = 0;
  if (size < sizeof tableSize) return 0;
  std::memcpy(&tableSize, data, sizeof tableSize);
  std::span<const uint8_t> rest(data + sizeof tableSize, size - sizeof tableSize);
  const bool spaces = tableSize >> 31 != 0;
  tableSize &= 0x7FFFFFFF;
  if (tableSize > rest.size()) tableSize = static_cast<uint32_t>(rest.size());
  // Exact copies on the heap, so that the sanitizer sees a read past either end.
  const std::vector<uint8_t> table(rest.begin(), rest.begin() + tableSize);
  rest = rest.subspan(tableSize);
  const bool vulkan = std::strcmp(aerogpu_renderer_backend_name(h.renderer()), "vulkan") == 0;
  if (spaces) {
    h.showAllocation(1);
    uint32_t turn = 0;
    for (std::vector<uint8_t>& stream : split(rest)) {
      if (vulkan) shorten(stream);
      h.space = turn % 3 == 0 ? Harness::kKernel : Harness::InSpace{turn % 3};
      h.submitRaw(stream, table);
      ++turn;
    }
    h.space.reset();
  } else {
    std::vector<uint8_t> stream(rest.begin(), rest.end());
    if (vulkan) shorten(stream);
    h.setScanout(AEROGPU_FORMAT_B8G8R8X8_UNORM, 16, 16, 64, 0x1000);
    h.submitRaw(stream, table);
    h.submitRaw(stream, table, 1);  // again over the remains of the first run, in another context
  }
  h.snapshotScanout();
  h.takeFrames();
  h.takeFinished();
  for (const std::string& line : h.takeErrorLines()) {
    if (line.rfind("validation: ", 0) != 0) continue;
    std::fprintf(stderr, "stream_fuzz: %s\n", line.c_str());
    std::abort();
  }
  aerogpu_renderer_process process{};
  process.struct_size = sizeof process;
  if (aerogpu_renderer_get_process(h.renderer(), &process); process.deaths != 0) {
    std::fprintf(stderr, "stream_fuzz: %s\n", process.last_death);
    std::abort();
  }
  if (!aerogpu_renderer_reset(h.renderer())) std::abort();
  const aerogpu_renderer_stats stats = h.stats();
  if (stats.host_memory_bytes != 0 && !vulkan) std::abort();  // a reset gives everything back
  return 0;
}
