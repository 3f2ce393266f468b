// SPDX-License-Identifier: MIT
// Adds an exit to every loop of a finished SPIR-V module, so that the host can end a shader that would not
// end by itself. Works on the words alone, from any compiler, without Vulkan. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::shader {

/// The binding of the word that keeps the module's loops running: the first word of a storage buffer, which
/// the module only reads, by volatile loads.
struct LoopGuard {
  uint32_t set = 0, binding = 0;
  /// Iterations of an invocation, over all its loops, from one read of the word to the next; a power of two.
  /// The first read comes with the first iteration.
  uint32_t interval = 64;
};

struct GuardedModule {
  std::vector<uint32_t> words;  ///< unchanged if there is no loop
  uint32_t loops = 0;           ///< headers that got an exit
};

/// Adds the exits: an invocation that finds the word 0 at the begin of an iteration returns from its
/// function, with undefined results. (0 and not another value: if a vector unit runs invocations in step,
/// idle lanes get 0 from a load, and must not keep the other lanes' loop going.) Fails with CmdDecode if the
/// flow is not structured (SPIR-V 1.6, 2.11) or uses unknown instructions; never returns a module with an
/// unguarded loop. The input need not be valid, but then the output is not either: validate the output.
Result<GuardedModule> guardLoops(std::span<const uint32_t> words, const LoopGuard& guard);

}  // namespace aerogpu::shader
