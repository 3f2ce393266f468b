// SPDX-License-Identifier: MIT
// The rewriter of loops: each form of structured flow, by hand and at random. SPIRV-Tools' validator judges
// the results, and the small interpreter of test/spirv_run.h runs them, with the word set and cleared.
#include "renderer/shader/spirv/spirv_loops.h"

#include <random>

#include "renderer/shader/test/spirv_run.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader {
namespace {

using test::runSpirv;
using test::SpirvRun;
using test::validate;
using Words = std::vector<uint32_t>;

constexpr LoopGuard kGuard{3, 7, 16};
constexpr LoopGuard kGuards[] = {kGuard, {3, 7, 1}};

// Ids below 60 are the frame's; %50 to %52 are the shader's own words, read and written.
const std::string kHead = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = OpTypeBool
%6 = OpTypePointer Private %4
%7 = OpTypeFunction %4 %4
%10 = OpConstant %4 0
%11 = OpConstant %4 1
%12 = OpConstant %4 2
%13 = OpConstant %4 3
%14 = OpConstant %4 5
%15 = OpConstant %4 7
%16 = OpConstant %4 100
%17 = OpConstantTrue %5
%50 = OpVariable %6 Private %10
%51 = OpVariable %6 Private %10
%52 = OpVariable %6 Private %10
)";
const std::string kMain = "%1 = OpFunction %2 None %3\n%60 = OpLabel\n";
const std::string kEnd = "OpReturn\nOpFunctionEnd\n";

Words assemble(const std::string& text, spv_target_env env = SPV_ENV_UNIVERSAL_1_0) {
  return test::assemble(text, env);
}

Words guarded(const Words& words, uint32_t loops, const LoopGuard& guard = kGuard) {
  auto out = guardLoops(words, guard);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().detail);
  if (!out) return {};
  EXPECT_EQ(out->loops, loops);
  EXPECT_EQ(validate(out->words), "");
  return out->words;
}

/// Expects that `body` with guarded loops is a valid module, gives the same results while the word is not 0,
/// and ends soon after the word becomes 0.
void expectSame(const std::string& body, uint32_t loops, uint32_t wantedResult) {
  const Words plain = assemble(kHead + kMain + body + kEnd);
  ASSERT_EQ(validate(plain), "") << body;
  const SpirvRun wanted = runSpirv(plain, 50, false);
  ASSERT_TRUE(wanted.ended);
  EXPECT_EQ(wanted.result, wantedResult);
  for (const LoopGuard& guard : kGuards) {
    const Words words = guarded(plain, loops, guard);
    const SpirvRun got = runSpirv(words, 50, false);
    EXPECT_TRUE(got.ended);
    EXPECT_EQ(got.result, wanted.result);
    EXPECT_EQ(got.looks, (got.iterations + guard.interval - 1) / guard.interval);
    const SpirvRun stopped = runSpirv(words, 50, true);
    EXPECT_TRUE(stopped.ended);
    EXPECT_EQ(stopped.iterations, 1u) << "the first iteration looks";
  }
}

/// Expects a loop that only the word ends.
void expectEnds(const std::string& body, uint32_t loops) {
  const Words plain = assemble(kHead + kMain + body + kEnd);
  ASSERT_EQ(validate(plain), "") << body;
  ASSERT_FALSE(runSpirv(plain, 50, false).ended);
  const Words words = guarded(plain, loops);
  EXPECT_FALSE(runSpirv(words, 50, false).ended);
  EXPECT_TRUE(runSpirv(words, 50, true).ended);
  const SpirvRun later = runSpirv(words, 50, true, 5000);  // after it ran for long
  EXPECT_TRUE(later.ended);
  EXPECT_LT(later.iterationsAfter, kGuard.interval + 1);
}

TEST(SpirvLoops, ANamedModuleWithoutLoopsStaysAsItIs) {
  const Words plain = assemble(kHead + kMain + kEnd);
  auto out = guardLoops(plain, kGuard);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->loops, 0u);
  EXPECT_EQ(out->words, plain);
}

