// SPDX-License-Identifier: MIT
#include "guest-drivers/doctor/driver.h"

// clang-format off
#include <windows.h>
#include "d3dkmthk.h"
// clang-format on

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_umd_private_extension.h"

namespace doctor {

namespace {

constexpr WCHAR kHardware[] = L"VEN_A3A0&DEV_0001";
// Windows offers the compositor from this much memory on: page "Windows 7 system requirements", "128 MB
// graphics memory (for Windows Aero)".
constexpr unsigned long long kLeastMemory = 128ull << 20;
#ifdef _WIN64
constexpr char kOtherProgram[] = "tools\\x86\\aerogpu-doctor.exe asks for 32-bit programs";
#else
constexpr char kOtherProgram[] = "tools\\x64\\aerogpu-doctor.exe asks for 64-bit programs";
#endif

struct Kernel {
  PFND3DKMT_OPENADAPTERFROMGDIDISPLAYNAME openAdapter;
  PFND3DKMT_CLOSEADAPTER closeAdapter;
  PFND3DKMT_QUERYADAPTERINFO queryAdapterInfo;
  decltype(&EnumDisplayDevicesW) enumDisplayDevices;
  D3DKMT_HANDLE adapter;

  bool query(KMTQUERYADAPTERINFOTYPE type, void* data, UINT bytes) const {
    D3DKMT_QUERYADAPTERINFO info = {};
    info.hAdapter = adapter;
    info.Type = type;
    info.pPrivateDriverData = data;
    info.PrivateDriverDataSize = bytes;
    return queryAdapterInfo(&info) >= 0;
  }
  bool open(const WCHAR* displayName) {
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME args = {};
    lstrcpynW(args.DeviceName, displayName, sizeof args.DeviceName / sizeof args.DeviceName[0]);
    if (openAdapter(&args) < 0) return false;
    adapter = args.hAdapter;
    return true;
  }
  void close() {
    const D3DKMT_CLOSEADAPTER args = {adapter};
    if (adapter) closeAdapter(&args);
    adapter = 0;
  }
};

template <class Function>
bool find(HMODULE module, const char* name, Function& function) {
  const FARPROC found = GetProcAddress(module, name);
  static_assert(sizeof found == sizeof function);
  memcpy(&function, &found, sizeof function);
  return found != nullptr;
}

void narrow(const WCHAR* from, char* to, int bytes) {
  if (!WideCharToMultiByte(CP_ACP, 0, from, -1, to, bytes, nullptr, nullptr)) to[0] = 0;
  to[bytes - 1] = 0;
}

/// Four parts of 16 bits as text.
struct Version {
  char text[32];
  explicit Version(uint64_t value) {
    snprintf(text, sizeof text, "%u.%u.%u.%u", static_cast<unsigned>(value >> 48) & 0xFFFF,
             static_cast<unsigned>(value >> 32) & 0xFFFF, static_cast<unsigned>(value >> 16) & 0xFFFF,
             static_cast<unsigned>(value) & 0xFFFF);
  }
};

/// Opens the first adapter that has our driver, and sets `answer` to that driver's data for user mode, which
/// have our magic. Otherwise sets `hardware` if there is our device, and lists the displays in `names`.
bool openOurs(Kernel& kernel, Display& display, aerogpu_umd_ext_private_v2& answer, DISPLAY_DEVICEW& hardware,
              char* names, size_t namesBytes) {
  DISPLAY_DEVICEW device = {};
  for (DWORD i = 0; device.cb = sizeof device, kernel.enumDisplayDevices(nullptr, i, &device, 0); i++) {
    if (device.StateFlags & DISPLAY_DEVICE_MIRRORING_DRIVER) continue;
    uint8_t data[4096] = {};
    if (kernel.open(device.DeviceName)) {
      answer = {};
      if (kernel.query(KMTQAITYPE_UMDRIVERPRIVATE, data, sizeof data)) memcpy(&answer, data, sizeof answer);
      if (answer.v1.device_mmio_magic == AEROGPU_MMIO_MAGIC) {
        narrow(device.DeviceName, display.name, sizeof display.name);
        return true;
      }
      kernel.close();
    }
    if (wcsstr(device.DeviceID, kHardware)) hardware = device;
    char name[128];
    narrow(device.DeviceString, name, sizeof name);
    const size_t used = strlen(names);
    if (!strstr(names, name) && used + strlen(name) + 3 < namesBytes)
      snprintf(names + used, namesBytes - used, "%s%s", used ? ", " : "", name);
  }
  return false;
}

void checkMemory(Checks& checks, const Kernel& kernel) {
  D3DKMT_SEGMENTSIZEINFO sizes = {};
  if (!kernel.query(KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof sizes)) {
    checks.step("memory", false, "known", "the driver's segments cannot be asked");
    return;
  }
  const auto mib = [](ULONGLONG bytes) { return static_cast<unsigned long long>(bytes >> 20); };
  const unsigned long long all = sizes.DedicatedVideoMemorySize + sizes.SharedSystemMemorySize;
  checks.step("memory", all >= kLeastMemory, "128 MiB or more (QEMU: -device aerogpu,vgamem_mb=...)",
              "%llu MiB for graphics: %llu of the device, %llu of the system", mib(all),
              mib(sizes.DedicatedVideoMemorySize), mib(sizes.SharedSystemMemorySize));
}

/// Checks that a user-mode driver loads and exports a function.
void checkLibrary(Checks& checks, const char* step, const D3DKMT_UMDFILENAMEINFO& file, const char* function,
                  const char* should) {
  char name[MAX_PATH];
  narrow(file.UmdFileName, name, sizeof name);
  const HMODULE module = LoadLibraryW(file.UmdFileName);
  if (!module) {
    checks.step(step, false, "a library that loads", "%s: error %lu", name, GetLastError());
    return;
  }
  checks.step(step, GetProcAddress(module, function) != nullptr, should, "%s", name);
  FreeLibrary(module);
}

void checkUserMode(Checks& checks, const Kernel& kernel) {
  D3DKMT_UMDFILENAMEINFO file = {};
  file.Version = KMTUMDVERSION_DX9;
  if (!kernel.query(KMTQAITYPE_UMDRIVERNAME, &file, sizeof file)) {
    checks.step("user-mode-driver", false, "named in the registry: install the driver again",
                "Windows has no name of one for %d-bit programs", static_cast<int>(sizeof(void*) * 8));
    return;
  }
  checkLibrary(checks, "user-mode-driver", file, "OpenAdapter",
               "a Direct3D 9 driver, which exports OpenAdapter");
  checks.note("user-mode-driver", "%s", kOtherProgram);
  // The driver of Direct3D 10 and 11 is off unless somebody turned it on (3d.cmd): the compositor runs on it
  // then.
  D3DKMT_UMDFILENAMEINFO ten = {};
  ten.Version = KMTUMDVERSION_DX10;
  if (kernel.query(KMTQAITYPE_UMDRIVERNAME, &ten, sizeof ten) && ten.UmdFileName[0])
    checkLibrary(checks, "direct3d-10-driver", ten, "OpenAdapter10_2",
                 "a Direct3D 10 driver, which exports OpenAdapter10_2; 3d.cmd direct3d9 turns it off");
  else
    checks.note("user-mode-driver", "Direct3D 10 is off; 3d.cmd direct3d10 turns it on");
}

}  // namespace

bool checkDriver(Checks& checks, const char* library, Display& display) {
  const char* const source = library ? library : "gdi32.dll";
  const HMODULE module = LoadLibraryA(source);
  Kernel kernel = {};
  if (!module || !find(module, "D3DKMTOpenAdapterFromGdiDisplayName", kernel.openAdapter) ||
      !find(module, "D3DKMTCloseAdapter", kernel.closeAdapter) ||
      !find(module, "D3DKMTQueryAdapterInfo", kernel.queryAdapterInfo))
    return checks.step("device", false, "Windows 7, which has D3DKMT", "%s has no D3DKMT functions", source);
  if (!library || !find(module, "EnumDisplayDevicesW", kernel.enumDisplayDevices))
    kernel.enumDisplayDevices = EnumDisplayDevicesW;
  aerogpu_umd_ext_private_v2 answer = {};
  DISPLAY_DEVICEW hardware = {};
  char names[512] = "";
  const bool ours = openOurs(kernel, display, answer, hardware, names, sizeof names);
  if (!ours && !hardware.cb)
    return checks.step("device", false,
                       "an aerogpu (QEMU: -device aerogpu), at the machine's own screen and not over Remote "
                       "Desktop",
                       "no display of this session is one; found: %s", names[0] ? names : "none");
  checks.step("device", true, "", "PCI\\VEN_A3A0&DEV_0001%s%s", ours ? ", " : "", display.name);
  if (!ours) {
    char name[128];
    narrow(hardware.DeviceString, name, sizeof name);
    return checks.step("driver", false, "aerogpu.sys with 3D on: install.cmd of the driver disc, 3d.cmd on",
                       "another driver, or one without 3D (%s)", name);
  }
  const bool second = answer.v1.struct_version >= AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;
  const Version found(second ? answer.driver_version : 0), mine(AEROGPU_DRIVER_VERSION);
  char should[96];
  snprintf(should, sizeof should, "%s or later, of the disc that this program is from", mine.text);
  checks.step("driver", second && answer.driver_version >= AEROGPU_DRIVER_VERSION, should, "aerogpu.sys %s%s",
              second ? found.text : "older than this program: it does not say its version",
              second && answer.driver_version < AEROGPU_DRIVER_VERSION ? ", an older one" : "");
  checkMemory(checks, kernel);
  checkUserMode(checks, kernel);
  kernel.close();
  return true;
}

}  // namespace doctor
