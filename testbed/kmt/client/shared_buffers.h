// SPDX-License-Identifier: MIT
// shared_buffers.h: a context's command buffer and lists as the program sees them.
#pragma once

#include "testbed/kmt/client/shared_files.h"
#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt {

struct MappedBuffers {
  void *commands;
  D3DDDI_ALLOCATIONLIST *allocations;
  D3DDDI_PATCHLOCATIONLIST *patches;
};

/// Maps the command buffer and the lists; returns false if that fails.
bool adoptBuffers(const CommandBuffers &buffers, MappedBuffers &out);

}  // namespace aerogpu::kmt
