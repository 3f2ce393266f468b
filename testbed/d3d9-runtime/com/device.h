// SPDX-License-Identifier: MIT
// IDirect3DDevice9Ex: entry points that check arguments, take the lock and forward. By subject in device*.cpp: creation
// and general matters (device.cpp), resources (device_resources.cpp), states (device_state.cpp), bindings
// (device_bindings.cpp), transfers (device_transfer.cpp), draws (device_draw.cpp), presents and Ex
// (device_present.cpp), and methods that are not implemented (device_unavailable.cpp).
#pragma once

#include <array>
#include <map>
#include <unordered_map>

#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/com/full_screen_window.h"
#include "testbed/d3d9-runtime/com/pipeline_state.h"
#include "testbed/d3d9-runtime/com/surface.h"
#include "testbed/d3d9-runtime/com/swap_chain.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"

namespace aerogpu::runtime {

class Direct3D;
class StateBlock;

inline constexpr UINT kRenderTargets = 4;

/// A CRITICAL_SECTION that is deleted with this object.
struct CriticalSection {
  CRITICAL_SECTION section;
  CriticalSection() { InitializeCriticalSection(&section); }
  ~CriticalSection() { DeleteCriticalSection(&section); }
  CriticalSection(const CriticalSection &) = delete;
  CriticalSection &operator=(const CriticalSection &) = delete;
};

class Device final : public IDirect3DDevice9Ex {
public:
  Device(Direct3D &direct3d, const DriverAdapter &adapter, const D3DDEVICE_CREATION_PARAMETERS &creation, bool ex);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  /// Makes the driver's device, the default states, the swap chain. After a failure the caller has to release the
  /// device.
  HRESULT create(D3DPRESENT_PARAMETERS &parameters);

