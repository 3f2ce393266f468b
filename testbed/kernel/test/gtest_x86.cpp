// SPDX-License-Identifier: MIT
// GoogleTest for the 32-bit tests, from Debian's sources, without sending results to a socket: getaddrinfo,
// which that would call, cannot be linked statically.
#include <gtest/internal/gtest-port.h>

#undef GTEST_CAN_STREAM_RESULTS_

#include "src/gtest-all.cc"  // NOLINT(bugprone-suspicious-include): as GoogleTest means it to be used
