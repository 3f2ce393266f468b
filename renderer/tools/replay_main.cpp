// SPDX-License-Identifier: MIT
// aerogpu-replay: plays .aerogputrace files without QEMU. See docs/develop/debugging.md.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "aerogpu/vulkan_devices.h"
#include "renderer/cmd/dump.h"
#include "renderer/tools/png_writer.h"
#include "renderer/trace/replay.h"

namespace {

using namespace aerogpu;

constexpr const char* kUsage =
    "usage: aerogpu-replay [options] TRACE...\n"
    "  --backend B        auto (default), vulkan or null\n"
    "  --vulkan-device D  index or part of the name of a Vulkan device, or help\n"
    "  --png FILE         write the last frame as a PNG\n"
    "  --png-dir DIR      write every frame as DIR/frame-NNNNNN.png\n"
    "  --json             statistics as JSON on standard output\n"
    "  --dump             print the packets, one a line, instead of executing them\n"
    "  --cut-short        play what there is of a capture that lacks its end, as after a crash\n"
    "  --validation       with the Vulkan validation layers\n"
    "  --version          print the version\n";

struct Arguments {
  trace::ReplayOptions replay;
  std::string png, pngDir;
  bool json = false, dump = false;
  std::vector<std::string> traces;
};

/// Exits with status 2 and a message for a bad command line.
[[noreturn]] void badUsage(const std::string& what) {
  std::fprintf(stderr, "aerogpu-replay: %s\n%s", what.c_str(), kUsage);
  std::exit(2);
}

/// Prints the list and exits, as the device's property does.
[[noreturn]] void listDevices() {
  char error[256] = "";
  const auto print = [](void*, const aerogpu_vulkan_device* device) {
    std::printf("%u = %s (%s)%s%s%s\n", device->index, device->name, device->kind,
                device->unfit ? ": unfit: " : "", device->unfit ? device->unfit : "",
                device->chosen ? ": the default" : "");
  };
  if (aerogpu_list_vulkan_devices(print, nullptr, error, sizeof error)) std::exit(0);
  std::fprintf(stderr, "aerogpu-replay: %s\n", error);
  std::exit(1);
}

Arguments parse(int argc, char** argv) {
  Arguments args;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&]() -> std::string {
      if (++i == argc) badUsage(arg + " needs a value");
      return argv[i];
    };
    if (arg == "--help" || arg == "-h") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (arg == "--version") {
      std::puts("aerogpu-replay " AEROGPU_VERSION);
      std::exit(0);
    }
    if (arg == "--backend")
      args.replay.backend = value();
    else if (arg == "--vulkan-device")
      args.replay.vulkanDevice = value();
    else if (arg == "--png")
      args.png = value();
    else if (arg == "--png-dir")
      args.pngDir = value();
    else if (arg == "--json")
      args.json = true;
    else if (arg == "--dump")
      args.dump = true;
    else if (arg == "--cut-short")
      args.replay.cutShort = true;
    else if (arg == "--validation")
      args.replay.validation = true;
    else if (arg.size() > 1 && arg[0] == '-')
      badUsage("unknown option '" + arg + "'");
    else
      args.traces.push_back(arg);
  }
  if (args.replay.vulkanDevice == "help") listDevices();
  if (args.traces.empty()) badUsage("no trace file given");
  return args;
}

void dumpStream(std::span<const uint8_t> stream) {
  auto reader = cmd::PacketReader::open(stream);
  if (!reader) {
    std::printf("stream of %zu bytes: %s\n", stream.size(), reader.error().what);
    return;
  }
  std::printf("stream of %zu bytes, ABI 1.%u\n", stream.size(), reader->minor());
  while (!reader->atEnd()) {
    const auto packet = reader->next();
    if (!packet) {
      std::printf("%8s %s\n", "", packet.error().what);
      return;
    }
    std::printf("%s\n", cmd::dumpPacket(*packet).c_str());
  }
}

std::string jsonText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

