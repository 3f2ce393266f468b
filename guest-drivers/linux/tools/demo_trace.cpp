// SPDX-License-Identifier: MIT
// aerogpu-demo-trace: writes frames of the demo as a trace that aerogpu-replay renders, without any VM.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "aerogpu/cmd_writer.hpp"
#include "guest-drivers/linux/demo/options.h"
#include "guest-drivers/linux/demo/scene.h"
#include "guest-drivers/linux/tools/trace_writer.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::guest;

/// Writes `frames` frames, from number `first` on; time advances by a sixtieth of a second a frame.
Status writeTrace(const char* path, Mode mode, uint32_t first, uint32_t frames) {
  HostMemory memory(0x10000000, Scene::memoryBytes(mode) + (4 << 20));
  Scene scene;
  Status status = scene.create(memory, mode);
  TraceWriter trace;
  if (status.ok()) status = trace.open(path);
  if (!status.ok()) return status;
  CommandWriter stream;
  uint64_t fence = 0;
  for (uint32_t i = 0; i < frames; ++i) {
    trace.beginFrame();
    if (i == 0) {
      for (const aerogpu_alloc_entry& entry : scene.table().entries())
        trace.memory(entry.alloc_id, {memory.at(entry.gpa), entry.size_bytes});
      scene.setup(stream);
      trace.submission({stream.data(), stream.size()}, scene.table(), ++fence);
    }
    FrameStats stats;
    stats.frame = first + i;
    stats.seconds = (first + i) / 60.0;
    stats.fps = 60;
    stats.frameMs = 16.67;
    stats.submissions = stats.frame + 1;
    stats.interrupts = stats.frame + 1;
    stats.commandBytes = stream.size();
    stream.reset();
    scene.frame(stats, stream);
    trace.submission({stream.data(), stream.size()}, scene.table(), ++fence);
    trace.present();
  }
  return trace.finish();
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t first = 0, frames = 1;
  Options options;
  const char* path = nullptr;
  Status status;
  for (int i = 1; i < argc && status.ok(); ++i) {
    if (!std::strncmp(argv[i], "--first=", 8))
      first = static_cast<uint32_t>(std::strtoul(argv[i] + 8, nullptr, 10));
    else if (!std::strncmp(argv[i], "--frames=", 9))
      frames = static_cast<uint32_t>(std::strtoul(argv[i] + 9, nullptr, 10));
    else if (!std::strncmp(argv[i], "--mode=", 7))
      status = options.parseWords(argv[i] + 2);
    else if (argv[i][0] != '-' && !path)
      path = argv[i];
    else
      status = Status::failure("unknown argument '%s'", argv[i]);
  }
  if (!path || frames == 0) {
    std::fputs("usage: aerogpu-demo-trace [--mode=WxH] [--first=N] [--frames=N] OUT.aerogputrace\n", stderr);
    return 2;
  }
  if (status.ok()) status = writeTrace(path, options.mode, first, frames);
  if (!status.ok()) std::fprintf(stderr, "aerogpu-demo-trace: %s\n", status.text().c_str());
  return status.ok() ? 0 : 1;
}
