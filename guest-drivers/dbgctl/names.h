// SPDX-License-Identifier: MIT
// names.h: what the numbers of the ABI are called.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dbgctl {

/// Of an AEROGPU_ESCAPE_OP_*, enum aerogpu_error_code, AEROGPU_DBGCTL_SELFTEST_*, enum aerogpu_format; a
/// number that has none is "?".
const char* operationName(uint32_t operation);
const char* errorName(uint32_t code);
const char* selfTestName(uint32_t error);
/// What to do about it.
const char* selfTestAdvice(uint32_t error);
const char* formatName(uint32_t format);
/// The features of these bits, one after the other; those without a name as "bit N". Returns `text`.
const char* featureNames(uint64_t bits, char* text, size_t bytes);
/// The same of a submission's flags and of IRQ_ENABLE and IRQ_STATUS.
const char* submitFlagNames(uint32_t flags, char* text, size_t bytes);
const char* interruptNames(uint32_t bits, char* text, size_t bytes);

}  // namespace dbgctl
