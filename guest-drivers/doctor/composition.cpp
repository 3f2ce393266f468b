// SPDX-License-Identifier: MIT
#include "guest-drivers/doctor/composition.h"

#include <windows.h>

#include <string.h>

namespace doctor {

namespace {

/// Finds a function of a library; returns false if either is missing.
template <class Function>
bool find(const char* library, const char* name, Function& function) {
  const HMODULE module = LoadLibraryA(library);
  const FARPROC found = module ? GetProcAddress(module, name) : nullptr;
  static_assert(sizeof found == sizeof function);
  memcpy(&function, &found, sizeof function);
  return found != nullptr;
}

}  // namespace

void checkComposition(Checks& checks) {
  const bool remote = GetSystemMetrics(SM_REMOTESESSION), safe = GetSystemMetrics(SM_CLEANBOOT);
  checks.step("session", !remote && !safe, "the machine's own screen, after a normal start", "%s%s",
              remote ? "a remote one" : "at the machine", safe ? ", in safe mode" : "");
  DEVMODEA mode = {};
  mode.dmSize = sizeof mode;
  if (EnumDisplaySettingsA(nullptr, ENUM_CURRENT_SETTINGS, &mode))
    checks.step("desktop", mode.dmBitsPerPel == 32, "32 bits a pixel", "%lux%lu, %lu bits a pixel",
                mode.dmPelsWidth, mode.dmPelsHeight, mode.dmBitsPerPel);
  else
    checks.step("desktop", false, "a mode", "there is no mode");

  HRESULT(WINAPI * isEnabled)(BOOL*);
  if (!find("dwmapi.dll", "DwmIsCompositionEnabled", isEnabled)) {
    checks.step("composition", false, "Windows 7", "this Windows has no compositor (dwmapi.dll)");
    return;
  }
  BOOL enabled = FALSE;
  const HRESULT asked = isEnabled(&enabled);
  checks.step(
      "composition", SUCCEEDED(asked) && enabled,
      "on: choose an Aero theme (Personalization), see that the service \"Desktop Window Manager Session "
      "Manager\" runs, and what is OFF above",
      "%s (DwmIsCompositionEnabled gives 0x%08lx)", enabled ? "on" : "off", asked);
  BOOL(WINAPI * isThemeActive)();
  if (!enabled && find("uxtheme.dll", "IsThemeActive", isThemeActive))
    checks.note(
        "composition", "%s",
        isThemeActive() ? "a theme is active" : "the theme is Windows Classic, which is never composed");
}

}  // namespace doctor
