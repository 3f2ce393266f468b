// SPDX-License-Identifier: MIT
// keyed_mutexes.h: kmt_program's tests of keyed mutexes.
#pragma once

#include "testbed/kmt/client/test/gpu.h"

namespace aerogpu::kmt::test {

void keyedMutexTests();

}  // namespace aerogpu::kmt::test
