// SPDX-License-Identifier: MIT
// What a swap chain wants from the device that a program passes to CreateSwapChain, whichever version of Direct3D it
// has.
#pragma once

#include "testbed/d3d11-runtime/driver/resource.h"

namespace aerogpu::runtime11 {

/// A texture of a swap chain. It has references of the runtime's besides the program's.
class BackBuffer {
public:
  BackBuffer(const BackBuffer &) = delete;
  BackBuffer &operator=(const BackBuffer &) = delete;
  virtual HRESULT query(REFIID id, void **out) = 0;
  virtual DriverResource &resource() = 0;
  virtual void addPrivate() = 0;
  virtual void releasePrivate() = 0;
  /// True if the program, or a view, holds it.
  virtual bool isHeld() = 0;

protected:
  BackBuffer() = default;
  ~BackBuffer() = default;
};

class SwapChainHost {
public:
  SwapChainHost(const SwapChainHost &) = delete;
  SwapChainHost &operator=(const SwapChainHost &) = delete;
  virtual DriverDevice &driver() = 0;
  virtual CRITICAL_SECTION &lock() = 0;
  /// Returns the device, without a reference.
  virtual IUnknown *device() = 0;
  /// Makes a texture with one private reference.
  virtual HRESULT makeBackBuffer(const ResourceDescription &description, BackBuffer *&out) = 0;
  /// Takes a texture from the pipeline's targets.
  virtual void unbindTarget(BackBuffer &buffer) = 0;
  /// How many frames the device may have under way.
  virtual UINT frameLatency() const = 0;

protected:
  SwapChainHost() = default;
  ~SwapChainHost() = default;
};

/// A device answers QueryInterface for this with its SwapChainHost, which shares its life.
inline constexpr GUID kSwapChainHostId = {0x6a2f1d30, 0x51b7, 0x4c0e, {0x9e, 0x11, 0x2d, 0x7a, 0x5b, 0x3c, 0x8f, 0x42}};

/// Holds a lock of Windows'.
class Lock {
public:
  explicit Lock(CRITICAL_SECTION &section) : m_section(section) { EnterCriticalSection(&m_section); }
  ~Lock() { LeaveCriticalSection(&m_section); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  CRITICAL_SECTION &m_section;
};

}  // namespace aerogpu::runtime11
