// SPDX-License-Identifier: MIT
// Precompiled for this folder's tests, which include what they use nevertheless (-Db_pch=false compiles
// without).
#include <gtest/gtest.h>

#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"
#include "renderer/test/harness.h"
