// SPDX-License-Identifier: MIT
// Where what is compiled for a VM is kept between its runs.
#pragma once

#include <string>

namespace aerogpu {

/// Returns the folder of one VM in the cache folder. Caches have the GPU driver's own format, which the
/// driver parses unchecked, and guests influence their contents: no VM reads another's. Empty, so that
/// nothing is kept, for a VM without a lasting identity.
std::string cacheDirOf(const char* vmUuid);

}  // namespace aerogpu
