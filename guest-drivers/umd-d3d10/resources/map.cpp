// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/resources/map.h"

#include "guest-drivers/umd-d3d10/resources/update.h"

namespace aero {
namespace {

HRESULT lockStaging(DeviceObjects &objects, Resource &resource, D3D10_DDI_MAP type, UINT flags) {
  Context &context = objects.context;
  if (context.isPending(resource.identity.memory)) {
    const HRESULT submitted = context.submit();
    if (failed(submitted)) return submitted;
  }
  D3DDDICB_LOCKFLAGS how = {};
  how.ReadOnly = type == D3D10_DDI_MAP_READ;
  how.DonotWait = (flags & D3D10_DDI_MAP_FLAG_DONOTWAIT) != 0;
  return context.runtime().lock(resource.identity.memory.handle, how, resource.maps.locked);
}

/** Sends what the program has written to a dynamic buffer. With NO_OVERWRITE those bytes that differ: the others may be
 * in use, and are the same. */
HRESULT sendBuffer(DeviceObjects &objects, Resource &buffer) {
  Resource::Maps &maps = buffer.maps;
  const uint32_t bytes = buffer.bytes();
  if (!maps.promises) {
    if (maps.sent) memcpy(maps.sent, maps.copy, bytes);
    return updateBuffer(objects, buffer, 0, maps.copy, bytes, AEROGPU_EXT_UPDATE_DISCARD);
  }
  constexpr uint32_t kStep = 64;
  uint32_t begin = 0, end = bytes;
  while (begin < end && end - begin >= kStep && !memcmp(maps.copy + begin, maps.sent + begin, kStep)) begin += kStep;
  while (begin < end && maps.copy[begin] == maps.sent[begin]) begin++;
  while (end - begin >= kStep && !memcmp(maps.copy + end - kStep, maps.sent + end - kStep, kStep)) end -= kStep;
  while (begin < end && maps.copy[end - 1] == maps.sent[end - 1]) end--;
  if (begin == end) return kOk;
  memcpy(maps.sent + begin, maps.copy + begin, end - begin);
  return updateBuffer(objects, buffer, begin, maps.copy + begin, end - begin, AEROGPU_EXT_UPDATE_NO_OVERWRITE);
}

}  // namespace

HRESULT mapResource(DeviceObjects &objects, Resource &resource, uint32_t subresource, D3D10_DDI_MAP type, UINT flags,
                    D3D10DDI_MAPPED_SUBRESOURCE &out) {
  if (subresource >= resource.subresources()) return kInvalidArgument;
  Resource::Maps &maps = resource.maps;
  const uint8_t *memory;
  if (resource.isStaging()) {
    if (!maps.count) {
      const HRESULT locked = lockStaging(objects, resource, type, flags);
      if (failed(locked)) return locked;
    }
    memory = static_cast<const uint8_t *>(maps.locked);
  } else if (maps.copy) {
    maps.promises = type == D3D10_DDI_MAP_WRITE_NOOVERWRITE && resource.isBuffer();
    if (maps.promises && !maps.sent) {
      maps.sent = static_cast<uint8_t *>(heapAllocate(resource.bytes()));
      if (maps.sent)
        memcpy(maps.sent, maps.copy, resource.bytes());
      else
        maps.promises = false;  // all of it is sent
    }
    memory = maps.copy;
  } else {
    return kNotAvailable;
  }
  maps.count++;
  maps.writes = maps.writes || type != D3D10_DDI_MAP_READ;
  out.pData = const_cast<uint8_t *>(memory) + resource.offsetOf(subresource);
  if (resource.isBuffer()) {
    out.RowPitch = out.DepthPitch = resource.bytes();
  } else {
    const LevelLayout &level = resource.layout().level(resource.levelOf(subresource));
    out.RowPitch = level.pitch;
    out.DepthPitch = static_cast<UINT>(level.sliceBytes());
  }
  return kOk;
}

HRESULT unmapResource(DeviceObjects &objects, Resource &resource, uint32_t subresource) {
  Resource::Maps &maps = resource.maps;
  if (!maps.count || subresource >= resource.subresources()) return kInvalidArgument;
  maps.count--;
  if (!resource.isStaging()) {
    if (resource.isBuffer()) return sendBuffer(objects, resource);
    const LevelLayout &level = resource.layout().level(resource.levelOf(subresource));
    return updateTexture(objects, resource, subresource, {{0, 0, level.width, level.height}, 0, level.depth},
                         maps.copy + resource.offsetOf(subresource), level.pitch, level.sliceBytes());
  }
  if (maps.count) return kOk;
  maps.locked = nullptr;
  const bool wrote = maps.writes;
  maps.writes = false;
  const HRESULT result = objects.context.runtime().unlock(resource.identity.memory.handle);
  return failed(result) || !wrote || !resource.isBuffer() ? result : markWritten(objects, resource);
}

bool isBusy(DeviceObjects &objects, Resource &resource) {
  if (!resource.isStaging() || resource.maps.locked) return false;
  if (objects.context.isPending(resource.identity.memory)) return true;
  D3DDDICB_LOCKFLAGS how = {};
  how.ReadOnly = how.DonotWait = 1;
  void *memory = nullptr;
  const Runtime &runtime = objects.context.runtime();
  if (failed(runtime.lock(resource.identity.memory.handle, how, memory))) return true;
  runtime.unlock(resource.identity.memory.handle);
  return false;
}

}  // namespace aero
