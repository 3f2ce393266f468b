// SPDX-License-Identifier: MIT
// Everything that a state block can hold: the values, their receiver (StateSink), and the device's own (PipelineState),
// which passes each change on to the driver. Under the device's lock.
#pragma once

#include <array>
#include <map>

#include "testbed/d3d9-runtime/com/api_states.h"
#include "testbed/d3d9-runtime/com/buffer.h"
#include "testbed/d3d9-runtime/com/declaration.h"
#include "testbed/d3d9-runtime/com/fixed_function.h"
#include "testbed/d3d9-runtime/com/shader.h"
#include "testbed/d3d9-runtime/com/texture.h"
#include "testbed/d3d9-runtime/software/vertex_interpreter.h"

namespace aerogpu::runtime {

inline constexpr UINT kStreams = 16, kClipPlanes = 6, kTransforms = 24 + 256;
inline constexpr UINT kSoftwareFloats = 8192;  ///< registers of software vertex processing

/// Return the registers of a kind, and the 32-bit words of each.
UINT constantCount(Constants kind);
UINT constantWords(Constants kind);

/// Returns the slot of a sampler or texture stage of the API: 0..15, D3DDMAPSAMPLER, D3DVERTEXTEXTURESAMPLER0..3.
/// kSamplers for others.
UINT samplerSlot(DWORD sampler);
DWORD samplerOfSlot(UINT slot);
/// Returns the slot of a D3DTRANSFORMSTATETYPE, kTransforms for others.
UINT transformSlot(D3DTRANSFORMSTATETYPE state);

struct Stream {
  Ref<VertexBuffer> buffer;
  UINT offset = 0, stride = 0, frequency = 1;
};

struct Light {
  D3DLIGHT9 light{};
  BOOL enabled = FALSE;
};

struct StateValues {
  DWORD render[kRenderStates]{};
  DWORD sampler[kSamplers][kSamplerStates]{};
  DWORD stage[kStages][kStageStates]{};
  Ref<AnyTexture> texture[kSamplers];
  Stream stream[kStreams];
  Ref<IndexBuffer> indices;
  UINT baseVertex = 0;  ///< of indices; only Direct3D 8 sets it with them
  Ref<Declaration> declaration;
  DWORD fvf = 0;  ///< the code that the declaration was made from, else 0
  Ref<VertexShader> vertexShader;
  Ref<PixelShader> pixelShader;
  DWORD vertexFloat[kVertexFloats][4]{}, pixelFloat[kPixelFloats][4]{};
  DWORD vertexInteger[kIntegers][4]{}, pixelInteger[kIntegers][4]{};
  DWORD vertexBoolean[kBooleans]{}, pixelBoolean[kBooleans]{};
  D3DVIEWPORT9 viewport{};
  RECT scissor{};
  float clipPlane[kClipPlanes][4]{};
  D3DMATRIX transform[kTransforms]{};
  D3DMATERIAL9 material{};
  std::map<DWORD, Light> lights;

