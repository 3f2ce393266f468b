// SPDX-License-Identifier: MIT
// Tests parse() and emit(): reflection, what is refused and why, damaged streams; validates every module.
#include "renderer/shader/translate.h"

#include <gtest/gtest.h>

#include <random>

#include "renderer/shader/spirv/spirv_builder.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

using d3d9::Usage;
using test::module;
using test::program;
using test::tokens;

std::string refusal(std::span<const uint32_t> stream) {
  const auto p = parse(stream);
  EXPECT_FALSE(p.ok());
  return p.ok() ? "" : p.error().message;
}
std::string refusal(std::string_view source) {
  return refusal(tokens(source));
}

constexpr const char* kVertexShaders[] = {
    "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0.xy, v1\nmov oD0, c4\nmov oFog, "
    "c5.x\n",
    "vs_1_1\ndcl_position v0\nmov a0.x, v0.x\nexpp r0, v0.x\nlogp r1, v0.y\nadd oPos, c[a0.x + 2], r0\nmov "
    "oPts, r1\n",
    "vs_2_0\ndcl_position v0\ndcl_blendindices v1\nmova a0, v1\ndef c9, 1, 2, 3, 4\nadd r0, c[a0.y + 3], c9\n"
    "m3x4 r1, v0, c[a0.w + 10]\nmad oPos, r0, r1, -c[a0.x]\nlit r2, v0\ndst oD1, v0, r2\nsgn r3, v0, r4, r5\n"
    "sincos r6.xy, r3.x, c20, c21\nmov oT7, r6\n",
    "vs_2_0\ndcl_position v0\ndefi i1, 3, 1, 2, 0\nmov r0, c0\nif b3\nadd r0, r0, v0\nelse\nif_lt r0.x, "
    "v0.y\nmov r0, -r0\n"
    "endif\nendif\nloop aL, i0\nrep i1\nadd r0, r0, c[aL]\nbreak_gt r0.x, c1.x\nendrep\ncall l0\nendloop\n"
    "callnz l1, !b0\nmov oPos, r0\nret\nlabel l0\nmul r0, r0, c[aL + 2]\ncall l1\nret\nlabel l1\nmov r1, "
    "r0\nret\n",
    "vs_3_0\ndcl_position v0\ndcl_color v3\ndcl_2d s1\ndcl_position o0\ndcl_texcoord1 o1.xy\ndcl_texcoord2 "
    "o1.zw\n"
    "dcl_color o2.xyz\ndcl_psize o3.y\ndcl_fog o4.x\ndcl_texcoord5 o5\nloop aL, i0\nmov o[aL + 1], "
    "v[aL]\nendloop\n"
    "texldl r0, v0, s1.wzyx\nsetp_ge p0, r0, v3\n(p0) mov o0, v0\n(!p0.x) add_sat r0.yz, r0, v3\nmov o2.xyz, "
    "r0\nmov o3.y, c0.x\n"
    "if p0.w\nmov o4.x, r0\nendif\nmov o5, r0_abs\n",
    "vs_2_0\nmov oPos, c255\n",
};

