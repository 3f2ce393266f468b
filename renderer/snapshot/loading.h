// SPDX-License-Identifier: MIT
// The packets of a snapshot work with a loading: the parts of the renderer, and the objects made so far.
// Render thread only.
#pragma once

#include <cstdint>

#include "renderer/core/guest_read_observer.h"
#include "renderer/core/spaces.h"
#include "renderer/core/submission.h"

namespace aerogpu::snapshot {

struct Loading {
  /// Sets the parts for a load, whose reads `reads` answers. They are at rest and hold nothing.
  Loading(core::Submission& into, core::GuestReadObserver& reads);
  /// Sets them for a guest, and drops the numbers of the objects.
  ~Loading();
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  core::Submission& parts;
  /// Its handles are the numbers of the objects, and its context has the state before the first LOAD_CONTEXT.
  core::Space objects{0};
  uint32_t names = 0, contexts = 0;
  uint32_t space = 0;  ///< whose objects and contexts come
};

}  // namespace aerogpu::snapshot
