// SPDX-License-Identifier: MIT
#include "renderer/snapshot/loading.h"

#include <variant>

#include "renderer/base/host_memory.h"
#include "renderer/core/backend.h"
#include "renderer/core/context_table.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/guest_clock.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"

namespace aerogpu::snapshot {

Loading::Loading(core::Submission& into, core::GuestReadObserver& reads) : parts(into) {
  parts.contexts.leave();
  parts.space.enterLoader(objects);
  parts.resources.shared.setForgets(false);
  parts.hostMemory.setLeavesSystem(false);
  parts.spaces.setInReserve(true);  // the total has room for all else
  // Of what was drawn with last: it would stay charged.
  if (!parts.backend.lost()) (void)parts.backend.recover();
  parts.backend.setOwner({});
  parts.guest.setObserver(&reads);
  parts.clock.reset();
  parts.counts = {};
  parts.report = {};
}

Loading::~Loading() {
  parts.guest.setObserver(nullptr);
  parts.hostMemory.setShare(nullptr);
  parts.hostMemory.setLeavesSystem(true);
  parts.spaces.setInReserve(false);
  parts.space.setMadeInKernel(true);
  parts.contexts.leave();
  parts.space.select(parts.spaces.kernel());
  parts.space.forget(objects);
  parts.contexts.dropAll(objects);
  objects.handles.drain([&](core::Object& object) {
    if (auto* buffer = std::get_if<core::Ref<core::Buffer>>(&object)) parts.resources.dropHandle(**buffer);
    if (auto* texture = std::get_if<core::Ref<core::Texture>>(&object)) parts.resources.dropHandle(**texture);
  });
  for (core::Space* space : parts.spaces.all()) {
    space->counters.objects.set(space->number == 0 ? parts.handles.count() : space->handles.count());
    space->counters.contexts.set(space->contexts.size());
  }
}

}  // namespace aerogpu::snapshot