constexpr const char* kPixelShaders[] = {
    "ps_2_0\ndcl t0.xy\ndcl v0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, v0\nmov oC0, r0\n",
    "ps_2_0\ndcl t0\ndcl t1\ndcl_pp v1\ndcl_cube s1\ndcl_volume s15\ntexldp r0, t0, s1\ntexldb r1, t1, s15\n"
    "texkill r0\nlrp_sat r0, v1, r0, r1\nmov oC0, r0\nmov oC3, r1\nmov oDepth, r0.x\n",
    "ps_2_x\ndcl t0\ndcl_2d s0\ndsx r0, t0\ndsy r1, t0\ntexldd r2, t0, s0, r0, r1\nsetp_gt p0, r2, c0\n"
    "(p0.x) texkill r2\nif p0.y\nmov r2, c1\nelse\nrep i0\nadd r2, r2, c2\nbreakp p0.z\nendrep\nendif\nmov "
    "oC0, r2\n",
    "ps_3_0\ndcl_texcoord v0.xy\ndcl_texcoord1_centroid v0.zw\ndcl_color v1\ndcl_fog v2.x\ndcl_2d s0\ndcl "
    "vPos.xy\ndcl vFace\n"
    "texldl r0, v0, s0\nmul r0, r0, v1\nif_gt r0.x, c0.x\ntexld r1, v0, s0\nmov r0, r1\nendif\ncmp r0, "
    "vFace, r0, -r0\n"
    "add r0.xy, r0, vPos\nmov oC0, r0\nmov oC1, v2.x\n",
    "ps_3_0\ndcl_texcoord v0\ndcl_texcoord3 v3\nmov r0, c0\nloop aL, i2\nif b1\nbreak\nadd r0, r0, "
    "c1\nendif\nadd r0, r0, v[aL]\n"
    "if_ne r0.x, r0.y\nbreak\nelse\nbreak\nendif\nadd r0, r0, c3\nendloop\nmov_sat oC0, r0\n",
};

constexpr const char* kPixelShaders1[] = {
    "ps_1_1\ndef c0, 2, 0.5, 0, 1\ntex t0\ntexcoord t1\ntexkill t2\nmul_x2_sat r0.rgb, t0_bx2, v0\n+mov "
    "r0.a, r0.b\n"
    "mad_d4 r1, 1-t1, c0, -v1_bias\ncnd r0, r0.a, r1, t0\n",
    "ps_1_2\ntex t0\ntexm3x3pad t1, t0_bx2\ntexm3x3pad t2, t0_bx2\ntexm3x3vspec t3, t0_bx2\nmov r0, t3\n",
    "ps_1_3\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3spec t3, t0, c1\ndp4 r0, t3, t0\ncmp r0, "
    "r0, t3, t0\n",
    "ps_1_3\ntex t0\ntexreg2ar t1, t0\ntexreg2gb t2, t0\ntexreg2rgb t3, t0\nadd r0, t1, t2\n",
    "ps_1_3\ntex t0\ntexdp3 t1, t0\ntexdp3tex t2, t0\nadd r0, t1, t2\n",
    "ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, t0\n",
    "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2\n",
    "ps_1_4\ntexcrd r0.xyz, t0\ntexcrd r1.xy, t1_dw.xyw\nphase\ntexld r2, r0_dz\ntexld r3, t3\nmov r5.r, r2\n"
    "texdepth r5\nadd r0, r2, r3\n",
};

using Sources = std::span<const char* const>;

TEST(Emit, VertexShadersValidate) {
  for (const char* source : kVertexShaders) {
    SCOPED_TRACE(source);
    module(program(source));
    EmitOptions planes;
    planes.clipPlaneCount = 6;
    module(program(source), planes);
  }
}