TEST(SpirvLoops, HeaderThatLeavesTheLoop) {
  // for (i = 0; i < 100; ++i) a += 2;
  expectSame(R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %63
%72 = OpULessThan %5 %70 %16
OpLoopMerge %64 %63 None
OpBranchConditional %72 %62 %64
%62 = OpLabel
%73 = OpLoad %4 %50
%74 = OpIAdd %4 %73 %12
OpStore %50 %74
OpBranch %63
%63 = OpLabel
%71 = OpIAdd %4 %70 %11
OpBranch %61
%64 = OpLabel
)",
             1, 200);
}

TEST(SpirvLoops, HeaderThatGoesIntoTheLoopAndAPhiAfterIt) {
  // The merge block's phi names blocks of the body, not the header.
  expectSame(R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %63
OpLoopMerge %64 %63 None
OpBranch %62
%62 = OpLabel
%75 = OpPhi %4 %70 %61
%72 = OpUGreaterThanEqual %5 %75 %16
OpSelectionMerge %65 None
OpBranchConditional %72 %66 %65
%66 = OpLabel
OpBranch %64
%65 = OpLabel
OpBranch %63
%63 = OpLabel
%71 = OpIAdd %4 %70 %13
OpBranch %61
%64 = OpLabel
%76 = OpPhi %4 %75 %66
OpStore %50 %76
)",
             1, 102);
}

TEST(SpirvLoops, BothWaysOfTheHeaderLeadIntoTheLoop) {
  expectSame(R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %63
%77 = OpBitwiseAnd %4 %70 %11
%72 = OpIEqual %5 %77 %10
OpLoopMerge %64 %63 None
OpBranchConditional %72 %62 %65
%62 = OpLabel
OpBranch %66
%65 = OpLabel
OpBranch %66
%66 = OpLabel
%78 = OpPhi %4 %12 %62 %14 %65
%79 = OpLoad %4 %50
%80 = OpIAdd %4 %79 %78
OpStore %50 %80
OpBranch %63
%63 = OpLabel
%71 = OpIAdd %4 %70 %11
%81 = OpULessThan %5 %71 %16
OpBranchConditional %81 %61 %64
%64 = OpLabel
)",
             1, 350);
}

TEST(SpirvLoops, AHeaderWithTheSameTargetTwice) {
  expectSame(R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %63
OpLoopMerge %64 %63 None
OpBranchConditional %17 %63 %63
%63 = OpLabel
%75 = OpPhi %4 %70 %61
%71 = OpIAdd %4 %75 %11
OpStore %50 %71
%81 = OpULessThan %5 %71 %16
OpBranchConditional %81 %61 %64
%64 = OpLabel
)",
             1, 100);
}

TEST(SpirvLoops, OneBlockIsTheWholeLoop) {
  expectSame(R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %61
%71 = OpIAdd %4 %70 %11
%81 = OpULessThan %5 %71 %16
OpLoopMerge %64 %61 None
OpBranchConditional %81 %61 %64
%64 = OpLabel
%82 = OpPhi %4 %71 %61
OpStore %50 %82
)",
             1, 100);
}

TEST(SpirvLoops, SwitchWithAContinueAndABreakInside) {
  expectSame(R"(OpBranch %61
%61 = OpLabel
OpLoopMerge %64 %63 None
OpBranch %62
%62 = OpLabel
%70 = OpLoad %4 %51
%71 = OpIAdd %4 %70 %11
OpStore %51 %71
%77 = OpBitwiseAnd %4 %71 %15
OpSelectionMerge %69 None
OpSwitch %77 %65 1 %66 2 %67 7 %68
%66 = OpLabel
OpBranch %63
%67 = OpLabel
%90 = OpLoad %4 %50
%91 = OpIAdd %4 %90 %14
OpStore %50 %91
OpBranch %69
%68 = OpLabel
%92 = OpUGreaterThan %5 %71 %16
OpSelectionMerge %93 None
OpBranchConditional %92 %94 %93
%94 = OpLabel
OpBranch %64
%93 = OpLabel
OpBranch %69
%65 = OpLabel
OpBranch %69
%69 = OpLabel
OpBranch %63
%63 = OpLabel
OpBranch %61
%64 = OpLabel
)",
             1, 65);  // 2, 10, 18 ... 98: 13 times 5, until 103
}

