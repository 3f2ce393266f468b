// SPDX-License-Identifier: MIT
// A session of event tracing as the driver's provider meets it.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// A session begins to listen to the provider, with this level and these keywords, or ends.
void listenToEtw(bool listen, uint8_t level, uint64_t keywords);

}  // namespace aerogpu::host