// Vulkan 1.3, "PointSize": a pipeline without points need not write it.
TEST(Emit, PointSizeIsWrittenForPointsOnly) {
  const auto writes = [](const Module& made) {
    for (size_t at = 5; at < made.words.size(); at += made.words[at] >> 16) {
      const std::span<const uint32_t> words(made.words.data() + at, made.words[at] >> 16);
      if ((words[0] & 0xFFFF) == static_cast<uint32_t>(spv::Op::OpDecorate) && words.size() == 4 &&
          words[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
          words[3] == static_cast<uint32_t>(spv::BuiltIn::PointSize))
        return true;
    }
    return false;
  };
  for (const char* source : kVertexShaders) {
    SCOPED_TRACE(source);
    EmitOptions options;
    EXPECT_TRUE(writes(module(program(source), options)));
    options.points = false;
    EXPECT_FALSE(writes(module(program(source), options)));
  }
}

TEST(Emit, PixelShadersValidateAgainstEverySignature) {
  for (const char* source : kPixelShaders) {
    SCOPED_TRACE(source);
    const Program ps = program(source);
    module(ps);
    for (const char* vertex : kVertexShaders) {
      const Program vs = program(vertex);
      EmitOptions options;
      options.linkedOutputs = vs.info().outputs;
      module(ps, options);
      options.flatShade = true;
      options.decodedSamplers = 0xFFFF;
      module(ps, options);
      options.gatheredSamplers = 0x5555FFFF;
      module(ps, options);
      options.shadowSamplers = 0xFFFF;
      module(ps, options);
    }
  }
}

TEST(Emit, PixelShaders1Validate) {
  for (const char* source : kPixelShaders1) {
    SCOPED_TRACE(source);
    const Program ps = program(source);
    EXPECT_EQ(ps.info().colorOutputMask, 1);
    module(ps);
    const Program vs = program(kVertexShaders[0]);
    EmitOptions options;
    options.linkedOutputs = vs.info().outputs;
    options.samplerTypes[0] = d3d9::SamplerType::TextureVolume;
    options.gatheredSamplers = 0xFFFF;
    module(ps, options);
    options.shadowSamplers = 0xFFFE;
    module(ps, options);
  }
  EXPECT_EQ(program(kPixelShaders1[1]).info().samplerMask, 0b1001u);
  EXPECT_EQ(program(kPixelShaders1[1]).info().samplerTypes[3], d3d9::SamplerType::TextureCube);
  EXPECT_TRUE(program(kPixelShaders1[5]).info().writesDepth);
}

TEST(Reflection, FixedOutputs) {
  const ShaderInfo info = program(kVertexShaders[0]).info();
  EXPECT_EQ(info.inputs, (std::vector<Varying>{{Usage::Position, 0, 0, 15}, {Usage::TexCoord, 0, 1, 15}}));
  EXPECT_EQ(info.outputs, (std::vector<Varying>{
                              {Usage::Color, 0, 0, 15}, {Usage::TexCoord, 0, 1, 15}, {Usage::Fog, 0, 2, 1}}));
  EXPECT_EQ(info.constants.floatCount, 6u);
  EXPECT_EQ(info.constants.sizeBytes(), 96u);
  EXPECT_FALSE(info.constants.relative);
  EXPECT_FALSE(info.writesPointSize);
}

TEST(Reflection, DeclaredOutputs) {
  const ShaderInfo info = program(kVertexShaders[4]).info();
  EXPECT_EQ(info.outputs, (std::vector<Varying>{{Usage::TexCoord, 1, 0, 3},
                                                {Usage::TexCoord, 2, 1, 12},
                                                {Usage::Color, 0, 2, 7},
                                                {Usage::Fog, 0, 3, 1},
                                                {Usage::TexCoord, 5, 4, 15}}));
  EXPECT_TRUE(info.writesPointSize);
  EXPECT_EQ(info.samplerMask, 2u);
  EXPECT_EQ(info.samplerTypes[1], d3d9::SamplerType::Texture2D);
  EXPECT_EQ(info.constants.intCount, 1u);
}

TEST(Reflection, Constants) {
  const ShaderInfo info = program(kVertexShaders[3]).info();
  EXPECT_TRUE(info.constants.relative);
  EXPECT_EQ(info.constants.floatCount, 256u);
  EXPECT_EQ(info.constants.intCount, 1u);  // i1 is defined by the shader
  EXPECT_EQ(info.constants.boolMask, 1u << 3 | 1u << 0);
  const ShaderInfo relative = program(kVertexShaders[2]).info();
  ASSERT_EQ(relative.constants.definitions.size(), 1u);
  EXPECT_EQ(relative.constants.definitions[0].index, 9u);
}

TEST(Reflection, PixelOutputs) {
  const ShaderInfo info = program(kPixelShaders[1]).info();
  EXPECT_EQ(info.colorOutputMask, 0b1001);
  EXPECT_TRUE(info.writesDepth);
  EXPECT_TRUE(info.usesKill);
  EXPECT_EQ(info.samplerMask, 1u << 1 | 1u << 15);
  EXPECT_EQ(info.samplerTypes[15], d3d9::SamplerType::TextureVolume);
  EXPECT_EQ(info.constants.floatCount, 0u);
}

/// Executed instructions and samples, by the slots of the pages "Instructions - ps_3_0" and "- vs_3_0".
// LIM-9
TEST(Reflection, Cost) {
  const struct {
    const char* source;
    uint64_t instructions, samples;
  } cases[] = {
      {"ps_2_0\ndcl t0.xy\ndcl v0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, v0\nmov oC0, r0\n", 3, 1},
      {"vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c0\nnrm r0, v0\npow r1, r0.x, r0.y\n", 4 + 3 + 3, 0},
      // Both branches.
      {"ps_2_x\ndef c0, 1, 1, 1, 1\nif b0\nmov r0, c0\nelse\nmov r0, -c0\nendif\nmov oC0, r0\n", 3 + 3, 0},
      // A loop of three rounds; one whose rounds the program sets later, 255 at most.
      {"ps_3_0\ndefi i0, 3, 0, 0, 0\ndcl_2d s0\nmov r0, c0\nrep i0\ntexldl r0, r0, s0\nendrep\nmov oC0, r0\n",
       2 + 3, 3},
      {"ps_3_0\nmov r0, c0\nrep i0\nadd r0, r0, c0\nendrep\nmov oC0, r0\n", 2 + 255, 0},
      // Loops in a loop end after 65536 rounds together.
      {"ps_3_0\nmov r0, c0\nrep i0\nrep i0\nrep i0\nadd r0, r0, c0\nendrep\nendrep\nendrep\nmov oC0, r0\n",
       2 + 65536, 0},
      // A subroutine, called twice.
      {"vs_2_0\ndcl_position v0\nmov r0, v0\ncall l0\ncall l0\nmov oPos, r0\nret\nlabel l0\nadd r0, r0, r0\n"
       "add r0, r0, r0\nret\n",
       2 + 2 * 2, 0},
  };
  for (const auto& c : cases) {
    const ShaderCost cost = program(c.source).info().cost;
    // Ends of blocks and returns may count too.
    EXPECT_GE(cost.instructions, c.instructions) << c.source;
    EXPECT_LE(cost.instructions, c.instructions + 6) << c.source;
    EXPECT_EQ(cost.samples, c.samples) << c.source;
  }
}

TEST(Interface, WriteConstants) {
  const ConstantLayout layout =
      program(
          "vs_2_0\ndcl_position v0\ndefi i5, 1, 2, 3, 4\ndef c1, 5, 6, 7, 8\nmova a0, v0\n"
          "mov oPos, c[a0.x]\nrep i0\nendrep\n")
          .info()
          .constants;
  ASSERT_EQ(layout.sizeBytes(), 257u * 16);
  std::vector<float> floats(1024, 1.0f), out(size_t{257} * 4);
  const int32_t ints[4] = {9, 8, 7, 6};
  writeConstants(layout, floats.data(), ints, nullptr, out.data());
  EXPECT_EQ(out[3], 1.0f);
  EXPECT_EQ(out[4], 5.0f);
  EXPECT_EQ(out[7], 8.0f);
  EXPECT_EQ(std::bit_cast<int32_t>(out[1024]), 9);
}

/// Streams from Microsoft's compiler hold parts that are not translated.
TEST(Parse, CommentsAndScratchRegisters) {
  auto stream = tokens(
      "vs_3_0\ndcl_position v0\ndcl_position o0\nsgn r0, v0, r1, r2\nsincos r1.xy, r0.x\nmov o0, r1\n");
  const auto plain = emit(*parse(stream));
  stream.insert(stream.begin() + 1, {0x0003FFFE, 0x42415443, 0x02000001, 0xFFFF});  // "CTAB" and two words
  const auto commented = parse(stream);
  ASSERT_TRUE(commented.ok());
  EXPECT_EQ(emit(*commented)->words, plain->words);
}

// SHADER-4, SHADER-14
TEST(Parse, Models10AreRead) {
  for (const char* text :
       {"vs_1_1\ndcl_position v0\nmov oPos, v0\n", "ps_1_1\ntex t0\nmul_x2 r0, t0, v0\n"}) {
    auto stream = tokens(text);
    const auto next = emit(*parse(stream));
    stream[0] = (stream[0] & 0xFFFF0000u) | 0x0100;
    const auto first = parse(stream);
    ASSERT_TRUE(first.ok()) << text << first.error().message;
    EXPECT_EQ(emit(*first)->words, next->words) << text;
  }
}

// SHADER-15
TEST(Parse, SamplersThatAreNotDeclaredAreOfTwoDimensions) {
  const std::string sample = "dcl t0.xy\ntexld r0, t0, s2\nmov oC0, r0\n";
  const auto declared = parse(tokens("ps_2_0\ndcl_2d s2\n" + sample)),
             other = parse(tokens("ps_2_0\n" + sample));
  ASSERT_TRUE(declared.ok());
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_EQ(other->info().samplerTypes[2], d3d9::SamplerType::Texture2D);
  EXPECT_EQ(other->info().samplerMask, 4u);
  EXPECT_EQ(emit(*other)->words, emit(*declared)->words);
}

TEST(Refusal, NamesTheInstruction) {
  EXPECT_EQ(refusal("vs_3_sw\nnop"), "shader model vs_3_255 is not supported");
  EXPECT_EQ(refusal("ps_1_4\ntexld r0, t0\nbem r1, r0, r0\nmov r0, r1"), "bem: result has only r and g");
  EXPECT_EQ(refusal("ps_1_4\ntexld r0, t0\nmov r1.rgb, r0\n+bem r1.rg, r0, r0\nmov r0, r1"),
            "bem: cannot be co-issued");
  EXPECT_EQ(refusal("ps_1_1\ntexm3x3tex t1, t0"), "texm3x3tex: needs two texm3x3pad before it");
  EXPECT_EQ(refusal("ps_2_0\nadd r0, r1, v1"), "add: input register 1 is not declared");
  EXPECT_EQ(refusal("vs_2_0\nelse"), "else: without if");
  EXPECT_EQ(refusal("vs_2_0\nif b0"), "a block has no end");
  EXPECT_EQ(refusal("vs_2_0\nrep i0\nendloop\nendrep"), "endloop: without loop");
  EXPECT_EQ(refusal("vs_2_0\nbreak"), "break: outside of a loop");
  EXPECT_EQ(refusal("vs_2_0\ncall l3\nret"), "call: no label l3");
  EXPECT_EQ(refusal("vs_2_0\ncall l0\nret\nlabel l0\ncall l1\nret\nlabel l1\ncall l0\nret"),
            "call: recursion");
  EXPECT_EQ(refusal("vs_2_0\nmov r0, c[aL]"), "mov: aL outside of a loop");
  EXPECT_EQ(refusal("vs_2_0\nmov r0, c256"), "mov: register c256 is out of range");
  EXPECT_EQ(refusal("vs_2_0\nm4x4 r0, r1, c253"), "m4x4: matrix runs past the last register");
  EXPECT_EQ(refusal(std::vector<uint32_t>{0xFFFE0200, 0x01000031, 0, 0xFFFF}), "unknown opcode 49");
  EXPECT_EQ(refusal(std::vector<uint32_t>{0xFFFE0200, 0x02000001, 0x800F0000}), "mov: runs past the end");
  EXPECT_EQ(refusal(std::vector<uint32_t>{0xFFFE0200, 0x03000001, 0x800F0000, 0x80E40000, 0, 0xFFFF}),
            "mov: has operands left over");
  EXPECT_EQ(refusal(std::vector<uint32_t>{0xFFFE0200}), "stream has no end token");
  EXPECT_EQ(refusal(std::vector<uint32_t>{}), "empty stream");
  EXPECT_EQ(refusal(std::vector<uint32_t>{0x43425844}), "not a D3D9 token stream");
  const auto p = parse(tokens("vs_2_0\nnop\nbreak"));
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.error().tokenOffset, 2u);
}

