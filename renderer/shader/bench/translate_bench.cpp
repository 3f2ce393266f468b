// SPDX-License-Identifier: MIT
// Google Benchmark: shaders translated per second (parse and emit), for a small vertex shader and a pixel
// shader of 400 instructions; public figures of other translators use these sizes.
#include <benchmark/benchmark.h>

#include <string>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/shader/translate.h"

namespace {

using namespace aerogpu;

std::string smallVertexShader() {
  return "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_color v2\nm4x4 oPos, v0, c0\nmov oT0, v1\nmov oD0, "
         "v2\n";
}

std::string longPixelShader() {
  std::string s = "ps_3_0\ndcl_texcoord v0\ndcl_color v1\ndcl_2d s0\ntexld r0, v0, s0\n";
  for (int i = 0; i < 99; ++i) {
    const std::string c = "c" + std::to_string(i % 32);
    s.append("mad r1, r0, ").append(c).append(", v1\ndp3_sat r2.x, r1, ").append(c);
    s.append("\nlrp r3, r2.x, r1.wzyx, -r0\nadd r0.xyz, r3, r1\n");
  }
  return s + "mov oC0, r0\n";
}

void translate(benchmark::State& state, const std::string& source) {
  const auto code = d3d9::assemble(source);
  const bool pixel = code.tokens[0] >> 16 == 0xFFFF;
  const std::vector<shader::Varying> linked = {{d3d9::Usage::TexCoord, 0, 0, 15},
                                               {d3d9::Usage::Color, 0, 1, 15}};
  shader::EmitOptions options;
  if (pixel) options.linkedOutputs = linked;
  for ([[maybe_unused]] auto _ : state) {
    const auto program = shader::parse(code.tokens);
    auto module = shader::emit(*program, options);
    benchmark::DoNotOptimize(module->words.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_SmallVertexShader(benchmark::State& state) {
  translate(state, smallVertexShader());
}
void BM_PixelShader400(benchmark::State& state) {
  translate(state, longPixelShader());
}
BENCHMARK(BM_SmallVertexShader);
BENCHMARK(BM_PixelShader400);

}  // namespace

BENCHMARK_MAIN();
