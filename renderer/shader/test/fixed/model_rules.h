// SPDX-License-Identifier: MIT
// What vs_2_0, ps_2_0 and ps_2_x allow of the instructions that the fixed function's shaders use. Tests only.
#pragma once

#include <string>

#include "aerogpu/d3d9/fixed_function.h"
#include "renderer/shader/test/oracle/oracle.h"

namespace aerogpu::shader::fixed {

/// What is wrong, a line each: slots beyond the model's and other than `info` says, register ports, swizzles,
/// chains of dependent reads, registers that are read before they are written. Empty for a shader that keeps
/// the rules.
std::string brokenRules(const oracle::Code& code, const d3d9::FixedShader& info);

}  // namespace aerogpu::shader::fixed
