// SPDX-License-Identifier: MIT
// An event tracing session as the driver's provider sees it.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// Begins or ends a session that listens to the provider, with this level and these keywords.
void listenToEtw(bool listen, uint8_t level, uint64_t keywords);

}  // namespace aerogpu::host
