// SPDX-License-Identifier: MIT
// IDirect3DStateBlock9: some of the states, taken from the device (Capture) and written back (Apply). State blocks
// exist only in the runtime; the driver sees the states that Apply sets. Pages IDirect3DStateBlock9, D3DSTATEBLOCKTYPE.
#pragma once

#include <bitset>

#include "testbed/d3d9-runtime/com/pipeline_state.h"

namespace aerogpu::runtime {

class StateBlock final : public Child<IDirect3DStateBlock9>, public StateSink {
public:
  explicit StateBlock(Device &device) : Child(device) {}
  /// Fills the block with the states of a type, as the device has them now.
  void take(D3DSTATEBLOCKTYPE type);

  HRESULT STDMETHODCALLTYPE Capture() override;
  HRESULT STDMETHODCALLTYPE Apply() override;

  // Between BeginStateBlock and EndStateBlock the device's setters call these.
  HRESULT setRender(UINT state, DWORD value) override;
  HRESULT setSampler(UINT slot, UINT state, DWORD value) override;
  HRESULT setStage(UINT stage, UINT state, DWORD value) override;
  HRESULT setTexture(UINT slot, AnyTexture *texture) override;
  HRESULT setStream(UINT stream, VertexBuffer *buffer, UINT offset, UINT stride) override;
  HRESULT setFrequency(UINT stream, UINT frequency) override;
  HRESULT setIndices(IndexBuffer *buffer, UINT baseVertex) override;
  HRESULT setDeclaration(Declaration *declaration, DWORD fvf) override;
  HRESULT setVertexShader(VertexShader *shader) override;
  HRESULT setPixelShader(PixelShader *shader) override;
  HRESULT setConstants(Constants kind, UINT first, UINT count, const void *data) override;
  HRESULT setViewport(const D3DVIEWPORT9 &viewport) override;
  HRESULT setScissor(const RECT &rect) override;
  HRESULT setClipPlane(UINT index, const float *plane) override;
  HRESULT setTransform(UINT slot, const D3DMATRIX &matrix) override;
  HRESULT setMaterial(const D3DMATERIAL9 &material) override;
  HRESULT setLight(DWORD index, const D3DLIGHT9 &light) override;
  HRESULT enableLight(DWORD index, BOOL enable) override;

private:
  /// Calls `to`'s setter for every state of the block, with the values of `from`.
  void copy(const StateValues &from, StateSink &to) const;

  struct Mask {
    std::bitset<kRenderStates> render;
    std::bitset<size_t{kSamplers} * kSamplerStates> sampler;
    std::bitset<size_t{kStages} * kStageStates> stage;
    std::bitset<kSamplers> texture;
    std::bitset<kStreams> stream, frequency;
    std::bitset<kClipPlanes> clipPlane;
    std::bitset<kTransforms> transform;
    std::bitset<256> constants[6];
    bool indices = false, declaration = false, vertexShader = false, pixelShader = false, viewport = false,
         scissor = false, material = false, lights = false;
  };
  StateValues m_values;
  Mask m_mask;
  bool m_hasAll = false;  ///< made with D3DSBT_ALL
};

}  // namespace aerogpu::runtime
