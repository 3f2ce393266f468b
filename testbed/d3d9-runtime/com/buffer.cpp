// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/buffer.h"

#include <algorithm>
#include <utility>

#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
namespace {

constexpr DWORD kUsages = D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY | D3DUSAGE_POINTS | D3DUSAGE_DONOTCLIP |
                          D3DUSAGE_RTPATCHES | D3DUSAGE_NPATCHES | D3DUSAGE_SOFTWAREPROCESSING | D3DUSAGE_TEXTAPI;

/// True if a driver allocates vertex or index buffers. Without these bits the runtime keeps all such buffers in its own
/// memory. Authors of a display driver for Windows XP saw Direct3D 8 do so; that Windows 7 does is inferred from
/// Microsoft's own driver, which sets both (D3D9On12, include/9on12Caps.h).
bool allocatesBuffers(const DriverAdapter &adapter, D3DFORMAT format) {
  return adapter.caps().DevCaps & (format == D3DFMT_VERTEXDATA ? D3DDEVCAPS_HWVERTEXBUFFER : D3DDEVCAPS_HWINDEXBUFFER);
}

}  // namespace

BufferMemory::~BufferMemory() {
  if (m_counted) m_device.countDefaultPool(-1);
}

HRESULT BufferMemory::create(UINT bytes, DWORD usage, D3DFORMAT format, DWORD fvf, D3DPOOL pool, HANDLE *shared) {
  if (!bytes || (usage & ~kUsages) || pool == D3DPOOL_SCRATCH) return D3DERR_INVALIDCALL;
  if (pool == D3DPOOL_MANAGED && (usage & D3DUSAGE_DYNAMIC)) return D3DERR_INVALIDCALL;
  if (shared && (pool != D3DPOOL_DEFAULT || *shared)) return D3DERR_NOTAVAILABLE;
  m_bytes = bytes;
  m_usage = usage;
  m_pool = pool;
  m_evictions = m_device.evictions();
  ResourceDescription resource;
  resource.format = format;
  resource.width = bytes;
  resource.fvf = fvf;
  D3DDDI_RESOURCEFLAGS &flags = resource.flags;
  flags.VertexBuffer = format == D3DFMT_VERTEXDATA;
  flags.IndexBuffer = format != D3DFMT_VERTEXDATA;
  flags.Dynamic = (usage & D3DUSAGE_DYNAMIC) != 0;
  flags.HintStatic = !flags.Dynamic && pool == D3DPOOL_DEFAULT;
  flags.WriteOnly = (usage & D3DUSAGE_WRITEONLY) != 0;
  flags.Points = (usage & D3DUSAGE_POINTS) != 0;
  HRESULT result = D3D_OK;
  const bool inVideoMemory = pool != D3DPOOL_SYSTEMMEM && allocatesBuffers(m_device.driver().adapter(), format);
  if (shared && !inVideoMemory) return D3DERR_NOTAVAILABLE;
  if (pool != D3DPOOL_DEFAULT || !inVideoMemory) {
    ResourceDescription twin = resource;
    twin.systemMemory = true;
    twin.flags.HintStatic = 0;
    twin.flags.MightDrawFromLocked = !inVideoMemory;
    m_system = DriverResource::create(m_device.driver(), twin, nullptr, result);
    if (!m_system) return result;
    m_dirtyEnd = bytes;
  }
  if (pool == D3DPOOL_DEFAULT) {
    m_counted = true;
    m_device.countDefaultPool(+1);
  }
  if (!inVideoMemory) return D3D_OK;
  SharedDescription description{};
  if (shared) {
    flags.SharedResource = 1;
    description = sharedOf9(D3DRTYPE_VERTEXBUFFER, format, bytes, 1, usage);
  }
  m_video = DriverResource::create(m_device.driver(), resource, shared ? &description : nullptr, result);
  if (!m_video) return result;
  if (shared) *shared = reinterpret_cast<HANDLE>(static_cast<UINT_PTR>(m_video->globalHandle()));
  return D3D_OK;
}

