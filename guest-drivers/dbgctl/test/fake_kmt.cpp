// SPDX-License-Identifier: MIT
// A fake machine for dbgctl's tests. The environment sets its displays and its driver:
//   FAKE_DISPLAYS  none, vga (another adapter), ours (the device)
//   FAKE_DRIVER    none (no WDDM driver), other (another vendor's), ours
//   FAKE_STATUS    status of each escape, in hexadecimal; FAKE_FROM: from this operation on
//   FAKE_SELFTEST  the error that SELFTEST finds
//   FAKE_3D        off: the driver has no private data for user mode
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aerogpu/aerogpu_escape.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_umd_private.h"
#include "guest-drivers/dbgctl/windows_headers.h"

namespace {

constexpr NTSTATUS kNotSupported = static_cast<NTSTATUS>(0xC00000BB);

const char* environment(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value ? value : otherwise;
}

bool is(const char* name, const char* value, const char* otherwise) {
  return strcmp(environment(name, otherwise), value) == 0;
}

}  // namespace

extern "C" {

WINBOOL WINAPI FakeEnumDisplayDevices(LPCWSTR, DWORD index, PDISPLAY_DEVICEW display, DWORD) {
  if (is("FAKE_DISPLAYS", "none", "ours") || index > 1) return FALSE;
  const bool ours = is("FAKE_DISPLAYS", "ours", "ours");
  swprintf(display->DeviceName, 32, L"\\\\.\\DISPLAY%lu", index + 1);
  const bool wddm = is("FAKE_DRIVER", "ours", "ours");
  wcscpy(display->DeviceString, ours && wddm ? L"AeroGPU Display Adapter" : L"Standard VGA Graphics Adapter");
  wcscpy(display->DeviceID,
         ours ? L"PCI\\VEN_A3A0&DEV_0001&SUBSYS_0001A3A0&REV_01" : L"PCI\\VEN_1234&DEV_1111");
  display->StateFlags = index ? 0 : DISPLAY_DEVICE_ATTACHED_TO_DESKTOP | DISPLAY_DEVICE_PRIMARY_DEVICE;
  return TRUE;
}

NTSTATUS APIENTRY D3DKMTOpenAdapterFromGdiDisplayName(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME* data) {
  data->hAdapter = 0x40000000;
  return is("FAKE_DRIVER", "none", "ours") ? static_cast<NTSTATUS>(0xC000000D) : 0;
}

NTSTATUS APIENTRY D3DKMTCloseAdapter(const D3DKMT_CLOSEADAPTER*) {
  return 0;
}

NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(D3DKMT_QUERYADAPTERINFO* data) {
  aerogpu_umd_private_v1 answer = {};
  answer.device_mmio_magic = is("FAKE_DRIVER", "ours", "ours") ? AEROGPU_MMIO_MAGIC : 0x12345678;
  if (data->Type != KMTQAITYPE_UMDRIVERPRIVATE || is("FAKE_3D", "off", "on")) return kNotSupported;
  memcpy(data->pPrivateDriverData, &answer, sizeof answer);
  return 0;
}

NTSTATUS APIENTRY D3DKMTEscape(const D3DKMT_ESCAPE* data) {
  aerogpu_escape_header header;
  memcpy(&header, data->pPrivateDriverData, sizeof header);
  if (header.op >= strtoul(environment("FAKE_FROM", "1"), nullptr, 0))
    if (const unsigned long status = strtoul(environment("FAKE_STATUS", "0"), nullptr, 16))
      return static_cast<NTSTATUS>(status);
  if (header.op == AEROGPU_ESCAPE_OP_SELFTEST) {
    aerogpu_escape_selftest_inout test;
    memcpy(&test, data->pPrivateDriverData, sizeof test);
    test.error_code = strtoul(environment("FAKE_SELFTEST", "0"), nullptr, 0);
    test.passed = !test.error_code;
    memcpy(data->pPrivateDriverData, &test, sizeof test);
  }
  return 0;
}

NTSTATUS APIENTRY D3DKMTCreateDevice(D3DKMT_CREATEDEVICE* data) {
  data->hDevice = 0x40000001;
  return 0;
}

NTSTATUS APIENTRY D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE*) {
  return 0;
}

}  // extern "C"
