// SPDX-License-Identifier: MIT
// The executor reports with this how a submission went.
#pragma once

#include <cstdint>

#include "renderer/base/result.h"

namespace aerogpu::core {

struct ExecutionReport {
  uint32_t errorCount = 0;
  ErrorCode lastError = ErrorCode::None;
  uint32_t presents = 0;
  bool vsync = false;
  bool frameUnchanged =
      false;                   ///< the last present showed what the last frame of an earlier submission holds
  bool dropped = false;        ///< interrupted: the packets from executedBytes on did not run
  bool stopped = false;        ///< likewise dropped, because a submission that must not fail has failed
  bool needsGpu = true;        ///< false: guest memory was copied and filled, and nothing else was asked for
  uint64_t executedBytes = 0;  ///< of the stream, its header included; 0 if no packet was read
};

}  // namespace aerogpu::core
