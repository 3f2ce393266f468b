// SPDX-License-Identifier: MIT
// Precompiled for this folder's tests, which include what they use nevertheless (-Db_pch=false compiles
// without).
#include "renderer/vulkan/test/gpu_test.h"
