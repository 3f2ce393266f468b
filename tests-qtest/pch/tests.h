// SPDX-License-Identifier: MIT
// Precompiled for this folder's tests, which include what they use nevertheless (-Db_pch=false compiles
// without).
#include "tests-qtest/aerogpu_dev.h"
