// SPDX-License-Identifier: MIT
// Executor: copies and fills of guest memory (docs/abi/memory.md). Not announced: refused so far.
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_ext_copy_memory&) {
  return refused(ErrorCode::CmdDecode, "the device does not copy memory",
                 {{"feature bit", 56u}});
}

Result<void> Executor::run(const aerogpu_cmd_ext_fill_memory&) {
  return refused(ErrorCode::CmdDecode, "the device does not fill memory",
                 {{"feature bit", 56u}});
}

}  // namespace aerogpu::core
