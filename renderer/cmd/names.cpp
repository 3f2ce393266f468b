// SPDX-License-Identifier: MIT
#include "renderer/cmd/names.h"

#include "aerogpu/aerogpu_cmd_table.h"

namespace aerogpu::cmd {

const char* opcodeName(uint32_t opcode) {
  switch (opcode) {
#define AEROGPU_NAME_FIXED(NAME, STRUCT) \
  case AEROGPU_CMD_##NAME:               \
    return #NAME;
#define AEROGPU_NAME_TAIL(NAME, STRUCT, ELEM, COUNT) AEROGPU_NAME_FIXED(NAME, STRUCT)
    AEROGPU_CMD_TABLE(AEROGPU_NAME_FIXED, AEROGPU_NAME_TAIL, AEROGPU_NAME_FIXED)
#undef AEROGPU_NAME_FIXED
#undef AEROGPU_NAME_TAIL
    case kNoOpcode:
      return "submission";
    default:
      return "unknown opcode";
  }
}

}  // namespace aerogpu::cmd
