// SPDX-License-Identifier: MIT
// names.h: names for the numbers of the ABI.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dbgctl {

/// Names of an AEROGPU_ESCAPE_OP_*, enum aerogpu_error_code, AEROGPU_DBGCTL_SELFTEST_*, enum aerogpu_format;
/// "?" for an unknown number.
const char* operationName(uint32_t operation);
const char* errorName(uint32_t code);
const char* selfTestName(uint32_t error);
/// Returns advice on an error of the self test.
const char* selfTestAdvice(uint32_t error);
const char* formatName(uint32_t format);
/// Lists the features of these bits; those without a name are "bit N". Returns `text`.
const char* featureNames(uint64_t bits, char* text, size_t bytes);
/// List the flags of a submission, and the bits of IRQ_ENABLE and IRQ_STATUS.
const char* submitFlagNames(uint32_t flags, char* text, size_t bytes);
const char* interruptNames(uint32_t bits, char* text, size_t bytes);

}  // namespace dbgctl
