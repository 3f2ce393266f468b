// SPDX-License-Identifier: MIT
// query_latency.exe: measures how long an event takes from Issue to TRUE after a frame that is drawn and presented,
// with presents that wait for their turn and with D3DPRESENT_DONOTWAIT. Polling never waits, whatever flags GetData
// gets (EX-31). At interval one there are no more frames than refreshes, a present that does not wait is refused, and
// what is refused does not count (EX-23, EX-25; page "D3DPRESENT").
#include <algorithm>
#include <cstdio>
#include <vector>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 256, kHeight = 192;
constexpr double kMostSeconds = 2;   // limit of one call, on a busy machine
constexpr double kMostLatency = 30;  // s, limit until an event comes
constexpr UINT kLatency = 3;         // frames that may be under way

constexpr char kHelp[] =
    "query_latency.exe: the time from an event's Issue to its end, with presents that wait and presents that do not. "
    "--draws,\n--samples, --hold, --ex, --immediate and --expectation mean nothing here.";

struct Round {
  const char *name;
  DWORD flags;  // flags of the presents
  std::vector<double> times;
  uint32_t refused = 0, refreshes = 0;

  double median() {
    std::sort(times.begin(), times.end());
    return times.empty() ? 0 : times[times.size() / 2];
  }
};

bool inTime(const Round &round, const char *call, double start) {
  const double took = now() - start;
  return took <= kMostSeconds || fail("%s: %s took %.2f s, more than %g", round.name, call, took, kMostSeconds);
}

/** Presents, and repeats it while it is refused because frames are under way. */
bool present(IDirect3DDevice9Ex *device, Round &round) {
  for (const double first = now();;) {
    const double start = now();
    const HRESULT result = device->PresentEx(nullptr, nullptr, nullptr, nullptr, round.flags);
    takeMessages();
    if (!inTime(round, "PresentEx", start)) return false;
    if (result != D3DERR_WASSTILLDRAWING) return ok(result, "PresentEx");
    if (!round.flags) return fail("%s: PresentEx was refused, and was not told not to wait", round.name);
    ++round.refused;
    if (now() - first > kMostLatency) return fail("%s: no present is accepted any more", round.name);
    Sleep(1);
  }
}

/** Every second event is polled without D3DGETDATA_FLUSH: the present has submitted it. */
bool frame(IDirect3DDevice9Ex *device, IDirect3DQuery9 *query, Round &round, uint32_t number) {
  const uint32_t colour = argb(255, number * 37 % 256, number * 91 % 256, 80);
  if (!ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, colour, 1, 0), "Clear") ||
      !ok(query->Issue(D3DISSUE_END), "Issue(END)"))
    return false;
  const double issued = now();
  if (!present(device, round)) return false;
  for (;;) {
    const double start = now();
    BOOL value = FALSE;
    const HRESULT result = query->GetData(&value, sizeof value, number % 2 ? 0 : D3DGETDATA_FLUSH);
    if (!inTime(round, "GetData", start)) return false;
    if (result == S_OK) {
      round.times.push_back(now() - issued);
      return value == TRUE || fail("%s: an event that is there is %d", round.name, value);
    }
    if (result != S_FALSE) return ok(result, "GetData");
    if (now() - issued > kMostLatency) return fail("%s: an event is not there after %g s", round.name, kMostLatency);
    SwitchToThread();
  }
}

struct Counts {
  UINT presents = 0, refreshes = 0;

  bool read(IDirect3DSwapChain9Ex *chain) {
    D3DPRESENTSTATS stats{};
    if (!ok(chain->GetLastPresentCount(&presents), "GetLastPresentCount") ||
        !ok(chain->GetPresentStats(&stats), "GetPresentStats"))
      return false;
    refreshes = stats.SyncRefreshCount;
    return true;
  }
};

bool frames(const Options &options, IDirect3DDevice9Ex *device, IDirect3DQuery9 *query, Round &round) {
  ComPtr<IDirect3DSwapChain9> plain;
  ComPtr<IDirect3DSwapChain9Ex> chain;
  Counts before, after;
  if (!ok(device->GetSwapChain(0, plain.put()), "GetSwapChain") ||
      !ok(plain->QueryInterface(IID_IDirect3DSwapChain9Ex, reinterpret_cast<void **>(chain.put())),
          "QueryInterface(IDirect3DSwapChain9Ex)") ||
      !before.read(chain.get()))
    return false;
  UINT frames = 0;
  for (const double start = now(); options.seconds > 0 ? now() - start < options.seconds : frames < options.frames;
       ++frames)
    if (!frame(device, query, round, frames)) return false;
  // One present after another, until one comes too early: on a busy machine a frame may take a refresh.
  for (const double start = now(); round.flags && !round.refused; ++frames) {
    if (!present(device, round)) return false;
    if (now() - start > kMostLatency) return fail("%s: none is refused", round.name);
  }
  if (!after.read(chain.get())) return false;
  round.refreshes = after.refreshes - before.refreshes;
  if (after.presents - before.presents != frames)
    return fail("%s: %u were accepted, and %u count", round.name, frames, after.presents - before.presents);
  return frames <= round.refreshes + kLatency + 1 ||
         fail("%s: %u frames in %u refreshes", round.name, frames, round.refreshes);
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "query_latency", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  options.immediate = false;
  Window window;
  Device device;
  ComPtr<IDirect3DQuery9> query;
  if (!openDevice(options, kWidth, kHeight, &window, &device) ||
      !ok(device->CreateQuery(D3DQUERYTYPE_EVENT, query.put()), "CreateQuery(EVENT)"))
    return 1;
  Round rounds[] = {{"presents that wait", 0, {}}, {"presents that do not wait", D3DPRESENT_DONOTWAIT, {}}};
  for (Round &round : rounds)
    if (!frames(options, device.deviceEx.get(), query.get(), round)) return 1;
  std::printf("query_latency: ok frames=%zu refreshes=%u wait_ms=%.2f donotwait_ms=%.2f refused=%u\n",
              rounds[0].times.size(), rounds[0].refreshes, rounds[0].median() * 1000, rounds[1].median() * 1000,
              rounds[1].refused);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
