// SPDX-License-Identifier: MIT
// Writes the seed corpus of trace_fuzz: a captured frame, memory that cannot be read, a device reset, another
// frame. Usage: trace_fuzz-seeds FOLDER
#include <cstdio>
#include <string>

#include "renderer/test/harness.h"

int main(int argc, char** argv) {
  using aerogpu::CommandWriter;
  using aerogpu::test::Harness;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  Harness h;
  char error[256] = "";
  if (!aerogpu_renderer_capture_start(h.renderer(), (std::string(argv[1]) + "/frame").c_str(), error,
                                      sizeof error)) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  const auto memory = h.allocate(64);
  const uint32_t texture = h.handle();
  CommandWriter w;
  Harness::createTexture(w, texture, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 1, 1, memory.id, 16);
  aerogpu::packets::dirtyRange(w, texture, 0, 64);
  aerogpu::packets::setTargets(w, {&texture, 1});
  w.packet(aerogpu_cmd_present{});
  h.submit(w);
  const auto nowhere = h.name(h.memory().size(), 64);
  CommandWriter unreadable;
  aerogpu::packets::createBuffer(unreadable, h.handle(), 64, 0, nowhere.id);
  aerogpu::packets::dirtyRange(unreadable, texture + 1, 0, 64);
  h.submit(unreadable);
  aerogpu_renderer_reset(h.renderer());
  h.submit(w);
  return aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error) ? 0 : 1;
}
