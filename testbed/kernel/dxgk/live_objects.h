// SPDX-License-Identifier: MIT
// The objects whose handles the driver may have, so that a wrong handle is an error and no fault. Any thread.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// Whether it is one, and begins with `magic`.
bool isLiveObject(const void* object, uint64_t magic);
void addLiveObject(const void* object);
void removeLiveObject(const void* object);

}  // namespace aerogpu::host
