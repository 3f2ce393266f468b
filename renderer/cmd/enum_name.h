// SPDX-License-Identifier: MIT
// A number of an enumeration and its name, for people. Tables of them: enum_names.h.
#pragma once

#include <cstdint>

namespace aerogpu::cmd {

struct EnumName {
  uint64_t value;
  const char* name;
};

}  // namespace aerogpu::cmd
