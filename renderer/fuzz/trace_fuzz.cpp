// SPDX-License-Identifier: MIT
// libFuzzer target: a hostile trace file, read and replayed over the null back end.
#include <cstdint>

#include "renderer/trace/replay.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  aerogpu::trace::ReplayOptions options;
  options.backend = "null";
  options.maxHostmem = uint64_t{64} << 20;
  aerogpu::trace::ReplayResult result;
  std::string error;
  const bool good = aerogpu::trace::replay({data, size}, options, result, error);
  if (!good && error.empty()) __builtin_trap();  // every refusal says why
  return 0;
}