HRESULT BufferMemory::lock(UINT offset, UINT size, void **out, DWORD flags) {
  *out = nullptr;
  if (offset > m_bytes) return D3DERR_INVALIDCALL;
  // A range past the end is cut off; 0 means the rest.
  const UINT length = size ? std::min(size, m_bytes - offset) : m_bytes - offset;
  const bool whole = offset == 0 && length == m_bytes;
  D3DDDI_LOCKFLAGS driverFlags{};
  driverFlags.ReadOnly = (flags & D3DLOCK_READONLY) != 0;
  driverFlags.DoNotWait = (flags & D3DLOCK_DONOTWAIT) != 0;
  if (m_system) {
    const HRESULT result = m_system->notifyLock(driverFlags);
    if (FAILED(result)) return result;
    if (!(flags & D3DLOCK_READONLY)) {
      if (m_dirtyBegin == m_dirtyEnd) {
        m_dirtyBegin = offset;
        m_dirtyEnd = offset + length;
      } else {
        m_dirtyBegin = std::min(m_dirtyBegin, offset);
        m_dirtyEnd = std::max(m_dirtyEnd, offset + length);
      }
    }
    ++m_locks;
    *out = m_system->memory(0).bytes + offset;
    return D3D_OK;
  }
  D3DDDIARG_LOCK argument{};
  argument.Flags = driverFlags;
  // The driver gets both promises as the program makes them, together and for any buffer; a discard covers the whole
  // buffer, whatever range is locked.
  argument.Flags.NoOverwrite = (flags & D3DLOCK_NOOVERWRITE) != 0;
  argument.Flags.Discard = (flags & D3DLOCK_DISCARD) != 0;
  argument.Flags.WriteOnly = (m_usage & D3DUSAGE_WRITEONLY) && !argument.Flags.ReadOnly;
  argument.Flags.RangeValid = !whole;
  argument.Range = {offset, length};
  const HRESULT result = m_video->lock(argument);
  if (FAILED(result)) return result;
  ++m_locks;
  *out = argument.pSurfData;
  return D3D_OK;
}

HRESULT BufferMemory::unlock() {
  // The API tolerates an extra Unlock.
  if (!m_locks) return D3D_OK;
  --m_locks;
  return m_system ? m_system->notifyUnlock() : m_video->unlock(0, false);
}

HRESULT BufferMemory::upload() {
  if (m_pool != D3DPOOL_MANAGED || !m_video) return D3D_OK;
  if (std::exchange(m_evictions, m_device.evictions()) != m_device.evictions()) {
    m_dirtyBegin = 0;
    m_dirtyEnd = m_bytes;
  }
  if (m_dirtyBegin == m_dirtyEnd) return D3D_OK;
  D3DDDIARG_BUFFERBLT argument{};
  argument.hDstResource = m_video->handle();
  argument.hSrcResource = m_system->handle();
  argument.Offset = m_dirtyBegin;
  argument.SrcRange = {m_dirtyBegin, m_dirtyEnd - m_dirtyBegin};
  const HRESULT result = m_device.driver().call<&D3DDDI_DEVICEFUNCS::pfnBufBlt>(&argument);
  if (SUCCEEDED(result)) m_dirtyBegin = m_dirtyEnd = 0;
  return result;
}

HRESULT VertexBuffer::GetDesc(D3DVERTEXBUFFER_DESC *out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = {D3DFMT_VERTEXDATA, D3DRTYPE_VERTEXBUFFER, m_memory.usage(), m_memory.pool(), m_memory.bytes(), m_fvf};
  return D3D_OK;
}

HRESULT IndexBuffer::GetDesc(D3DINDEXBUFFER_DESC *out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = {m_format, D3DRTYPE_INDEXBUFFER, m_memory.usage(), m_memory.pool(), m_memory.bytes()};
  return D3D_OK;
}

}  // namespace aerogpu::runtime
