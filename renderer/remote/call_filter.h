// SPDX-License-Identifier: MIT
// Filters of system calls (Linux, Documentation/userspace-api/seccomp_filter.rst).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/core/backend.h"

namespace aerogpu::remote {

/// Which system calls are left.
enum class Calls : uint32_t {
  All,      ///< no filter
  Refused,  ///< all but those that no driver needs (kRefused)
  Listed,   ///< those alone that lavapipe was seen to need (kListed)
  Mesa,     ///< and those of Mesa's drivers for hardware: nobody has seen these run so
};

/// Returns the filter for a driver. AEROGPU_RENDERER_CALLS in the environment has its own: "listed" takes a
/// list of what is allowed for every driver, "refused" for none.
Calls callsFor(core::DriverKind driver);

/// Installs the filter for all threads; what it refuses fails with EPERM. Call it once the driver has
/// started, with all that it starts with. False if the kernel refuses.
bool filterCalls(Calls calls);

/// Returns a line for each kind of call that a list has refused since the last time, for people. One thread
/// at a time.
std::vector<std::string> takeRefusals();

}  // namespace aerogpu::remote
