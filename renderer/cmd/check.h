// SPDX-License-Identifier: MIT
// Checks all that needs only the packet, by one overload per structure of the command table: enumerators,
// multiples, counts. The commands check what needs the renderer's tables. If check.cpp lacks an overload for
// a structure with fields, linking fails.
#pragma once

#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd_table.h"
#include "renderer/base/result.h"
#include "renderer/cmd/stage.h"

namespace aerogpu::cmd {

using Bytes = std::span<const uint8_t>;
using Registers = std::span<const aerogpu_constant_register>;

/// `minor`: the stream's minor revision.
#define AEROGPU_CHECK_FIXED(NAME, STRUCT) \
  Result<void> check(const struct aerogpu_cmd_##STRUCT& packet, uint32_t minor);
#define AEROGPU_CHECK_TAIL(NAME, STRUCT, ELEM, COUNT) AEROGPU_CHECK_FIXED(NAME, STRUCT)
AEROGPU_CMD_TABLE(AEROGPU_CHECK_FIXED, AEROGPU_CHECK_TAIL, AEROGPU_CHECK_FIXED)
#undef AEROGPU_CHECK_FIXED
#undef AEROGPU_CHECK_TAIL
/// The same for elements that follow a packet.
Result<void> check(const struct aerogpu_ext_viewport& viewport);
Result<void> check(const struct aerogpu_ext_scissor& scissor);

}  // namespace aerogpu::cmd
