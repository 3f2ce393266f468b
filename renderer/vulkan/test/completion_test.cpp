// SPDX-License-Identifier: MIT
// What the completion thread finds out after a batch was handed over belongs to the submission of that batch.
#include <gtest/gtest.h>

#include "renderer/test/harness.h"

namespace aerogpu::test {
namespace {

/// A write-back to where no memory is fails on the completion thread. The submission goes on meanwhile and
/// ends without anything more for the GPU: at first while the thread is at it, then when it is idle again.
// CMD-8
TEST(Completion, AFailedWriteBackIsAnErrorOfItsOwnSubmission) {
  Harness::Options options;
  options.backend = "vulkan";
  options.flags = AEROGPU_RENDERER_VALIDATION;
  Harness gpu(options);
  ASSERT_TRUE(gpu.ok()) << gpu.createError();
  const Allocation nowhere = gpu.name(uint64_t{1} << 40, 4096);
  const Allocation list = gpu.allocateScattered(4096);
  gpu.setScatteredPage(list, 0, 8);  // not the address of a page: the list is refused
  CommandWriter w;
  const uint32_t from = gpu.handle(), to = gpu.handle(), listed = gpu.handle();
  packets::createBuffer(w, from, 4096, 0);
  packets::createBuffer(w, to, 4096, 0, nowhere.id);
  packets::createBuffer(w, listed, 4096, 0, list.id);
  ASSERT_EQ(gpu.submit(w).result.error_count, 0u);
  w.reset();
  aerogpu_cmd_copy_buffer copy{};
  copy.dst_buffer = to;
  copy.src_buffer = from;
  copy.size_bytes = 4096;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  w.packet(aerogpu_cmd_flush{});
  packets::dirtyRange(w, listed, 0, 4096);
  for (const bool idle : {false, true}) {
    if (idle)
      gpu.onGuestAccess = [&](uint64_t, bool write) {
        if (!write) gpu.waitIdle();
      };
    const FinishedSubmission finished = gpu.submit(w);
    EXPECT_EQ(finished.result.error_count, 2u) << "the list and the write-back; idle " << idle;
    EXPECT_EQ(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_OOB});
    gpu.onGuestAccess = nullptr;
    CommandWriter harmless;
    harmless.packet(aerogpu_cmd_flush{});
    EXPECT_EQ(gpu.submit(harmless).result.error_count, 0u) << "idle " << idle;
  }
}

}  // namespace
}  // namespace aerogpu::test
