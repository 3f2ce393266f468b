// SPDX-License-Identifier: MIT
// Precompiled for this folder's tests. Each test still includes what it uses, so that -Db_pch=false compiles.
#include <gtest/gtest.h>

#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"
#include "renderer/test/harness.h"
