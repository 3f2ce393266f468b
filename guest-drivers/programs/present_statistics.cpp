// SPDX-License-Identifier: MIT
// present_statistics.exe: checks that requests for present statistics do not fail. It calls GetPresentStats and
// GetLastPresentCount in every state of a swap chain: before the first present, in a window, full screen, for a chain
// that the program adds, for a hidden window, from another thread while frames go on, after ResetEx. None may fail or
// take long; a count goes up by one for each accepted present. Pages "IDirect3DSwapChain9Ex::GetPresentStats",
// "IDirect3DSwapChain9Ex::GetLastPresentCount".
#include <cstdio>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 160, kHeight = 120, kScreenWidth = 1024, kScreenHeight = 768;
constexpr uint32_t kPolls = 2000;
constexpr double kMostSeconds = 2;  // limit of one request, on a busy machine

constexpr char kHelp[] =
    "present_statistics.exe: asks for counts and times of presents in every state of a swap chain. --draws, "
    "--samples,\n"
    "--hold, --ex, --immediate and --expectation mean nothing here.";

struct Chain {
  ComPtr<IDirect3DSwapChain9Ex> chain;
  UINT expected = 0;  // presents
  uint32_t requests = 0;

  bool open(IDirect3DDevice9Ex *device) {
    ComPtr<IDirect3DSwapChain9> plain;
    return ok(device->GetSwapChain(0, plain.put()), "GetSwapChain") && take(plain.get());
  }
  bool take(IDirect3DSwapChain9 *plain) {
    return ok(plain->QueryInterface(IID_IDirect3DSwapChain9Ex, reinterpret_cast<void **>(chain.put())),
              "QueryInterface(IDirect3DSwapChain9Ex)");
  }

  /** Requests both; a failure message names `state`. */
  bool ask(const char *state) {
    UINT count = ~0u;
    D3DPRESENTSTATS stats{};
    const double start = now();
    const HRESULT first = chain->GetLastPresentCount(&count), second = chain->GetPresentStats(&stats);
    const double took = now() - start;
    ++requests;
    if (FAILED(first)) return fail("%s: GetLastPresentCount failed: 0x%08lX", state, static_cast<DWORD>(first));
    if (FAILED(second)) return fail("%s: GetPresentStats failed: 0x%08lX", state, static_cast<DWORD>(second));
    if (took > kMostSeconds) return fail("%s: the requests took %.1f s", state, took);
    if (count != expected) return fail("%s: the last present's count is %u, and %u were made", state, count, expected);
    return stats.PresentCount <= count ||
           fail("%s: present %u is shown, and %u were made", state, stats.PresentCount, count);
  }
};

bool present(IDirect3DDevice9Ex *device, Chain &chain, const char *state) {
  if (!ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, argb(255, 40, 80, 160), 1, 0), "Clear") ||
      !ok(device->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx"))
    return false;
  ++chain.expected;
  takeMessages();
  return chain.ask(state);
}

bool presents(IDirect3DDevice9Ex *device, Chain &chain, uint32_t frames, const char *state) {
  for (uint32_t i = 0; i < frames; ++i)
    if (!present(device, chain, state)) return false;
  return true;
}

/** A thread that polls all the time; its exit code is the number of polls, 0 for a failure. */
struct Poller {
  IDirect3DSwapChain9Ex *chain;
  volatile LONG stop = 0;

  static DWORD WINAPI run(void *context) {
    auto *self = static_cast<Poller *>(context);
    for (DWORD polls = 1;; ++polls) {
      UINT count = 0;
      D3DPRESENTSTATS stats{};
      if (!ok(self->chain->GetLastPresentCount(&count), "a thread's GetLastPresentCount") ||
          !ok(self->chain->GetPresentStats(&stats), "a thread's GetPresentStats"))
        return 0;
      if (InterlockedCompareExchange(&self->stop, 0, 0) && polls >= kPolls) return polls;
    }
  }
};

