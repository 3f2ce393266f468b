// SPDX-License-Identifier: MIT
// front.h: calls the user-mode driver as Microsoft's 10-level-9 layer most likely does, without d3d9.dll: shader
// streams of model 2 whose vertex shader adds an offset constant to the position, textures updated from system memory,
// shared surfaces and the window manager's opened by their global handles. It uses the runtime's own DriverDevice, so
// each call of the driver is checked as the runtime checks it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "guest-drivers/programs/fail.h"
#include "testbed/d3d9-runtime/driver/driver_adapter.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"
#include "testbed/d3d9-runtime/driver/driver_resource.h"

namespace aerogpu::level9 {

using programs::fail;
using runtime::DriverResource;

/// Prints `ok NAME`, or `not ok NAME` with the earlier messages; counts. Returns `good`.
bool point(const char *name, bool good);
/// Returns false, and prints a line, for a failure.
bool succeeded(HRESULT result, const char *call);
unsigned failures();

/// Returns the submissions that the driver made through pfnRenderCb, of all devices of this process.
unsigned submissions();

struct Pixels {
  UINT width = 0, height = 0;
  std::vector<uint32_t> argb;
  uint32_t at(UINT x, UINT y) const { return argb[size_t{y} * width + x]; }
};

/// An adapter, a device on it, and the pipeline that draws one textured rectangle.
class Front {
public:
  Front() = default;
  Front(const Front &) = delete;
  Front &operator=(const Front &) = delete;
  ~Front();

  /// `version`: the Direct3D as which it opens the adapter. Only 9 draws.
  bool open(UINT version = 9);
  runtime::DriverDevice &device() { return *m_device; }
  const runtime::DriverAdapter &adapter() const { return *m_adapter; }

  /// Make textures of one level in A8R8G8B8 or X8R8G8B8. Null, and a line, on failure.
  std::unique_ptr<DriverResource> target(UINT width, UINT height, D3DFORMAT format = D3DFMT_A8R8G8B8);
  std::unique_ptr<DriverResource> systemTexture(UINT width, UINT height, D3DFORMAT format = D3DFMT_A8R8G8B8);
  /// Makes a texture that the CPU writes by Lock, A8R8G8B8.
  std::unique_ptr<DriverResource> dynamicTexture(UINT width, UINT height);
  /// Makes a target that other processes open by its globalHandle().
  std::unique_ptr<DriverResource> sharedTarget(UINT width, UINT height, D3DFORMAT format);
  std::unique_ptr<DriverResource> openShared(D3DKMT_HANDLE global, D3DDDI_OPENRESOURCEFLAGS flags = {});

  bool fill(const DriverResource &resource, const RECT &where, uint32_t argb, bool toCompositor = false, UINT sub = 0);
  bool blt(const DriverResource &source, const RECT &from, const DriverResource &destination, const RECT &to,
           D3DDDI_BLTFLAGS flags = {});
  bool texBlt(const DriverResource &source, const RECT &from, const DriverResource &destination, LONG x, LONG y);
  /// Draws all of `texture` over the rectangle `where`, whose edges are pixel edges as in Direct3D 10 (pixel centres at
  /// halves), into a target. `offset`: the shader's constant moves positions by half a pixel, as level 9 does.
  bool draw(const DriverResource &target, UINT width, UINT height, const RECT &where, const DriverResource &texture,
            bool linear = false, bool offset = true, UINT sub = 0);
  bool flush();
  /** Polls an event query until all earlier work is done: the driver submits its batch. */
  bool poll();
  bool resolve(const DriverResource &resource);
  /// Copies a target to system memory and waits for it.
  bool read(const DriverResource &target, UINT width, UINT height, Pixels &out, UINT sub = 0);

private:
  std::unique_ptr<DriverResource> create(UINT width, UINT height, D3DFORMAT format, bool system, bool shared);
  bool makePipeline();

  std::unique_ptr<runtime::DriverAdapter> m_adapter;
  std::unique_ptr<runtime::DriverDevice> m_device;
  std::unique_ptr<DriverResource> m_vertices;
  HANDLE m_declaration = nullptr, m_vertexShader = nullptr, m_pixelShader = nullptr;
};

}  // namespace aerogpu::level9
