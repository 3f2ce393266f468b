// SPDX-License-Identifier: MIT
// presents.h: tests of blits, fills and flips, and of the queue of flips.
#pragma once

#include "testbed/kmt/client/test/gpu.h"

namespace aerogpu::kmt::test {

/// Prints a line and waits for the answer; returns false if it is not "yes".
bool ask(const char *line);
/// Takes the screen, or gives it up.
NTSTATUS own(Gpu &gpu, D3DKMT_VIDPNSOURCEOWNER_TYPE type);
void presentTests(Gpu &gpu);
void flipTests(Gpu &gpu);

}  // namespace aerogpu::kmt::test
