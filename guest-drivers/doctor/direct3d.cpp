// SPDX-License-Identifier: MIT
#include "guest-drivers/doctor/direct3d.h"

// clang-format off
#include <windows.h>
#include <d3d9.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "guest-drivers/common/level9.h"

namespace doctor {

namespace {

constexpr DWORD kQueryLimitMs = 5000;
constexpr int kShownLacks = 64;

/// Owns a reference.
template <class T>
class Holder {
public:
  Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    if (m_object) m_object->Release();
  }
  T** put() { return &m_object; }
  T* operator->() const { return m_object; }
  T* get() const { return m_object; }

private:
  T* m_object = nullptr;
};

struct Window {
  const HWND handle = CreateWindowExA(0, "STATIC", "aerogpu-doctor", WS_POPUP, 0, 0, 64, 64, nullptr, nullptr,
                                      nullptr, nullptr);
  Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    if (handle) DestroyWindow(handle);
  }
};

/// Collects unmet requirements.
class Missing final : public level9::Lacks {
public:
  void lack(int level, const char* what, const char* use) override {
    m_count[level]++;
    if (m_shown < kShownLacks) {
      m_levels[m_shown] = level;
      snprintf(m_names[m_shown++], sizeof m_names[0], "%s%s", what, use);
    }
  }
  int count(int level) const { return m_count[level]; }
  /// The highest level without a gap below it.
  int level() const {
    int level = 0;
    while (level < level9::kLevels && !m_count[level + 1]) level++;
    return level;
  }
  void list(Checks& checks, int level, const char* name) const {
    for (int i = 0; i < m_shown; i++)
      if (m_levels[i] == level) checks.note(name, "it lacks %s", m_names[i]);
  }

private:
  int m_count[level9::kLevels + 1] = {}, m_shown = 0;
  int m_levels[kShownLacks] = {};
  char m_names[kShownLacks][96] = {};
};

class AdapterFormats final : public level9::Formats {
public:
  AdapterFormats(IDirect3D9* direct3d, UINT adapter) : m_direct3d(direct3d), m_adapter(adapter) {}
  bool has(DWORD usage, D3DRESOURCETYPE type, D3DFORMAT format) override {
    return m_direct3d->CheckDeviceFormat(m_adapter, D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8, usage, type, format) ==
           D3D_OK;
  }

private:
  IDirect3D9* m_direct3d;
  UINT m_adapter;
};

/// True if a query can be created and gives a nonzero result within kQueryLimitMs.
bool queryAnswers(IDirect3DDevice9* device, D3DQUERYTYPE type) {
  Holder<IDirect3DQuery9> query;
  if (FAILED(device->CreateQuery(type, query.put()))) return false;
  if (type == D3DQUERYTYPE_OCCLUSION) {
    // A triangle that covers all of the target; its vertices have a position only.
    const struct { float x, y, z, w; } corners[] = {{0, 0, 0, 1}, {128, 0, 0, 1}, {0, 128, 0, 1}};
    query->Issue(D3DISSUE_BEGIN);
    if (FAILED(device->BeginScene())) return false;
    device->SetFVF(D3DFVF_XYZRHW);
    device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, corners, sizeof corners[0]);
    device->EndScene();
  }
  query->Issue(D3DISSUE_END);
  DWORD answer = 0;
  const DWORD begin = GetTickCount();
  HRESULT result;
  while ((result = query->GetData(&answer, sizeof answer, D3DGETDATA_FLUSH)) == S_FALSE &&
         GetTickCount() - begin < kQueryLimitMs)
    Sleep(1);
  return result == S_OK && answer != 0;
}

