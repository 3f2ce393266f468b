// SPDX-License-Identifier: MIT
// keyed11.exe: a texture that two devices hand to and fro with a keyed mutex. Turn after turn its owner finds each
// pixel as the other one has left it, draws a part, and gives it back without a wait for the GPU. Besides: wrong keys,
// waits that end, waits that hold nobody else up, and owners that go.
//
//   keyed11.exe [--alone | --other PROGRAM]
//
//   --alone           one device has all turns, without a mutex
//   --other PROGRAM   the second process is this program: keyed11.exe for the other kind of processor
#include <windows.h>

#include <d3d10_1.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "guest-drivers/programs/fail.h"
#include "testbed/programs/program11.h"

namespace programs {
namespace {

constexpr uint32_t kSize = 128, kBox = 32, kTurns = 24;
constexpr DWORD kLimitMs = 90000;  // for what has to come
constexpr uint32_t kFill = argb(255, 20, 40, 60), kFill10 = argb(255, 200, 150, 100);
constexpr auto kTimeout = static_cast<HRESULT>(WAIT_TIMEOUT), kAbandoned = static_cast<HRESULT>(WAIT_ABANDONED);

/** The place of a turn's box; boxes overlap those of earlier turns. */
uint32_t leftOf(uint32_t turn) {
  return turn * 40 % (kSize - kBox + 1);
}
uint32_t topOf(uint32_t turn) {
  return turn * 56 % (kSize - kBox + 1);
}
uint32_t colourOf(uint32_t turn, uint32_t x, uint32_t y) {
  return argb(255 - turn, x * 7, y * 7, 10 * turn);
}

/** What the texture has after a turn, and after all before it. */
Picture pictureAfter(uint32_t turn) {
  Picture out(kSize, kSize, kFill);
  for (uint32_t t = 0; t <= turn; ++t)
    for (uint32_t y = 0; y < kBox; ++y)
      for (uint32_t x = 0; x < kBox; ++x) out.at(leftOf(t) + x, topOf(t) + y) = colourOf(t, x, y);
  return out;
}

bool gives(const char *what, HRESULT result, HRESULT expected) {
  return result == expected || fail("%s gave 0x%08lx, not 0x%08lx", what, static_cast<unsigned long>(result),
                                    static_cast<unsigned long>(expected));
}

/** A thread that runs a function; the end of the object waits for the function's. */
class Thread {
public:
  explicit Thread(std::function<void()> function) : function_(std::move(function)) {
    handle_ = CreateThread(nullptr, 0, start, this, 0, nullptr);
    if (!handle_) fail("CreateThread failed: error %lu", GetLastError());
  }
  ~Thread() { join(); }
  Thread(const Thread &) = delete;
  Thread &operator=(const Thread &) = delete;
  void join() {
    if (!handle_) return;
    WaitForSingleObject(handle_, INFINITE);
    CloseHandle(handle_);
    handle_ = nullptr;
  }

private:
  static DWORD WINAPI start(void *self) {
    static_cast<Thread *>(self)->function_();
    return 0;
  }
  std::function<void()> function_;
  HANDLE handle_ = nullptr;
};

/** A device with its open of the texture. */
class Party {
public:
  bool create() {
    const D3D_FEATURE_LEVEL levels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_10_1, D3D_FEATURE_LEVEL_10_0};
    D3D11_TEXTURE2D_DESC box = describe(0);
    box.Width = box.Height = kBox;
    box.BindFlags = D3D11_BIND_SHADER_RESOURCE;
    return ok(D3D11CreateDevice(nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, 0, levels, 3, D3D11_SDK_VERSION,
                                device_.put(), nullptr, context_.put()),
              "D3D11CreateDevice") &&
           ok(device_->CreateTexture2D(&box, nullptr, box_.put()), "CreateTexture2D of a box");
  }
  /** `shared`: with a keyed mutex. */
  bool make(bool shared) {
    const D3D11_TEXTURE2D_DESC description = describe(shared ? UINT{D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX} : 0);
    ComPtr<IDXGIResource> resource;
    if (!create() || !ok(device_->CreateTexture2D(&description, nullptr, texture_.put()), "CreateTexture2D"))
      return false;
    if (!shared) return true;
    return ok(texture_->QueryInterface(__uuidof(IDXGIResource), reinterpret_cast<void **>(resource.put())),
              "QueryInterface(IDXGIResource)") &&
           ok(resource->GetSharedHandle(&handle_), "GetSharedHandle") && findMutex();
  }
  bool open(HANDLE handle) {
    D3D11_TEXTURE2D_DESC found{};
    if (!create() ||
        !ok(device_->OpenSharedResource(handle, __uuidof(ID3D11Texture2D), reinterpret_cast<void **>(texture_.put())),
            "OpenSharedResource"))
      return false;
    texture_->GetDesc(&found);
    if (found.Width != kSize || found.Height != kSize || found.MiscFlags != D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX)
      return fail("the open texture is %ux%u with flags 0x%x", found.Width, found.Height, found.MiscFlags);
    return findMutex();
  }
  HANDLE handle() const { return handle_; }
  HRESULT acquire(uint64_t key, DWORD milliseconds) { return mutex_->AcquireSync(key, milliseconds); }
  HRESULT release(uint64_t key) { return mutex_->ReleaseSync(key); }
  bool finds(const char *what, const Picture &expected) {
    Picture found;
    return readTexture(device_.get(), context_.get(), texture_.get(), 0, found) &&
           samePicture(what, found, expected, 0, true);
  }
  bool fill(uint32_t colour) {
    ComPtr<ID3D11RenderTargetView> view;
    if (!ok(device_->CreateRenderTargetView(texture_.get(), nullptr, view.put()), "CreateRenderTargetView"))
      return false;
    clearTarget(context_.get(), view.get(), colour);
    return true;
  }
  void drawBox(uint32_t turn) {
    std::vector<uint8_t> texels;  // red first
    for (uint32_t y = 0; y < kBox; ++y)
      for (uint32_t x = 0; x < kBox; ++x) {
        const uint32_t colour = colourOf(turn, x, y);
        for (const int shift : {16, 8, 0, 24}) texels.push_back(static_cast<uint8_t>(colour >> shift));
      }
    context_->UpdateSubresource(box_.get(), 0, nullptr, texels.data(), kBox * 4, 0);
    context_->CopySubresourceRegion(texture_.get(), 0, leftOf(turn), topOf(turn), 0, box_.get(), 0, nullptr);
  }
  bool takeTurn(uint32_t turn) {
    if (mutex_.get() && !gives("AcquireSync of a turn", acquire(turn, kLimitMs), S_OK)) return false;
    if (turn ? !finds("what the last turn has left", pictureAfter(turn - 1)) : !fill(kFill)) return false;
    drawBox(turn);
    return !mutex_.get() || gives("ReleaseSync of a turn", release(turn + 1), S_OK);
  }
  /** Draws a box and reads it, while the texture may be somebody else's. */
  bool work(uint32_t turn) {
    ComPtr<ID3D11Texture2D> own;
    const D3D11_TEXTURE2D_DESC description = describe(0);
    if (!ok(device_->CreateTexture2D(&description, nullptr, own.put()), "CreateTexture2D of its own")) return false;
    std::swap(texture_, own);
    const bool right = fill(kFill) && (drawBox(turn), true);
    Picture expected(kSize, kSize, kFill);
    for (uint32_t y = 0; y < kBox; ++y)
      for (uint32_t x = 0; x < kBox; ++x) expected.at(leftOf(turn) + x, topOf(turn) + y) = colourOf(turn, x, y);
    const bool same = right && finds("a texture of its own", expected);
    std::swap(texture_, own);
    return same;
  }

private:
  static D3D11_TEXTURE2D_DESC describe(UINT misc) {
    return {kSize,
            kSize,
            1,
            1,
            DXGI_FORMAT_R8G8B8A8_UNORM,
            {1, 0},
            D3D11_USAGE_DEFAULT,
            D3D11_BIND_RENDER_TARGET | D3D11_BIND_SHADER_RESOURCE,
            0,
            misc};
  }
  bool findMutex() {
    return ok(texture_->QueryInterface(__uuidof(IDXGIKeyedMutex), reinterpret_cast<void **>(mutex_.put())),
              "QueryInterface(IDXGIKeyedMutex)");
  }

