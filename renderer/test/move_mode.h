// SPDX-License-Identifier: MIT
// Tells move mode (move.h) which test runs.
#pragma once

#include <string>

namespace aerogpu::test {

/// Returns the name of the test that runs, "Suite.Test"; null: nobody knows.
inline std::string (*runningTest)() = nullptr;

}  // namespace aerogpu::test
