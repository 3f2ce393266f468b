// SPDX-License-Identifier: MIT
// A machine that holds 256 MiB of contents, 2000 textures, 500 shaders and 8 spaces is saved, loaded and made
// anew. direct_ms is a copy of as many bytes into fresh memory.
#include <cstring>
#include <string>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/bench/pair.h"

namespace aerogpu::bench {
namespace {

using test::Allocation;
using test::Harness;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kSpaces = 8, kTextures = 2000, kShaders = 500;
constexpr uint32_t kSide = 256, kRows = 131;  ///< of a texture: 256 MiB in all
constexpr uint32_t kTextureBytes = kSide * kRows * 4;
constexpr uint64_t kContents = uint64_t{kTextures} * kTextureBytes;

class Machine {
public:
  Machine() {
    if (!m_guest.ok()) return;
    const Allocation memory = m_guest.allocate(uint64_t{kTextureBytes} * kTextures / kSpaces);
    const auto texels = m_guest.bytes(memory);
    uint32_t word = 1;
    for (size_t at = 0; at + 4 <= texels.size(); at += 4) {
      word = word * 1664525 + 1013904223;
      std::memcpy(&texels[at], &word, 4);
    }
    m_ok = true;
    for (uint32_t space = 1; space <= kSpaces; ++space) {
      m_guest.space = Harness::InSpace{space};
      CommandWriter w;
      for (uint32_t i = 0; i < kTextures / kSpaces; ++i) {
        const uint32_t handle = m_guest.handle();
        Harness::createTexture(w, handle, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kRows,
                               AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, kSide * 4, i * kTextureBytes);
        packets::dirtyRange(w, handle, 0, kTextureBytes);
      }
      for (uint32_t i = space - 1; i < kShaders; i += kSpaces) {
        const auto shader =
            d3d9::assemble("ps_2_0\ndef c0, " + std::to_string(i) + ", 0, 0, 1\nmov oC0, c0\n");
        packets::createShader(w, m_guest.handle(), AEROGPU_SHADER_STAGE_PIXEL, shader.tokens);
      }
      m_ok = m_ok && m_guest.submit(w).result.error_count == 0;
    }
  }
  bool ok() const { return m_ok; }
  aerogpu_renderer* renderer() { return m_guest.renderer(); }

private:
  Harness m_guest{
      {.backend = "vulkan", .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY, .guestBytes = uint64_t{64} << 20}};
  bool m_ok = false;
};

Machine& machine() {
  static Machine instance;
  return instance;
}

/// Copies the bytes into memory that nobody has touched, in pieces.
void copy(const Bytes& from) {
  const std::unique_ptr<uint8_t[]> to(new uint8_t[from.size()]);
  std::memcpy(to.get(), from.data(), from.size());
  benchmark::DoNotOptimize(to.get()[from.size() / 2]);
}

struct Saved {
  std::unique_ptr<uint8_t[]> bytes{new uint8_t[kContents + (uint64_t{64} << 20)]};
  size_t size = 0;
};

bool save(Saved& saved) {
  const aerogpu_bytes_sink sink{sizeof sink,
                                [](void* opaque, const void* part, size_t size) {
                                  auto& all = *static_cast<Saved*>(opaque);
                                  std::memcpy(all.bytes.get() + all.size, part, size);
                                  all.size += size;
                                  return true;
                                },
                                &saved};
  char error[256] = "";
  return aerogpu_renderer_save(machine().renderer(), &sink, error, sizeof error);
}

bool load(const Saved& saved) {
  char error[256] = "";
  constexpr size_t kPart = size_t{1} << 20;
  for (size_t at = 0; at < saved.size; at += kPart)
    if (!aerogpu_renderer_load_bytes(machine().renderer(), saved.bytes.get() + at,
                                     std::min(kPart, saved.size - at), error, sizeof error))
      return false;
  return aerogpu_renderer_load_finish(machine().renderer(), nullptr, error, sizeof error);
}

/// Runs `ours` beside a copy of the machine's contents.
template <class Ours>
void besideACopy(benchmark::State& state, Ours ours) {
  if (!machine().ok()) return state.SkipWithError("no Vulkan renderer");
  const Bytes bytes(kContents, 1);
  pair(
      state, [&] { copy(bytes); },
      [&] {
        if (!ours()) state.SkipWithError("it is refused");
      });
}

void snapshotSave(benchmark::State& state) {
  besideACopy(state, [] {
    Saved saved;
    return save(saved);
  });
}

void snapshotLoad(benchmark::State& state) {
  if (!machine().ok()) return state.SkipWithError("no Vulkan renderer");
  static Saved saved;
  if (saved.size == 0 && !save(saved)) return state.SkipWithError("it cannot be saved");
  besideACopy(state, [] { return load(saved); });
}

void snapshotMove(benchmark::State& state) {
  besideACopy(state, [] {
    char error[256] = "";
    bool kept = true;
    return aerogpu_renderer_move(machine().renderer(), &kept, error, sizeof error);
  });
}

BENCHMARK(snapshotSave)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(snapshotLoad)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(snapshotMove)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aerogpu::bench