  ComPtr<ID3D11Device> device_;
  ComPtr<ID3D11DeviceContext> context_;
  ComPtr<ID3D11Texture2D> box_, texture_;
  ComPtr<IDXGIKeyedMutex> mutex_;
  HANDLE handle_ = nullptr;
};

/** Two devices of this process with one texture. */
struct Pair {
  Party first, second;
  bool create() { return first.make(true) && second.open(first.handle()); }
};

bool takeTurns(Party &party, uint32_t begin) {
  for (uint32_t turn = begin; turn < kTurns; turn += 2)
    if (!party.takeTurn(turn)) return false;
  return true;
}

/** The maker's turns, and what all have left. */
bool makersPart(Party &maker) {
  return takeTurns(maker, 0) && gives("AcquireSync after the turns", maker.acquire(kTurns, kLimitMs), S_OK) &&
         maker.finds("what all turns have left", pictureAfter(kTurns - 1)) &&
         gives("ReleaseSync after the turns", maker.release(0), S_OK);
}

bool alone() {
  Party party;
  if (!party.make(false)) return false;
  for (uint32_t turn = 0; turn < kTurns; ++turn)
    if (!party.takeTurn(turn)) return false;
  return party.finds("what all turns have left", pictureAfter(kTurns - 1));
}

bool turnsOfThreads() {
  Pair pair;
  if (!pair.create()) return false;
  bool right = false;
  Thread other([&] { right = takeTurns(pair.second, 1); });
  const bool own = makersPart(pair.first);
  other.join();
  return own && right;
}

bool keysAndTimeouts() {
  Pair pair;
  if (!pair.create()) return false;
  LARGE_INTEGER before, after, frequency;
  QueryPerformanceFrequency(&frequency);
  if (!gives("AcquireSync with another key than 0", pair.second.acquire(1, 0), kTimeout) ||
      !gives("AcquireSync of a new one", pair.first.acquire(0, 0), S_OK) ||
      !gives("AcquireSync of what the other one owns", pair.second.acquire(0, 0), kTimeout) ||
      !gives("ReleaseSync of what the other one owns", pair.second.release(0), E_FAIL) ||
      !gives("AcquireSync a second time", pair.first.acquire(0, 0), E_FAIL))
    return false;
  // Longer than one wait of the kernel side for the test bed.
  constexpr DWORD kWaitMs = 450;
  QueryPerformanceCounter(&before);
  const HRESULT result = pair.second.acquire(0, kWaitMs);
  QueryPerformanceCounter(&after);
  const double waited =
      static_cast<double>(after.QuadPart - before.QuadPart) * 1000 / static_cast<double>(frequency.QuadPart);
  if (waited < kWaitMs - 1) return fail("a wait of %lu ms ended after %.1f", kWaitMs, waited);
  return gives("AcquireSync with a time", result, kTimeout) &&
         gives("ReleaseSync with a large key", pair.first.release(UINT64_MAX), S_OK) &&
         gives("ReleaseSync a second time", pair.first.release(0), E_FAIL) &&
         gives("AcquireSync with the key before", pair.first.acquire(0, 0), kTimeout) &&
         gives("AcquireSync with the key's lower half", pair.second.acquire(UINT32_MAX, 0), kTimeout) &&
         gives("AcquireSync with the key", pair.second.acquire(UINT64_MAX, 0), S_OK) &&
         gives("ReleaseSync to the one itself", pair.second.release(3), S_OK) &&
         gives("AcquireSync by the same one", pair.second.acquire(3, 0), S_OK) && pair.second.release(0) == S_OK;
}

/** While a thread of a device waits, its other threads draw and read. */
bool waitsAside() {
  Pair pair;
  if (!pair.create() || !gives("AcquireSync", pair.first.acquire(0, 0), S_OK)) return false;
  HRESULT result = E_PENDING;
  Thread waiting([&] { result = pair.second.acquire(7, INFINITE); });
  bool right = true;
  const ULONGLONG begin = GetTickCount64();
  for (uint32_t turn = 0; right && (turn < 8 || GetTickCount64() - begin < 500); ++turn)
    right = pair.second.work(turn % kTurns) && pair.first.work(turn % kTurns);
  const HRESULT released = pair.first.release(7);
  waiting.join();
  return right && gives("ReleaseSync", released, S_OK) && gives("AcquireSync of the thread", result, S_OK) &&
         pair.second.release(0) == S_OK;
}

/** An owner that destroys its device. */
bool abandonedByADevice() {
  Party first;
  if (!first.make(true)) return false;
  {
    Party second;
    if (!second.open(first.handle()) || !gives("AcquireSync", second.acquire(0, 0), S_OK)) return false;
  }
  return gives("AcquireSync of what was abandoned", first.acquire(0, kLimitMs), kAbandoned) &&
         gives("ReleaseSync of what was abandoned", first.release(0), E_FAIL);
}

/** A texture that a device of Direct3D 10.1 makes and fills. */
bool madeBy10() {
  const HMODULE module = LoadLibraryA("d3d10_1.dll");
  FARPROC symbol = module ? GetProcAddress(module, "D3D10CreateDevice1") : nullptr;
  if (!symbol) return fail("there is no D3D10CreateDevice1 of d3d10_1.dll");
  decltype(&D3D10CreateDevice1) create = nullptr;
  static_assert(sizeof create == sizeof symbol);
  std::memcpy(&create, &symbol, sizeof create);
  const D3D10_TEXTURE2D_DESC description = {kSize,
                                            kSize,
                                            1,
                                            1,
                                            DXGI_FORMAT_R8G8B8A8_UNORM,
                                            {1, 0},
                                            D3D10_USAGE_DEFAULT,
                                            D3D10_BIND_RENDER_TARGET | D3D10_BIND_SHADER_RESOURCE,
                                            0,
                                            D3D10_RESOURCE_MISC_SHARED_KEYEDMUTEX};
  ComPtr<ID3D10Device1> device;
  ComPtr<ID3D10Texture2D> texture;
  ComPtr<ID3D10RenderTargetView> view;
  ComPtr<IDXGIKeyedMutex> mutex;
  ComPtr<IDXGIResource> resource;
  HANDLE handle = nullptr;
  if (!ok(create(nullptr, D3D10_DRIVER_TYPE_HARDWARE, nullptr, 0, D3D10_FEATURE_LEVEL_10_1, D3D10_1_SDK_VERSION,
                 device.put()),
          "D3D10CreateDevice1") ||
      !ok(device->CreateTexture2D(&description, nullptr, texture.put()), "ID3D10Device::CreateTexture2D") ||
      !ok(device->CreateRenderTargetView(texture.get(), nullptr, view.put()), "CreateRenderTargetView") ||
      !ok(texture->QueryInterface(__uuidof(IDXGIKeyedMutex), reinterpret_cast<void **>(mutex.put())),
          "QueryInterface(IDXGIKeyedMutex)") ||
      !ok(texture->QueryInterface(__uuidof(IDXGIResource), reinterpret_cast<void **>(resource.put())),
          "QueryInterface(IDXGIResource)") ||
      !ok(resource->GetSharedHandle(&handle), "GetSharedHandle"))
    return false;
  Party other;
  if (!other.open(handle) || !gives("AcquireSync", mutex->AcquireSync(0, 0), S_OK)) return false;
  device->ClearRenderTargetView(view.get(), rgbaOf(kFill10).data());
  return gives("ReleaseSync", mutex->ReleaseSync(1), S_OK) &&
         gives("AcquireSync of Direct3D 11", other.acquire(1, kLimitMs), S_OK) &&
         other.finds("what Direct3D 10.1 has filled", Picture(kSize, kSize, kFill10)) && other.release(0) == S_OK;
}

/** A second process with this program or its twin. */
class Child {
public:
  Child() = default;
  ~Child() {
    if (!process_.hProcess) return;
    TerminateProcess(process_.hProcess, 3);
    CloseHandle(process_.hThread);
    CloseHandle(process_.hProcess);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  bool start(const char *program, const char *part, HANDLE texture, HANDLE event) {
    char line[MAX_PATH + 96];
    std::snprintf(line, sizeof line, "\"%s\" --child %s,%" PRIxPTR ",%" PRIxPTR, program, part,
                  reinterpret_cast<uintptr_t>(texture), reinterpret_cast<uintptr_t>(event));
    STARTUPINFOA startup{};
    startup.cb = sizeof startup;
    return CreateProcessA(program, line, nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process_) ||
           fail("CreateProcess(%s) failed: error %lu", program, GetLastError());
  }
  /** Waits for its end. */
  bool succeeds() {
    DWORD exitCode = STILL_ACTIVE;
    if (WaitForSingleObject(process_.hProcess, kLimitMs) != WAIT_OBJECT_0)
      return fail("the second process did not end in %lu s", kLimitMs / 1000);
    GetExitCodeProcess(process_.hProcess, &exitCode);
    return exitCode == 0 || fail("the second process ended with %lu", exitCode);
  }
  /** Waits for the event, or for its end. */
  bool sets(HANDLE event) {
    const HANDLE either[] = {event, process_.hProcess};
    return WaitForMultipleObjects(2, either, FALSE, kLimitMs) == WAIT_OBJECT_0 ||
           fail("the second process does not have the mutex");
  }
  void kill() { TerminateProcess(process_.hProcess, 3); }

private:
  PROCESS_INFORMATION process_{};
};

bool turnsOfProcesses(const char *program) {
  Party maker;
  Child child;
  return maker.make(true) && child.start(program, "turns", maker.handle(), nullptr) && makersPart(maker) &&
         child.succeeds();
}

/** An owner whose process is killed while others wait. */
bool abandonedByAProcess(const char *program) {
  Pair pair;
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE event = CreateEventA(&inherited, TRUE, FALSE, nullptr);
  Child child;
  if (!pair.create() || !child.start(program, "hold", pair.first.handle(), event) || !child.sets(event)) return false;
  HRESULT results[2] = {E_PENDING, E_PENDING};
  Thread one([&] { results[0] = pair.first.acquire(0, INFINITE); });
  Thread two([&] { results[1] = pair.second.acquire(1, INFINITE); });
  const HRESULT owned = pair.second.acquire(0, 0);
  child.kill();
  one.join();
  two.join();
  CloseHandle(event);
  return gives("AcquireSync of what the process owns", owned, kTimeout) &&
         gives("the first wait", results[0], kAbandoned) && gives("the second wait", results[1], kAbandoned) &&
         gives("AcquireSync later", pair.first.acquire(0, 0), kAbandoned);
}

int child(const char *text) {
  char part[8];
  uintptr_t texture = 0, event = 0;
  if (std::sscanf(text, "%7[a-z],%" SCNxPTR ",%" SCNxPTR, part, &texture, &event) != 3) {
    fail("'%s' is no part", text);
    return 2;
  }
  Party party;
  if (!party.open(reinterpret_cast<HANDLE>(texture))) return 1;
  if (!std::strcmp(part, "turns")) return takeTurns(party, 1) ? 0 : 1;
  if (!gives("AcquireSync", party.acquire(0, kLimitMs), S_OK)) return 1;
  SetEvent(reinterpret_cast<HANDLE>(event));
  Sleep(INFINITE);
  return 1;
}

int run(int argc, char **argv) {
  speaker = "keyed11";
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (argc == 3 && std::strcmp(argv[1], "--child") == 0) {
    speaker = "keyed11: second process";
    return child(argv[2]);
  }
  char self[MAX_PATH];
  if (!GetModuleFileNameA(nullptr, self, sizeof self)) return 1;
  const char *other = self;
  bool isAlone = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--alone")) {
      isAlone = true;
    } else if (!std::strcmp(argv[i], "--other") && i + 1 < argc) {
      other = argv[++i];
    } else {
      fail("what is '%s'?", argv[i]);
      return 2;
    }
  }
  bool right = true;
  const auto report = [&](const char *name, bool result) {
    std::printf("%s %s\n", result ? "ok" : "not ok", name);
    right = right && result;
  };
  if (isAlone) {
    report("alone", alone());
  } else {
    report("turns of two threads", turnsOfThreads());
    report("turns of two processes", turnsOfProcesses(other));
    report("keys and timeouts", keysAndTimeouts());
    report("waits aside", waitsAside());
    report("made by Direct3D 10.1", madeBy10());
    report("abandoned by a device", abandonedByADevice());
    report("abandoned by a process", abandonedByAProcess(other));
  }
  if (right) std::printf("keyed11: ok\n");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
