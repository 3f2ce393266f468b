// SPDX-License-Identifier: MIT
// A resource at the driver: CreateResource or OpenResource, DestroyResource, and the system memory of some. Pages
// pfnd3dddi_createresource, d3dddiarg_createresource, d3dddi_resourceflags.
#pragma once

#include <memory>
#include <vector>

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/driver/driver_device.h"

namespace aerogpu::runtime {

/// The description of a new resource. Its subresources are in the order that the driver gets: faces, then levels.
struct ResourceDescription {
  D3DFORMAT format = D3DFMT_UNKNOWN;
  bool systemMemory = false;
  D3DMULTISAMPLE_TYPE multisample = D3DMULTISAMPLE_NONE;
  DWORD quality = 0;
  UINT width = 0, height = 1, depth = 1;
  UINT levels = 1;        ///< as passed to the driver: 0 if entries are no levels
  UINT layers = 1;        ///< faces of a cube, buffers of a chain
  bool sublevels = true;  ///< entries of a layer are levels
  DWORD fvf = 0;
  D3DDDI_RESOURCEFLAGS flags{};
  UINT vidPnSource = 0;
  D3DDDI_RATIONAL refreshRate{};
  void *userMemory = nullptr;  ///< memory that the program owns; rows without gaps
};

/// Returns where a face of a cube may begin in the runtime's memory, as on Windows; levels follow each other without
/// gaps.
constexpr UINT64 alignToFace(UINT64 offset) {
  return (offset + 15) & ~UINT64{15};
}

class DriverResource {
public:
  struct Memory {
    BYTE *bytes = nullptr;
    UINT pitch = 0, slicePitch = 0;
  };

  /// Returns null, and sets `result`, if it cannot be made. With `shared` the resource gets a global handle.
  static std::unique_ptr<DriverResource> create(DriverDevice &device, const ResourceDescription &description,
                                                const SharedDescription *shared, HRESULT &result);
  /// Opens a resource that another device or process made, by its global handle.
  static std::unique_ptr<DriverResource> open(DriverDevice &device, D3DKMT_HANDLE global,
                                              SharedDescription &description, HRESULT &result,
                                              D3DDDI_OPENRESOURCEFLAGS flags = {});
  ~DriverResource();
  DriverResource(const DriverResource &) = delete;
  DriverResource &operator=(const DriverResource &) = delete;

  HANDLE handle() const { return m_driverHandle; }
  D3DKMT_HANDLE globalHandle() const { return m_kernel.globalHandle; }
  bool hasMemory() const { return !m_memory.empty(); }
  const Memory &memory(UINT subresource) const { return m_memory[subresource]; }
  UINT subresources() const { return m_subresources; }

  HRESULT lock(D3DDDIARG_LOCK &argument) const;
  HRESULT unlock(UINT subresource, bool notifyOnly) const;
  /// Lock and unlock without a pointer: the driver waits for its own use of the system memory. Windows names the first
  /// subresource whichever is locked (VirtualBox' driver, GaDdi.cpp, says so of textures, cubes and volumes).
  HRESULT notifyLock(D3DDDI_LOCKFLAGS flags) const;
  HRESULT notifyUnlock() const { return unlock(0, true); }

private:
  explicit DriverResource(DriverDevice &device) : m_device(device) {}
  HRESULT createAtDriver(const ResourceDescription &description);

  DriverDevice &m_device;
  HANDLE m_driverHandle = nullptr;
  KernelResource m_kernel;
  std::vector<Memory> m_memory;
  std::vector<BYTE> m_bytes;
  UINT m_subresources = 0;
  UINT64 m_videoBytes = 0;  ///< its share in the device's count
};

}  // namespace aerogpu::runtime
