// SPDX-License-Identifier: MIT
// Test support: a renderer with handle spaces (docs/abi/spaces.md) over the null back end, and their packets.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"

namespace aerogpu::test {

constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kBackend = AEROGPU_ERROR_BACKEND;

inline void exportToken(CommandWriter& w, uint32_t handle, uint64_t token) {
  aerogpu_cmd_export_shared_surface c{};
  c.resource_handle = handle;
  c.share_token = token;
  w.packet(c);
}
inline void importToken(CommandWriter& w, uint32_t handle, uint64_t token) {
  aerogpu_cmd_import_shared_surface c{};
  c.out_resource_handle = handle;
  c.share_token = token;
  w.packet(c);
}
inline void releaseToken(CommandWriter& w, uint64_t token) {
  aerogpu_cmd_release_shared_surface c{};
  c.share_token = token;
  w.packet(c);
}
inline void grant(CommandWriter& w, uint64_t token, uint32_t space) {
  aerogpu_cmd_ext_grant c{};
  c.share_token = token;
  c.space = space;
  w.packet(c);
}
inline void chargeSpace(CommandWriter& w, uint32_t space) {
  aerogpu_cmd_ext_charge_space c{};
  c.space = space;
  w.packet(c);
}
inline void spaceProcess(CommandWriter& w, uint32_t space, uint64_t process) {
  aerogpu_cmd_ext_space_process c{};
  c.space = space;
  c.process = process;
  w.packet(c);
}
inline void destroySpace(CommandWriter& w, uint32_t space) {
  aerogpu_cmd_ext_destroy_space c{};
  c.space = space;
  w.packet(c);
}
inline void nameSpace(CommandWriter& w, uint32_t space, uint32_t process, const std::string& image) {
  aerogpu_cmd_ext_name_space c{};
  c.space = space;
  c.process_id = process;
  image.copy(reinterpret_cast<char*>(c.image_name), sizeof c.image_name);
  w.packet(c);
}

/// A renderer with spaces enabled.
class SpacesTest : public testing::Test {
protected:
  static constexpr uint64_t kShare = uint64_t{1} << 20;  // of one space or process

  explicit SpacesTest(uint64_t maxHostmem = uint64_t{1} << 30)
      : h({.maxHostmem = maxHostmem, .maxSpaceHostmem = kShare}) {
    while (h.handle() < 1000) {  // keeps the harness's handles above those of the tests
    }
  }
  /// Submits in a space; in space 0 as the kernel driver.
  FinishedSubmission in(uint32_t space, const CommandWriter& w, uint32_t context = 0) {
    h.space = space == 0 ? Harness::kKernel : Harness::InSpace{space};
    return h.submit(w, context);
  }
  /// Submits the packets that `write` writes.
  template <class Write>
  FinishedSubmission in(uint32_t space, Write write,
                        uint32_t context = 0) requires std::is_invocable_v<Write, CommandWriter&> {
    CommandWriter w;
    write(w);
    return in(space, w, context);
  }
  std::vector<uint8_t> buffer(uint32_t space, uint32_t handle, uint64_t size) {
    h.space = Harness::InSpace{space};
    return h.readBuffer(handle, size);
  }

  Harness h;
};

}  // namespace aerogpu::test
