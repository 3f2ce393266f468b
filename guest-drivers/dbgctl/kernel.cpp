// SPDX-License-Identifier: MIT
#include "guest-drivers/dbgctl/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_umd_private.h"

namespace dbgctl {

namespace {

/// PCI\VEN_A3A0&DEV_0001: the device, with any driver.
constexpr WCHAR kHardware[] = L"VEN_A3A0&DEV_0001";

// ntstatus.h cannot be included together with windows.h.
constexpr uint32_t kDeviceBusy = 0x80000011, kInvalidParameter = 0xC000000D, kNoMemory = 0xC0000017,
                   kAccessDenied = 0xC0000022, kBufferTooSmall = 0xC0000023,
                   kInsufficientResources = 0xC000009A, kDeviceNotReady = 0xC00000A3,
                   kNotSupported = 0xC00000BB, kDeviceRemoved = 0xC00002B6, kDisabledByPolicy = 0xC0000364;

void narrow(const WCHAR* from, char* to, int bytes) {
  if (!WideCharToMultiByte(CP_ACP, 0, from, -1, to, bytes, nullptr, nullptr)) to[0] = 0;
  to[bytes - 1] = 0;
}

/// Enables the debug privilege, which the driver demands for some escapes. Administrators have it, but it is
/// disabled at first. Without it, the escapes that are open to all callers still work.
void enableDebugPrivilege() {
  HANDLE token;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &token)) return;
  TOKEN_PRIVILEGES privileges = {};
  privileges.PrivilegeCount = 1;
  privileges.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
  if (LookupPrivilegeValueW(nullptr, L"SeDebugPrivilege", &privileges.Privileges[0].Luid))
    AdjustTokenPrivileges(token, FALSE, &privileges, 0, nullptr, nullptr);
  CloseHandle(token);
}

/// Returns advice for a status of the driver or of Windows, for the reader of the message.
const char* adviceFor(uint32_t status) {
  switch (status) {
    case kAccessDenied:
      return "it takes the right to debug programs: open the command prompt with \"Run as administrator\"";
    case kDisabledByPolicy:
      return "whoever runs this machine has switched it off (QEMU: -device aerogpu,escapes=off)";
    case kNotSupported:
      return "this aerogpu.sys does not know it: it is older than dbgctl, or no checked build; install the "
             "driver of the "
             "disc that dbgctl is from";
    case kBufferTooSmall:
      return "this aerogpu.sys wants another structure: take dbgctl from the disc that the driver is from";
    case kDeviceNotReady:
      return "the adapter is not started: Device Manager says why, under Display adapters";
    case kDeviceRemoved:
      return "the adapter is gone";
    case kDeviceBusy:
      return "another self test is running: try again";
    case kInvalidParameter:
      return "the driver refuses these values; \"dbgctl help\" has their ranges";
    case kNoMemory:
    case kInsufficientResources:
      return "there is not enough left of what it takes: try again later";
    default:
      return nullptr;
  }
}

template <class Function>
bool find(HMODULE module, const char* name, Function& function) {
  const FARPROC found = GetProcAddress(module, name);
  memcpy(&function, &found, sizeof function);
  return found != nullptr;
}

}  // namespace

