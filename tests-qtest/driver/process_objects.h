// SPDX-License-Identifier: MIT
// The objects that a process makes on the device, and every way in which another one may try to use them, for
// the tests that processes are kept apart.
#pragma once

#include <vector>

#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

/// A handle of each kind, made by one process, and the streams that use them.
struct Objects {
  uint32_t texture = newHandle(), depth = newHandle(), buffer = newHandle(), view = newHandle(),
           vertexShader = newHandle(), pixelShader = newHandle(), inputLayout = newHandle(),
           sampler = newHandle();
};

/// Returns a stream that makes all of them, without errors.
Stream makeObjects(const Objects& o, uint32_t allocId);

/// A stream of one packet.
struct Use {
  const char* what;
  Stream stream;
};
/// Returns each way to use a foreign handle: one packet each, correct except for the handle's owner. `own`
/// are the caller's.
std::vector<Use> usesOf(const Objects& their, const Objects& own);
/// Returns packets that destroy or redefine a foreign handle: their owner may do this too, but it changes the
/// objects.
std::vector<Use> endsOf(const Objects& their);

}  // namespace aerogpu::host
