// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/window_surface.h"

#include <algorithm>

#include "testbed/runtime-kernel/callbacks.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

/// The compositor's device, which all windows of the process share.
class Compositor {
public:
  static std::shared_ptr<Compositor> get();
  DriverDevice &device() { return *m_device; }
  SRWLOCK &lock() { return m_lock; }

private:
  DriverAdapter m_adapter{9};
  std::unique_ptr<DriverDevice> m_device;
  SRWLOCK m_lock = SRWLOCK_INIT;
};

namespace {

SRWLOCK g_lock = SRWLOCK_INIT;
std::weak_ptr<Compositor> g_compositor;

class Exclusive {
public:
  explicit Exclusive(SRWLOCK &lock) : m_lock(lock) { AcquireSRWLockExclusive(&m_lock); }
  ~Exclusive() { ReleaseSRWLockExclusive(&m_lock); }
  Exclusive(const Exclusive &) = delete;
  Exclusive &operator=(const Exclusive &) = delete;

private:
  SRWLOCK &m_lock;
};

/// Maps a coordinate of the source to the surface; parts of one rectangle meet.
LONG scale(LONG at, LONG from, LONG fromEnd, LONG to, LONG toEnd) {
  return to + static_cast<LONG>(INT64{at - from} * (toEnd - to) / (fromEnd - from));
}

}  // namespace

std::shared_ptr<Compositor> Compositor::get() {
  const Exclusive exclusive(g_lock);
  if (std::shared_ptr<Compositor> there = g_compositor.lock()) return there;
  auto made = std::make_shared<Compositor>();
  if (!made->m_adapter.open(L"\\\\.\\DISPLAY1")) return nullptr;
  made->m_device = std::make_unique<DriverDevice>(made->m_adapter);
  if (FAILED(made->m_device->create(false, deviceCallbacks()))) return nullptr;
  g_compositor = made;
  return made;
}

bool WindowSurface::isComposed() {
  char value[2]{};
  return GetEnvironmentVariableA("AEROGPU_D3D9_COMPOSED", value, sizeof value) == 1 && value[0] == '1';
}

WindowSurface::~WindowSurface() {
  m_opened.reset();
  if (!m_compositor) return;
  const Exclusive exclusive(m_compositor->lock());
  m_made.reset();
}

HRESULT WindowSurface::make(D3DFORMAT format, SIZE size) {
  if (!m_compositor && !(m_compositor = Compositor::get())) return D3DERR_NOTAVAILABLE;
  m_opened.reset();
  {
    const Exclusive exclusive(m_compositor->lock());
    m_made.reset();
    ResourceDescription description;
    description.format = format;
    description.width = static_cast<UINT>(size.cx);
    description.height = static_cast<UINT>(size.cy);
    description.flags.Texture = description.flags.RenderTarget = description.flags.NotLockable = 1;
    description.flags.SharedResource = 1;
    const SharedDescription about =
        sharedOf9(D3DRTYPE_TEXTURE, format, description.width, description.height, D3DUSAGE_RENDERTARGET);
    HRESULT result = S_OK;
    m_made = DriverResource::create(m_compositor->device(), description, &about, result);
    if (!m_made) return result;
    // It is there for others once its creation is submitted.
    result = m_compositor->device().call<&D3DDDI_DEVICEFUNCS::pfnFlush>();
    if (FAILED(result)) return result;
  }
  SharedDescription unused{};
  HRESULT result = S_OK;
  m_opened = DriverResource::open(m_program, m_made->globalHandle(), unused, result);
  m_format = format;
  m_size = size;
  return result;
}

/// A frame goes in one piece, or in several as if other windows covered parts of this one.
HRESULT WindowSurface::copy(HANDLE source, UINT subresource, const PresentRequest &request) {
  std::vector<RECT> parts = request.dirty;
  const RECT from = request.source, to = request.destination;
  const LONG bands = static_cast<LONG>(m_frames % 3) + 1, height = from.bottom - from.top;
  // Only unscaled, where pieces add up to the whole.
  const bool cut =
      parts.empty() && height >= bands && height == to.bottom - to.top && from.right - from.left == to.right - to.left;
  for (LONG i = 0; cut && i < bands; ++i)
    parts.push_back({from.left, from.top + height * i / bands, from.right, from.top + height * (i + 1) / bands});
  if (parts.empty()) parts.push_back(from);
  for (size_t i = 0; i < parts.size(); ++i) {
    D3DDDIARG_BLT blt{};
    blt.hSrcResource = source;
    blt.SrcSubResourceIndex = subresource;
    blt.SrcRect = parts[i];
    blt.hDstResource = m_opened->handle();
    blt.DstRect = {scale(parts[i].left, from.left, from.right, to.left, to.right),
                   scale(parts[i].top, from.top, from.bottom, to.top, to.bottom),
                   scale(parts[i].right, from.left, from.right, to.left, to.right),
                   scale(parts[i].bottom, from.top, from.bottom, to.top, to.bottom)};
    blt.Flags.BeginPresentToDwm = i == 0;
    blt.Flags.EndPresentToDwm = i + 1 == parts.size();
    blt.Flags.ContinuePresentToDwm = !blt.Flags.BeginPresentToDwm && !blt.Flags.EndPresentToDwm;
    const HRESULT result = m_program.call<&D3DDDI_DEVICEFUNCS::pfnBlt>(&blt);
    if (FAILED(result)) return result;
  }
  const UINT before = m_program.submissions();
  const HRESULT flushed = m_program.call<&D3DDDI_DEVICEFUNCS::pfnFlush>();
  // The submission after the last part carries the frame to the compositor.
  if (SUCCEEDED(flushed) && m_program.submissions() == before)
    brokenRule("Flush after EndPresentToDwm submitted nothing, so no frame comes");
  return flushed;
}

HRESULT WindowSurface::present(HANDLE source, UINT subresource, D3DFORMAT format, SIZE client,
                               const PresentRequest &request) {
  // A window has alpha if its frames have.
  const D3DFORMAT wanted = format == D3DFMT_A8R8G8B8 ? D3DFMT_A8R8G8B8 : D3DFMT_X8R8G8B8;
  if (!m_opened || wanted != m_format || client.cx != m_size.cx || client.cy != m_size.cy) {
    const HRESULT made = make(wanted, client);
    if (FAILED(made)) return made;
  }
  ++m_frames;
  const HRESULT copied = copy(source, subresource, request);
  if (FAILED(copied)) return copied;
  const Exclusive exclusive(m_compositor->lock());
  const HRESULT flushed = m_compositor->device().call<&D3DDDI_DEVICEFUNCS::pfnFlush>();
  if (FAILED(flushed)) return flushed;
  PresentRequest shown;
  shown.window = request.window;
  shown.source = shown.destination = {0, 0, m_size.cx, m_size.cy};
  D3DDDIARG_PRESENT argument{};
  argument.hSrcResource = m_made->handle();
  argument.Flags.Blt = 1;
  argument.FlipInterval = D3DDDI_FLIPINTERVAL_IMMEDIATE;
  const HRESULT result = m_compositor->device().present(argument, shown);
  m_occluded = SUCCEEDED(result) && m_compositor->device().wasOccluded();
  return result;
}

}  // namespace aerogpu::runtime
