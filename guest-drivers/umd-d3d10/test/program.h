// SPDX-License-Identifier: MIT
// Test support: calls as a program makes them, handed on by a runtime of any version. Arguments and memory of objects
// are poisoned when a call has ended.
#pragma once

#include <map>

#include "guest-drivers/umd-d3d10/test/fake_runtime.h"

namespace aero::test {

/** Calls a function of the table by its name, whatever the version. */
#define AERO_CALL(RT, NAME, ...) (RT).call(#NAME, (RT).functions10().pfn##NAME __VA_OPT__(, ) __VA_ARGS__)

struct ResourceDesc {
  D3D10DDIRESOURCE_TYPE dimension = D3D10DDIRESOURCE_TEXTURE2D;
  DXGI_FORMAT format = DXGI_FORMAT_B8G8R8A8_UNORM;
  UINT width = 16, height = 16, levels = 1, layers = 1;
  UINT usage = D3D10_DDI_USAGE_DEFAULT, bind = D3D10_DDI_BIND_SHADER_RESOURCE, map = 0, misc = 0, samples = 1;
  std::vector<std::vector<uint8_t>> data = {};  // per subresource, rows without gaps; empty: none
  DXGI_DDI_PRIMARY_DESC *primary = nullptr;
};

class Program {
public:
  explicit Program(FakeRuntime &runtime) : rt(runtime) {}
  ~Program();

  /** Makes a resource, which must work. */
  D3D10DDI_HRESOURCE resource(const ResourceDesc &desc);
  /** Sets `out` to null if the driver reports an error, which this returns. */
  HRESULT tryResource(const ResourceDesc &desc, D3D10DDI_HRESOURCE &out);
  D3D10DDI_HRESOURCE buffer(UINT bytes, UINT bind, UINT usage = D3D10_DDI_USAGE_DEFAULT, const void *data = nullptr);
  D3D10DDI_HRESOURCE staging(const ResourceDesc &like, UINT access = 3);
  /** Opens an allocation of the kernel as another process does. */
  HRESULT tryOpen(D3DKMT_HANDLE allocation, D3D10DDI_HRESOURCE &out);
  void destroy(D3D10DDI_HRESOURCE resource);

  HRESULT tryTarget(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, D3D10DDI_HRENDERTARGETVIEW &out, UINT level = 0,
                    UINT layer = 0, UINT layers = 1);
  D3D10DDI_HRENDERTARGETVIEW target(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, UINT level = 0, UINT layer = 0,
                                    UINT layers = 1);
  D3D10DDI_HDEPTHSTENCILVIEW depth(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format);
  HRESULT tryTexture(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, D3D10DDI_HSHADERRESOURCEVIEW &out,
                     UINT levels = 1, bool isCube = false);
  D3D10DDI_HSHADERRESOURCEVIEW texture(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, UINT levels = 1,
                                       bool isCube = false);
  void destroy(D3D10DDI_HRENDERTARGETVIEW view);
  void destroy(D3D10DDI_HDEPTHSTENCILVIEW view);
  void destroy(D3D10DDI_HSHADERRESOURCEVIEW view);

  /** `code`, whose first word has the stage, and signature entries {system value, register, mask}. Sets `out` to null
   * if the driver reports an error, which this returns. */
  HRESULT tryShader(const std::vector<uint32_t> &code, const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &inputs,
                    const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &outputs, D3D10DDI_HSHADER &out);
  D3D10DDI_HSHADER shader(const std::vector<uint32_t> &code, const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &inputs,
                          const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &outputs);
  D3D10DDI_HELEMENTLAYOUT layout(const std::vector<D3D10DDIARG_INPUT_ELEMENT_DESC> &elements);
  HRESULT tryBlend(const D3D10_1_DDI_BLEND_DESC &desc, D3D10DDI_HBLENDSTATE &out);
  D3D10DDI_HDEPTHSTENCILSTATE depthState(const D3D10_DDI_DEPTH_STENCIL_DESC &desc);
  HRESULT tryRasterizer(const D3D10_DDI_RASTERIZER_DESC &desc, D3D10DDI_HRASTERIZERSTATE &out);
  HRESULT trySampler(const D3D10_DDI_SAMPLER_DESC &desc, D3D10DDI_HSAMPLER &out);
  void destroy(D3D10DDI_HSHADER shader);
  void destroy(D3D10DDI_HELEMENTLAYOUT layout);
  void destroy(D3D10DDI_HBLENDSTATE state);
  void destroy(D3D10DDI_HDEPTHSTENCILSTATE state);
  void destroy(D3D10DDI_HRASTERIZERSTATE state);
  void destroy(D3D10DDI_HSAMPLER state);
  void setTargets(const std::vector<D3D10DDI_HRENDERTARGETVIEW> &views, D3D10DDI_HDEPTHSTENCILVIEW depth = {});
  void viewport(float x, float y, float width, float height);
  void stream(D3D10DDI_HRESOURCE buffer, UINT stride, UINT offset = 0);

  void clear(D3D10DDI_HRENDERTARGETVIEW view, float r, float g, float b, float a);
  /** Returns the bytes of a subresource, rows without gaps, by way of a staging copy. */
  std::vector<uint8_t> read(D3D10DDI_HRESOURCE resource, const ResourceDesc &like, UINT subresource = 0);
  std::vector<uint32_t> pixels(D3D10DDI_HRESOURCE resource, const ResourceDesc &like, UINT subresource = 0);
  /** Returns the bytes of a staging resource. */
  std::vector<uint8_t> readStaging(D3D10DDI_HRESOURCE staging, const ResourceDesc &like, UINT subresource = 0);
  void flush() { EXPECT_EQ(AERO_CALL(rt, Flush), 0); }

  /** Memory for an object of the driver, filled with garbage. */
  void *memory(SIZE_T bytes);
  void free(void *memory);
  /** The runtime's name of the next object. */
  void *runtimeHandle() { return reinterpret_cast<void *>(m_next += 16); }

  FakeRuntime &rt;

private:
  template <class Handle, class Runtime, class Desc>
  HRESULT tryState(const char *name, SIZE_T(APIENTRY *size)(D3D10DDI_HDEVICE, const Desc *),
                   VOID(APIENTRY *create)(D3D10DDI_HDEVICE, const Desc *, Handle, Runtime), const Desc &desc,
                   Handle &out);

  std::map<void *, std::unique_ptr<Guarded>> m_memory;
  uintptr_t m_next = 0x5000;
};

/** Descriptions with the API's defaults. */
D3D10_1_DDI_BLEND_DESC defaultBlend();
D3D10_DDI_DEPTH_STENCIL_DESC defaultDepth();
D3D10_DDI_RASTERIZER_DESC defaultRasterizer();
D3D10_DDI_SAMPLER_DESC defaultSampler();

/** Bytes of a texel or block. */
UINT unitBytes(DXGI_FORMAT format);
UINT rowBytes(const ResourceDesc &desc, UINT level);
UINT rowCount(const ResourceDesc &desc, UINT level);

}  // namespace aero::test
