// SPDX-License-Identifier: MIT
// Errors of packets that need what the guest was told of, on a host that lacks it (CAPS-8). Render thread
// only.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "renderer/base/result.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

/// Returns the error of a packet, and logs it if it is the first with this text and this number, which is a
/// format's or 0. `what` has static storage.
Error lacking(Submission& s, const char* what, uint32_t number, std::initializer_list<ErrorValue> values);

/// Succeeds if the guest was told of a flag, AEROGPU_CAPS_*: for state, of which draws miss what this host
/// lacks. `what` has static storage.
Result<void> needTold(const Submission& s, uint32_t flag, const char* what);
/// Succeeds if it was told of it and it is there, too.
Result<void> needOffered(Submission& s, uint32_t flag, const char* what);
/// Succeeds if the guest was told of AEROGPU_CAPS_D3D10_STATES.
Result<void> needD3d10States(const Submission& s);

}  // namespace aerogpu::core
