// SPDX-License-Identifier: MIT
// Interruption of a long submission between packets, and the state after a ring reset or a device reset.
#include <atomic>
#include <thread>

#include "renderer/core/work_budget.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test;

/// The draws of one submission, as many as are allowed: seconds on a software rasteriser.
constexpr uint32_t kVertices = 1u << 20;
constexpr uint64_t kDraws = core::WorkBudget::limit(core::Work::Vertices).submission / kVertices;

class ResetTest : public DrawTest {
protected:
  uint64_t drawsSoFar() { return gpu().stats().draws; }

  /// Submits the long job and interrupts it once some of it was handed over.
  void interruptALongJob() {
    CommandWriter w;
    const Vertex v = at(-1, -1, 0);
    // Repeats one vertex. (Reads past a buffer's end would do too, but the synchronization validation of
    // newer layers takes them for reads of the memory that follows.)
    stream(w, 0, vertexBuffer(w, std::vector<Vertex>(3, v)), 0);
    for (uint64_t i = 0; i < kDraws; ++i) draw(w, kVertices);
    const uint64_t before = drawsSoFar();
    std::thread watchdog([&] {
      while (drawsSoFar() < before + 6) std::this_thread::yield();
      aerogpu_renderer_interrupt(gpu().renderer());
    });
    const FinishedSubmission finished = gpu().submit(w, m_context);
    watchdog.join();
    EXPECT_TRUE(finished.result.dropped);
    EXPECT_EQ(finished.result.error_count, 0u);
    EXPECT_LT(drawsSoFar() - before, kDraws / 2) << "it was not interrupted between its packets";
  }

  void drawsAgain() {
    CommandWriter w;
    drawVertices(w, quad(0, 0, kSize, kSize, 0xFF336699));
    run(w);
    EXPECT_EQ(result(kSize / 2, kSize / 2), (Pixel{0x99, 0x66, 0x33, 0xFF}));
  }
};

// RING-6, RING-7
TEST_F(ResetTest, ARingResetInterruptsAndKeepsEverything) {
  interruptALongJob();
  aerogpu_renderer_resume(gpu().renderer());
  drawsAgain();
}

// PCI-7
TEST_F(ResetTest, ADeviceResetInterruptsAndDropsEverything) {
  interruptALongJob();
  ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  CommandWriter w;
  bindShaders(w, m_vs, m_ps);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "the shaders are gone";
  DrawTest::SetUp();
  drawsAgain();
}

}  // namespace
