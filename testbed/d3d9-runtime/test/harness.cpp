// SPDX-License-Identifier: MIT
// usage: runtime-test.exe RUNTIME.DLL FAKE.DLL [--misbehave HOW]
// Runs every case, or, with --misbehave, draws one frame on a driver that does something wrong.
#include "testbed/d3d9-runtime/test/harness.h"

#include <cstdio>
#include <cstring>

namespace aerogpu::test {

namespace {

Fake g_fake;
unsigned g_failures;
Case *g_cases;
HMODULE g_runtime;

template <class Function> Function symbol(HMODULE module, const char *name) {
  FARPROC found = GetProcAddress(module, name);
  Function out = nullptr;
  static_assert(sizeof out == sizeof found);
  std::memcpy(&out, &found, sizeof out);
  if (!out) {
    std::printf("no %s\n", name);
    ExitProcess(2);
  }
  return out;
}

}  // namespace

Fake &fake() {
  return g_fake;
}

void expect(bool right, const char *what, const char *file, int line) {
  if (right) return;
  ++g_failures;
  const char *name = std::strrchr(file, '/');
  std::printf("# %s:%d: %s\n", name ? name + 1 : file, line, what);
}

std::vector<std::string> calls(bool kernel) {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < fake().count(); ++i) {
    const char *line = fake().call(i);
    if (kernel || std::strncmp(line, "kmt ", 4) != 0) lines.emplace_back(line);
  }
  fake().clear();
  return lines;
}

unsigned countOf(const std::vector<std::string> &lines, const char *start) {
  unsigned count = 0;
  for (const std::string &line : lines) count += line.rfind(start, 0) == 0;
  return count;
}

void expectCalls(std::initializer_list<const char *> rows, const char *file, int line, bool kernel) {
  const std::vector<std::string> lines = calls(kernel);
  bool right = lines.size() == rows.size();
  size_t at = 0;
  for (const char *row : rows) {
    if (at < lines.size() && lines[at].rfind(row, 0) != 0) right = false;
    ++at;
  }
  if (right) return;
  expect(false, "other calls than these:", file, line);
  for (const char *row : rows) std::printf("#   expected: %s\n", row);
  for (const std::string &text : lines) std::printf("#   made:     %s\n", text.c_str());
}

Case::Case(const char *caseName, void (*function)()) : name(caseName), run(function), next(g_cases) {
  g_cases = this;
}

FARPROC runtimeExport(const char *name) {
  return symbol<FARPROC>(g_runtime, name);
}

IDirect3D9 *createDirect3D() {
  return symbol<IDirect3D9 *(WINAPI *)(UINT)>(g_runtime, "Direct3DCreate9")(D3D_SDK_VERSION);
}

IDirect3D9Ex *createDirect3DEx() {
  IDirect3D9Ex *out = nullptr;
  symbol<HRESULT(WINAPI *)(UINT, IDirect3D9Ex **)>(g_runtime, "Direct3DCreate9Ex")(D3D_SDK_VERSION, &out);
  return out;
}

ShaderValidatorInterface *createShaderValidator() {
  return symbol<ShaderValidatorInterface *(WINAPI *)()>(g_runtime, "Direct3DShaderValidatorCreate9")();
}

HWND makeWindow(int width, int height) {
  return CreateWindowA("STATIC", "runtime-test", WS_POPUP | WS_VISIBLE, 30, 20, width, height, nullptr, nullptr,
                       nullptr, nullptr);
}

D3DPRESENT_PARAMETERS presentParameters(HWND window) {
  D3DPRESENT_PARAMETERS parameters{};
  parameters.BackBufferWidth = 640;
  parameters.BackBufferHeight = 480;
  parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
  parameters.BackBufferCount = 1;
  parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
  parameters.hDeviceWindow = window;
  parameters.Windowed = TRUE;
  parameters.EnableAutoDepthStencil = TRUE;
  parameters.AutoDepthStencilFormat = D3DFMT_D24S8;
  return parameters;
}

TestDevice::TestDevice(bool ex, DWORD flags, UINT backBuffers, bool fullScreen)
    : alive(fake().alive()), window(makeWindow(320, 200)), direct3d(nullptr), device(nullptr) {
  fake().clear();
  D3DPRESENT_PARAMETERS parameters = presentParameters(window);
  parameters.BackBufferCount = backBuffers;
  if (backBuffers > 1) parameters.SwapEffect = D3DSWAPEFFECT_FLIP;
  parameters.Windowed = !fullScreen;
  HRESULT result = E_FAIL;
  if (ex) {
    IDirect3D9Ex *direct3dEx = createDirect3DEx();
    direct3d = direct3dEx;
    D3DDISPLAYMODEEX mode{sizeof mode, 640, 480, 60, D3DFMT_X8R8G8B8, D3DSCANLINEORDERING_PROGRESSIVE};
    if (direct3dEx)
      result = direct3dEx->CreateDeviceEx(0, D3DDEVTYPE_HAL, window, flags, &parameters, fullScreen ? &mode : nullptr,
                                          &device);
  } else {
    direct3d = createDirect3D();
    IDirect3DDevice9 *plain = nullptr;
    if (direct3d) result = direct3d->CreateDevice(0, D3DDEVTYPE_HAL, window, flags, &parameters, &plain);
    device = static_cast<IDirect3DDevice9Ex *>(plain);
  }
  creation = calls(true);
  if (FAILED(result)) {
    std::printf("CreateDevice gave %08lx\n", static_cast<unsigned long>(result));
    ExitProcess(1);
  }
}

TestDevice::~TestDevice() {
  EXPECT(device->Release() == 0);
  EXPECT(direct3d->Release() == 0);
  EXPECT(fake().alive() == alive);
  DestroyWindow(window);
  fake().clear();
}

namespace {

int run(int count, char **arguments) {
  if (count < 3) {
    std::printf("usage: runtime-test.exe RUNTIME.DLL FAKE.DLL [--misbehave HOW]\n");
    return 2;
  }
  SetEnvironmentVariableA("AEROGPU_D3D9_KERNEL", arguments[2]);
  const HMODULE driver = LoadLibraryA(arguments[2]);
  g_runtime = LoadLibraryA(arguments[1]);
  if (!driver || !g_runtime) {
    std::printf("cannot load '%s': error %lu\n", arguments[driver ? 1 : 2], GetLastError());
    return 2;
  }
  fake().count = symbol<FakeCallCount>(driver, "fakeCallCount");
  fake().call = symbol<FakeCall>(driver, "fakeCall");
  fake().clear = symbol<FakeClear>(driver, "fakeClear");
  fake().alive = symbol<FakeAlive>(driver, "fakeAlive");
  fake().misbehave = symbol<FakeMisbehave>(driver, "fakeMisbehave");
  if (count == 5 && std::strcmp(arguments[3], "--misbehave") == 0) {
    fake().misbehave(arguments[4]);
    drawFrame();
    return 0;
  }
  unsigned failed = 0;
  for (const Case *one = g_cases; one; one = one->next) {
    const unsigned before = g_failures;
    one->run();
    fake().misbehave(nullptr);
    fake().clear();
    failed += g_failures != before;
    std::printf("%s %s\n", g_failures == before ? "ok" : "not ok", one->name);
    std::fflush(stdout);
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace aerogpu::test

int main(int count, char **arguments) {
  return aerogpu::test::run(count, arguments);
}
