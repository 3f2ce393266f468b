// SPDX-License-Identifier: MIT
// screens.cpp: the display as a runtime shows things on it without a swap chain: flips of a primary of its own, and
// presents with a known destination, the shared primary (page "PFND3DDDI_PRESENT").
#include "testbed/d3d9-runtime/level9/screens.h"

#include <algorithm>
#include <cstdio>

#include "testbed/d3d9-runtime/level9/points.h"

namespace aerogpu::level9 {

bool look(const char *what) {
  static unsigned number;
  std::printf("look %u %s\n", ++number, what);
  char answer[16]{};
  return (std::fgets(answer, sizeof answer, stdin) && std::strncmp(answer, "yes", 3) == 0) ||
         fail("the screen does not show %s", what);
}

bool Screen::take() {
  m_display = std::make_unique<runtime::DisplayOwner>(m_front.device());
  return m_display->take() || fail("the display cannot be taken");
}

bool Screen::make(UINT width, UINT height, UINT buffers) {
  const auto &modes = m_front.adapter().modes();
  const auto mode = std::find_if(modes.begin(), modes.end(), [&](const D3DKMT_DISPLAYMODE &row) {
    return row.Width == width && row.Height == height && row.Format == D3DDDIFMT_X8R8G8B8;
  });
  if (mode == modes.end()) return fail("there is no mode of %ux%u", width, height);
  runtime::ResourceDescription description;
  description.format = D3DFMT_X8R8G8B8;
  description.width = m_width = width;
  description.height = m_height = height;
  description.layers = buffers;
  description.levels = buffers > 1 ? 0 : 1;
  description.sublevels = false;
  description.flags.RenderTarget = description.flags.NotLockable = description.flags.Primary = 1;
  description.vidPnSource = m_front.adapter().vidPnSource();
  description.refreshRate = mode->RefreshRate;
  HRESULT result = S_OK;
  m_buffers = runtime::DriverResource::create(m_front.device(), description, nullptr, result);
  return succeeded(result, "CreateResource(Primary)");
}

bool Screen::show(UINT buffer) {
  const D3DDDIARG_SETDISPLAYMODE argument{m_buffers->handle(), buffer};
  return succeeded(m_front.device().call<&D3DDDI_DEVICEFUNCS::pfnSetDisplayMode>(&argument), "SetDisplayMode");
}

bool Screen::flip(UINT buffer) {
  runtime::PresentRequest request;
  request.flip = true;
  request.interval = D3DDDI_FLIPINTERVAL_ONE;
  D3DDDIARG_PRESENT argument{};
  argument.hSrcResource = m_buffers->handle();
  argument.SrcSubResourceIndex = buffer;
  argument.Flags.Flip = 1;
  argument.FlipInterval = request.interval;
  if (!succeeded(m_front.device().present(argument, request), "Present(Flip)")) return false;
  return !m_front.device().wasOccluded() || fail("a flip is occluded");
}

/** Presents to the shared primary, opened as it is for a full-screen device: a copy of part of a surface, and a fill,
 * for which the driver gets no source. */
bool sharedPrimary(Front &front) {
  const runtime::DriverAdapter &adapter = front.adapter();
  D3DKMT_DISPLAYMODE mode{};
  D3DKMT_GETSHAREDPRIMARYHANDLE primary{};
  primary.hAdapter = adapter.kernelHandle();
  primary.VidPnSourceId = adapter.vidPnSource();
  if (!adapter.currentMode(mode)) return fail("the display has no mode");
  if (D3DKMTGetSharedPrimaryHandle(&primary) < 0 || !primary.hSharedPrimary) return fail("there is no shared primary");
  D3DDDI_OPENRESOURCEFLAGS flags{};
  flags.Fullscreen = 1;
  auto screen = front.openShared(primary.hSharedPrimary, flags);
  auto back = front.target(mode.Width, mode.Height, D3DFMT_X8R8G8B8);
  if (!screen || !back || !front.fill(*back, box(mode.Width, mode.Height), 0xFF2468AC) ||
      !front.fill(*back, {100, 50, 200, 150}, 0xFFC08040) || !front.flush())
    return false;
  runtime::PresentRequest request;
  request.source = request.destination = {90, 40, 300, 200};
  request.dirty = {request.source};  // pages "D3DKMT_PRESENT", "D3DKMTPresent": such a present names its rectangles
  D3DDDIARG_PRESENT argument{};
  argument.hSrcResource = back->handle();
  argument.hDstResource = screen->handle();
  argument.Flags.Blt = 1;
  if (!succeeded(front.device().present(argument, request), "Present(to the primary)") ||
      !look("90,40=2468ac 100,50=c08040 199,149=c08040 200,150=2468ac 299,199=2468ac"))
    return false;
  runtime::PresentRequest filled;
  filled.fill = true;
  filled.color = 0xFF10C040;
  filled.destination = {110, 60, 150, 90};
  D3DDDIARG_PRESENT fill{};
  fill.Flags.ColorFill = 1;
  return succeeded(front.device().present(fill, filled), "Present(ColorFill)") &&
         look("110,60=10c040 149,89=10c040 109,60=c08040 150,89=c08040 110,90=c08040");
}

/** A full-screen device loses the screen to another one in another mode, and gets it back: SetDisplayMode with the
 * primary that it had shows what it showed, and flips go on. */
bool lostScreen(Front &front) {
  Front other;
  Screen screen(front), thief(other);
  if (!other.open() || !screen.take() || !screen.make(1024, 768, 2) ||
      !front.fill(screen.buffers(), box(1024, 768), 0xFF305070, false, 0) ||
      !front.fill(screen.buffers(), box(1024, 768), 0xFF907050, false, 1) || !screen.show(0) ||
      !look("size=1024x768 0,0=305070 1023,767=305070") || !screen.flip(1) || !look("5,5=907050"))
    return false;
  screen.leave();
  if (!thief.take() || !thief.make(800, 600, 1) || !other.fill(thief.buffers(), box(800, 600), 0xFF00FF00) ||
      !thief.show(0) || !look("size=800x600 799,599=00ff00"))
    return false;
  // Without the screen a flip is no error, and shows nothing (STATUS_GRAPHICS_PRESENT_OCCLUDED).
  runtime::PresentRequest request;
  request.flip = true;
  D3DDDIARG_PRESENT argument{};
  argument.hSrcResource = screen.buffers().handle();
  argument.Flags.Flip = 1;
  if (!succeeded(front.device().present(argument, request), "Present(Flip)")) return false;
  if (!front.device().wasOccluded()) return fail("a device flips a screen that another one owns");
  thief.leave();
  return screen.take() && screen.show(1) && look("size=1024x768 0,0=907050 1023,767=907050") && screen.flip(0) &&
         look("0,0=305070");
}

}  // namespace aerogpu::level9
