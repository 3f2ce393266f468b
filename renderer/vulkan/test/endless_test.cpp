// SPDX-License-Identifier: MIT
// Work that does not end: shaders that loop for ever or nearly so, in each stage, and a GPU that hangs. Each
// must end in bounded time with an error, and must not affect later work.
#include <chrono>
#include <thread>

#include "renderer/core/test/spaces_fixture.h"
#include "renderer/core/work_budget.h"
#include "renderer/test/dxbc_builder.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using namespace dxbc;

constexpr uint32_t kBreakC = 0x03 | 1u << 18, kEndLoop = 0x16, kIadd = 0x1E, kLoop = 0x30, kUge = 0x50,
                   kUtof = 0x56;
/// llvmpipe lets no invocation loop for more than 65535 rounds (LP_MAX_TGSI_LOOP_ITERATIONS): a loop that
/// must give right results stays below, and work that must last has many invocations.
constexpr uint32_t kRounds = 50'000, kCopies = 2048;

/// Appends a loop that counts its rounds in r0.x; `rounds` 0 = for ever.
void countingLoop(Tokens& t, uint32_t rounds) {
  op(t, kMov, {dst(kTemp, 0, 1), immediate(0)});
  op(t, kLoop, {});
  if (rounds) {
    op(t, kUge, {dst(kTemp, 0, 2), scalar(kTemp, 0, 0), immediate(rounds)});
    op(t, kBreakC, {scalar(kTemp, 0, 1)});
  }
  op(t, kIadd, {dst(kTemp, 0, 1), scalar(kTemp, 0, 0), immediate(1)});
  op(t, kEndLoop, {});
}

class EndlessTest : public DrawTest {
protected:
  /// 500 waits run out before a batch that is alone is stopped; this is far fewer, but enough for a busy
  /// computer to end a stopped one.
  static constexpr int kRest = 300;
  void TearDown() override {
    hurry(0);
    hangDevices(false);
    DrawTest::TearDown();
  }
  uint32_t create(CommandWriter& w, uint32_t stage, const Tokens& bytes) {
    aerogpu_cmd_create_shader_dxbc c{};
    c.shader_handle = gpu().handle();
    c.stage = stage;
    w.packet(c, bytes.data(), bytes.size() * 4);
    return c.shader_handle;
  }