/// Creates a device in a window, presents a picture, and tests the queries.
void checkDevice(Checks& checks, IDirect3D9Ex* direct3d, UINT adapter, Missing& missing) {
  static const char kShould[] = "one that draws and presents";
  Window window;
  D3DPRESENT_PARAMETERS parameters = {};
  parameters.BackBufferWidth = parameters.BackBufferHeight = 64;
  parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
  parameters.Windowed = TRUE;
  parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
  parameters.hDeviceWindow = window.handle;
  Holder<IDirect3DDevice9Ex> device;
  HRESULT result = direct3d->CreateDeviceEx(adapter, D3DDEVTYPE_HAL, window.handle,
                                            D3DCREATE_HARDWARE_VERTEXPROCESSING | D3DCREATE_FPU_PRESERVE,
                                            &parameters, nullptr, device.put());
  if (FAILED(result)) {
    checks.step("direct3d-device", false, kShould, "CreateDeviceEx gives 0x%08lx", result);
    missing.lack(1, "a device", "");
    return;
  }
  result = device->Clear(0, nullptr, D3DCLEAR_TARGET, 0xFF204060, 1, 0);
  if (SUCCEEDED(result)) result = device->PresentEx(nullptr, nullptr, nullptr, nullptr, 0);
  const HRESULT state = device->CheckDeviceState(window.handle);
  checks.step("direct3d-device", SUCCEEDED(result) && SUCCEEDED(state), kShould,
              "Direct3D 9Ex; present gives 0x%08lx, its state is 0x%08lx", result, state);
  if (!queryAnswers(device.get(), D3DQUERYTYPE_EVENT))
    missing.lack(1, "an event query that becomes TRUE", "");
  if (!queryAnswers(device.get(), D3DQUERYTYPE_OCCLUSION))
    missing.lack(2, "an occlusion query that counts pixels", "");
}

/// Returns the number of the Direct3D adapter of a display, or -1.
int adapterOf(IDirect3D9Ex* direct3d, const char* display, D3DADAPTER_IDENTIFIER9& identifier) {
  const UINT count = direct3d->GetAdapterCount();
  for (UINT i = 0; i < count; i++)
    if (SUCCEEDED(direct3d->GetAdapterIdentifier(i, 0, &identifier)) &&
        !strcmp(identifier.DeviceName, display))
      return static_cast<int>(i);
  return -1;
}

}  // namespace

int checkDirect3D(Checks& checks, const Display& display) {
  const HMODULE module = LoadLibraryA("d3d9.dll");
  const FARPROC found = module ? GetProcAddress(module, "Direct3DCreate9Ex") : nullptr;
  HRESULT(WINAPI * create)(UINT, IDirect3D9Ex**);
  static_assert(sizeof found == sizeof create);
  memcpy(&create, &found, sizeof create);
  Holder<IDirect3D9Ex> direct3d;
  const HRESULT created = create ? create(D3D_SDK_VERSION, direct3d.put()) : E_NOINTERFACE;
  if (FAILED(created)) {
    checks.step("direct3d", false, "Direct3D 9Ex", "Direct3DCreate9Ex gives 0x%08lx", created);
    return 0;
  }
  D3DADAPTER_IDENTIFIER9 identifier = {};
  const int number = adapterOf(direct3d.get(), display.name, identifier);
  if (number < 0) {
    checks.step("direct3d", false, "the adapter among Direct3D's",
                "Direct3D has %u adapters, none of them %s", direct3d->GetAdapterCount(), display.name);
    return 0;
  }
  checks.step("direct3d", true, "", "adapter %d, %s, %s", number, identifier.Description, identifier.Driver);
  const UINT adapter = static_cast<UINT>(number);
  D3DCAPS9 caps = {};
  const HRESULT asked = direct3d->GetDeviceCaps(adapter, D3DDEVTYPE_HAL, &caps);
  if (FAILED(asked)) {
    checks.step("caps", false, "a HAL device: what the user-mode driver says it can does not please Direct3D",
                "GetDeviceCaps gives 0x%08lx", asked);
    return 0;
  }
  checks.step("caps", true, "", "vertex shaders %lu.%lu, pixel shaders %lu.%lu, textures up to %lu",
              caps.VertexShaderVersion >> 8 & 0xFF, caps.VertexShaderVersion & 0xFF,
              caps.PixelShaderVersion >> 8 & 0xFF, caps.PixelShaderVersion & 0xFF, caps.MaxTextureWidth);
  Missing missing;
  AdapterFormats formats(direct3d.get(), adapter);
  level9::checkCaps(caps, missing);
  level9::checkFormats(formats, missing);
  checkDevice(checks, direct3d.get(), adapter, missing);
  checks.step("level-9_1", !missing.count(1), "nothing: the compositor runs on this level of Direct3D 10",
              "%d things are missing", missing.count(1));
  missing.list(checks, 1, "level-9_1");
  // The compositor does not require these levels, but programs check for them.
  for (int level = 2; level <= level9::kLevels; level++) {
    const char* const name = level == 2 ? "level-9_2" : "level-9_3";
    checks.note(name, "%d things are missing", missing.count(level));
    missing.list(checks, level, name);
  }
  return missing.level();
}

}  // namespace doctor
