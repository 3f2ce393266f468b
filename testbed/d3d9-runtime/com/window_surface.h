// SPDX-License-Identifier: MIT
// The surface of a window while the desktop is composed: a present is one or more Blts to it, marked Begin, Continue
// and EndPresentToDwm, and a Flush, with which the compositor gets the frame (page "D3DDDI_BLTFLAGS"). The driver's
// Present is not called. Here the compositor is another device of the process: it makes the surface, shares it, and
// copies it to the screen. AEROGPU_D3D9_COMPOSED=1 turns this on.
#pragma once

#include <memory>

#include "testbed/d3d9-runtime/driver/driver_device.h"
#include "testbed/d3d9-runtime/driver/driver_resource.h"

namespace aerogpu::runtime {

class Compositor;

class WindowSurface {
public:
  /// True if the desktop is composed in this process.
  static bool isComposed();

  /// `program`: the device of the swap chain; it outlives the object.
  explicit WindowSurface(DriverDevice &program) : m_program(program) {}
  ~WindowSurface();
  WindowSurface(const WindowSurface &) = delete;
  WindowSurface &operator=(const WindowSurface &) = delete;

  /// Copies a frame into the surface, and lets the compositor show it. `client`: the window's size.
  HRESULT present(HANDLE source, UINT subresource, D3DFORMAT format, SIZE client, const PresentRequest &request);
  /// True if the last frame did not get onto the screen.
  bool wasOccluded() const { return m_occluded; }

private:
  HRESULT make(D3DFORMAT format, SIZE size);
  HRESULT copy(HANDLE source, UINT subresource, const PresentRequest &request);

  DriverDevice &m_program;
  std::shared_ptr<Compositor> m_compositor;
  std::unique_ptr<DriverResource> m_made, m_opened;  ///< the compositor's, and the program's
  D3DFORMAT m_format = D3DFMT_UNKNOWN;
  SIZE m_size{};
  UINT m_frames = 0;
  bool m_occluded = false;
};

}  // namespace aerogpu::runtime
