// SPDX-License-Identifier: MIT
// The objects whose handles the driver may have, so that a wrong handle is an error, not a fault. Any thread.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// True if `object` is a live object that begins with `magic`.
bool isLiveObject(const void* object, uint64_t magic);
void addLiveObject(const void* object);
void removeLiveObject(const void* object);

}  // namespace aerogpu::host