TEST(SpirvLoops, NestedLoopsShareTheCount) {
  const std::string body = R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %63
%72 = OpULessThan %5 %70 %15
OpLoopMerge %64 %63 None
OpBranchConditional %72 %62 %64
%62 = OpLabel
OpBranch %161
%161 = OpLabel
%170 = OpPhi %4 %10 %62 %171 %163
%172 = OpULessThan %5 %170 %14
OpLoopMerge %164 %163 None
OpBranchConditional %172 %162 %164
%162 = OpLabel
%73 = OpLoad %4 %50
%74 = OpIAdd %4 %73 %11
OpStore %50 %74
OpBranch %163
%163 = OpLabel
%171 = OpIAdd %4 %170 %11
OpBranch %161
%164 = OpLabel
OpBranch %63
%63 = OpLabel
%71 = OpIAdd %4 %70 %11
OpBranch %61
%64 = OpLabel
)";
  expectSame(body, 2, 35);
}

TEST(SpirvLoops, LoopsWithoutAnEnd) {
  expectEnds(R"(OpBranch %61
%61 = OpLabel
OpLoopMerge %64 %63 None
OpBranch %62
%62 = OpLabel
OpBranch %63
%63 = OpLabel
OpBranch %61
%64 = OpLabel
)",
             1);
  expectEnds(R"(OpBranch %61
%61 = OpLabel
OpLoopMerge %64 %61 None
OpBranch %61
%64 = OpLabel
)",
             1);
  expectEnds(R"(OpBranch %61
%61 = OpLabel
OpLoopMerge %64 %63 None
OpBranchConditional %17 %63 %64
%63 = OpLabel
OpBranch %61
%64 = OpLabel
)",
             1);
}

TEST(SpirvLoops, ALoopInAFunctionThatReturnsAValue) {
  const std::string callee = R"(%20 = OpFunction %4 None %7
%21 = OpFunctionParameter %4
%22 = OpLabel
OpBranch %23
%23 = OpLabel
%24 = OpPhi %4 %10 %22 %25 %26
%27 = OpULessThan %5 %24 %21
OpLoopMerge %28 %26 None
OpBranchConditional %27 %26 %28
%26 = OpLabel
%25 = OpIAdd %4 %24 %13
OpBranch %23
%28 = OpLabel
OpReturnValue %24
OpFunctionEnd
)";
  const Words plain =
      assemble(kHead + callee + kMain + "%70 = OpFunctionCall %4 %20 %16\nOpStore %50 %70\n" + kEnd);
  ASSERT_EQ(validate(plain), "");
  const Words words = guarded(plain, 1);
  EXPECT_EQ(runSpirv(words, 50, false).result, 102u);
  EXPECT_TRUE(runSpirv(words, 50, true).ended);
}

TEST(SpirvLoops, EachVersionHasItsKindOfStorageBuffer) {
  const std::string body = R"(OpBranch %61
%61 = OpLabel
OpLoopMerge %64 %61 None
OpBranch %61
%64 = OpLabel
)";
  for (const spv_target_env env : {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
                                   SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6}) {
    std::string text = kHead + kMain + body + kEnd;
    if (env >= SPV_ENV_UNIVERSAL_1_4) text.replace(text.find("\"main\""), 6, "\"main\" %50 %51 %52");
    const Words plain = assemble(text, env);
    ASSERT_EQ(validate(plain), "");
    guarded(plain, 1);
    guarded(plain, 1, {0, 0, 1});
  }
}

TEST(SpirvLoops, WhatIsNotStructuredIsRefused) {
  const auto refused = [](const std::string& body, const std::string& why) {
    const auto out = guardLoops(assemble(kHead + kMain + body), kGuard);
    ASSERT_FALSE(out.ok()) << body;
    EXPECT_EQ(out.error().code, ErrorCode::CmdDecode);
    EXPECT_EQ(out.error().detail, why);
  };
  refused("OpBranch %61\n%61 = OpLabel\nOpBranch %61\nOpFunctionEnd\n", "a loop without a header");
  refused("OpBranch %61\n%61 = OpLabel\nOpBranch %62\n%62 = OpLabel\nOpSwitch %10 %62 1 %61\nOpFunctionEnd\n",
          "a loop without a header");
  refused(
      "OpBranch %61\n%61 = OpLabel\nOpLoopMerge %64 %63 None\nOpBranch %61\n%63 = OpLabel\nOpBranch %61\n"
      "%64 = OpLabel\nOpReturn\nOpFunctionEnd\n",
      "a header that branches to itself");
  refused("OpBranch %99\nOpFunctionEnd\n", "a branch out of the function");
  refused("OpReturn\n%61 = OpLabel\nOpFunctionEnd\n", "a function without an end");
  refused("OpReturn\n", "a function without an end");
}

