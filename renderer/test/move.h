// SPDX-License-Identifier: MIT
// Makes everything that a renderer holds anew in the middle of tests: each test of the renderer is then a
// test of snapshots too. AEROGPU_TEST_MOVE in the environment asks for it after each N-th submission:
// `objects:N` on the same device, `device:N` on one that is opened anew. `ages:N` judges times of writes
// instead (ages.h).
#pragma once

#include <cstdint>

namespace aerogpu {
class LocalRenderer;
}  // namespace aerogpu

namespace aerogpu::test {

/// Takes a snapshot and loads it into the same renderer, which is idle, if the environment asks for it after
/// this submission. `submission`: counts them. Ends the process with a message if that fails.
void moveIfAsked(LocalRenderer& renderer, uint64_t submission);

}  // namespace aerogpu::test
