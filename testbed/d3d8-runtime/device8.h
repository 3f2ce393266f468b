// SPDX-License-Identifier: MIT
// IDirect3DDevice8. Most methods forward to the device of testbed/d3d9-runtime/com, which sends the driver what
// Direct3D 8 sends since its adapter was opened so. By subject in device8*.cpp: general matters and presents
// (device8.cpp), resources and targets (device8_resources.cpp), states (device8_state.cpp), shaders and draws
// (device8_draw.cpp).
#pragma once

#include <map>

#include "testbed/d3d8-runtime/front.h"
#include "testbed/d3d8-runtime/vertex_program.h"
#include "testbed/d3d9-runtime/com/state_block.h"

namespace aerogpu::runtime {

/// Converts the parameters of a swap chain. In windows only D3DSWAPEFFECT_COPY_VSYNC waits for the screen.
HRESULT convertParameters(const D3DPRESENT_PARAMETERS8 &from, D3DPRESENT_PARAMETERS &to);

class Device8 final : public UnknownFront<IDirect3DDevice8, Device, IID_IDirect3DDevice8> {
public:
  using UnknownFront::UnknownFront;

  HRESULT STDMETHODCALLTYPE TestCooperativeLevel() override;
  UINT STDMETHODCALLTYPE GetAvailableTextureMem() override;
  HRESULT STDMETHODCALLTYPE ResourceManagerDiscardBytes(DWORD bytes) override;
  HRESULT STDMETHODCALLTYPE GetDirect3D(IDirect3D8 **out) override;
  HRESULT STDMETHODCALLTYPE GetDeviceCaps(D3DCAPS8 *out) override;
  HRESULT STDMETHODCALLTYPE GetDisplayMode(D3DDISPLAYMODE *out) override;
  HRESULT STDMETHODCALLTYPE GetCreationParameters(D3DDEVICE_CREATION_PARAMETERS *out) override;
  HRESULT STDMETHODCALLTYPE SetCursorProperties(UINT x, UINT y, IDirect3DSurface8 *bitmap) override;
  void STDMETHODCALLTYPE SetCursorPosition(UINT x, UINT y, DWORD flags) override;
  BOOL STDMETHODCALLTYPE ShowCursor(BOOL show) override;
  HRESULT STDMETHODCALLTYPE CreateAdditionalSwapChain(D3DPRESENT_PARAMETERS8 *parameters,
                                                      IDirect3DSwapChain8 **out) override;
  HRESULT STDMETHODCALLTYPE Reset(D3DPRESENT_PARAMETERS8 *parameters) override;
  HRESULT STDMETHODCALLTYPE Present(const RECT *source, const RECT *destination, HWND window,
                                    const RGNDATA *dirty) override;
  HRESULT STDMETHODCALLTYPE GetBackBuffer(UINT index, D3DBACKBUFFER_TYPE type, IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE GetRasterStatus(D3DRASTER_STATUS *out) override;
  void STDMETHODCALLTYPE SetGammaRamp(DWORD flags, const D3DGAMMARAMP *ramp) override;
  void STDMETHODCALLTYPE GetGammaRamp(D3DGAMMARAMP *out) override;
  HRESULT STDMETHODCALLTYPE BeginScene() override;
  HRESULT STDMETHODCALLTYPE EndScene() override;
  HRESULT STDMETHODCALLTYPE Clear(DWORD count, const D3DRECT *rects, DWORD flags, D3DCOLOR color, float z,
                                  DWORD stencil) override;
  HRESULT STDMETHODCALLTYPE ValidateDevice(DWORD *passes) override;
  HRESULT STDMETHODCALLTYPE GetInfo(DWORD number, void *out, DWORD size) override;
  HRESULT STDMETHODCALLTYPE CreateTexture(UINT width, UINT height, UINT levels, DWORD usage, D3DFORMAT format,
                                          D3DPOOL pool, IDirect3DTexture8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateVolumeTexture(UINT width, UINT height, UINT depth, UINT levels, DWORD usage,
                                                D3DFORMAT format, D3DPOOL pool, IDirect3DVolumeTexture8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateCubeTexture(UINT edge, UINT levels, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                              IDirect3DCubeTexture8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateVertexBuffer(UINT size, DWORD usage, DWORD fvf, D3DPOOL pool,
                                               IDirect3DVertexBuffer8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateIndexBuffer(UINT size, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                              IDirect3DIndexBuffer8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateRenderTarget(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE samples,
                                               BOOL lockable, IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilSurface(UINT width, UINT height, D3DFORMAT format,
                                                      D3DMULTISAMPLE_TYPE samples, IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE CreateImageSurface(UINT width, UINT height, D3DFORMAT format,
                                               IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE CopyRects(IDirect3DSurface8 *source, const RECT *rects, UINT count,
                                      IDirect3DSurface8 *destination, const POINT *points) override;
  HRESULT STDMETHODCALLTYPE UpdateTexture(IDirect3DBaseTexture8 *source, IDirect3DBaseTexture8 *destination) override;
  HRESULT STDMETHODCALLTYPE GetFrontBuffer(IDirect3DSurface8 *destination) override;
  HRESULT STDMETHODCALLTYPE SetRenderTarget(IDirect3DSurface8 *target, IDirect3DSurface8 *depth) override;
  HRESULT STDMETHODCALLTYPE GetRenderTarget(IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE GetDepthStencilSurface(IDirect3DSurface8 **out) override;
  HRESULT STDMETHODCALLTYPE GetTexture(DWORD stage, IDirect3DBaseTexture8 **out) override;
  HRESULT STDMETHODCALLTYPE SetTexture(DWORD stage, IDirect3DBaseTexture8 *texture) override;
  HRESULT STDMETHODCALLTYPE SetStreamSource(UINT stream, IDirect3DVertexBuffer8 *buffer, UINT stride) override;
  HRESULT STDMETHODCALLTYPE GetStreamSource(UINT stream, IDirect3DVertexBuffer8 **out, UINT *stride) override;
  HRESULT STDMETHODCALLTYPE SetIndices(IDirect3DIndexBuffer8 *buffer, UINT baseVertex) override;
  HRESULT STDMETHODCALLTYPE GetIndices(IDirect3DIndexBuffer8 **out, UINT *baseVertex) override;
  HRESULT STDMETHODCALLTYPE SetTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) override;
  HRESULT STDMETHODCALLTYPE GetTransform(D3DTRANSFORMSTATETYPE state, D3DMATRIX *out) override;
  HRESULT STDMETHODCALLTYPE MultiplyTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) override;
  HRESULT STDMETHODCALLTYPE SetViewport(const D3DVIEWPORT8 *viewport) override;
  HRESULT STDMETHODCALLTYPE GetViewport(D3DVIEWPORT8 *out) override;
  HRESULT STDMETHODCALLTYPE SetMaterial(const D3DMATERIAL8 *material) override;
  HRESULT STDMETHODCALLTYPE GetMaterial(D3DMATERIAL8 *out) override;
  HRESULT STDMETHODCALLTYPE SetLight(DWORD index, const D3DLIGHT8 *light) override;
  HRESULT STDMETHODCALLTYPE GetLight(DWORD index, D3DLIGHT8 *out) override;
  HRESULT STDMETHODCALLTYPE LightEnable(DWORD index, BOOL enable) override;
  HRESULT STDMETHODCALLTYPE GetLightEnable(DWORD index, BOOL *out) override;
  HRESULT STDMETHODCALLTYPE SetClipPlane(DWORD index, const float *plane) override;
  HRESULT STDMETHODCALLTYPE GetClipPlane(DWORD index, float *out) override;
  HRESULT STDMETHODCALLTYPE SetClipStatus(const D3DCLIPSTATUS8 *status) override;
  HRESULT STDMETHODCALLTYPE GetClipStatus(D3DCLIPSTATUS8 *out) override;
  HRESULT STDMETHODCALLTYPE SetRenderState(D3DRENDERSTATETYPE state, DWORD value) override;
  HRESULT STDMETHODCALLTYPE GetRenderState(D3DRENDERSTATETYPE state, DWORD *out) override;
  HRESULT STDMETHODCALLTYPE SetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD value) override;
  HRESULT STDMETHODCALLTYPE GetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD *out) override;
  HRESULT STDMETHODCALLTYPE SetPaletteEntries(UINT palette, const PALETTEENTRY *entries) override;
  HRESULT STDMETHODCALLTYPE GetPaletteEntries(UINT palette, PALETTEENTRY *out) override;
  HRESULT STDMETHODCALLTYPE SetCurrentTexturePalette(UINT palette) override;
  HRESULT STDMETHODCALLTYPE GetCurrentTexturePalette(UINT *out) override;
  HRESULT STDMETHODCALLTYPE BeginStateBlock() override;
  HRESULT STDMETHODCALLTYPE EndStateBlock(DWORD *out) override;
  HRESULT STDMETHODCALLTYPE CreateStateBlock(D3DSTATEBLOCKTYPE type, DWORD *out) override;
  HRESULT STDMETHODCALLTYPE ApplyStateBlock(DWORD number) override;
  HRESULT STDMETHODCALLTYPE CaptureStateBlock(DWORD number) override;
  HRESULT STDMETHODCALLTYPE DeleteStateBlock(DWORD number) override;
  HRESULT STDMETHODCALLTYPE CreateVertexShader(const DWORD *declaration, const DWORD *code, DWORD *out,
                                               DWORD usage) override;
  HRESULT STDMETHODCALLTYPE SetVertexShader(DWORD handle) override;
  HRESULT STDMETHODCALLTYPE GetVertexShader(DWORD *out) override;
  HRESULT STDMETHODCALLTYPE DeleteVertexShader(DWORD handle) override;
  HRESULT STDMETHODCALLTYPE SetVertexShaderConstant(DWORD first, const void *data, DWORD count) override;
  HRESULT STDMETHODCALLTYPE GetVertexShaderConstant(DWORD first, void *out, DWORD count) override;
  HRESULT STDMETHODCALLTYPE GetVertexShaderDeclaration(DWORD handle, void *out, DWORD *size) override;
  HRESULT STDMETHODCALLTYPE GetVertexShaderFunction(DWORD handle, void *out, DWORD *size) override;
  HRESULT STDMETHODCALLTYPE CreatePixelShader(const DWORD *code, DWORD *out) override;
  HRESULT STDMETHODCALLTYPE SetPixelShader(DWORD handle) override;
  HRESULT STDMETHODCALLTYPE GetPixelShader(DWORD *out) override;
  HRESULT STDMETHODCALLTYPE DeletePixelShader(DWORD handle) override;
  HRESULT STDMETHODCALLTYPE SetPixelShaderConstant(DWORD first, const void *data, DWORD count) override;
  HRESULT STDMETHODCALLTYPE GetPixelShaderConstant(DWORD first, void *out, DWORD count) override;
  HRESULT STDMETHODCALLTYPE GetPixelShaderFunction(DWORD handle, void *out, DWORD *size) override;
  HRESULT STDMETHODCALLTYPE DrawPrimitive(D3DPRIMITIVETYPE type, UINT first, UINT primitives) override;
  HRESULT STDMETHODCALLTYPE DrawIndexedPrimitive(D3DPRIMITIVETYPE type, UINT least, UINT vertices, UINT first,
                                                 UINT primitives) override;
  HRESULT STDMETHODCALLTYPE DrawPrimitiveUP(D3DPRIMITIVETYPE type, UINT primitives, const void *data,
                                            UINT stride) override;
  HRESULT STDMETHODCALLTYPE DrawIndexedPrimitiveUP(D3DPRIMITIVETYPE type, UINT least, UINT vertices, UINT primitives,
                                                   const void *indices, D3DFORMAT format, const void *data,
                                                   UINT stride) override;
  HRESULT STDMETHODCALLTYPE ProcessVertices(UINT from, UINT to, UINT count, IDirect3DVertexBuffer8 *buffer,
                                            DWORD flags) override;
  HRESULT STDMETHODCALLTYPE DrawRectPatch(UINT handle, const float *segments, const D3DRECTPATCH_INFO *patch) override;
  HRESULT STDMETHODCALLTYPE DrawTriPatch(UINT handle, const float *segments, const D3DTRIPATCH_INFO *patch) override;
  HRESULT STDMETHODCALLTYPE DeletePatch(UINT handle) override;

private:
  /// A vertex shader, by its handle.
  struct VertexProgram {
    Declaration8 tokens;
    std::vector<DWORD> code;  ///< the program's; empty: the fixed function
    Ref<Declaration> declaration;
    Ref<VertexShader> shader;
  };
  /// Pixel shaders and declarations know their handles.
  struct HandleFront final : Front {
    explicit HandleFront(DWORD number) : handle(number) {}
    DWORD handle;
  };

  const VertexProgram *program(DWORD handle) const;
  const Surface *currentTarget() const;
  /// Returns the driver's D3DCAPS8.
  const D3DCAPS9 &caps8() const { return m_object.driver().adapter().caps8(); }
  DWORD addBlock(IDirect3DStateBlock9 *block);

  DWORD m_lastHandle = 0, m_lastBlock = 0;
  std::map<DWORD, VertexProgram> m_vertexPrograms;
  std::map<DWORD, Ref<PixelShader>> m_pixelShaders;
  std::map<DWORD, Ref<StateBlock>> m_blocks;
};

}  // namespace aerogpu::runtime
