// SPDX-License-Identifier: MIT
// The shader stage that a packet names. SHADER-1, SHADER-2.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_cmd_shader.h"
#include "renderer/base/result.h"

namespace aerogpu::cmd {

/// Stage index of every per-stage table in the renderer.
enum class Stage : uint8_t { Vertex, Pixel, Compute, Geometry, Hull, Domain };

/// Resolves a stage field and its stage_ex (the packet's reserved0, or 0 for packets that have none).
inline Result<Stage> stageOf(uint32_t stage, uint32_t stageEx, uint32_t streamMinor) {
  switch (stage) {
    case AEROGPU_SHADER_STAGE_VERTEX:
      return Stage::Vertex;
    case AEROGPU_SHADER_STAGE_PIXEL:
      return Stage::Pixel;
    case AEROGPU_SHADER_STAGE_GEOMETRY:
      return Stage::Geometry;
    case AEROGPU_SHADER_STAGE_COMPUTE:
      break;
    default:
      return refused(ErrorCode::CmdDecode, "unknown shader stage", {{"stage", stage}});
  }
  if (streamMinor < AEROGPU_STAGE_EX_MIN_ABI_MINOR) return Stage::Compute;
  switch (stageEx) {
    case AEROGPU_SHADER_STAGE_EX_NONE:
    case AEROGPU_SHADER_STAGE_EX_COMPUTE:
      return Stage::Compute;
    case AEROGPU_SHADER_STAGE_EX_GEOMETRY:
      return Stage::Geometry;
    case AEROGPU_SHADER_STAGE_EX_HULL:
      return Stage::Hull;
    case AEROGPU_SHADER_STAGE_EX_DOMAIN:
      return Stage::Domain;
    default:
      return refused(ErrorCode::CmdDecode, "unknown stage_ex", {{"stage_ex", stageEx}});
  }
}

/// The two fields that name a stage in packets of a minor version that has stage_ex.
struct StageFields {
  uint32_t stage, ex;
};
constexpr StageFields fieldsOf(Stage stage) {
  switch (stage) {
    case Stage::Vertex:
      return {AEROGPU_SHADER_STAGE_VERTEX, 0};
    case Stage::Pixel:
      return {AEROGPU_SHADER_STAGE_PIXEL, 0};
    case Stage::Compute:
      return {AEROGPU_SHADER_STAGE_COMPUTE, 0};
    case Stage::Geometry:
      return {AEROGPU_SHADER_STAGE_GEOMETRY, 0};
    case Stage::Hull:
      return {AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_HULL};
    case Stage::Domain:
      return {AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_DOMAIN};
  }
  return {};
}

}  // namespace aerogpu::cmd
