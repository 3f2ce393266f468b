// SPDX-License-Identifier: MIT
// entropy.h: provides numbers that a process cannot guess. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/logic/seal.h"

namespace aero {

/** Returns a key for this start of the driver: from the processor's generator if it has one, and from clocks and
 * addresses that differ from start to start. */
Seal newSealKey();

}  // namespace aero
