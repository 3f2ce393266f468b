// SPDX-License-Identifier: MIT
// Jobs of the program that plays the helper process in client_test.
#pragma once

#include <cstdint>

namespace aerogpu::process {

enum class TestJob : uint32_t {
  Echo,         ///< the input
  Refuse,       ///< refuses with the input as reason
  Abort,        ///< as a failed assertion
  Crash,        ///< writes to address 8
  Spin,         ///< never ends, busy
  Sleep,        ///< never ends, asleep
  Flood,        ///< more than an answer may have
  Hoard,        ///< allocates until it cannot
  Environment,  ///< one line for each variable that it has
  Escape,       ///< tries forbidden operations; one byte for each that succeeded
  Count
};

}  // namespace aerogpu::process
