// SPDX-License-Identifier: MIT
// Parts that the cases share: the DLLs, a device, the record of fake11.dll, and checks that print their own text.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "testbed/d3d11-runtime/base/headers.h"
#include "testbed/d3d9-runtime/test/fake.h"

namespace aerogpu::test {

void expect(bool right, const char *what, const char *file, int line);
#define EXPECT(CONDITION) ::aerogpu::test::expect((CONDITION), #CONDITION, __FILE__, __LINE__)

/// Returns the calls since the last calls() or expectCalls(), without those of the kernel side unless `kernel`.
std::vector<std::string> calls(bool kernel = false);
/// Expects exactly these calls, in this order; a row may be the beginning of a line.
void expectCalls(std::initializer_list<const char *> rows, const char *file, int line);
#define EXPECT_CALLS(...) ::aerogpu::test::expectCalls({__VA_ARGS__}, __FILE__, __LINE__)

struct Fake {
  FakeClear clear;
  FakeAlive alive;
  FakeMisbehave misbehave;
  FakeCallCount count;
  FakeCall call;
};
Fake &fake();

HRESULT createDevice(const D3D_FEATURE_LEVEL *levels, UINT count, UINT flags, ID3D11Device **device,
                     ID3D11DeviceContext **context);
/// Calls D3D10CoreCreateDevice of d3d10core.dll.
HRESULT createDevice10(D3D_FEATURE_LEVEL level, UINT flags, void **device, IDXGIAdapter *adapter = nullptr);
HRESULT createFactory(IDXGIFactory1 **out);
/// Makes runtimes use one version of the interface, in hexadecimal; null: any.
void useInterface(const char *number);
HWND makeWindow(int width, int height);
/// A swap chain of one buffer, R8G8B8A8, with the window's size.
DXGI_SWAP_CHAIN_DESC swapChainOf(HWND window);

/// A device and its context, released at the end; the record is empty after the creation.
struct TestDevice {
  explicit TestDevice(D3D_FEATURE_LEVEL level = D3D_FEATURE_LEVEL_11_0, const char *interfaceNumber = nullptr);
  ~TestDevice();
  TestDevice(const TestDevice &) = delete;
  TestDevice &operator=(const TestDevice &) = delete;
  ID3D11Device *operator->() const { return device; }

  unsigned alive;  ///< live objects before it
  ID3D11Device *device = nullptr;
  ID3D11DeviceContext *context = nullptr;
  std::vector<std::string> creation;  ///< calls until the device existed
};

/// A COM pointer for the tests.
template <class T> class Com {
public:
  Com() = default;
  ~Com() { reset(); }
  Com(const Com &) = delete;
  Com &operator=(const Com &) = delete;
  T **put() {
    reset();
    return &m_object;
  }
  T *get() const { return m_object; }
  T *operator->() const { return m_object; }
  void reset() {
    if (m_object) m_object->Release();
    m_object = nullptr;
  }

private:
  T *m_object = nullptr;
};

/// Draws a frame with a driver that misbehaves, so that the runtime logs it; defined with the cases.
void drawFrame();
/// A part of it: textures that two devices share.
void shareTextures();
/// Another one: a full screen.
void fillScreen();
/// The shaders of the tests, with the right checksum.
const std::vector<uint32_t> &vertexShader();
const std::vector<uint32_t> &pixelShader();

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

}  // namespace aerogpu::test
