// SPDX-License-Identifier: MIT
// Loss of the Vulkan device at each place that notices it: what the guest is told, that nothing hangs, and
// that a device reset opens a new device.
#include "renderer/test/vulkan_double.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test;

class LossTest : public DrawTest, public ::testing::WithParamInterface<Loss> {
protected:
  /// Makes its own renderer for each test: the log's rate limit starts anew.
  void SetUp() override {
    TearDownTestSuite();
    SetUpTestSuite();
    DrawTest::SetUp();
  }
  void TearDown() override {
    loseDevice(Loss::None);
    refuseDevices(false);
    DrawTest::TearDown();
  }
  void drawQuad(CommandWriter& w) { drawVertices(w, quad(0, 0, kSize, kSize, 0xFF336699)); }

  /// Draws while the device is lost; the submission must end with the back end's error.
  void losesADraw(Loss where) {
    CommandWriter w;
    drawQuad(w);
    loseDevice(where);
    expectBackendError(gpu().submit(w, m_context));
  }
  /// submit() came back: the fence completed.
  static void expectBackendError(const FinishedSubmission& finished) {
    EXPECT_GE(finished.result.error_count, 1u);
    EXPECT_EQ(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
    EXPECT_FALSE(finished.hasFrame);
  }
  /// Takes the loss's log lines, and expects no message of the validation layer. Packets of later submissions
  /// may have used the log's rate up before the lost submission is reported.
  void expectLossLogged() {
    std::string all;
    for (const std::string& line : gpu().takeErrorLines()) {
      EXPECT_EQ(line.find("validation:"), std::string::npos) << line;
      all += line + "\n";
    }
    EXPECT_TRUE(all.find("VK_ERROR_DEVICE_LOST") != std::string::npos ||
                all.find("the GPU is lost") != std::string::npos)
        << all;
  }
  void resetAndDraw() {
    ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
    expectLossLogged();
    EXPECT_EQ(devicesAlive(), 1) << "the lost device is destroyed, a new one is there";
    EXPECT_EQ(gpu().stats().resources, 0u);
    DrawTest::SetUp();
    CommandWriter w;
    drawQuad(w);
    run(w);
    EXPECT_EQ(result(kSize / 2, kSize / 2), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  }
};

// CMD-9, PCI-8
TEST_P(LossTest, TheSubmissionEndsWithAnErrorAndAResetRecovers) {
  losesADraw(GetParam());
  resetAndDraw();
}

// CMD-9
TEST_P(LossTest, EverythingUntilTheResetEndsWithAnError) {
  losesADraw(GetParam());
  for (int i = 0; i < 200; ++i) {  // more than the batches that may be under way
    CommandWriter w;
    drawQuad(w);
    expectBackendError(gpu().submit(w, m_context));
  }
  CommandWriter empty;
  empty.packet(AEROGPU_CMD_NOP, aerogpu_cmd_hdr{});
  expectBackendError(gpu().submit(empty, m_context));
  resetAndDraw();
}

TEST_P(LossTest, ManySubmissionsUnderWay) {
  loseDevice(GetParam());
  constexpr int kSubmissions = 40;
  (void)gpu().takeFinished();
  for (int i = 0; i < kSubmissions; ++i) {
    CommandWriter w;
    drawQuad(w);
    gpu().submitAsync(w, m_context);
  }
  gpu().waitIdle();
  const std::vector<FinishedSubmission> finished = gpu().takeFinished();
  ASSERT_EQ(finished.size(), size_t{kSubmissions});
  for (const FinishedSubmission& each : finished) expectBackendError(each);
  resetAndDraw();
}

// CMD-9
TEST_P(LossTest, AReadBackOfALostDeviceWritesNothing) {
  CommandWriter w;
  drawQuad(w);
  run(w);
  const Allocation memory = gpu().allocate(4096);
  std::fill(gpu().bytes(memory).begin(), gpu().bytes(memory).end(), uint8_t{0xA5});
  const uint32_t copy = gpu().handle();
  packets::createBuffer(w, copy, 4096, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, memory.id);
  const Bytes source(4096, 0x3C);
  const uint32_t from = buffer(w, source.data(), source.size(), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  aerogpu_cmd_copy_buffer c{};
  c.dst_buffer = copy;
  c.src_buffer = from;
  c.size_bytes = 4096;
  c.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(c);
  loseDevice(GetParam());
  expectBackendError(gpu().submit(w, m_context));
  for (const uint8_t byte : gpu().bytes(memory)) ASSERT_EQ(byte, 0xA5);
  gpu().forget(memory);
  resetAndDraw();
}

// The first hand-over has the boxes that go ahead of their batch.
TEST_P(LossTest, WhatGoesAheadOfTheBatchIsLostWithIt) {
  constexpr uint32_t kWide = 64, kBoxes = 200;
  const Allocation memory = gpu().allocate(4096);
  CommandWriter w;
  const uint32_t updated = texture(w, kBgra, kWide, kWide);
  bindShaders(w, shader(w, "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n"),
              shader(w, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"));
  setTexture(w, 0, updated);
  layout(w, {{0, 0, 2, 0, 0, 0}});
  stream(w, 0, vertexBuffer(w, quad(0, 0, kSize, kSize, 0)), sizeof(Vertex));
  run(w);
  draw(w, 6);
  for (uint32_t i = 0; i < kBoxes; ++i)
    w.packet(aerogpu_cmd_ext_update_texture{.texture = updated,
                                            .flags = AEROGPU_EXT_UPDATE_NO_OVERWRITE,
                                            .x = i % kWide,
                                            .y = i / kWide,
                                            .width = 1,
                                            .height = 1,
                                            .depth = 1,
                                            .src_alloc_id = memory.id});
  gpu().waitIdle();
  const int before = batchesSubmitted();
  loseDevice(GetParam());
  expectBackendError(gpu().submit(w, m_context));
  EXPECT_EQ(batchesSubmitted() - before, GetParam() == Loss::AtSubmit ? 1 : 4);
  resetAndDraw();
}

TEST_P(LossTest, TwiceInARow) {
  for (int i = 0; i < 2; ++i) {
    losesADraw(GetParam());
    resetAndDraw();
  }
}

TEST_P(LossTest, AResetThatFindsNoDeviceCanBeTriedAgain) {
  losesADraw(GetParam());
  refuseDevices(true);
  EXPECT_FALSE(aerogpu_renderer_reset(gpu().renderer()));
  for (int i = 0; i < 3; ++i) {
    CommandWriter w;
    texture(w, kBgra, kSize, kSize);
    shader(w, kVs);
    clearColor(w, 0, 0, 0, 0);
    expectBackendError(gpu().submit(w, m_context));
  }
  refuseDevices(false);
  resetAndDraw();
}

INSTANTIATE_TEST_SUITE_P(, LossTest, ::testing::Values(Loss::AtSubmit, Loss::AtWait),
                         [](const auto& where) { return where.param == Loss::AtSubmit ? "Submit" : "Wait"; });

}  // namespace
