// SPDX-License-Identifier: MIT
// Test support: one of everything that a guest can make the renderer hold, and snapshots in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/test/harness.h"

namespace aerogpu::test {

/// The bytes of a snapshot, or why there is none.
struct Snapshot {
  std::vector<uint8_t> bytes;
  std::string error;
};
Snapshot takeSnapshot(aerogpu_renderer* renderer);
/// Loads the bytes, `step` at a time. Returns why that failed, or nothing.
std::string loadSnapshot(aerogpu_renderer* renderer, std::span<const uint8_t> bytes, size_t step = 1000,
                         aerogpu_scanout_config* scanout = nullptr);

/// What the tests look at of everything().
struct Everything {
  Allocation shown;  ///< of two textures, `newest` above `older`
  std::vector<uint8_t> bufferBytes;
};
namespace handles {
// Space 0.
constexpr uint32_t kBuffer = 1, kBackedBuffer = 2, kOlder = 3, kNewest = 4, kMips = 5, kCube = 6, kVolume = 7,
                   kBlocks = 8, kDepth = 9, kView = 10, kLayout = 13, kIlay = 14, kSampler = 15,
                   kScattered = 16, kPitched = 17, kSamples = 18, kShader = 20, kUnwritten = 30,
                   kTokenShader = 31, kRegisterLayout = 34, kRow = 36, kSlice = 37;
// Space 3.
constexpr uint32_t kImported = 1, kOwn = 2, kOrphan = 3, kBothOfProcess = 4;
}  // namespace handles
constexpr uint64_t kToken = 0x1234567890, kUsedUp = 0x77, kOrphanToken = 0x99;

/// Makes one of everything, in spaces 0, 3, 7, 8, 9. The harness has the null back end, and makes no handles
/// below 1000 any more.
Everything makeEverything(Harness& h);

}  // namespace aerogpu::test
