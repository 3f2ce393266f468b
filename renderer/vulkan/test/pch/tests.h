// SPDX-License-Identifier: MIT
// Precompiled for this folder's tests. Each test still includes what it uses, so that -Db_pch=false compiles.
#include "renderer/vulkan/test/gpu_test.h"