TEST(SpirvLoops, DamagedModulesDoNoHarm) {
  const Words good = assemble(kHead + kMain + R"(OpBranch %61
%61 = OpLabel
%70 = OpPhi %4 %10 %60 %71 %61
%71 = OpIAdd %4 %70 %11
%81 = OpULessThan %5 %71 %16
OpLoopMerge %64 %61 None
OpBranchConditional %81 %61 %64
%64 = OpLabel
)" + kEnd);
  for (size_t size = 0; size < good.size(); ++size) (void)guardLoops(std::span(good).first(size), kGuard);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    Words bad = good;
    for (uint32_t n = 1 + random() % 3; n; --n) {
      uint32_t& word = bad[random() % bad.size()];
      word = random() % 2 ? good[random() % good.size()] : word ^ 1u << (random() % 32);
    }
    (void)guardLoops(bad, kGuard);
  }
}

/// Makes structured programs that end: nested loops of all forms, conditions, switches, breaks, continues.
class Generator {
public:
  explicit Generator(uint32_t seed) : m_random(seed) {}
  uint32_t loops = 0;

  std::string program() {
    m_current = 60;
    m_text.clear();
    statements(0, 0, 0, 3);
    return m_text;
  }

private:
  uint32_t id() { return m_next++; }
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(m_random() % n); }
  static std::string r(uint32_t id) { return "%" + std::to_string(id); }
  void line(const std::string& text) { m_text += text + "\n"; }
  void label(uint32_t id) {
    line(r(id) + " = OpLabel");
    m_current = id;
  }
  uint32_t value(const std::string& text) {
    const uint32_t result = id();
    line(r(result) + " = " + text);
    return result;
  }
  uint32_t load(uint32_t variable) { return value("OpLoad %4 " + r(variable)); }
  uint32_t word() { return 50 + pick(3); }
  /// Returns a condition that is true now and then.
  uint32_t condition() {
    const uint32_t low = value("OpBitwiseAnd %4 " + r(load(word())) + " " + r(11 + pick(5)));
    return value("OpIEqual %5 " + r(low) + " " + r(10 + pick(3)));
  }
  void assign() {
    const uint32_t sum = value("OpIAdd %4 " + r(load(word())) + " " + r(load(word())));
    const uint32_t more = value("OpIAdd %4 " + r(sum) + " " + r(11 + pick(5)));
    line("OpStore " + r(word()) + " " + r(more));
  }

  void statements(uint32_t breakTo, uint32_t continueTo, uint32_t depth, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t kind = pick(depth >= 4 ? 2 : 7);
      if (kind < 2)
        assign();
      else if (kind == 2)
        conditional(breakTo, continueTo, depth);
      else if (kind == 3)
        choice(depth);
      else
        loop(depth);
    }
  }
  void conditional(uint32_t breakTo, uint32_t continueTo, uint32_t depth) {
    const uint32_t c = condition(), yes = id(), merge = id();
    line("OpSelectionMerge " + r(merge) + " None");
    line("OpBranchConditional " + r(c) + " " + r(yes) + " " + r(merge));
    const uint32_t before = m_current;
    label(yes);
    assign();
    const uint32_t leave = breakTo ? pick(4) : 4;
    if (leave == 0) {
      line("OpBranch " + r(breakTo));
    } else if (leave == 1) {
      line("OpBranch " + r(continueTo));
    } else {
      statements(breakTo, continueTo, depth + 1, 1 + pick(2));
      line("OpBranch " + r(merge));
    }
    const uint32_t last = m_current;
    label(merge);
    if (leave > 1) {
      const uint32_t phi = value("OpPhi %4 %12 " + r(before) + " %14 " + r(last));
      line("OpStore " + r(word()) + " " + r(phi));
    }
  }
  void choice(uint32_t depth) {
    const uint32_t selector = value("OpBitwiseAnd %4 " + r(load(word())) + " %13");
    const uint32_t a = id(), b = id(), merge = id();
    line("OpSelectionMerge " + r(merge) + " None");
    line("OpSwitch " + r(selector) + " " + r(merge) + " 1 " + r(a) + " 2 " + r(b));
    for (const uint32_t one : {a, b}) {
      label(one);
      statements(0, 0, depth + 1, 1);
      line("OpBranch " + r(merge));
    }
    label(merge);
  }
  void loop(uint32_t depth) {
    ++loops;
    const uint32_t header = id(), body = id(), next = id(), merge = id(), counter = id(), after = id();
    const uint32_t form = pick(4);
    const std::string limit = r(12 + pick(3));
    line("OpBranch " + r(header));
    const uint32_t before = m_current;
    const auto more = [&](uint32_t v) { return value("OpULessThan %5 " + r(v) + " " + limit); };
    const auto head = [&](uint32_t back) {
      label(header);
      line(r(counter) + " = OpPhi %4 %10 " + r(before) + " " + r(after) + " " + r(back));
    };
    const auto step = [&] { line(r(after) + " = OpIAdd %4 " + r(counter) + " %11"); };
    switch (form) {
      case 0:    // leaves at the head
      case 1: {  // both ways into the body
        head(next);
        const uint32_t c = form == 0 ? more(counter) : condition();
        const uint32_t other = id();
        line("OpLoopMerge " + r(merge) + " " + r(next) + " None");
        line("OpBranchConditional " + r(c) + " " + r(body) + " " + r(form == 0 ? merge : other));
        label(body);
        if (form == 1) {
          assign();
          const uint32_t join = id();
          line("OpBranch " + r(join));
          label(other);
          assign();
          line("OpBranch " + r(join));
          label(join);
        }
        statements(merge, next, depth + 1, 1 + pick(2));
        line("OpBranch " + r(next));
        label(next);
        step();
        if (form == 0) {
          line("OpBranch " + r(header));
        } else {
          const uint32_t again = more(after);
          line("OpBranchConditional " + r(again) + " " + r(header) + " " + r(merge));
        }
        break;
      }
      case 2: {  // leaves in the middle
        head(next);
        line("OpLoopMerge " + r(merge) + " " + r(next) + " None");
        line("OpBranch " + r(body));
        label(body);
        const uint32_t c = more(counter), go = id();
        line("OpSelectionMerge " + r(go) + " None");
        line("OpBranchConditional " + r(c) + " " + r(go) + " " + r(merge));
        label(go);
        statements(merge, next, depth + 1, 1 + pick(2));
        line("OpBranch " + r(next));
        label(next);
        step();
        line("OpBranch " + r(header));
        break;
      }
      default: {  // one block
        head(header);
        step();
        assign();
        const uint32_t again = more(after);
        line("OpLoopMerge " + r(merge) + " " + r(header) + " None");
        line("OpBranchConditional " + r(again) + " " + r(header) + " " + r(merge));
        break;
      }
    }
    label(merge);
  }

  std::mt19937 m_random;
  std::string m_text;
  uint32_t m_next = 200, m_current = 0;
};

