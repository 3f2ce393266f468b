// SPDX-License-Identifier: MIT
// Puts a way out into every loop of a finished SPIR-V module, so that the host can end a shader that would
// not end by itself. Works on the words alone, whoever made the module; knows no Vulkan. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::shader {

/// Where the module finds the word that lets it go on: the first of a storage buffer, which it only reads, by
/// volatile loads.
struct LoopGuard {
  uint32_t set = 0, binding = 0;
  /// Iterations of an invocation, all its loops together, from one look at the word to the next; a power of
  /// two. The first look comes with the first iteration.
  uint32_t interval = 64;
};

struct GuardedModule {
  std::vector<uint32_t> words;  ///< as they came where there is no loop
  uint32_t loops = 0;           ///< headers that were given a way out
};

/// At the begin of an iteration an invocation that finds the word 0 returns from its function; what it leaves
/// behind is undefined. (0 and not another value: where a vector unit runs invocations in step, lanes that
/// are idle get 0 from a load, and must not keep the loop of the others going.) CmdDecode for a module whose
/// flow is not structured (SPIR-V 1.6, 2.11) or that uses what is not known here; never a module with an
/// unguarded loop. The input need not be valid, but then the output is not either: validate that.
Result<GuardedModule> guardLoops(std::span<const uint32_t> words, const LoopGuard& guard);

}  // namespace aerogpu::shader
