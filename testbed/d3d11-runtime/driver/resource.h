// SPDX-License-Identifier: MIT
// A resource at the driver: creation from what the API says, maps by the kind of resource. Pages
// d3d10ddiarg_createresource, d3d11ddiarg_createresource, pfnd3d10ddi_resourcemap.
#pragma once

#include <memory>
#include <vector>

#include "testbed/d3d11-runtime/driver/keyed_mutex.h"
#include "testbed/d3d11-runtime/driver/object.h"

namespace aerogpu::runtime11 {

/// The description of a resource in the API's numbers.
struct ResourceDescription {
  D3D11_RESOURCE_DIMENSION dimension = D3D11_RESOURCE_DIMENSION_UNKNOWN;
  UINT width = 1, height = 1, depth = 1;  ///< width: of a buffer its bytes
  UINT levels = 1, slices = 1;
  DXGI_FORMAT format = DXGI_FORMAT_UNKNOWN;
  DXGI_SAMPLE_DESC samples{1, 0};
  D3D11_USAGE usage = D3D11_USAGE_DEFAULT;
  UINT bind = 0, cpuAccess = 0, misc = 0, stride = 0;  ///< D3D11_BIND_, D3D11_CPU_ACCESS_, D3D11_RESOURCE_MISC_
  bool present = false;                                ///< a swap chain's buffer
  DXGI_USAGE chainUsage = 0;                           ///< of a swap chain's buffer, besides the binds
  const DXGI_MODE_DESC *scanOut = nullptr;             ///< the mode in which it is to be on the screen; null: never
};

class DriverResource {
public:
  explicit DriverResource(DriverDevice &device);
  DriverResource(const DriverResource &) = delete;
  DriverResource &operator=(const DriverResource &) = delete;

  /// `initial`: null, or an entry for each subresource.
  HRESULT create(const ResourceDescription &description, const D3D11_SUBRESOURCE_DATA *initial);
  /// Opens a texture that another device or process shares, by its global handle.
  HRESULT open(D3DKMT_HANDLE global);
  /// Returns the handle by which others open it; 0 if it is not shared.
  D3DKMT_HANDLE globalHandle() const { return m_kernel->globalHandle; }
  /// Returns the mutex without which nobody is to use the resource; null: it has none.
  KeyedMutex *keyedMutex() const { return m_keyedMutex.get(); }
  D3D10DDI_HRESOURCE handle() const { return m_object.handle(); }
  DXGI_DDI_HRESOURCE dxgiHandle() const { return reinterpret_cast<DXGI_DDI_HRESOURCE>(m_object.handle().pDrvPrivate); }
  UINT subresources() const { return m_description.levels * m_description.slices; }
  const ResourceDescription &description() const { return m_description; }

  /// Maps a subresource by the function for this kind of resource.
  HRESULT map(UINT subresource, D3D11_MAP type, bool doNotWait, D3D11_MAPPED_SUBRESOURCE &out);
  void unmap(UINT subresource);
  bool isMapped(UINT subresource) const { return m_mapped[subresource] != 0; }
  /// Returns how many bytes of the program's memory an update of a subresource, or of a box of it, reads.
  UINT64 updateBytes(UINT subresource, const D3D11_BOX *box, UINT rowPitch, UINT depthPitch) const;
  /// `priority`: DXGI_RESOURCE_PRIORITY_
  void setPriority(UINT priority);
  /// Takes over what the driver's object of the next one had (RotateResourceIdentities), the last one what the first
  /// had.
  static void rotateIdentities(const std::vector<DriverResource *> &resources);
  /// Writes a part of a subresource from the program's memory.
  void update(UINT subresource, const D3D11_BOX *box, const void *data, UINT rowPitch, UINT depthPitch);

private:
  enum class Kind { ConstantBuffer, VertexBuffer, Dynamic, Staging, Other };
  Kind kind() const;
  template <auto kMap> HRESULT mapBy(UINT subresource, D3D11_MAP type, bool doNotWait, D3D11_MAPPED_SUBRESOURCE &out);

  /// The resource for callbacks. It outlives this object: a driver frees allocations at its next flush.
  class Kernel {
  public:
    explicit Kernel(DriverDevice &device)
        : identity(device.addKernelResource()), m_device(device), m_resource(identity) {}
    ~Kernel() {
      if (isOpened) m_device.closeResource(*m_resource);
      m_device.retireKernelResource(m_resource, identity);
    }
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;
    void *handle() const { return m_resource; }
    runtime::KernelResource *operator->() const { return m_resource; }
    runtime::KernelResource *identity;  ///< whose allocations the driver's object has
    bool isOpened = false;              ///< another device made it; the driver does not close it

  private:
    DriverDevice &m_device;
    runtime::KernelResource *const m_resource;
  };

  HRESULT createAtDriver(const ResourceDescription &description, const D3D11_SUBRESOURCE_DATA *initial);
  template <Errors kErrors> HRESULT passToDriver(const D3D11DDIARG_CREATERESOURCE &argument);

  std::unique_ptr<KeyedMutex> m_keyedMutex;
  Kernel m_kernel;
  DriverObject<D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE, &D3D11DDI_DEVICEFUNCS::pfnDestroyResource> m_object;
  ResourceDescription m_description;
  std::vector<BYTE> m_mapped;  ///< a D3D11_MAP for each subresource; 0: not mapped
};

}  // namespace aerogpu::runtime11
