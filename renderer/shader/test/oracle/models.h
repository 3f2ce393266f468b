// SPDX-License-Identifier: MIT
// The shader models of Direct3D 9, for tests that write every instruction of each.
#pragma once

#include "aerogpu/d3d9/opcodes.h"

namespace aerogpu::shader::oracle {

struct Model {
  const char* name;
  d3d9::Version version;
  bool vertex() const { return version.stage == d3d9::Stage::Vertex; }
  bool pixel1() const { return !vertex() && version.major == 1; }
};
inline constexpr Model kModels[] = {
    {"vs_1_1", {d3d9::Stage::Vertex, 1, 1}}, {"vs_2_0", {d3d9::Stage::Vertex, 2, 0}},
    {"vs_2_x", {d3d9::Stage::Vertex, 2, 1}}, {"vs_3_0", {d3d9::Stage::Vertex, 3, 0}},
    {"ps_1_1", {d3d9::Stage::Pixel, 1, 1}},  {"ps_1_2", {d3d9::Stage::Pixel, 1, 2}},
    {"ps_1_3", {d3d9::Stage::Pixel, 1, 3}},  {"ps_1_4", {d3d9::Stage::Pixel, 1, 4}},
    {"ps_2_0", {d3d9::Stage::Pixel, 2, 0}},  {"ps_2_x", {d3d9::Stage::Pixel, 2, 1}},
    {"ps_3_0", {d3d9::Stage::Pixel, 3, 0}},
};

}  // namespace aerogpu::shader::oracle