bool polledPresents(IDirect3DDevice9Ex *device, Chain &chain, uint32_t frames) {
  Poller poller{chain.chain.get()};
  HANDLE thread = CreateThread(nullptr, 0, Poller::run, &poller, 0, nullptr);
  if (!thread) return fail("CreateThread failed: error %lu", GetLastError());
  const bool presented = presents(device, chain, frames, "while a thread asks too");
  InterlockedExchange(&poller.stop, 1);
  DWORD polls = 0;
  WaitForSingleObject(thread, INFINITE);
  GetExitCodeThread(thread, &polls);
  CloseHandle(thread);
  chain.requests += polls;
  return presented && polls > 0;
}

bool windowed(const Options &options, uint32_t *requests) {
  Window window;
  Device device;
  Chain chain, second;
  if (!openDevice(options, kWidth, kHeight, &window, &device) || !chain.open(device.deviceEx.get())) return false;
  if (!chain.ask("before the first present") ||
      !presents(device.deviceEx.get(), chain, options.frames, "in a window") ||
      !polledPresents(device.deviceEx.get(), chain, options.frames))
    return false;
  ShowWindow(window.handle(), SW_MINIMIZE);
  takeMessages();
  // An occluded present is a success that may or may not count; the requests have to work in either case.
  const HRESULT hidden = device.deviceEx->PresentEx(nullptr, nullptr, nullptr, nullptr, 0);
  if (FAILED(hidden)) return ok(hidden, "PresentEx(minimised)");
  UINT count = 0;
  if (!ok(chain.chain->GetLastPresentCount(&count), "GetLastPresentCount(minimised)")) return false;
  if (count != chain.expected && count != chain.expected + 1)
    return fail("minimised: the last present's count is %u after %u", count, chain.expected);
  chain.expected = count;
  if (!chain.ask("minimised")) return false;
  ShowWindow(window.handle(), SW_RESTORE);
  takeMessages();

  D3DPRESENT_PARAMETERS parameters{};
  parameters.BackBufferWidth = kWidth / 2;
  parameters.BackBufferHeight = kHeight;
  parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
  parameters.BackBufferCount = 1;
  parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
  parameters.hDeviceWindow = window.handle();
  parameters.Windowed = TRUE;
  ComPtr<IDirect3DSwapChain9> plain;
  if (!ok(device->CreateAdditionalSwapChain(&parameters, plain.put()), "CreateAdditionalSwapChain") ||
      !second.take(plain.get()) || !second.ask("a chain that was just made") ||
      !ok(second.chain->Present(nullptr, nullptr, nullptr, nullptr, 0), "Present(second chain)"))
    return false;
  ++second.expected;
  if (!second.ask("a chain of the program's") || !chain.ask("while there is another chain")) return false;
  *requests += chain.requests + second.requests;
  second.chain.reset();
  plain.reset();
  chain.chain.reset();

  parameters.BackBufferWidth = kWidth;
  Chain after;
  if (!ok(device.deviceEx->ResetEx(&parameters, nullptr), "ResetEx") || !after.open(device.deviceEx.get()))
    return false;
  UINT start = 0;
  if (!ok(after.chain->GetLastPresentCount(&start), "GetLastPresentCount(after ResetEx)")) return false;
  after.expected = start;
  const bool right = after.ask("after ResetEx") && presents(device.deviceEx.get(), after, 3, "presents after ResetEx");
  *requests += after.requests;
  return right;
}

bool fullScreen(const Options &options, uint32_t *requests) {
  Window window;
  Device device;
  Chain chain;
  if (!window.open(0, 0, kScreenWidth, kScreenHeight) ||
      !device.create(options, {.width = kScreenWidth, .height = kScreenHeight, .backBuffers = 2, .fullScreen = true},
                     window.handle()) ||
      !chain.open(device.deviceEx.get()))
    return false;
  const bool right = chain.ask("full screen, before the first present") &&
                     presents(device.deviceEx.get(), chain, options.frames, "full screen") &&
                     polledPresents(device.deviceEx.get(), chain, options.frames);
  *requests += chain.requests;
  return right;
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "present_statistics", .help = kHelp, .ex = true, .frames = 10}, argc, argv, options, exitCode))
    return exitCode;
  uint32_t requests = 0;
  if (!windowed(options, &requests) || !fullScreen(options, &requests)) return 1;
  std::printf("present_statistics: ok requests=%u\n", requests);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