TEST(Refusal, Limits) {
  std::string deep = "vs_2_0\n";
  for (int i = 0; i < 65; ++i) deep += "if b0\n";
  EXPECT_EQ(refusal(deep), "if: blocks nest too deep");
  // Each of 30 subroutines calls the next one twice: 2^30 copies for a driver that inlines.
  std::string calls = "vs_2_0\ncall l0\nret\n";
  for (int i = 0; i < 30; ++i) {
    const std::string next = "call l" + std::to_string(i + 1) + "\n";
    calls.append("label l").append(std::to_string(i)).append("\n").append(next).append(next).append("ret\n");
  }
  EXPECT_EQ(refusal(calls + "label l30\nmov r0, c0\nret\n"), "call: the subroutines expand to too much code");
  std::vector<uint32_t> longStream(kMaxTokens + 2, 0);
  longStream[0] = 0xFFFE0200;
  longStream.back() = 0xFFFF;
  EXPECT_EQ(refusal(longStream), "more than 65536 tokens");
}

/// D3DCAPS9: no model 3 part has fewer slots, and more would compile for minutes.
// LIM-12
TEST(Refusal, MoreSlotsThanAGpuCompilesInTime) {
  const auto slots = [](uint32_t moves, uint32_t matrices) {
    std::string source = "vs_3_0\ndcl_position v0\ndcl_position o0\n";
    for (uint32_t i = 0; i < moves; ++i) source += "mov r0, v0\n";
    for (uint32_t i = 0; i < matrices; ++i) source += "m4x4 r1, v0, c0\n";
    return source + "mov o0, v0\n";
  };
  EXPECT_TRUE(parse(tokens(slots(kMaxSlots - 1, 0))).ok());
  EXPECT_TRUE(parse(tokens(slots(kMaxSlots - 5, 1))).ok());
  EXPECT_EQ(refusal(slots(kMaxSlots, 0)), "513 instruction slots, 512 are possible");
  EXPECT_EQ(refusal(slots(kMaxSlots - 4, 1)), "513 instruction slots, 512 are possible");
}

