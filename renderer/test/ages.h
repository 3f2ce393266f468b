// SPDX-License-Identifier: MIT
// Judges the times of writes (core::WriteClock): a migration sends what has a newer time than at its last
// look, so bytes must not change without one.
#pragma once

#include <cstdint>

namespace aerogpu {
class LocalRenderer;
}  // namespace aerogpu

namespace aerogpu::test {

/// Reads the contents of all buffers and textures of the renderer, which is idle, and compares them with
/// those after an earlier submission. Ends the process with a message if bytes changed while the time of the
/// last write did not, or are not zero where there was no write. `submission`: counts them, for each renderer
/// anew.
void compareAges(LocalRenderer& renderer, uint64_t submission);

}  // namespace aerogpu::test
