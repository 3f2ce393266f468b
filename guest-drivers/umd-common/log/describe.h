// SPDX-License-Identifier: MIT
// describe.h: writes handles, words and results into a line of the log of calls.
#pragma once

#include <stddef.h>

#include "guest-drivers/umd-common/base/ddi.h"
#include "guest-drivers/umd-common/log/call_text.h"

namespace aero {

/** Writes the first words of 32 bits. */
void describeWords(CallText &out, const void *words, size_t bytes);
void describeHandle(CallText &out, const void *handle);

/** Ends the text of a call with its result. */
void describeEnd(CallText &out, HRESULT result);

}  // namespace aero