  DWORD *constants(Constants kind);
  const DWORD *constants(Constants kind) const { return const_cast<StateValues *>(this)->constants(kind); }
};

/// Receives the device's setters after their arguments were checked: the device's state, or a state block that is being
/// recorded.
class StateSink {
public:
  virtual HRESULT setRender(UINT state, DWORD value) = 0;
  virtual HRESULT setSampler(UINT slot, UINT state, DWORD value) = 0;
  virtual HRESULT setStage(UINT stage, UINT state, DWORD value) = 0;
  virtual HRESULT setTexture(UINT slot, AnyTexture *texture) = 0;
  virtual HRESULT setStream(UINT stream, VertexBuffer *buffer, UINT offset, UINT stride) = 0;
  virtual HRESULT setFrequency(UINT stream, UINT frequency) = 0;
  virtual HRESULT setIndices(IndexBuffer *buffer, UINT baseVertex) = 0;
  virtual HRESULT setDeclaration(Declaration *declaration, DWORD fvf) = 0;
  virtual HRESULT setVertexShader(VertexShader *shader) = 0;
  virtual HRESULT setPixelShader(PixelShader *shader) = 0;
  virtual HRESULT setConstants(Constants kind, UINT first, UINT count, const void *data) = 0;
  virtual HRESULT setViewport(const D3DVIEWPORT9 &viewport) = 0;
  virtual HRESULT setScissor(const RECT &rect) = 0;
  virtual HRESULT setClipPlane(UINT index, const float *plane) = 0;
  virtual HRESULT setTransform(UINT slot, const D3DMATRIX &matrix) = 0;
  virtual HRESULT setMaterial(const D3DMATERIAL9 &material) = 0;
  virtual HRESULT setLight(DWORD index, const D3DLIGHT9 &light) = 0;
  virtual HRESULT enableLight(DWORD index, BOOL enable) = 0;

protected:
  ~StateSink() = default;
};

class PipelineState final : public StateSink {
public:
  PipelineState(DriverDevice &driver, bool pure)
      : m_driver(driver), m_pure(pure), m_states(ApiStates::of(driver.adapter().version())), m_fixed(driver) {}

  const StateValues &values() const { return m_values; }
  /// Returns the states that the program's version of Direct3D has.
  const ApiStates &states() const { return m_states; }
  /// Sets and sends all defaults, in order of number.
  HRESULT reset(bool depthStencil);
  /// Releases all bindings, at the driver too.
  void unbind();
  /// Called before a draw: sends the shaders that go with this declaration, generated ones if the program has none, and
  /// the pending changes of managed resources.
  HRESULT flush(bool indexed);
  /// Called before a declaration or vertex shader at the driver is destroyed, because another one may get its handle.
  void forget(HANDLE handle);
  /// Constants from c256 on, which only software vertex processing has. State blocks do not hold them.
  const std::vector<Float4> &softwareFloats() const { return m_softwareFloats; }
  void setSoftwareFloats(UINT first, UINT count, const float *data);
  FixedFunction &fixed() { return m_fixed; }
  HRESULT resendStream(UINT stream) { return sendStream(stream); }
  /// Unsets stream 0 and the indices after a draw from user memory.
  HRESULT restoreStreams(bool indexed);

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

  /// Sends a driver state that no program sets, such as D3DDDIRS_SCENECAPTURE.
  HRESULT sendRender(UINT state, DWORD value);

private:
  HRESULT sendStage(UINT stage, UINT state, DWORD value);
  HRESULT sendStream(UINT stream);
  HRESULT sendIndices();
  HRESULT sendDepthRange();
  HRESULT sendConstants(Constants kind, UINT first, UINT count, const void *data);
  HRESULT sendClipPlane(UINT index, const float *plane);
  /// Sends the largest level of each bound texture: the sampler's, or SetLOD's of the texture.
  HRESULT sendLargestLevels();
  /// Sends the program's registers again after the fixed function used them.
  HRESULT restoreRegisters(bool vertex, bool pixel);
  /// Sends the enabled clip planes, in the space that the vertex shader of the next draw requires.
  HRESULT sendClipPlanes(bool fixed);

  DriverDevice &m_driver;
  bool m_pure;  ///< also sends states that do not change
  const ApiStates &m_states;
  StateValues m_values;
  FixedFunction m_fixed;
  HANDLE m_sentVertexShader = nullptr, m_sentPixelShader = nullptr, m_sentDeclaration = nullptr;
  float m_sentPlane[kClipPlanes][4]{};
  DWORD m_sentLargestLevel[kSamplers]{};
  std::vector<Float4> m_softwareFloats;
  bool m_refused = false;  ///< a draw with this vertex shader failed because it needs software vertex processing
};

/// True if drivers with shaders get a render state: those of the fixed function stay in the runtime. Page
/// converting-the-direct3d-fixed-function-state.
bool isSentToDriver(UINT renderState);
/// Returns the D3DTSS number of a sampler state at the driver's interface.
UINT stageStateOfSampler(UINT samplerState);

}  // namespace aerogpu::runtime
