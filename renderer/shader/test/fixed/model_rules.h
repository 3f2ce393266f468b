// SPDX-License-Identifier: MIT
// The rules of vs_2_0, ps_2_0 and ps_2_x for the instructions of the fixed function's shaders. Tests only.
#pragma once

#include <string>

#include "aerogpu/d3d9/fixed_function.h"
#include "renderer/shader/test/oracle/oracle.h"

namespace aerogpu::shader::fixed {

/// Returns the violations, a line each: slots beyond the model's and other than in `info`, register ports,
/// swizzles, chains of dependent reads, registers read before they are written. Empty for a shader that keeps
/// the rules.
std::string brokenRules(const oracle::Code& code, const d3d9::FixedShader& info);

}  // namespace aerogpu::shader::fixed
