// SPDX-License-Identifier: MIT
// submit_stress.exe: makes one submission per frame, each of a few pixels and with its own event, from two devices on
// two threads. Each event comes after those before it, and at the end each device's target holds the pixels drawn last:
// no submission was lost, and neither device took the other's fence for its own (EX-30, EX-33).
#include <cstdio>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kSize = 64, kUnderWay = 16, kDevices = 2;
constexpr double kMostSeconds = 60;  // limit for an event, on a busy machine

constexpr char kHelp[] =
    "submit_stress.exe: many small submissions from two devices at once. --draws, --samples, --hold, --ex, "
    "--immediate\n"
    "and --expectation mean nothing here.";

/** Submission `number` fills one pixel of the target, in turn. */
D3DRECT pixelOf(uint32_t number) {
  const LONG x = static_cast<LONG>(number % kSize), y = static_cast<LONG>(number / kSize % kSize);
  return {x, y, x + 1, y + 1};
}
uint32_t colourOf(uint32_t device, uint32_t number) {
  return argb(255, 50 + 100 * device, number % 251, number / 251 % 256);
}

struct Submitter {
  uint32_t index = 0, count = 0;
  Window window;
  Device device;
  ComPtr<IDirect3DSurface9> target;
  ComPtr<IDirect3DQuery9> queries[kUnderWay];
  bool right = false;

  bool open(const Options &options, uint32_t number) {
    index = number;
    count = options.frames;
    if (!window.open(options.x + 80 * static_cast<int>(number), options.y, kSize, kSize) ||
        !device.create(options, {.width = kSize, .height = kSize}, window.handle()) ||
        !ok(device->CreateRenderTarget(kSize, kSize, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, target.put(),
                                       nullptr),
            "CreateRenderTarget") ||
        !ok(device->SetRenderTarget(0, target.get()), "SetRenderTarget") ||
        !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, 0, 1, 0), "Clear"))
      return false;
    for (ComPtr<IDirect3DQuery9> &query : queries)
      if (!ok(device->CreateQuery(D3DQUERYTYPE_EVENT, query.put()), "CreateQuery(EVENT)")) return false;
    return true;
  }

  bool wait(uint32_t number) {
    IDirect3DQuery9 *query = queries[number % kUnderWay].get();
    for (const double start = now();;) {
      const HRESULT result = query->GetData(nullptr, 0, D3DGETDATA_FLUSH);
      if (result != S_FALSE) return ok(result, "GetData");
      if (now() - start > kMostSeconds)
        return fail("device %u: submission %u is not done after %g s", index, number, kMostSeconds);
      SwitchToThread();
    }
  }

  bool submit(uint32_t number) {
    const D3DRECT pixel = pixelOf(number);
    IDirect3DQuery9 *query = queries[number % kUnderWay].get();
    if ((number >= kUnderWay && !wait(number - kUnderWay)) ||
        !ok(device->Clear(1, &pixel, D3DCLEAR_TARGET, colourOf(index, number), 1, 0), "Clear(a pixel)") ||
        !ok(query->Issue(D3DISSUE_END), "Issue(END)"))
      return false;
    const HRESULT result = query->GetData(nullptr, 0, D3DGETDATA_FLUSH);  // submits it, and does not wait
    return result == S_FALSE || ok(result, "GetData(FLUSH)");
  }

  bool check() {
    Picture expected(kSize, kSize, 0), got;
    const uint32_t first = count > kSize * kSize ? count - kSize * kSize : 0;
    for (uint32_t number = first; number < count; ++number)
      expected.at(static_cast<uint32_t>(pixelOf(number).x1), static_cast<uint32_t>(pixelOf(number).y1)) =
          colourOf(index, number);
    return readTarget(device.device.get(), target.get(), &got) &&
           samePicture("submit_stress: a target", got, expected, 0, true);
  }

  void run() {
    right = false;
    for (uint32_t number = 0; number < count; ++number)
      if (!submit(number)) return;
    for (uint32_t number = count > kUnderWay ? count - kUnderWay : 0; number < count; ++number)
      if (!wait(number)) return;
    right = check();
  }
};

DWORD WINAPI runSubmitter(void *submitter) {
  static_cast<Submitter *>(submitter)->run();
  return 0;
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "submit_stress", .help = kHelp, .ex = true, .frames = 1000}, argc, argv, options, exitCode))
    return exitCode;
  Submitter submitters[kDevices];
  HANDLE threads[kDevices] = {};
  for (uint32_t i = 0; i < kDevices; ++i)
    if (!submitters[i].open(options, i)) return 1;
  const double start = now();
  bool right = true;
  for (uint32_t i = 0; i < kDevices; ++i) {
    threads[i] = CreateThread(nullptr, 0, runSubmitter, &submitters[i], 0, nullptr);
    right = threads[i] ? right : fail("CreateThread failed: error %lu", GetLastError());
  }
  for (uint32_t i = 0; i < kDevices; ++i) {
    if (!threads[i]) continue;
    while (MsgWaitForMultipleObjects(1, &threads[i], FALSE, INFINITE, QS_ALLINPUT) == WAIT_OBJECT_0 + 1) takeMessages();
    CloseHandle(threads[i]);
    right = submitters[i].right && right;
  }
  if (!right) return 1;
  std::printf("submit_stress: ok submissions=%u devices=%u seconds=%.2f\n", kDevices * options.frames, kDevices,
              now() - start);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
