// SPDX-License-Identifier: MIT
// Benchmarks of streams: vertices, small draws, parts of textures, read-backs, short-lived resources.
#include <cmath>
#include <cstring>

#include "renderer/bench/pair.h"

namespace aerogpu::bench {
namespace {

using test::Allocation;
using test::Harness;

constexpr uint32_t kDraws = 200, kDrawBytes = 1024, kDrawVertices = 60;
constexpr uint32_t kQuads = 2000, kQuadBytes = sizeof kQuad;

/// Makes small quads, `perDraw` in each `bytes`, all over the target.
std::vector<uint8_t> vertices(uint32_t draws, uint32_t bytes, uint32_t perDraw) {
  std::vector<uint8_t> out(size_t{draws} * bytes);
  for (uint32_t i = 0; i < draws * perDraw; ++i) {
    float quad[6][4];
    std::memcpy(quad, kQuad, sizeof quad);
    const float x = static_cast<float>(i % 50) / 25 - 1, y = static_cast<float>(i / 50 % 50) / 25 - 1;
    for (auto& v : quad) {
      v[0] = x + v[0] * 0.02f;
      v[1] = y + v[1] * 0.02f;
    }
    std::memcpy(out.data() + size_t{i / perDraw} * bytes + i % perDraw * sizeof quad, quad, sizeof quad);
  }
  return out;
}

/// Returns guest memory with the streamed draws' vertices; made once, the harness never gives memory back.
const Allocation& streamMemory() {
  static const Allocation memory = [] {
    Allocation made = scene().harness().allocate(uint64_t{16} << 20);
    const auto bytes = vertices(kDraws, kDrawBytes, kDrawVertices / 6);
    std::ranges::copy(bytes, scene().harness().bytes(made).begin());
    return made;
  }();
  return memory;
}

std::vector<DirectVk::StreamedDraw> streamedDraws() {
  const uint8_t* bytes = scene().harness().bytes(streamMemory()).data();
  std::vector<DirectVk::StreamedDraw> draws(kDraws);
  for (uint32_t i = 0; i < kDraws; ++i)
    draws[i] = {bytes + size_t{i} * kDrawBytes, kDrawBytes, kDrawVertices};
  return draws;
}

enum class Manner {
  NoOverwrite,  ///< each draw's vertices follow the previous draw's, promised not to be in use
  Discard,      ///< always at the beginning, the rest is not needed any more
  Dirty,        ///< like NoOverwrite, by dirty ranges of ABI 1.4
  DirtyInUse,   ///< like Discard, by dirty ranges
};

void stream(benchmark::State& state, Manner manner) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  Harness& h = scene().harness();
  const auto size = static_cast<uint64_t>(state.range(0)) << 10;
  const Allocation& memory = streamMemory();
  const uint32_t buffer = h.handle();
  CommandWriter create, frame;
  packets::createBuffer(create, buffer, size, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, memory.id);
  if (!scene().run(create)) return state.SkipWithError("no buffer");
  scene().setOneState(frame);
  packets::setVertexBuffer(frame, 0, buffer, sizeof kQuad[0]);
  for (uint32_t i = 0; i < kDraws; ++i) {
    const bool forward = manner == Manner::NoOverwrite || manner == Manner::Dirty;
    const uint64_t at = forward ? uint64_t{i} * kDrawBytes % size : 0;
    if (manner == Manner::Dirty || manner == Manner::DirtyInUse) {
      packets::dirtyRange(frame, buffer, at, kDrawBytes);
    } else {
      frame.packet(aerogpu_cmd_ext_update_buffer{
          .buffer = buffer,
          .flags = uint32_t{manner == Manner::Discard ? AEROGPU_EXT_UPDATE_DISCARD
                                                      : AEROGPU_EXT_UPDATE_NO_OVERWRITE},
          .dst_offset_bytes = at,
          .size_bytes = kDrawBytes,
          .src_alloc_id = memory.id,
          .src_offset_bytes = uint64_t{i} * kDrawBytes});
    }
    packets::draw(frame, kDrawVertices, 1, static_cast<uint32_t>(at / sizeof kQuad[0]));
  }
  const auto draws = streamedDraws();
  pair(
      state, [&] { direct().streamFrame(draws, manner == Manner::Discard || manner == Manner::DirtyInUse); },
      [&] {
        if (!scene().run(frame)) state.SkipWithError("the frame had errors");
      });
  CommandWriter drop;
  packets::destroyResource(drop, buffer);
  scene().run(drop);
}

void streamNoOverwrite(benchmark::State& state) {
  stream(state, Manner::NoOverwrite);
}
void streamDiscard(benchmark::State& state) {
  stream(state, Manner::Discard);
}
void streamDirty(benchmark::State& state) {
  stream(state, Manner::Dirty);
}
void streamDirtyInUse(benchmark::State& state) {
  stream(state, Manner::DirtyInUse);
}
BENCHMARK(streamNoOverwrite)->Arg(256)->Arg(1024)->Arg(16384)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(streamDiscard)->Arg(256)->Arg(1024)->Arg(16384)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(streamDirty)->Arg(256)->Arg(1024)->Arg(16384)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(streamDirtyInUse)->Arg(256)->Arg(1024)->Arg(16384)->UseManualTime()->Unit(benchmark::kMillisecond);

void inlineQuads(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  const auto bytes = vertices(kQuads, kQuadBytes, 1);
  std::vector<DirectVk::StreamedDraw> draws(kQuads);
  CommandWriter frame;
  scene().setOneState(frame);
  for (uint32_t i = 0; i < kQuads; ++i) {
    draws[i] = {bytes.data() + size_t{i} * kQuadBytes, kQuadBytes, 6};
    frame.packetWithTail(
        AEROGPU_CMD_EXT_DRAW_INLINE,
        aerogpu_cmd_ext_draw_inline{.vertex_count = 6, .vertex_stride_bytes = sizeof kQuad[0]},
        draws[i].vertices, kQuadBytes);
  }
  pair(
      state, [&] { direct().streamFrame(draws, false); },
      [&] {
        if (!scene().run(frame)) state.SkipWithError("the frame had errors");
      });
}
BENCHMARK(inlineQuads)->UseManualTime()->Unit(benchmark::kMillisecond);

/// Measures 200 updates of 32x32 texels of a texture of 1024x1024, each with a draw of it after. `inOrder`:
/// direct Vulkan keeps the order that packets without a promise ask for.
void updateTexture(benchmark::State& state, uint32_t flags, bool inOrder) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  constexpr uint32_t kSide = 1024, kBox = 32, kPerRow = kSide / kBox;
  Harness& h = scene().harness();
  const Allocation& memory = streamMemory();
  static DirectImage image = [] {
    DirectImage made =
        direct().createImage(kSide, kSide, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    direct().upload(made, std::vector<uint8_t>(size_t{kSide} * kSide * 4).data());
    return made;
  }();
  const uint32_t texture = h.handle(), quad = h.handle();
  CommandWriter create, frame;
  Harness::createTexture(create, texture, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_TEXTURE);
  packets::createBuffer(create, quad, kQuadBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(create, quad, 0, {h.bytes(memory).data(), kQuadBytes});
  if (!scene().run(create)) return state.SkipWithError("no texture");
  scene().setOneState(frame, texture);
  packets::setVertexBuffer(frame, 0, quad, sizeof kQuad[0]);
  for (uint32_t i = 0; i < kDraws; ++i) {
    frame.packet(aerogpu_cmd_ext_update_texture{.texture = texture,
                                                .flags = flags,
                                                .x = i % kPerRow * kBox,
                                                .y = i / kPerRow * kBox,
                                                .width = kBox,
                                                .height = kBox,
                                                .depth = 1,
                                                .src_alloc_id = memory.id,
                                                .src_row_pitch_bytes = kBox * 4,
                                                .src_offset_bytes = uint64_t{i} * kBox * kBox * 4});
    packets::draw(frame, 6, 1, 0);
  }
  direct().setVertices({h.bytes(memory).data(), kQuadBytes});
  pair(
      state,
      [&] {
        const uint8_t* bytes = h.bytes(memory).data();
        if (inOrder)
          direct().updateFrameInOrder(image, kBox, kDraws, bytes);
        else
          direct().updateFrame(image, kBox, kDraws, bytes);
      },
      [&] {
        if (!scene().run(frame)) state.SkipWithError("the frame had errors");
      });
  CommandWriter drop;
  packets::destroyResource(drop, texture);
  packets::destroyResource(drop, quad);
  scene().run(drop);
}
void updateTextureNoOverwrite(benchmark::State& state) {
  updateTexture(state, AEROGPU_EXT_UPDATE_NO_OVERWRITE, false);
}
void updateTexturePlain(benchmark::State& state) {
  updateTexture(state, 0, true);
}
BENCHMARK(updateTextureNoOverwrite)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(updateTexturePlain)->UseManualTime()->Unit(benchmark::kMillisecond);

void readBox(benchmark::State& state, uint32_t width, uint32_t height) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  const Allocation& memory = streamMemory();
  CommandWriter read;
  read.packet(aerogpu_cmd_ext_read_texture{.texture = scene().target(),
                                           .width = width,
                                           .height = height,
                                           .depth = 1,
                                           .dst_alloc_id = memory.id,
                                           .dst_row_pitch_bytes = width * 4,
                                           .dst_offset_bytes = 4u << 20});
  std::vector<uint8_t> out(size_t{width} * height * 4);
  direct().drawFrame({}, false);
  pair(
      state, [&] { direct().readBox(0, 0, width, height, out.data()); }, [&] { scene().run(read); });
}
void readBox64(benchmark::State& state) {
  readBox(state, 64, 64);
}
void readTexture1080p(benchmark::State& state) {
  readBox(state, kWidth, kHeight);
}
BENCHMARK(readBox64)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(readTexture1080p)->UseManualTime()->Unit(benchmark::kMillisecond);

void createAndDestroy1000(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  Harness& h = scene().harness();
  CommandWriter w;
  std::vector<uint32_t> handles(1000);
  for (uint32_t& handle : handles) {
    handle = h.handle();
    Harness::createTexture(w, handle, AEROGPU_FORMAT_B8G8R8A8_UNORM, 64, 64, AEROGPU_RESOURCE_USAGE_TEXTURE);
  }
  for (const uint32_t handle : handles) packets::destroyResource(w, handle);
  pair(
      state, [&] { direct().createAndDestroy(1000, 64); },
      [&] {
        if (!scene().run(w)) state.SkipWithError("errors");
      });
}
BENCHMARK(createAndDestroy1000)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aerogpu::bench