bool complain(const char* format, ...) {
  fflush(stdout);
  fputs("dbgctl: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

Kernel::~Kernel() {
  close();
}

void Kernel::close() {
  const D3DKMT_CLOSEADAPTER args = {m_adapter};
  if (m_adapter) m_call.closeAdapter(&args);
  m_adapter = 0;
}

bool Kernel::load(const char* library) {
  const char* name = library ? library : "gdi32.dll";
  const HMODULE module = LoadLibraryA(name);
  if (!module) return complain("cannot load %s (error %lu)", name, GetLastError());
  if (!library || !find(module, "EnumDisplayDevicesW", m_call.enumDisplayDevices))
    m_call.enumDisplayDevices = EnumDisplayDevicesW;
  if (find(module, "D3DKMTOpenAdapterFromGdiDisplayName", m_call.openAdapter) &&
      find(module, "D3DKMTCloseAdapter", m_call.closeAdapter) &&
      find(module, "D3DKMTQueryAdapterInfo", m_call.queryAdapterInfo) &&
      find(module, "D3DKMTEscape", m_call.escape) &&
      find(module, "D3DKMTCreateDevice", m_call.createDevice) &&
      find(module, "D3DKMTDestroyDevice", m_call.destroyDevice))
    return true;
  return complain("%s has no D3DKMT functions: this needs Windows 7", name);
}

bool Kernel::isOurs(bool hardware) {
  // dbgctl may ask any driver for its private data; only ours answers with this magic.
  uint8_t data[4096] = {};
  D3DKMT_QUERYADAPTERINFO info = {};
  info.hAdapter = m_adapter;
  info.Type = KMTQAITYPE_UMDRIVERPRIVATE;
  info.pPrivateDriverData = data;
  info.PrivateDriverDataSize =
      sizeof data;  // larger than the data of this version: later drivers may return more
  if (m_call.queryAdapterInfo(&info) >= 0) {
    aerogpu_umd_private_v1 answer;
    memcpy(&answer, data, sizeof answer);
    return answer.device_mmio_magic == AEROGPU_MMIO_MAGIC;
  }
  // With 3D disabled there is no private data. An escape is only for our hardware, because another driver may
  // do anything with it.
  aerogpu_escape_query_device_out device = {};
  return hardware && tryToAsk(AEROGPU_ESCAPE_OP_QUERY_DEVICE, device) >= 0;
}

bool Kernel::tryDisplay(const DISPLAY_DEVICEW& display) {
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME open = {};
  wcsncpy(open.DeviceName, display.DeviceName, sizeof open.DeviceName / sizeof open.DeviceName[0] - 1);
  if (m_call.openAdapter(&open) < 0) return false;
  m_adapter = open.hAdapter;
  if (!isOurs(wcsstr(display.DeviceID, kHardware) != nullptr)) {
    close();
    return false;
  }
  narrow(display.DeviceName, m_display, sizeof m_display);
  narrow(display.DeviceString, m_adapterName, sizeof m_adapterName);
  return true;
}

bool Kernel::open(const char* library) {
  if (!load(library)) return false;
  enableDebugPrivilege();
  DISPLAY_DEVICEW display = {}, hardware = {};
  char names[512] = "";
  for (DWORD i = 0; display.cb = sizeof display, m_call.enumDisplayDevices(nullptr, i, &display, 0); i++) {
    if (display.StateFlags & DISPLAY_DEVICE_MIRRORING_DRIVER) continue;
    if (tryDisplay(display)) return true;
    if (wcsstr(display.DeviceID, kHardware)) hardware = display;
    char name[128];
    narrow(display.DeviceString, name, sizeof name);
    // Each adapter has several displays.
    const size_t used = strlen(names);
    if (!strstr(names, name) && used + strlen(name) + 3 < sizeof names)
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
  }
  if (hardware.cb) {
    char name[128];
    narrow(hardware.DeviceString, name, sizeof name);
    return complain(
        "the AeroGPU here runs with another driver (%s), or aerogpu.sys did not start: Device Manager says "
        "which, install.cmd of the driver disc installs it",
        name);
  }
  return complain(
      "no display of this session is an AeroGPU (found: %s): start QEMU with -device aerogpu, and run dbgctl "
      "at the machine's own screen, not over Remote Desktop",
      names[0] ? names : "none");
}

NTSTATUS Kernel::escape(uint32_t operation, void* blob, uint32_t bytes, D3DKMT_HANDLE device) {
  const aerogpu_escape_header header = {AEROGPU_ESCAPE_VERSION, operation, bytes, 0};
  memcpy(blob, &header, sizeof header);
  D3DKMT_ESCAPE args = {};
  args.hAdapter = m_adapter;
  args.hDevice = device;
  args.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  args.pPrivateDriverData = blob;
  args.PrivateDriverDataSize = bytes;
  return m_call.escape(&args);
}

bool Kernel::ask(const char* word, uint32_t operation, void* blob, uint32_t bytes, bool device) {
  D3DKMT_CREATEDEVICE create = {};
  create.hAdapter = m_adapter;
  NTSTATUS status = device ? m_call.createDevice(&create) : 0;
  if (status < 0) return complain("%s: Windows makes no device of the adapter (0x%08lx)", word, status);
  status = escape(operation, blob, bytes, create.hDevice);
  const D3DKMT_DESTROYDEVICE destroy = {create.hDevice};
  if (device) m_call.destroyDevice(&destroy);
  if (status >= 0) return true;
  if (const char* advice = adviceFor(static_cast<uint32_t>(status))) return complain("%s: %s", word, advice);
  return complain("%s: the driver answers with status 0x%08lx", word, status);
}

}  // namespace dbgctl
