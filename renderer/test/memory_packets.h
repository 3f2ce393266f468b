// SPDX-License-Identifier: MIT
// Test support: the packets of docs/abi/memory.md over allocations of the harness.
#pragma once

#include "renderer/test/harness.h"

namespace aerogpu::test {

inline void copyMemory(CommandWriter& w, const Allocation& to, uint64_t toOffset, const Allocation& from,
                       uint64_t fromOffset, uint64_t size) {
  w.packet(aerogpu_cmd_ext_copy_memory{.dst_alloc_id = to.id,
                                       .src_alloc_id = from.id,
                                       .dst_offset_bytes = toOffset,
                                       .src_offset_bytes = fromOffset,
                                       .size_bytes = size});
}

inline void fillMemory(CommandWriter& w, const Allocation& to, uint64_t offset, uint32_t pattern,
                       uint64_t size) {
  w.packet(aerogpu_cmd_ext_fill_memory{
      .alloc_id = to.id, .pattern = pattern, .offset_bytes = offset, .size_bytes = size});
}

}  // namespace aerogpu::test
