// SPDX-License-Identifier: MIT
// aerogpu-bench: runs the renderer and equal work in direct Vulkan calls, in turns in one process. Each pair
// reports medians in milliseconds (direct_ms, ours_ms) and their ratio direct / ours: 1 is parity, more is
// faster than direct.
// --benchmark_format=json for machines.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "aerogpu/cmd_packets.hpp"
#include "aerogpu/d3d9/assembler.h"
#include "renderer/bench/pair.h"
#include "renderer/shader/translate.h"
#include "renderer/test/dxbc_builder.h"
#include "renderer/test/token_shaders.h"

namespace {

using namespace aerogpu;
using bench::direct;
using bench::DirectVk;
using bench::kHeight;
using bench::kWidth;
using bench::pair;
using bench::Scene;
using bench::scene;
using test::Harness;
/// Makes `count` small quads all over the target.
std::vector<DirectVk::Draw> smallDraws(uint32_t count, bool newConstants, bool alternate) {
  std::vector<DirectVk::Draw> draws(count);
  for (uint32_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(i % 100) / 50 - 1,
                y = std::floor(static_cast<float>(i) / 100) / 25 - 1;
    draws[i] = {{0.01f, 0.01f, x, y}, alternate ? i % 4 : 0, alternate ? i % 8 : 0, newConstants || i == 0};
  }
  return draws;
}

void drawPair(benchmark::State& state, const std::vector<DirectVk::Draw>& draws, bool blend) {
  if (!scene().ok()) {
    state.SkipWithError("no Vulkan renderer");
    return;
  }
  const CommandWriter stream = scene().frame(draws, blend);
  pair(
      state, [&] { direct().drawFrame(draws, blend); },
      [&] {
        if (!scene().run(stream)) state.SkipWithError("the frame had errors");
      });
}

void draws5000Constants(benchmark::State& state) {
  drawPair(state, smallDraws(5000, true, false), false);
}
void draws5000OneState(benchmark::State& state) {
  drawPair(state, smallDraws(5000, false, false), false);
}
void draws5000Alternating(benchmark::State& state) {
  drawPair(state, smallDraws(5000, true, true), false);
}
void fill40Blended(benchmark::State& state) {
  drawPair(state, std::vector<DirectVk::Draw>(40, DirectVk::Draw{{2, 2, -1, -1}, 0, 0, true}), true);
}
BENCHMARK(draws5000Constants)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(draws5000OneState)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(draws5000Alternating)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(fill40Blended)->UseManualTime()->Unit(benchmark::kMillisecond);

void upload64MiB(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  constexpr uint32_t kSide = 4096;
  Harness& h = scene().harness();
  bench::DirectImage image =
      direct().createImage(kSide, kSide, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  // Once for all: the library calls this function several times, and the harness never gives memory back.
  static const test::Allocation memory = h.allocate(uint64_t{kSide} * kSide * 4);
  const uint32_t texture = h.handle();
  CommandWriter create, dirty;
  Harness::createTexture(create, texture, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, kSide * 4);
  if (!scene().run(create)) return state.SkipWithError("no texture");
  packets::dirtyRange(dirty, texture, 0, memory.size);
  pair(
      state, [&] { direct().upload(image, h.bytes(memory).data()); }, [&] { scene().run(dirty); });
  direct().destroyImage(image);
  CommandWriter drop;
  packets::destroyResource(drop, texture);
  scene().run(drop);
}
BENCHMARK(upload64MiB)->UseManualTime()->Unit(benchmark::kMillisecond);

/// Uploads from a scattered allocation without two adjacent pages; direct_ms is our own upload from linear
/// memory.
void upload64MiBScattered(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  constexpr uint32_t kSide = 4096;
  Harness guest(
      {.backend = "vulkan", .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY, .guestBytes = uint64_t{160} << 20});
  if (!guest.ok()) return state.SkipWithError("no Vulkan renderer");
  const uint64_t size = uint64_t{kSide} * kSide * 4;
  const test::Allocation memory[] = {guest.allocate(size), guest.allocateScattered(size)};
  const uint32_t textures[] = {guest.handle(), guest.handle()};
  CommandWriter create, dirty[2];
  for (int i = 0; i < 2; ++i) {
    Harness::createTexture(create, textures[i], AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide,
                           AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory[i].id, kSide * 4);
    packets::dirtyRange(dirty[i], textures[i], 0, size);
  }
  if (guest.submit(create).result.error_count) return state.SkipWithError("no textures");
  pair(
      state, [&] { guest.submit(dirty[0]); }, [&] { guest.submit(dirty[1]); });
}
BENCHMARK(upload64MiBScattered)->UseManualTime()->Unit(benchmark::kMillisecond);

void readBack1080p(benchmark::State& state) {
  if (!scene().ok()) return state.SkipWithError("no Vulkan renderer");
  Harness& h = scene().harness();
  static const test::Allocation memory = h.allocate(uint64_t{kWidth} * kHeight * 4);  // once, as above
  const uint32_t staging = h.handle();
  CommandWriter create, copy;
  Harness::createTexture(create, staging, AEROGPU_FORMAT_B8G8R8A8_UNORM, kWidth, kHeight,
                         AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, kWidth * 4);
  if (!scene().run(create)) return state.SkipWithError("no texture");
  aerogpu_cmd_copy_texture2d c{};
  c.dst_texture = staging;
  c.src_texture = scene().target();
  c.width = kWidth;
  c.height = kHeight;
  c.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  copy.packet(c);
  std::vector<uint8_t> out(memory.size);
  direct().drawFrame({}, false);
  pair(
      state, [&] { direct().readBack(out.data()); }, [&] { scene().run(copy); });
  CommandWriter drop;
  packets::destroyResource(drop, staging);
  scene().run(drop);
}
BENCHMARK(readBack1080p)->UseManualTime()->Unit(benchmark::kMillisecond);

/// Counts packets decoded and executed a second over the null back end.
void decode(benchmark::State& state) {
  static Scene nullScene("null", 64, 64);
  const CommandWriter stream = nullScene.frame(smallDraws(5000, true, true), true);
  const aerogpu_renderer_stats before = nullScene.harness().stats();
  for ([[maybe_unused]] auto _ : state) nullScene.run(stream);
  const aerogpu_renderer_stats after = nullScene.harness().stats();
  state.SetItemsProcessed(static_cast<int64_t>(after.packets - before.packets));
}
BENCHMARK(decode)->Unit(benchmark::kMicrosecond);

void translate(benchmark::State& state, const std::string& text) {
  const d3d9::Assembly assembly = d3d9::assemble(text);
  if (!assembly.ok()) return state.SkipWithError(assembly.errorText().c_str());
  for ([[maybe_unused]] auto _ : state) {
    const auto program = shader::parse(assembly.tokens);
    if (!program) return state.SkipWithError(program.error().message.c_str());
    benchmark::DoNotOptimize(shader::emit(*program));
  }
  state.SetItemsProcessed(state.iterations());
}
void translateSmallVertexShader(benchmark::State& state) {
  translate(state,
            "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\nmov oD0, c4\n");
}
void translatePixelShader400(benchmark::State& state) {
  std::string text = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nmov r1, c0\n";
  for (int i = 0; i < 398; ++i) text += i % 2 ? "mad r1, r0, c1, r1\n" : "mul r0, r0, c2\n";
  translate(state, text + "add oC0, r0, r1\n");
}
BENCHMARK(translateSmallVertexShader);
BENCHMARK(translatePixelShader400);

/// Takes shaders from packet to module: two calls of the translator process. `write` writes a packet for the
/// handle, each with new code.
template <class Write>
void createShaders(benchmark::State& state, Write write) {
  Harness harness(Harness::Options{.backend = "vulkan"});
  if (!harness.ok()) {
    state.SkipWithError("no Vulkan renderer");
    return;
  }
  for ([[maybe_unused]] auto _ : state) {
    CommandWriter w;
    const uint32_t handle = harness.handle();
    write(w, handle);
    packets::destroyShader(w, handle);
    if (harness.submit(w).result.error_count != 0) {
      state.SkipWithError("the shader is refused");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
void createDxbcVertexShader(benchmark::State& state) {
  test::dxbc::Tokens code = test::dxbc::vertexCode();
  code.push_back(0);  // after the container: makes each one new
  createShaders(state, [&](CommandWriter& w, uint32_t handle) {
    ++code.back();
    packets::createShader(w, handle, AEROGPU_SHADER_STAGE_VERTEX, code);
  });
}
void createTokenVertexShader(benchmark::State& state) {
  test::dxbc::TokenShader shader = test::dxbc::vertexTokens();
  // In place of `ret`: a comment, whose number makes each one new.
  shader.tokens.pop_back();
  shader.tokens.insert(shader.tokens.end(), {0x35, 3, 0, 1u << 24 | test::dxbc::kRet});
  shader.tokens[1] = static_cast<uint32_t>(shader.tokens.size());
  createShaders(state, [&](CommandWriter& w, uint32_t handle) {
    ++*(shader.tokens.end() - 2);
    test::dxbc::createShader(w, handle, AEROGPU_SHADER_STAGE_VERTEX, shader);
  });
}
BENCHMARK(createDxbcVertexShader)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(createTokenVertexShader)->UseRealTime()->Unit(benchmark::kMicrosecond);

/// Measures an empty submission from submit to submission_done.
void emptySubmission(benchmark::State& state, const char* backend) {
  Harness h({.backend = backend});
  if (!h.ok()) return state.SkipWithError(h.createError().c_str());
  uint64_t count = 0;
  for ([[maybe_unused]] auto _ : state) {
    h.submitRaw({}, {});
    if (++count % 64 == 0) h.takeFinished();  // what was not taken is searched
  }
  h.takeFinished();
}
void emptySubmissionNull(benchmark::State& state) {
  emptySubmission(state, "null");
}
void emptySubmissionVulkan(benchmark::State& state) {
  emptySubmission(state, "vulkan");
}
BENCHMARK(emptySubmissionNull)->Iterations(50000)->UseRealTime();
BENCHMARK(emptySubmissionVulkan)->Iterations(50000)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
