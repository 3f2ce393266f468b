// SPDX-License-Identifier: MIT
// Resources are also found without a handle: by share tokens, and by the guest memory that backs them. Render
// thread only.
#pragma once

#include "renderer/base/host_memory.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/shared_surfaces.h"
#include "renderer/core/stats.h"
#include "renderer/core/texture_backings.h"

namespace aerogpu::core {

struct ResourceIndex {
  /// Both outlive the object.
  ResourceIndex(HostMemory& hostMemory, Stats& stats) : shared(hostMemory), m_stats(stats) {}

  SharedSurfaces shared;
  TextureBackings backings;

  /// A resource that was made has its first handle.
  void countOne() { m_stats.resources.add(1); }
  /// One handle less names the resource; without any it is found no more.
  void dropHandle(Resource& resource) {
    if (--resource.handleCount != 0) return;
    shared.retire(resource);
    m_stats.resources.subtract(1);
    if (resource.isTexture) backings.remove(static_cast<Texture&>(resource));
  }

private:
  Stats& m_stats;
};

}  // namespace aerogpu::core
