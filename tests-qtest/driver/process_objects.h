// SPDX-License-Identifier: MIT
// What a process makes on the device, and every way in which another one may lay hands on it, for the tests
// of what keeps processes apart.
#pragma once

#include <vector>

#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

/// A handle of each kind, made by one process, and whatever a stream can do with them.
struct Objects {
  uint32_t texture = newHandle(), depth = newHandle(), buffer = newHandle(), view = newHandle(),
           vertexShader = newHandle(), pixelShader = newHandle(), inputLayout = newHandle(),
           sampler = newHandle();
};

/// Makes all of them: no packet is wrong.
Stream makeObjects(const Objects& o, uint32_t allocId);

/// A stream of one packet.
struct Use {
  const char* what;
  Stream stream;
};
/// Each way to use a foreign handle: one packet each, which is right but for whose handle it names. `own` are
/// the caller's.
std::vector<Use> usesOf(const Objects& their, const Objects& own);
/// Ends and new meanings of a foreign handle: their owner may do this too, but it changes what there is.
std::vector<Use> endsOf(const Objects& their);

}  // namespace aerogpu::host