TEST(Options, OutOfRangeIsAnError) {
  EmitOptions options;
  options.clipPlaneCount = 7;
  EXPECT_FALSE(emit(program(kVertexShaders[0]), options).ok());
  const std::vector<Varying> far = {{Usage::Color, 0, 16, 15}};
  options = {};
  options.linkedOutputs = far;
  EXPECT_FALSE(emit(program(kPixelShaders[0]), options).ok());
}

TEST(Robustness, TruncatedStreams) {
  for (const auto& list : {Sources(kVertexShaders), Sources(kPixelShaders), Sources(kPixelShaders1)})
    for (const char* source : list) {
      const auto all = tokens(source);
      for (size_t n = 0; n < all.size(); ++n) EXPECT_FALSE(parse(std::span(all).first(n)).ok());
    }
}

/// Whatever parse() accepts must give a valid module, even if the stream is damaged.
TEST(Robustness, DamagedStreams) {
  std::mt19937 rng(7);
  uint32_t accepted = 0;
  for (const auto& list : {Sources(kVertexShaders), Sources(kPixelShaders), Sources(kPixelShaders1)})
    for (const char* source : list) {
      const auto all = tokens(source);
      for (int i = 0; i < 3000; ++i) {
        auto damaged = all;
        for (uint32_t k = rng() % 3 + 1; k; --k) damaged[rng() % damaged.size()] ^= 1u << rng() % 32;
        const auto p = parse(damaged);
        if (!p.ok()) continue;
        const auto m = emit(*p);
        ASSERT_TRUE(m.ok());
        if (++accepted % 16 == 0) {
          ASSERT_EQ(test::validate(m->words), "");
        }
      }
    }
  EXPECT_GT(accepted, 100u);
}

}  // namespace
}  // namespace aerogpu::shader
