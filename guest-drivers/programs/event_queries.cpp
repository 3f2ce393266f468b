// SPDX-License-Identifier: MIT
// event_queries.exe: tests event queries of several processes at once. This program starts the requested number of
// copies of itself; all draw and keep events under way. No event may come before an earlier one of its device, each
// comes, and none is mistaken for another process' event: the work drawn before it is done (EX-21, EX-31, EX-33).
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "guest-drivers/programs/child.h"

namespace programs {

namespace {

constexpr uint32_t kSize = 64, kUnderWay = 8;
constexpr double kMostSeconds = 60;  // limit for an event, on a busy machine

constexpr char kHelp[] =
    "event_queries.exe: event queries of several processes at once. --draws, --samples, --hold, --ex, --immediate and\n"
    "--expectation mean nothing here.\n"
    "  --processes N       processes beside this one (default 3)";

/** Returns the colour that process `index` draws in frame `frame`. */
uint32_t colourOf(uint32_t index, uint32_t frame) {
  return argb(255, 30 + index * 50 % 200, frame * 7 % 256, frame / 36 % 256);
}

class Events {
public:
  bool create(IDirect3DDevice9 *device) {
    device_ = device;
    for (ComPtr<IDirect3DQuery9> &query : queries_)
      if (!ok(device->CreateQuery(D3DQUERYTYPE_EVENT, query.put()), "CreateQuery(EVENT)")) return false;
    return ok(device->CreateRenderTarget(kSize, kSize, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, target_.put(),
                                         nullptr),
              "CreateRenderTarget") &&
           ok(device->SetRenderTarget(0, target_.get()), "SetRenderTarget");
  }

  /** Waits for the oldest event under way, then draws a frame followed by an event. */
  bool draw(uint32_t index, uint32_t frame) {
    return (frame < kUnderWay || wait(frame - kUnderWay)) &&
           ok(device_->Clear(0, nullptr, D3DCLEAR_TARGET, colourOf(index, frame), 1, 0), "Clear") &&
           ok(query(frame)->Issue(D3DISSUE_END), "Issue(END)") && inOrder(frame);
  }

  /** Waits for the last events, and checks the picture. */
  bool end(uint32_t index, uint32_t frames) {
    for (uint32_t frame = frames > kUnderWay ? frames - kUnderWay : 0; frame < frames; ++frame)
      if (!wait(frame)) return false;
    Picture got;
    return readTarget(device_, target_.get(), &got) &&
           samePicture("event_queries: the last frame", got, Picture(kSize, kSize, colourOf(index, frames - 1)), 0,
                       true);
  }

private:
  IDirect3DQuery9 *query(uint32_t frame) { return queries_[frame % kUnderWay].get(); }

  bool wait(uint32_t frame) {
    for (const double start = now();;) {
      const HRESULT result = query(frame)->GetData(nullptr, 0, D3DGETDATA_FLUSH);
      if (result != S_FALSE) return ok(result, "GetData");
      if (now() - start > kMostSeconds)
        return fail("the event of frame %u is not there after %g s", frame, kMostSeconds);
      SwitchToThread();
    }
  }

  /** Checks from the newest event back: once one has come, all before it have. */
  bool inOrder(uint32_t newest) {
    const uint32_t oldest = newest < kUnderWay ? 0 : newest - kUnderWay + 1;
    bool there = false;
    for (uint32_t frame = newest + 1; frame-- > oldest;) {
      const HRESULT result = query(frame)->GetData(nullptr, 0, 0);
      if (result != S_OK && result != S_FALSE) return ok(result, "GetData");
      if (there && result == S_FALSE) return fail("a later event than that of frame %u was there before it", frame);
      there = result == S_OK;
    }
    return true;
  }

  IDirect3DDevice9 *device_ = nullptr;
  ComPtr<IDirect3DSurface9> target_;
  ComPtr<IDirect3DQuery9> queries_[kUnderWay];
};

struct Process {
  Window window;
  Device device;
  Events events;

  bool open(uint32_t index) {
    Options options;
    options.ex = true;
    return window.open(32 * static_cast<int>(index), 0, kSize, kSize, index == 0) &&
           device.create(options, {.width = kSize, .height = kSize}, window.handle()) &&
           events.create(device.device.get());
  }
  bool draw(uint32_t index, uint32_t frames) {
    for (uint32_t frame = 0; frame < frames; ++frame) {
      if (!events.draw(index, frame)) return false;
      takeMessages();
    }
    return events.end(index, frames);
  }
};

/** Runs a started process: prints `ready`, draws when it reads `draw FRAMES`, and prints `drawn`. */
int child(const char *text) {
  begin("event_queries: child");
  unsigned index = 0, frames = 0;
  char line[64];
  Process process;
  if (std::sscanf(text, "%u", &index) != 1) return 2;
  if (!process.open(index)) return 1;
  std::printf("ready\n");
  if (!std::fgets(line, sizeof line, stdin) || std::sscanf(line, "draw %u", &frames) != 1 || !frames) return 1;
  if (!process.draw(index, frames)) return 1;
  std::printf("drawn\n");
  return 0;
}

int run(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--child") == 0) return child(argv[2]);
  Options options;
  int exitCode = 0;
  if (!begin({.name = "event_queries", .help = kHelp, .ex = true, .frames = 400}, argc, argv, options, exitCode))
    return exitCode;
  if (!options.frames) options.frames = 1;
  char own[MAX_PATH], arguments[32];
  if (!GetModuleFileNameA(nullptr, own, sizeof own)) return fail("GetModuleFileName failed") ? 0 : 1;
  Process process;
  if (!process.open(0)) return 1;
  std::vector<std::unique_ptr<Child>> children;
  for (uint32_t i = 1; i <= options.processes; ++i) {
    std::snprintf(arguments, sizeof arguments, "--child %u", i);
    children.push_back(std::make_unique<Child>());
    if (!children.back()->start(own, arguments) || !children.back()->hear("ready", nullptr, 0)) return 1;
  }
  for (const auto &other : children)
    if (!other->tell("draw %u", options.frames)) return 1;
  bool right = process.draw(0, options.frames);
  for (const auto &other : children) right = other->hear("drawn", nullptr, 0) && other->finish() && right;
  if (!right) return 1;
  std::printf("event_queries: ok processes=%u queries=%u\n", options.processes + 1,
              (options.processes + 1) * options.frames);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
