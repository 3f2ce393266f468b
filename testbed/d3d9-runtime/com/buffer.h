// SPDX-License-Identifier: MIT
// IDirect3DVertexBuffer9 and IDirect3DIndexBuffer9.
#pragma once

#include <memory>

#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/driver/driver_resource.h"

namespace aerogpu::runtime {

/// The memory of a buffer. Under the device's lock.
class BufferMemory {
public:
  explicit BufferMemory(Device &device) : m_device(device) {}
  ~BufferMemory();
  BufferMemory(const BufferMemory &) = delete;
  BufferMemory &operator=(const BufferMemory &) = delete;

  /// Makes the resources. A driver that does not say that it allocates such buffers gets one over the runtime's memory,
  /// whatever the pool is.
  HRESULT create(UINT bytes, DWORD usage, D3DFORMAT format, DWORD fvf, D3DPOOL pool, HANDLE *shared);
  /// Returns the handle for draws: the video resource's, or that of the resource over system memory.
  HANDLE handle() const { return m_video ? m_video->handle() : m_system->handle(); }
  UINT bytes() const { return m_bytes; }
  DWORD usage() const { return m_usage; }
  D3DPOOL pool() const { return m_pool; }

  /// Locks `size` bytes, all to the end if that is 0. Locks nest.
  HRESULT lock(UINT offset, UINT size, void **out, DWORD flags);
  HRESULT unlock();
  /// Copies the written part of a managed buffer to video memory.
  HRESULT upload();

private:
  Device &m_device;
  std::unique_ptr<DriverResource> m_video, m_system;
  UINT m_bytes = 0, m_locks = 0;
  DWORD m_usage = 0;
  D3DPOOL m_pool = D3DPOOL_DEFAULT;
  UINT m_dirtyBegin = 0, m_dirtyEnd = 0;  ///< range of the system memory
  UINT m_evictions = 0;                   ///< the device's count when this was uploaded
  bool m_counted = false;
};

template <class Interface, D3DRESOURCETYPE kType> class BufferOf : public ResourceChild<Interface> {
public:
  BufferMemory &memory() { return m_memory; }
  D3DRESOURCETYPE STDMETHODCALLTYPE GetType() override { return kType; }
  HRESULT STDMETHODCALLTYPE Lock(UINT offset, UINT size, void **out, DWORD flags) override {
    if (!out) return D3DERR_INVALIDCALL;
    const runtime::Lock lock(this->device());
    return m_memory.lock(offset, size, out, flags);
  }
  HRESULT STDMETHODCALLTYPE Unlock() override {
    const runtime::Lock lock(this->device());
    return m_memory.unlock();
  }

protected:
  explicit BufferOf(Device &device) : ResourceChild<Interface>(device), m_memory(device) {}
  bool isManaged() const override { return m_memory.pool() == D3DPOOL_MANAGED; }
  HRESULT upload() override { return m_memory.upload(); }

  BufferMemory m_memory;
};

class VertexBuffer final : public BufferOf<IDirect3DVertexBuffer9, D3DRTYPE_VERTEXBUFFER> {
public:
  VertexBuffer(Device &device, DWORD fvf) : BufferOf(device), m_fvf(fvf) {}
  DWORD fvf() const { return m_fvf; }
  HRESULT STDMETHODCALLTYPE GetDesc(D3DVERTEXBUFFER_DESC *out) override;

private:
  DWORD m_fvf;
};

class IndexBuffer final : public BufferOf<IDirect3DIndexBuffer9, D3DRTYPE_INDEXBUFFER> {
public:
  IndexBuffer(Device &device, D3DFORMAT format) : BufferOf(device), m_format(format) {}
  HRESULT STDMETHODCALLTYPE GetDesc(D3DINDEXBUFFER_DESC *out) override;
  UINT stride() const { return m_format == D3DFMT_INDEX32 ? 4 : 2; }

private:
  D3DFORMAT m_format;
};

}  // namespace aerogpu::runtime