  DriverDevice &driver() { return m_driver; }
  const DriverDevice &driver() const { return m_driver; }
  PipelineState &pipeline() { return m_pipeline; }
  CRITICAL_SECTION &lock() { return m_lock.section; }
  /// Returns the version of Direct3D that the program uses: 9 or 8.
  UINT version() const { return m_driver.adapter().version(); }
  Front *front() const { return m_front.get(); }
  void setFront(std::unique_ptr<Front> front) { m_front = std::move(front); }
  Direct3D &direct3d() const { return m_direct3d; }
  bool isEx() const { return m_ex; }
  /// Says whether another program has the screen that a full-screen device had.
  FullScreenWindow::Screen screen() const { return m_fullScreen.screen(); }
  /// True between BeginStateBlock and EndStateBlock: other blocks may not be used.
  bool isRecording() const { return static_cast<bool>(m_recording); }
  /// Counts the program's resources in the default pool: a Reset requires that there are none.
  void countDefaultPool(int change) { m_defaultPool += change; }
  /// Counts calls of EvictManagedResources: managed resources that were sent before are sent again.
  UINT evictions() const { return m_evictions; }
  /// All textures, by the pointers that programs know. Under the lock.
  using Textures = std::unordered_map<const void *, AnyTexture *>;
  Textures &textures() { return m_textures; }
  const Textures &textures() const { return m_textures; }
  /// SetIndices of Direct3D 8, which sets the first vertex of indexed draws too.
  HRESULT setIndices(IndexBuffer *buffer, UINT baseVertex);
  /// Sends render targets of `image` to the driver again, after their subresources changed.
  void rebindRenderTargets(const Image &image);

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  ULONG STDMETHODCALLTYPE AddRef() override;
  ULONG STDMETHODCALLTYPE Release() override;
  HRESULT STDMETHODCALLTYPE TestCooperativeLevel() override;
  UINT STDMETHODCALLTYPE GetAvailableTextureMem() override;
  HRESULT STDMETHODCALLTYPE EvictManagedResources() override;
  HRESULT STDMETHODCALLTYPE GetDirect3D(IDirect3D9 **out) override;
  HRESULT STDMETHODCALLTYPE GetDeviceCaps(D3DCAPS9 *caps) override;
  HRESULT STDMETHODCALLTYPE GetDisplayMode(UINT swapChain, D3DDISPLAYMODE *mode) override;
  HRESULT STDMETHODCALLTYPE GetCreationParameters(D3DDEVICE_CREATION_PARAMETERS *parameters) override;
  HRESULT STDMETHODCALLTYPE SetCursorProperties(UINT x, UINT y, IDirect3DSurface9 *bitmap) override;
  void STDMETHODCALLTYPE SetCursorPosition(int x, int y, DWORD flags) override;
  BOOL STDMETHODCALLTYPE ShowCursor(BOOL show) override;
  HRESULT STDMETHODCALLTYPE CreateAdditionalSwapChain(D3DPRESENT_PARAMETERS *parameters,
                                                      IDirect3DSwapChain9 **swapChain) override;
  HRESULT STDMETHODCALLTYPE GetSwapChain(UINT swapChain, IDirect3DSwapChain9 **out) override;
  UINT STDMETHODCALLTYPE GetNumberOfSwapChains() override;
  HRESULT STDMETHODCALLTYPE Reset(D3DPRESENT_PARAMETERS *parameters) override;
  HRESULT STDMETHODCALLTYPE Present(const RECT *sourceRect, const RECT *destinationRect, HWND window,
                                    const RGNDATA *dirty) override;
  HRESULT STDMETHODCALLTYPE GetBackBuffer(UINT swapChain, UINT index, D3DBACKBUFFER_TYPE type,
                                          IDirect3DSurface9 **out) override;
  HRESULT STDMETHODCALLTYPE GetRasterStatus(UINT swapChain, D3DRASTER_STATUS *rasterStatus) override;
  HRESULT STDMETHODCALLTYPE SetDialogBoxMode(BOOL enable) override;
  void STDMETHODCALLTYPE SetGammaRamp(UINT swapChain, DWORD flags, const D3DGAMMARAMP *ramp) override;
  void STDMETHODCALLTYPE GetGammaRamp(UINT swapChain, D3DGAMMARAMP *ramp) override;
  HRESULT STDMETHODCALLTYPE CreateTexture(UINT width, UINT height, UINT levels, DWORD usage, D3DFORMAT format,
                                          D3DPOOL pool, IDirect3DTexture9 **texture, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE CreateVolumeTexture(UINT width, UINT height, UINT depth, UINT levels, DWORD usage,
                                                D3DFORMAT format, D3DPOOL pool, IDirect3DVolumeTexture9 **texture,
                                                HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE CreateCubeTexture(UINT edgeLength, UINT levels, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                              IDirect3DCubeTexture9 **texture, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE CreateVertexBuffer(UINT size, DWORD usage, DWORD fvf, D3DPOOL pool,
                                               IDirect3DVertexBuffer9 **buffer, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE CreateIndexBuffer(UINT size, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                              IDirect3DIndexBuffer9 **buffer, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE CreateRenderTarget(UINT width, UINT height, D3DFORMAT format,
                                               D3DMULTISAMPLE_TYPE multisample, DWORD quality, BOOL lockable,
                                               IDirect3DSurface9 **surface, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilSurface(UINT width, UINT height, D3DFORMAT format,
                                                      D3DMULTISAMPLE_TYPE multisample, DWORD quality, BOOL discard,
                                                      IDirect3DSurface9 **surface, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE UpdateSurface(IDirect3DSurface9 *source, const RECT *sourceRect,
                                          IDirect3DSurface9 *destination, const POINT *point) override;
  HRESULT STDMETHODCALLTYPE UpdateTexture(IDirect3DBaseTexture9 *source, IDirect3DBaseTexture9 *destination) override;
  HRESULT STDMETHODCALLTYPE GetRenderTargetData(IDirect3DSurface9 *renderTarget,
                                                IDirect3DSurface9 *destination) override;
  HRESULT STDMETHODCALLTYPE GetFrontBufferData(UINT swapChain, IDirect3DSurface9 *destination) override;
  HRESULT STDMETHODCALLTYPE StretchRect(IDirect3DSurface9 *source, const RECT *sourceRect,
                                        IDirect3DSurface9 *destination, const RECT *destinationRect,
                                        D3DTEXTUREFILTERTYPE filter) override;
  HRESULT STDMETHODCALLTYPE ColorFill(IDirect3DSurface9 *surface, const RECT *rect, D3DCOLOR color) override;
  HRESULT STDMETHODCALLTYPE CreateOffscreenPlainSurface(UINT width, UINT height, D3DFORMAT format, D3DPOOL pool,
                                                        IDirect3DSurface9 **surface, HANDLE *shared) override;
  HRESULT STDMETHODCALLTYPE SetRenderTarget(DWORD index, IDirect3DSurface9 *surface) override;
  HRESULT STDMETHODCALLTYPE GetRenderTarget(DWORD index, IDirect3DSurface9 **surface) override;
  HRESULT STDMETHODCALLTYPE SetDepthStencilSurface(IDirect3DSurface9 *depthStencil) override;
  HRESULT STDMETHODCALLTYPE GetDepthStencilSurface(IDirect3DSurface9 **depthStencil) override;
  HRESULT STDMETHODCALLTYPE BeginScene() override;
  HRESULT STDMETHODCALLTYPE EndScene() override;
  HRESULT STDMETHODCALLTYPE Clear(DWORD rectCount, const D3DRECT *rects, DWORD flags, D3DCOLOR color, float z,
                                  DWORD stencil) override;
  HRESULT STDMETHODCALLTYPE SetTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) override;
  HRESULT STDMETHODCALLTYPE GetTransform(D3DTRANSFORMSTATETYPE state, D3DMATRIX *matrix) override;
  HRESULT STDMETHODCALLTYPE MultiplyTransform(D3DTRANSFORMSTATETYPE state, const D3DMATRIX *matrix) override;
  HRESULT STDMETHODCALLTYPE SetViewport(const D3DVIEWPORT9 *viewport) override;
  HRESULT STDMETHODCALLTYPE GetViewport(D3DVIEWPORT9 *viewport) override;
  HRESULT STDMETHODCALLTYPE SetMaterial(const D3DMATERIAL9 *material) override;
  HRESULT STDMETHODCALLTYPE GetMaterial(D3DMATERIAL9 *material) override;
  HRESULT STDMETHODCALLTYPE SetLight(DWORD index, const D3DLIGHT9 *light) override;
  HRESULT STDMETHODCALLTYPE GetLight(DWORD index, D3DLIGHT9 *light) override;
  HRESULT STDMETHODCALLTYPE LightEnable(DWORD index, BOOL enable) override;
  HRESULT STDMETHODCALLTYPE GetLightEnable(DWORD index, BOOL *enable) override;
  HRESULT STDMETHODCALLTYPE SetClipPlane(DWORD index, const float *plane) override;
  HRESULT STDMETHODCALLTYPE GetClipPlane(DWORD index, float *plane) override;
  HRESULT STDMETHODCALLTYPE SetRenderState(D3DRENDERSTATETYPE state, DWORD value) override;
  HRESULT STDMETHODCALLTYPE GetRenderState(D3DRENDERSTATETYPE state, DWORD *value) override;
  HRESULT STDMETHODCALLTYPE CreateStateBlock(D3DSTATEBLOCKTYPE type, IDirect3DStateBlock9 **out) override;
  HRESULT STDMETHODCALLTYPE BeginStateBlock() override;
  HRESULT STDMETHODCALLTYPE EndStateBlock(IDirect3DStateBlock9 **out) override;
  HRESULT STDMETHODCALLTYPE SetClipStatus(const D3DCLIPSTATUS9 *clipStatus) override;
  HRESULT STDMETHODCALLTYPE GetClipStatus(D3DCLIPSTATUS9 *clipStatus) override;
  HRESULT STDMETHODCALLTYPE GetTexture(DWORD stage, IDirect3DBaseTexture9 **texture) override;
  HRESULT STDMETHODCALLTYPE SetTexture(DWORD stage, IDirect3DBaseTexture9 *texture) override;
  HRESULT STDMETHODCALLTYPE GetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD *value) override;
  HRESULT STDMETHODCALLTYPE SetTextureStageState(DWORD stage, D3DTEXTURESTAGESTATETYPE state, DWORD value) override;
  HRESULT STDMETHODCALLTYPE GetSamplerState(DWORD sampler, D3DSAMPLERSTATETYPE state, DWORD *value) override;
  HRESULT STDMETHODCALLTYPE SetSamplerState(DWORD sampler, D3DSAMPLERSTATETYPE state, DWORD value) override;
  HRESULT STDMETHODCALLTYPE ValidateDevice(DWORD *passCount) override;
  HRESULT STDMETHODCALLTYPE SetPaletteEntries(UINT palette, const PALETTEENTRY *entries) override;
  HRESULT STDMETHODCALLTYPE GetPaletteEntries(UINT palette, PALETTEENTRY *entries) override;
  HRESULT STDMETHODCALLTYPE SetCurrentTexturePalette(UINT palette) override;
  HRESULT STDMETHODCALLTYPE GetCurrentTexturePalette(UINT *palette) override;
  HRESULT STDMETHODCALLTYPE SetScissorRect(const RECT *rect) override;
  HRESULT STDMETHODCALLTYPE GetScissorRect(RECT *rect) override;
  HRESULT STDMETHODCALLTYPE SetSoftwareVertexProcessing(BOOL software) override;
  BOOL STDMETHODCALLTYPE GetSoftwareVertexProcessing() override;
  HRESULT STDMETHODCALLTYPE SetNPatchMode(float segmentCount) override;
  float STDMETHODCALLTYPE GetNPatchMode() override;
  HRESULT STDMETHODCALLTYPE DrawPrimitive(D3DPRIMITIVETYPE type, UINT startVertex, UINT primitiveCount) override;
  HRESULT STDMETHODCALLTYPE DrawIndexedPrimitive(D3DPRIMITIVETYPE type, INT baseVertex, UINT minVertex,
                                                 UINT vertexCount, UINT startIndex, UINT primitiveCount) override;
  HRESULT STDMETHODCALLTYPE DrawPrimitiveUP(D3DPRIMITIVETYPE type, UINT primitiveCount, const void *data,
                                            UINT stride) override;
  HRESULT STDMETHODCALLTYPE DrawIndexedPrimitiveUP(D3DPRIMITIVETYPE type, UINT minVertex, UINT vertexCount,
                                                   UINT primitiveCount, const void *indexData, D3DFORMAT indexFormat,
                                                   const void *data, UINT stride) override;
  HRESULT STDMETHODCALLTYPE ProcessVertices(UINT from, UINT to, UINT vertexCount, IDirect3DVertexBuffer9 *dstBuffer,
                                            IDirect3DVertexDeclaration9 *declaration, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE CreateVertexDeclaration(const D3DVERTEXELEMENT9 *elements,
                                                    IDirect3DVertexDeclaration9 **declaration) override;
  HRESULT STDMETHODCALLTYPE SetVertexDeclaration(IDirect3DVertexDeclaration9 *declaration) override;
  HRESULT STDMETHODCALLTYPE GetVertexDeclaration(IDirect3DVertexDeclaration9 **declaration) override;
  HRESULT STDMETHODCALLTYPE SetFVF(DWORD fvf) override;
  HRESULT STDMETHODCALLTYPE GetFVF(DWORD *fvf) override;
  HRESULT STDMETHODCALLTYPE CreateVertexShader(const DWORD *code, IDirect3DVertexShader9 **shader) override;
  HRESULT STDMETHODCALLTYPE SetVertexShader(IDirect3DVertexShader9 *shader) override;
  HRESULT STDMETHODCALLTYPE GetVertexShader(IDirect3DVertexShader9 **shader) override;
  HRESULT STDMETHODCALLTYPE SetVertexShaderConstantF(UINT first, const float *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE GetVertexShaderConstantF(UINT first, float *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE SetVertexShaderConstantI(UINT first, const int *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE GetVertexShaderConstantI(UINT first, int *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE SetVertexShaderConstantB(UINT first, const BOOL *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE GetVertexShaderConstantB(UINT first, BOOL *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE SetStreamSource(UINT stream, IDirect3DVertexBuffer9 *buffer, UINT offset,
                                            UINT stride) override;
  HRESULT STDMETHODCALLTYPE GetStreamSource(UINT stream, IDirect3DVertexBuffer9 **buffer, UINT *offset,
                                            UINT *stride) override;
  HRESULT STDMETHODCALLTYPE SetStreamSourceFreq(UINT stream, UINT frequency) override;
  HRESULT STDMETHODCALLTYPE GetStreamSourceFreq(UINT stream, UINT *frequency) override;
  HRESULT STDMETHODCALLTYPE SetIndices(IDirect3DIndexBuffer9 *buffer) override;
  HRESULT STDMETHODCALLTYPE GetIndices(IDirect3DIndexBuffer9 **buffer) override;
  HRESULT STDMETHODCALLTYPE CreatePixelShader(const DWORD *code, IDirect3DPixelShader9 **shader) override;
  HRESULT STDMETHODCALLTYPE SetPixelShader(IDirect3DPixelShader9 *shader) override;
  HRESULT STDMETHODCALLTYPE GetPixelShader(IDirect3DPixelShader9 **shader) override;
  HRESULT STDMETHODCALLTYPE SetPixelShaderConstantF(UINT first, const float *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE GetPixelShaderConstantF(UINT first, float *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE SetPixelShaderConstantI(UINT first, const int *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE GetPixelShaderConstantI(UINT first, int *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE SetPixelShaderConstantB(UINT first, const BOOL *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE GetPixelShaderConstantB(UINT first, BOOL *data, UINT count) override;
  HRESULT STDMETHODCALLTYPE DrawRectPatch(UINT handle, const float *segmentCount,
                                          const D3DRECTPATCH_INFO *patchInfo) override;
  HRESULT STDMETHODCALLTYPE DrawTriPatch(UINT handle, const float *segmentCount,
                                         const D3DTRIPATCH_INFO *patchInfo) override;
  HRESULT STDMETHODCALLTYPE DeletePatch(UINT handle) override;
  HRESULT STDMETHODCALLTYPE CreateQuery(D3DQUERYTYPE type, IDirect3DQuery9 **query) override;
  HRESULT STDMETHODCALLTYPE SetConvolutionMonoKernel(UINT width, UINT height, float *rows, float *columns) override;
  HRESULT STDMETHODCALLTYPE ComposeRects(IDirect3DSurface9 *source, IDirect3DSurface9 *destination,
                                         IDirect3DVertexBuffer9 *srcDescs, UINT rectCount,
                                         IDirect3DVertexBuffer9 *dstDescs, D3DCOMPOSERECTSOP operation, INT offsetX,
                                         INT offsetY) override;
  HRESULT STDMETHODCALLTYPE PresentEx(const RECT *sourceRect, const RECT *destinationRect, HWND window,
                                      const RGNDATA *dirty, DWORD flags) override;
  HRESULT STDMETHODCALLTYPE GetGPUThreadPriority(INT *priority) override;
  HRESULT STDMETHODCALLTYPE SetGPUThreadPriority(INT priority) override;
  HRESULT STDMETHODCALLTYPE WaitForVBlank(UINT swapChain) override;
  HRESULT STDMETHODCALLTYPE CheckResourceResidency(IDirect3DResource9 **resources, UINT32 resourceCount) override;
  HRESULT STDMETHODCALLTYPE SetMaximumFrameLatency(UINT maxLatency) override;
  HRESULT STDMETHODCALLTYPE GetMaximumFrameLatency(UINT *maxLatency) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceState(HWND window) override;
  HRESULT STDMETHODCALLTYPE CreateRenderTargetEx(UINT width, UINT height, D3DFORMAT format,
                                                 D3DMULTISAMPLE_TYPE multisample, DWORD quality, BOOL lockable,
                                                 IDirect3DSurface9 **surface, HANDLE *shared, DWORD usage) override;
  HRESULT STDMETHODCALLTYPE CreateOffscreenPlainSurfaceEx(UINT width, UINT height, D3DFORMAT format, D3DPOOL pool,
                                                          IDirect3DSurface9 **surface, HANDLE *shared,
                                                          DWORD usage) override;
  HRESULT STDMETHODCALLTYPE CreateDepthStencilSurfaceEx(UINT width, UINT height, D3DFORMAT format,
                                                        D3DMULTISAMPLE_TYPE multisample, DWORD quality, BOOL discard,
                                                        IDirect3DSurface9 **surface, HANDLE *shared,
                                                        DWORD usage) override;
  HRESULT STDMETHODCALLTYPE ResetEx(D3DPRESENT_PARAMETERS *parameters, D3DDISPLAYMODEEX *mode) override;
  HRESULT STDMETHODCALLTYPE GetDisplayModeEx(UINT swapChain, D3DDISPLAYMODEEX *mode,
                                             D3DDISPLAYROTATION *rotation) override;

  /// Returns how many presents may be under way.
  UINT frameLatency() const { return m_frameLatency; }

private:
  ~Device();
  /// Creates the swap chain. `keepStates`: keeps the states, as a Reset of Direct3D 9Ex does.
  HRESULT createSwapChain(D3DPRESENT_PARAMETERS &parameters, bool keepStates);
  void dropSwapChain();
  HRESULT reset(D3DPRESENT_PARAMETERS *parameters);
  HRESULT createSurface(ImageDescription &description, IDirect3DSurface9 **out, HANDLE *shared);
  /// Creates a surface that can be drawn to (`usage`: D3DUSAGE_RENDERTARGET or _DEPTHSTENCIL), checked against the
  /// display's mode.
  HRESULT createTarget(ImageDescription &description, DWORD usage, IDirect3DSurface9 **out, HANDLE *shared);
  HRESULT checkShared(const HANDLE *shared, D3DPOOL pool) const;
  HRESULT checkBufferShared(const HANDLE *shared, D3DPOOL pool) const;
  HRESULT setTarget(UINT index, Surface *surface);
  HRESULT setDepth(Surface *surface);
  HRESULT bindTarget(UINT index);
  HRESULT getConstants(Constants kind, UINT first, UINT count, void *data) const;
  HRESULT setConstants(Constants kind, UINT first, UINT count, const void *data);
  /// A draw whose vertices the processor shades. Without `user` they come from the streams.
  struct SoftwareDraw {
    D3DPRIMITIVETYPE type;
    UINT primitives;
    UINT64 vertices;  ///< vertices of all primitives
    UINT first;       ///< vertex, or index
    INT base;
    UINT indexSize;       ///< 0: no indices
    const void *indices;  ///< the program's, null: the index buffer
    const void *user;
    size_t userBytes;
    UINT userStride;
  };
  BOOL softwareVertices() const;
  bool drawsBySoftware() const;
  HRESULT drawBySoftware(const SoftwareDraw &draw);
  /// Sends all states and bindings that a draw reads.
  HRESULT prepareDraw(bool indexed);
  HRESULT declarationForFvf(DWORD fvf, Declaration *&out);
  /// Returns the receiver of setters: the device's state, or a state block that is being recorded.
  StateSink &sink();
  SwapChain *chain(UINT index) const { return index == 0 ? m_swapChain.get() : nullptr; }

  CriticalSection m_lock;
  volatile LONG m_references = 0;
  Direct3D &m_direct3d;
  D3DDEVICE_CREATION_PARAMETERS m_creation;
  bool m_ex;
  bool m_inScene = false;
  int m_defaultPool = 0;
  std::map<UINT, std::array<PALETTEENTRY, 256>> m_palettes;
  UINT m_palette = 0;
  HCURSOR m_cursor = nullptr;
  bool m_hasCursor = false;
  BOOL m_showsCursor = FALSE;
  UINT m_evictions = 0;
  UINT m_frameLatency = 3;
  INT m_gpuPriority = 0;
  BOOL m_softwareVertices = FALSE;
  D3DCLIPSTATUS9 m_clipStatus{};
  Textures m_textures;
  DriverDevice m_driver;
  PipelineState m_pipeline;
  Ref<SwapChain> m_swapChain;
  FullScreenWindow m_fullScreen;
  Ref<Surface> m_target[kRenderTargets];
  Ref<Surface> m_depth, m_autoDepth;
  std::map<DWORD, Ref<Declaration>> m_fvfDeclarations;
  Ref<VertexShader> m_handOnShader;  ///< for drawBySoftware()
  Ref<Declaration> m_handOnDeclaration;
  Ref<StateBlock> m_recording;
  std::unique_ptr<Front> m_front;
  std::vector<BYTE> m_userVertices, m_userIndices;  ///< copies for draws from user memory
};

}  // namespace aerogpu::runtime
