// SPDX-License-Identifier: MIT
// The runtime's settings: environment variables AEROGPU_<RUNTIME>_<SETTING>, such as AEROGPU_D3D9_LOG.
#pragma once

#include <cstddef>

namespace aerogpu::runtime {

/// Names the runtime, in lower case: "d3d9". Called once, before all else here.
void nameRuntime(const char *name);
const char *runtimeName();

/// Returns the value of a setting in `value`; false if it is not set, empty, or too long.
bool setting(const char *name, char *value, size_t room);
template <size_t kRoom> bool setting(const char *name, char (&value)[kRoom]) {
  return setting(name, value, kRoom);
}
/// True if a setting is set and begins with this character.
bool settingBegins(const char *name, char first);

}  // namespace aerogpu::runtime
