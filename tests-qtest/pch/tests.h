// SPDX-License-Identifier: MIT
// Precompiled for this folder's tests. Each test still includes what it uses, so that -Db_pch=false compiles.
#include "tests-qtest/aerogpu_dev.h"