void printStatistics(const std::string& path, const trace::ReplayResult& r, bool json) {
  const double perFrame = r.frames ? r.seconds * 1000 / static_cast<double>(r.frames) : 0;
  const auto n = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  if (json) {
    std::printf(
        "{\"trace\": %s, \"backend\": %s, \"device\": %s, \"submissions\": %llu, \"frames\": %llu, "
        "\"errors\": %llu, \"resets\": %llu, "
        "\"packets\": %llu, \"draws\": %llu, \"dispatches\": %llu, \"presents\": %llu, \"command_bytes\": "
        "%llu, "
        "\"upload_bytes\": %llu, \"readback_bytes\": %llu, \"host_memory_peak_bytes\": %llu, "
        "\"shaders_translated\": %llu, \"pipelines_created\": %llu, \"seconds\": %.6f, \"ms_per_frame\": "
        "%.3f}\n",
        jsonText(path).c_str(), jsonText(r.backend).c_str(), jsonText(r.device).c_str(), n(r.submissions),
        n(r.frames), n(r.errors), n(r.resets), n(r.stats.packets), n(r.stats.draws), n(r.stats.dispatches),
        n(r.stats.presents), n(r.stats.command_bytes), n(r.stats.upload_bytes), n(r.stats.readback_bytes),
        n(r.stats.host_memory_peak_bytes), n(r.stats.shaders_translated), n(r.stats.pipelines_created),
        r.seconds, perFrame);
    return;
  }
  std::printf("%s: back end %s%s%s\n", path.c_str(), r.backend.c_str(), r.device.empty() ? "" : ", ",
              r.device.c_str());
  std::printf("  %llu submissions, %llu packets, %llu draws, %llu presents, %llu errors\n", n(r.submissions),
              n(r.stats.packets), n(r.stats.draws), n(r.stats.presents), n(r.errors));
  std::printf("  %llu frames in %.3f s, %.3f ms a frame\n", n(r.frames), r.seconds, perFrame);
}

/// Replays one file; false after printing what was wrong.
bool replayFile(const std::string& path, Arguments& args) {
  const auto fail = [&path](const std::string& what) {
    std::fprintf(stderr, "aerogpu-replay: %s: %s\n", path.c_str(), what.c_str());
    return false;
  };
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(std::strerror(errno));
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<uint8_t> lastFrame;
  uint32_t width = 0, height = 0;
  uint64_t frameIndex = 0;
  std::string pngError;
  args.replay.execute = !args.dump;
  args.replay.onStream = args.dump ? dumpStream : std::function<void(std::span<const uint8_t>)>{};
  args.replay.onReset = args.dump ? [] { std::printf("device reset\n"); } : std::function<void()>{};
  args.replay.onLog = [](enum aerogpu_log_level level, const char* line) {
    if (level <= AEROGPU_LOG_GUEST) std::fprintf(stderr, "aerogpu-replay: %s\n", line);
  };
  args.replay.onFrame = [&](const aerogpu_frame& frame) {
    if (args.png.empty() && args.pngDir.empty()) return;
    lastFrame = tools::toRgba(frame);
    width = frame.width;
    height = frame.height;
    if (args.pngDir.empty()) return;
    char name[32];
    std::snprintf(name, sizeof name, "/frame-%06llu.png", static_cast<unsigned long long>(frameIndex++));
    tools::writePng(args.pngDir + name, lastFrame, width, height, pngError);
  };
  trace::ReplayResult result;
  std::string error;
  if (!trace::replay({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, args.replay, result,
                     error))
    return fail(error + (error.starts_with("cut short") && !args.replay.cutShort
                             ? "; --cut-short plays what there is"
                             : ""));
  if (result.lostBytes != 0)
    std::fprintf(stderr, "aerogpu-replay: %s lacks its end; %llu bytes follow its last whole record\n",
                 path.c_str(), static_cast<unsigned long long>(result.lostBytes));
  if (args.dump) return true;
  printStatistics(path, result, args.json);
  if (!args.png.empty()) {
    if (lastFrame.empty()) return fail("no frame was presented; no PNG written");
    tools::writePng(args.png, lastFrame, width, height, pngError);
  }
  if (!pngError.empty()) return fail(pngError);
  if (result.errors != 0) return fail(std::to_string(result.errors) + " commands failed");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments args = parse(argc, argv);
  if (!args.pngDir.empty()) {
    std::error_code created;
    std::filesystem::create_directories(args.pngDir, created);
    if (created) badUsage("cannot make the folder '" + args.pngDir + "': " + created.message());
  }
  aerogpu_renderer_prepare_process(nullptr, nullptr, 0);  // if it fails, the renderer's log says so
  bool good = true;
  for (const std::string& path : args.traces) good = replayFile(path, args) && good;
  return good ? 0 : 1;
}
