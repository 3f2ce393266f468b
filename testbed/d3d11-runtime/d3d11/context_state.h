// SPDX-License-Identifier: MIT
// What is bound to a context, and ID3DDeviceContextState, which keeps it while another state is current.
#pragma once

#include "testbed/d3d11-runtime/d3d11/queries.h"
#include "testbed/d3d11-runtime/d3d11/shaders.h"
#include "testbed/d3d11-runtime/d3d11/states.h"
#include "testbed/d3d11-runtime/d3d11/views.h"

namespace aerogpu::runtime11 {

/// What is bound, with references of the runtime's. Members of a context, which derives from it.
struct BoundState {
  static constexpr UINT kConstants = D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT;
  static constexpr UINT kViews = D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT;
  static constexpr UINT kSamplers = D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT;
  static constexpr UINT kTargets = D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT;
  static constexpr UINT kStreams = D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT;
  static constexpr UINT kAreas = D3D11_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE;

  /// What is bound to a shader stage.
  template <class S> struct Stage {
    Ref<S> shader;
    Ref<Buffer> constants[kConstants];
    Ref<ShaderResourceView> views[kViews];
    Ref<SamplerState> samplers[kSamplers];
  };

  Stage<VertexShader> m_vs;
  Stage<GeometryShader> m_gs;
  Stage<PixelShader> m_ps;
  Ref<InputLayout> m_layout;
  struct Stream {
    Ref<Buffer> buffer;
    UINT stride = 0, offset = 0;
  } m_streams[kStreams];
  Ref<Buffer> m_streamTargets[D3D11_SO_BUFFER_SLOT_COUNT];
  UINT m_streamTargetCount = 0;
  Ref<Buffer> m_indices;
  DXGI_FORMAT m_indexFormat = DXGI_FORMAT_UNKNOWN;
  UINT m_indexOffset = 0;
  D3D11_PRIMITIVE_TOPOLOGY m_topology = D3D11_PRIMITIVE_TOPOLOGY_UNDEFINED;
  Ref<RenderTargetView> m_targets[kTargets];
  UINT m_targetCount = 0;
  Ref<DepthStencilView> m_depth;
  Ref<BlendState> m_blend;
  FLOAT m_blendFactor[4] = {1, 1, 1, 1};
  UINT m_sampleMask = ~0u;
  Ref<DepthStencilState> m_depthState;
  UINT m_stencilReference = 0;
  Ref<RasterizerState> m_rasterizer;
  D3D11_VIEWPORT m_viewports[kAreas]{};
  UINT m_viewportCount = 0;
  D3D11_RECT m_scissors[kAreas]{};
  UINT m_scissorCount = 0;
  Ref<Query> m_predicate;
  BOOL m_predicateValue = FALSE;
};

/// A state that is not current has what it was left with; the current one's is the context's.
class ContextState final : public Child<ID3DDeviceContextState> {
public:
  explicit ContextState(Core &core) : Child(core) {}
  BoundState bound;
};

/// Makes a state in which nothing is bound.
HRESULT createContextState(Core &core, UINT flags, const D3D_FEATURE_LEVEL *levels, UINT count, UINT version,
                           REFIID emulated, D3D_FEATURE_LEVEL *level, ID3DDeviceContextState **out);

}  // namespace aerogpu::runtime11