  /// Returns a compute shader that writes its number of rounds to u0.
  Tokens loopingCompute(uint32_t rounds) {
    Tokens t;
    op(t, 0x9D, {handle(kUav, 0)});  // dcl_uav_raw
    op(t, 0x68, {{1}});
    op(t, 0x9B, {{4, 1, 1}});
    countingLoop(t, rounds);
    op(t, 0xA6, {dst(kUav, 0, 1), immediate(0), scalar(kTemp, 0, 0)});  // store_raw
    op(t, kRet, {});
    return container(kCs50, t, {}, {});
  }
  /// Returns a pixel shader whose red is the share of kRounds that it ran.
  Tokens loopingPixel(uint32_t rounds) {
    Tokens t;
    op(t, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
    op(t, 0x65, {dst(kOutput, 0, 15)});
    op(t, 0x68, {{1}});
    countingLoop(t, rounds);
    op(t, kUtof, {dst(kTemp, 0, 1), scalar(kTemp, 0, 0)});
    op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 1)});
    op(t, 0x38,
       {dst(kOutput, 0, 1), scalar(kTemp, 0, 0), immediate(std::bit_cast<uint32_t>(1.0f / kRounds))});
    op(t, kRet, {});
    return container(kPs40, t, {{"SV_Position", 0, 1, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 15}},
                     {{"SV_Target", 0, 0, 3, 0, 15}});
  }
  Tokens loopingVertex(uint32_t rounds) {
    Tokens t;
    op(t, 0x5F, {dst(kInput, 0, 15)});
    op(t, 0x5F, {dst(kInput, 1, 15)});
    op(t, 0x67, {dst(kOutput, 0, 15), {1}});
    op(t, 0x65, {dst(kOutput, 1, 15)});
    op(t, 0x68, {{1}});
    countingLoop(t, rounds);
    op(t, kUtof, {dst(kTemp, 0, 1), scalar(kTemp, 0, 0)});
    op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
    op(t, kMov, {dst(kOutput, 1, 15), src(kInput, 1)});
    op(t, 0x38,
       {dst(kOutput, 1, 1), scalar(kTemp, 0, 0), immediate(std::bit_cast<uint32_t>(1.0f / kRounds))});
    op(t, kRet, {});
    return container(kVs40, t, {{"POSITION", 0, 0, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 15}},
                     {{"SV_Position", 0, 1, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 15}});
  }
  /// Loops within loops, 255 rounds each, 4 deep: 4 thousand million rounds of a legal vs_3_0 or ps_3_0; the
  /// translator lets 65536 of them run.
  static std::string nested(const std::string& head, const std::string& tail) {
    std::string code = head + "defi i0, 255, 0, 0, 0\nmov r0, c0\n";
    for (int i = 0; i < 4; ++i) code += "rep i0\n";
    code += "add r0, r0, c0\n";
    for (int i = 0; i < 4; ++i) code += "endrep\n";
    return code + tail;
  }

  void fullQuad(CommandWriter& w, uint32_t copies = 1) {
    std::vector<Vertex> v;
    for (uint32_t i = 0; i < copies; ++i)
      for (const Vertex& one : quad(0, 0, kSize, kSize, 0xFF336699)) v.push_back(one);
    drawVertices(w, v);
  }
  void dispatch(CommandWriter& w, uint32_t rounds, uint32_t out, uint32_t groups = 1) {
    packets::dispatch(w, create(w, AEROGPU_SHADER_STAGE_COMPUTE, loopingCompute(rounds)), out, groups);
  }
  uint32_t output(CommandWriter& w) {
    const uint32_t out = gpu().handle();
    packets::createBuffer(w, out, 64, AEROGPU_RESOURCE_USAGE_STORAGE);
    return out;
  }

  /// One loop of 255 rounds of 50 samples each: a draw of minutes, if it has many pixels.
  static std::string longLoop() {
    std::string code = "ps_3_0\ndefi i0, 255, 0, 0, 0\ndcl_2d s0\nmov r0, c0\nrep i0\n";
    for (int i = 0; i < 50; ++i) code += "texldl r1, r0, s0\nadd r0, r0, r1\n";
    return code + "endrep\nmov oC0, r0\n";
  }

  enum class Kind { Vertex, Pixel, Compute, D3d9Vertex, D3d9Pixel, LongLoop };
  void endless(CommandWriter& w, Kind kind, uint32_t rounds) {
    switch (kind) {
      case Kind::Vertex:
        bindShaders(w, create(w, AEROGPU_SHADER_STAGE_VERTEX, loopingVertex(rounds)),
                    create(w, AEROGPU_SHADER_STAGE_PIXEL, pixelCode()));
        break;
      case Kind::Pixel:
        bindShaders(w, create(w, AEROGPU_SHADER_STAGE_VERTEX, vertexCode()),
                    create(w, AEROGPU_SHADER_STAGE_PIXEL, loopingPixel(rounds)));
        break;
      case Kind::Compute:
        dispatch(w, rounds, output(w), rounds ? 1 : 8 * kCopies);
        return;
      case Kind::D3d9Vertex:
        bindShaders(w, shader(w, nested("vs_3_0\ndcl_position v0\ndcl_position o0\n", "mov o0, r0\n")), m_ps);
        break;
      case Kind::D3d9Pixel:
        bindShaders(w, m_vs, shader(w, nested("ps_3_0\n", "mov oC0, r0\n")));
        break;
      case Kind::LongLoop: {
        constexpr uint32_t kSide = 1024;
        setTexture(w, 0, texture(w, kBgra, 64, 64));
        target(w, texture(w, kBgra, kSide, kSide));
        viewport(w, 0, 0, kSide, kSide);
        bindShaders(w, shader(w, "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n"),
                    shader(w, longLoop()));
        break;
      }
    }
    // Each pixel that is left when the batch is stopped still begins.
    fullQuad(w, rounds != 0 ? 1 : kind == Kind::LongLoop ? kCopies / 64 : kCopies);
  }
  /// Draws in another context, so that no state of the endless work is left.
  void drawsAgain() {
    DrawTest::SetUp();
    CommandWriter w;
    drawVertices(w, quad(0, 0, kSize, kSize, 0xFF336699));
    run(w);
    EXPECT_EQ(result(kSize / 2, kSize / 2), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  }
  void expectLogged(const std::string& what) {
    std::string all;
    for (const std::string& line : gpu().takeErrorLines()) {
      EXPECT_EQ(line.find("validation:"), std::string::npos) << line;
      all += line + "\n";
    }
    EXPECT_NE(all.find(what), std::string::npos) << all;
  }
  static void expectBackendError(const FinishedSubmission& finished) {
    EXPECT_GE(finished.result.error_count, 1u);
    EXPECT_EQ(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
  }
};

class EndlessKindTest : public EndlessTest, public ::testing::WithParamInterface<int> {
protected:
  Kind kind() const { return static_cast<Kind>(GetParam()); }
};

// CMD-10
TEST_P(EndlessKindTest, EndsWithAnErrorWhenItsTimeIsOver) {
  CommandWriter w;
  endless(w, kind(), 0);
  hurry(600);  // more than 10 s of waits
  expectBackendError(gpu().submit(w, m_context));
  expectLogged("a shader ran for too long and was stopped");
  drawsAgain();
}

// PCI-8
TEST_P(EndlessKindTest, ADeviceResetEndsIt) {
  CommandWriter w;
  endless(w, kind(), 0);
  gpu().submitAsync(w, m_context);
  const int devices = devicesAlive();
  ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  EXPECT_EQ(devicesAlive(), devices) << "nothing was lost";
  (void)gpu().takeErrorLines();
  drawsAgain();
}

// RING-7
TEST_P(EndlessKindTest, ARingResetEndsIt) {
  CommandWriter w;
  for (int i = 0; i < 3; ++i) {
    endless(w, kind(), 0);
    gpu().submitAsync(w, m_context);
    w.reset();
  }
  aerogpu_renderer_interrupt(gpu().renderer());
  gpu().waitIdle();
  aerogpu_renderer_resume(gpu().renderer());
  (void)gpu().takeErrorLines();
  drawsAgain();
}

std::string kindName(const ::testing::TestParamInfo<int>& kind) {
  static const char* const kNames[] = {"Vertex", "Pixel", "Compute", "D3d9Vertex", "D3d9Pixel", "LongLoop"};
  return kNames[kind.param];
}

INSTANTIATE_TEST_SUITE_P(, EndlessKindTest, ::testing::Range(0, 6), kindName);

TEST_F(EndlessTest, ManyRoundsThatDoEndGiveTheRightResults) {
  CommandWriter w;
  const uint32_t out = output(w);
  dispatch(w, kRounds, out);
  run(w);
  const Bytes bytes = gpu().readBuffer(out, 64);
  uint32_t rounds = 0;
  std::memcpy(&rounds, bytes.data(), 4);
  EXPECT_EQ(rounds, kRounds);
  for (const Kind kind : {Kind::Vertex, Kind::Pixel}) {
    SCOPED_TRACE(static_cast<int>(kind));
    clearColor(w, 0, 0, 0, 0);
    endless(w, kind, kRounds);
    run(w);
    expectNear(result(kSize / 2, kSize / 2), {0x99, 0x66, 0xFF, 0xFF}, 1);
  }
}

// CMD-10
TEST_F(EndlessTest, OnlyTheBatchThatIsStoppedSuffers) {
  // The same shader before and after: those draws were not stopped.
  CommandWriter w;
  const uint32_t out = output(w);
  dispatch(w, 1000, out);
  run(w);
  dispatch(w, 0, output(w), 8 * kCopies);
  hurry(600);
  gpu().submitAsync(w, m_context);
  w.reset();
  const uint32_t after = output(w);
  dispatch(w, 2000, after);
  const FinishedSubmission last = gpu().submit(w, m_context);
  EXPECT_EQ(last.result.error_count, 0u);
  hurry(0);
  expectLogged("a shader ran for too long and was stopped");
  for (const auto& [buffer, wanted] : {std::pair{out, 1000u}, std::pair{after, 2000u}}) {
    uint32_t rounds = 0;
    const Bytes bytes = gpu().readBuffer(buffer, 64);
    std::memcpy(&rounds, bytes.data(), 4);
    EXPECT_EQ(rounds, wanted);
  }
}

/// Works in handle space 1, with another one beside it.
class SharedEndlessTest : public EndlessTest, public ::testing::WithParamInterface<int> {
protected:
  static constexpr uint32_t kOther = 2;
  /// Waits of 20 ms that pass at once: more than the 2 s that a batch has while others wait.
  static constexpr unsigned kWaits = 120;

  void SetUp() override {
    gpu().space = {1, 0};
    EndlessTest::SetUp();
  }
  void TearDown() override {
    gpu().waitingSpaces = nullptr;
    EndlessTest::TearDown();
    gpu().space.reset();
  }
  Kind kind() const { return static_cast<Kind>(GetParam()); }
  void begin() {
    CommandWriter w;
    endless(w, kind(), 0);
    (void)gpu().takeFinished();
    hurry(kWaits);
    m_before = waitsRunOut();
    gpu().submitAsync(w, m_context);
  }
  /// Draws as the program in `space` does meanwhile.
  FinishedSubmission drawIn(uint32_t space) {
    const CommandWriter w = drawing();
    gpu().space = {space, 0};
    const FinishedSubmission finished = gpu().submit(w, m_context);
    gpu().space = {1, 0};
    return finished;
  }
  CommandWriter drawing() {
    CommandWriter w;
    const uint32_t color = gpu().handle();
    Harness::createTexture(w, color, kBgra, kSize, kSize, AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
    packets::setTargets(w, std::array{color});
    Harness::clear(w, AEROGPU_CLEAR_COLOR, 1, 0, 0, 1);
    return w;
  }
  void expectStopped() {
    const std::vector<FinishedSubmission> finished = gpu().takeFinished();
    ASSERT_FALSE(finished.empty());
    expectBackendError(finished.front());
    expectLogged("a shader ran for too long and was stopped");
    EXPECT_LT(waitsRunOut() - m_before, kRest) << "its time alone";
  }
  /// Expects that all hurried waits have run out and that the work still runs.
  void expectRunning() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (waitsRunOut() < m_before + 5 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    EXPECT_GE(waitsRunOut(), m_before + 5);
    EXPECT_TRUE(gpu().takeFinished().empty());
    aerogpu_renderer_interrupt(gpu().renderer());
    gpu().waitIdle();
    aerogpu_renderer_resume(gpu().renderer());
    (void)gpu().takeErrorLines();
  }
  int m_before = 0;  ///< waits that had run out before
};

// LIM-15
TEST_P(SharedEndlessTest, IsStoppedSoonerWhileAnotherSpacesWorkWaits) {
  begin();
  EXPECT_EQ(drawIn(kOther).result.error_count, 0u);
  expectStopped();
  hurry(0);
  drawsAgain();
}

// LIM-15
TEST_P(SharedEndlessTest, IsStoppedSoonerForWhatTheEmbedderHolds) {
  gpu().waitingSpaces = [] { return std::vector<uint32_t>{1, kOther}; };
  begin();
  gpu().waitIdle();
  expectStopped();
  hurry(0);
  drawsAgain();
}

// LIM-15
TEST_P(SharedEndlessTest, AloneItHasTheTimeThatItHadWithoutSpaces) {
  begin();
  CommandWriter more;  // its own stream
  clearColor(more, 0, 0, 0, 0);
  gpu().submitAsync(more, m_context);
  expectRunning();
  drawsAgain();
}

INSTANTIATE_TEST_SUITE_P(, SharedEndlessTest, ::testing::Values(1, 2, 4, 5), kindName);

/// The endless work's process has two spaces, another one has one, and so has the system.
class ProcessEndlessTest : public SharedEndlessTest {
protected:
  static constexpr uint32_t kSecond = 2, kOthers = 3, kSystems = 4, kNobodys = 5;

  void SetUp() override {
    CommandWriter w;
    for (const auto& [space, process] : {std::pair{1u, 7u}, {kSecond, 7u}, {kOthers, 8u}, {kSystems, 0u}})
      spaceProcess(w, space, process);
    gpu().space = Harness::kKernel;
    EXPECT_EQ(gpu().submit(w).result.error_count, 0u);
    SharedEndlessTest::SetUp();
  }
};

// LIM-15, SPACE-25
TEST_P(ProcessEndlessTest, ItsOwnSecondSpaceIsNobodyElse) {
  begin();
  gpu().space = {kSecond, 0};
  gpu().submitAsync(drawing(), m_context);
  gpu().space = {1, 0};
  gpu().waitingSpaces = [] { return std::vector<uint32_t>{kSecond, 1}; };
  expectRunning();
  hurry(0);
  drawsAgain();
}

// LIM-15, SPACE-25
TEST_P(ProcessEndlessTest, AnotherProcessAndTheSystemAreOthersAndSoIsASpaceOfWhichNothingWasSaid) {
  for (const uint32_t space : {kOthers, kSystems, 0u, kNobodys}) {
    SCOPED_TRACE(space);
    for (const bool submitted : {true, false}) {
      SCOPED_TRACE(submitted);
      if (!submitted) gpu().waitingSpaces = [space] { return std::vector<uint32_t>{kSecond, space}; };
      begin();
      if (submitted) {
        EXPECT_EQ(drawIn(space).result.error_count, 0u);
      }
      gpu().waitIdle();
      expectStopped();
      gpu().waitingSpaces = nullptr;
      hurry(0);
      drawsAgain();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, ProcessEndlessTest, ::testing::Values(4), kindName);

/// Later work of the same submission ends with it, however many batches that is.
// LIM-11
TEST_F(EndlessTest, WhatFollowsInASubmissionThatWasStoppedDoesNotHaveItsTimeToo) {
  constexpr unsigned kBatches = 8;
  CommandWriter w;
  for (unsigned i = 0; i < kBatches; ++i) {
    dispatch(w, 0, output(w), 8 * kCopies);
    w.packet(aerogpu_cmd_flush{});
  }
  hurry(600);  // the time of the first batch
  const int before = waitsRunOut();
  expectBackendError(gpu().submit(w, m_context));
  EXPECT_LT(waitsRunOut() - before, kRest);
  expectLogged("a shader ran for too long and was stopped");
  hurry(0);
  drawsAgain();
}

/// Others wait for 20 ms only.
class ImpatientTest : public EndlessTest {
protected:
  static void SetUpTestSuite() {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION | AEROGPU_RENDERER_LEND_GUEST_MEMORY;
    options.guestBytes = uint64_t{64} << 20;
    options.maxBatchMs = 20;
    s_gpu = new Harness(options);
  }
};

/// Draws cannot be stopped, but later ones need not run.
// LIM-11
TEST_F(ImpatientTest, ASubmissionThatTakesLongEndsBetweenTwoDrawsWhileOthersWait) {
  constexpr uint32_t kDraws = 32;
  uint32_t instances = 1;
  constexpr uint32_t kVertices = core::WorkBudget::limit(core::Work::Vertices).slice;
  gpu().space = {1, 0};
  DrawTest::SetUp();
  for (const bool waiting : {false, true}) {
    SCOPED_TRACE(waiting);
    gpu().waitingSpaces = [waiting] { return std::vector<uint32_t>{1, waiting ? 2u : 1u}; };
    CommandWriter w;
    stream(w, 0, vertexBuffer(w, std::vector<Vertex>(3, at(-1, -1, 0))), 0);
    // Each draw fills a slice, or several of a fast GPU, and takes more than three times 20 ms. All of them
    // are what a submission may ask for.
    const uint32_t wanted = waiting ? kDraws : 2;
    for (uint32_t i = 0; i < wanted; ++i) draw(w, kVertices, instances);
    const uint64_t before = gpu().stats().draws;
    const auto begun = std::chrono::steady_clock::now();
    const FinishedSubmission finished = gpu().submit(w, m_context);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begun;
    const uint64_t drawn = gpu().stats().draws - before;
    if (waiting) {
      if (drawn == wanted && taken.count() < 4 * 20)
        GTEST_SKIP() << wanted << " slices take this GPU only " << taken.count() << " ms";
      expectBackendError(finished);
      EXPECT_LT(drawn, wanted / 2);
      expectLogged("a submission ran for too long while others waited");
    } else {
      EXPECT_EQ(finished.result.error_count, 0u);
      EXPECT_EQ(drawn, wanted);
      if (taken.count() < wanted * 3 * 20) instances = 8;
    }
  }
  gpu().waitingSpaces = nullptr;
  drawsAgain();
  gpu().space.reset();
}

/// The GPU ends no work: not even work without loops.
class HangTest : public EndlessTest {
protected:
  void SetUp() override {
    TearDownTestSuite();
    SetUpTestSuite();
    EndlessTest::SetUp();
    m_others = devicesAlive() - 1;
  }
  int devices() const { return devicesAlive() - m_others; }
  void hang() {
    CommandWriter w;
    fullQuad(w);
    hangDevices(true);
    expectBackendError(gpu().submit(w, m_context));
    expectBackendError(gpu().submit(w, m_context));
    hangDevices(false);
  }
  /// Resets until at most `wanted` devices exist. A device that was left behind goes with the first reset
  /// after its work has ended, of which no one is told.
  bool resetsTo(int wanted) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool reset = false;
    do reset = aerogpu_renderer_reset(gpu().renderer());
    while ((!reset || devices() > wanted) && std::chrono::steady_clock::now() < deadline);
    return reset && devices() <= wanted;
  }
  int m_others = 0;  ///< devices that earlier tests left behind
};

TEST_F(HangTest, IsALossAndADeviceResetOpensAnotherDevice) {
  hang();
  expectLogged("the GPU does not end its work");
  ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  EXPECT_EQ(devices(), 2) << "what may still work is not destroyed";
  drawsAgain();
  EXPECT_TRUE(resetsTo(1)) << "it has come to an end";
  drawsAgain();
}

/// The thread that submits polls only briefly for a read-back of a few bytes.
TEST_F(HangTest, IsALossToWhoReadsBackToo) {
  CommandWriter w;
  const Allocation memory = gpu().allocate(kSize * kSize * 4);
  const uint32_t from = texture(w, kBgra, kSize, kSize);
  EXPECT_EQ(gpu().submit(w, m_context).result.error_count, 0u);
  w.reset();
  w.packet(aerogpu_cmd_ext_read_texture{.texture = from,
                                        .width = kSize,
                                        .height = kSize,
                                        .depth = 1,
                                        .dst_alloc_id = memory.id,
                                        .dst_row_pitch_bytes = kSize * 4});
  hangDevices(true);
  expectBackendError(gpu().submit(w, m_context));
  hangDevices(false);
  expectLogged("the GPU does not end its work");
  ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  drawsAgain();
}

TEST_F(HangTest, DestructionDoesNotWaitForIt) {
  hang();
  (void)gpu().takeErrorLines();
  hangDevices(true);
  TearDownTestSuite();  // the device comes back
  hangDevices(false);
  EXPECT_EQ(devices(), 1) << "it is left to itself";
  SetUpTestSuite();
  drawsAgain();
}

// PCI-8
TEST_F(HangTest, OnlySoManyAreAbandoned) {
  hang();
  hangDevices(true);
  EXPECT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  for (int i = 0; i < 2; ++i) {
    CommandWriter w;
    target(w, texture(w, kBgra, kSize, kSize));
    clearColor(w, 0, 0, 0, 0);
    expectBackendError(gpu().submit(w, m_context));
    EXPECT_EQ(aerogpu_renderer_reset(gpu().renderer()), i == 0) << i;
  }
  hangDevices(false);
  EXPECT_TRUE(resetsTo(2)) << "they have come to an end: the last one that hung is left, and one that works";
  (void)gpu().takeErrorLines();  // of failed resets
  drawsAgain();
}

}  // namespace
}  // namespace aerogpu::test
