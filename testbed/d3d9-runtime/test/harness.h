// SPDX-License-Identifier: MIT
// Parts that the runtime's tests share: the two DLLs, a device, the record of fake.dll, and checks that print their own
// text.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/software/shader_validator.h"
#include "testbed/d3d9-runtime/test/fake.h"

namespace aerogpu::test {

using runtime::ShaderValidatorInterface;

/// Checks; prints and counts a failure.
void expect(bool right, const char *what, const char *file, int line);
#define EXPECT(CONDITION) ::aerogpu::test::expect((CONDITION), #CONDITION, __FILE__, __LINE__)

/// Returns the calls since the last calls() or expectCalls(), without those of the kernel side unless `kernel`.
std::vector<std::string> calls(bool kernel = false);
/// Expects exactly these calls, as calls() would return them; a row may be the beginning of a line.
void expectCalls(std::initializer_list<const char *> rows, const char *file, int line, bool kernel = false);
#define EXPECT_CALLS(...) ::aerogpu::test::expectCalls({__VA_ARGS__}, __FILE__, __LINE__)
#define EXPECT_ALL_CALLS(...) ::aerogpu::test::expectCalls({__VA_ARGS__}, __FILE__, __LINE__, true)
/// Returns how many of the calls begin with `start`.
unsigned countOf(const std::vector<std::string> &lines, const char *start);

struct Fake {
  FakeCallCount count;
  FakeCall call;
  FakeClear clear;
  FakeAlive alive;
  FakeMisbehave misbehave;
};
/// Returns the exports of fake.dll.
Fake &fake();

/// Returns an export of the runtime; ends the process without it.
FARPROC runtimeExport(const char *name);

/// Draws one frame with a driver that misbehaves, so that the runtime logs it; defined with the cases.
void drawFrame();

IDirect3D9 *createDirect3D();
ShaderValidatorInterface *createShaderValidator();
IDirect3D9Ex *createDirect3DEx();
HWND makeWindow(int width, int height);
/// Returns parameters for a window: 640x480, depth D24S8, swap effect DISCARD.
D3DPRESENT_PARAMETERS presentParameters(HWND window);

/// A device that is released at the end, with the record empty after creation.
struct TestDevice {
  explicit TestDevice(bool ex = false, DWORD flags = D3DCREATE_HARDWARE_VERTEXPROCESSING, UINT backBuffers = 1,
                      bool fullScreen = false);
  ~TestDevice();
  TestDevice(const TestDevice &) = delete;
  TestDevice &operator=(const TestDevice &) = delete;
  IDirect3DDevice9Ex *operator->() const { return device; }

  unsigned alive;  ///< live objects before it
  HWND window;
  IDirect3D9 *direct3d;
  IDirect3DDevice9Ex *device;
  std::vector<std::string> creation;  ///< calls until the device existed
};

/// A test by its name; registered by its definition.
struct Case {
  Case(const char *name, void (*run)());
  const char *name;
  void (*run)();
  Case *next;
};
#define TEST_CASE(NAME)                               \
  static void NAME();                                 \
  static ::aerogpu::test::Case g_##NAME(#NAME, NAME); \
  static void NAME()

// The shortest shaders: vs_2_0 and ps_2_0 with a move, and the end.
inline constexpr DWORD kVertexShader[] = {D3DVS_VERSION(2, 0), 0x0200001F, 0x80000000, 0x900F0000,
                                          0x02000001,          0xC00F0000, 0x90E40000, 0xFFFF};
inline constexpr DWORD kPixelShader[] = {D3DPS_VERSION(2, 0), 0x02000001, 0x800F0800, 0xA0E40000, 0xFFFF};

}  // namespace aerogpu::test
