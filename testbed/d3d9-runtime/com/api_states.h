// SPDX-License-Identifier: MIT
// The states that a version of Direct3D has, with its defaults. Those of Direct3D 8: pages "D3DRENDERSTATETYPE" and
// "D3DTEXTURESTAGESTATETYPE" of its reference, d3d8types.h.
#pragma once

#include <bitset>
#include <vector>

#include "aerogpu/d3d9/states.h"
#include "testbed/d3d9-runtime/base/windows_headers.h"

namespace aerogpu::runtime {

inline constexpr UINT kRenderStates = 256, kSamplers = 21, kSamplerStates = 14, kStages = 8, kStageStates = 33;
inline constexpr UINT kVertexFloats = 256, kPixelFloats = 224, kIntegers = 16, kBooleans = 16;

enum class Constants { VertexFloat, VertexInteger, VertexBoolean, PixelFloat, PixelInteger, PixelBoolean };

class ApiStates {
public:
  /// Returns the states of version 9 or 8.
  static const ApiStates &of(UINT version);

  /// Return the states of each kind in order of number.
  const std::vector<d3d9::StateInfo> &render() const { return m_render; }
  const std::vector<d3d9::StateInfo> &sampler() const { return m_sampler; }
  const std::vector<d3d9::StateInfo> &stage() const { return m_stage; }
  bool hasRender(UINT state) const { return state < m_hasRender.size() && m_hasRender[state]; }
  bool hasStage(UINT state) const { return state < m_hasStage.size() && m_hasStage[state]; }
  /// Returns the number of samplers, counted in slots of samplerSlot().
  UINT samplers() const { return m_isDirect3D8 ? kStages : kSamplers; }
  /// Returns the registers of a kind that state blocks hold.
  UINT constants(Constants kind) const;
  bool hasScissor() const { return !m_isDirect3D8; }
  bool hasStreamFrequency() const { return !m_isDirect3D8; }

private:
  explicit ApiStates(bool isDirect3D8);

  bool m_isDirect3D8;
  std::vector<d3d9::StateInfo> m_render, m_sampler, m_stage;
  std::bitset<kRenderStates> m_hasRender;
  std::bitset<kStageStates> m_hasStage;
};

}  // namespace aerogpu::runtime
