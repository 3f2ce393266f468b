// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/test/harness.h"

#include <cstdio>
#include <cstring>

#include "renderer/test/dxbc_sealed.h"

namespace aerogpu::test {
namespace {

unsigned g_failures;
Case *g_cases;
Fake g_fake;
HMODULE g_runtime, g_core10, g_dxgi;

template <class T> T symbol(HMODULE module, const char *name) {
  FARPROC found = GetProcAddress(module, name);
  if (!found) {
    std::printf("no export %s\n", name);
    ExitProcess(2);
  }
  T out;
  static_assert(sizeof found == sizeof out);
  std::memcpy(&out, &found, sizeof out);
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
  for (unsigned i = 0; i < g_fake.count(); ++i) {
    const char *line = g_fake.call(i);
    if (kernel || std::strncmp(line, "kmt ", 4) != 0) lines.emplace_back(line);
  }
  g_fake.clear();
  return lines;
}

void expectCalls(std::initializer_list<const char *> rows, const char *file, int line) {
  const std::vector<std::string> lines = calls();
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

HRESULT createDevice(const D3D_FEATURE_LEVEL *levels, UINT count, UINT flags, ID3D11Device **device,
                     ID3D11DeviceContext **context) {
  return symbol<PFN_D3D11_CREATE_DEVICE>(g_runtime, "D3D11CreateDevice")(
      nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, flags, levels, count, D3D11_SDK_VERSION, device, nullptr, context);
}

HRESULT createDevice10(D3D_FEATURE_LEVEL level, UINT flags, void **device, IDXGIAdapter *adapter) {
  return symbol<HRESULT(WINAPI *)(IDXGIFactory *, IDXGIAdapter *, UINT, D3D_FEATURE_LEVEL, void **)>(
      g_core10, "D3D10CoreCreateDevice")(nullptr, adapter, flags, level, device);
}

HRESULT createFactory(IDXGIFactory1 **out) {
  return symbol<HRESULT(WINAPI *)(REFIID, void **)>(g_dxgi, "CreateDXGIFactory1")(__uuidof(IDXGIFactory1),
                                                                                  reinterpret_cast<void **>(out));
}

void useInterface(const char *number) {
  SetEnvironmentVariableA("AEROGPU_D3D11_INTERFACE", number);
}

HWND makeWindow(int width, int height) {
  return CreateWindowA("STATIC", "runtime11-test", WS_POPUP | WS_VISIBLE, 30, 20, width, height, nullptr, nullptr,
                       nullptr, nullptr);
}

DXGI_SWAP_CHAIN_DESC swapChainOf(HWND window) {
  DXGI_SWAP_CHAIN_DESC description{};
  description.BufferDesc.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  description.SampleDesc.Count = 1;
  description.BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT;
  description.BufferCount = 1;
  description.OutputWindow = window;
  description.Windowed = TRUE;
  return description;
}

TestDevice::TestDevice(D3D_FEATURE_LEVEL level, const char *interfaceNumber) : alive(fake().alive()) {
  fake().clear();
  useInterface(interfaceNumber);
  const HRESULT result = createDevice(&level, 1, 0, &device, &context);
  useInterface(nullptr);
  creation = calls(true);
  if (FAILED(result)) {
    std::printf("# D3D11CreateDevice gave %08lx\n", static_cast<unsigned long>(result));
    ExitProcess(1);
  }
}

TestDevice::~TestDevice() {
  context->Release();
  EXPECT(device->Release() == 0);
  EXPECT(fake().alive() == alive);
  fake().clear();
}

const std::vector<uint32_t> &vertexShader() {
  static const std::vector<uint32_t> code = dxbc::sealed(dxbc::vertexCode());
  return code;
}

const std::vector<uint32_t> &pixelShader() {
  static const std::vector<uint32_t> code = dxbc::sealed(dxbc::pixelCode());
  return code;
}

namespace {

int run(int count, char **arguments) {
  if (count < 5) {
    std::printf("usage: runtime11-test.exe D3D11.DLL D3D10CORE.DLL DXGI.DLL FAKE11.DLL [--misbehave HOW]\n");
    return 2;
  }
  SetEnvironmentVariableA("AEROGPU_D3D11_KERNEL", arguments[4]);
  const HMODULE driver = LoadLibraryA(arguments[4]);
  g_runtime = LoadLibraryA(arguments[1]);
  g_core10 = LoadLibraryA(arguments[2]);
  g_dxgi = LoadLibraryA(arguments[3]);
  if (!driver || !g_runtime || !g_core10 || !g_dxgi) {
    std::printf("cannot load a DLL: error %lu\n", GetLastError());
    return 2;
  }
  g_fake.count = symbol<FakeCallCount>(driver, "fakeCallCount");
  g_fake.call = symbol<FakeCall>(driver, "fakeCall");
  g_fake.clear = symbol<FakeClear>(driver, "fakeClear");
  g_fake.alive = symbol<FakeAlive>(driver, "fakeAlive");
  g_fake.misbehave = symbol<FakeMisbehave>(driver, "fakeMisbehave");
  if (count == 7 && std::strcmp(arguments[5], "--misbehave") == 0) {
    g_fake.misbehave(arguments[6]);
    drawFrame();
    return 0;
  }
  unsigned failed = 0;
  for (const Case *one = g_cases; one; one = one->next) {
    const unsigned before = g_failures;
    one->run();
    g_fake.misbehave(nullptr);
    g_fake.clear();
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
