// SPDX-License-Identifier: MIT
// Finds resources without a handle: by share tokens, and by the guest memory that backs them. Render thread
// only.
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

  /// Counts a new resource, which has one handle.
  void countOne() { m_stats.resources.add(1); }
  /// Notes that a handle of the resource is gone. After the last one, the resource cannot be found any more.
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