TEST(SpirvLoops, RandomPrograms) {
  uint32_t withLoops = 0, stopped = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    Generator generator(seed);
    const std::string body = generator.program();
    const Words plain = assemble(kHead + kMain + body + kEnd);
    ASSERT_EQ(validate(plain), "") << seed;
    const SpirvRun wanted = runSpirv(plain, 50, false);
    ASSERT_TRUE(wanted.ended) << seed;
    const Words words = guarded(plain, generator.loops);
    const SpirvRun got = runSpirv(words, 50, false);
    EXPECT_TRUE(got.ended) << seed;
    EXPECT_EQ(got.iterations, wanted.iterations) << seed;
    EXPECT_EQ(got.looks, (got.iterations + kGuard.interval - 1) / kGuard.interval) << seed;
    for (const uint32_t variable : {50, 51, 52})
      EXPECT_EQ(got.memory.at(variable), wanted.memory.at(variable)) << seed << ", %" << variable;
    withLoops += wanted.iterations != 0;
    const SpirvRun ended = runSpirv(words, 50, true);
    EXPECT_TRUE(ended.ended) << seed;
    EXPECT_LE(ended.iterations, 1u) << seed;
    stopped += ended.iterations;
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << "\n" << body;
  }
  EXPECT_GT(withLoops, 1000u);
  EXPECT_GT(stopped, 1000u);
}

}  // namespace
}  // namespace aerogpu::shader
