// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/os/settings.h"

#include "aerogpu/aerogpu_escape_extension.h"

namespace aero {
namespace {

/** Reads a REG_DWORD of at most `most`; any other value counts as absent. */
ULONG readNumber(HANDLE key, const wchar_t *name, ULONG most, ULONG fallback) {
  UNICODE_STRING value;
  RtlInitUnicodeString(&value, name);
  alignas(KEY_VALUE_PARTIAL_INFORMATION) UCHAR buffer[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)];
  ULONG length;
  if (!NT_SUCCESS(ZwQueryValueKey(key, &value, KeyValuePartialInformation, buffer, sizeof buffer, &length)))
    return fallback;
  const auto *info = reinterpret_cast<const KEY_VALUE_PARTIAL_INFORMATION *>(buffer);
  if (info->Type != REG_DWORD || info->DataLength != sizeof(ULONG)) return fallback;
  ULONG number;
  RtlCopyMemory(&number, info->Data, sizeof number);
  return number <= most ? number : fallback;
}

bool readFlag(HANDLE key, const wchar_t *name, bool fallback) {
  return readNumber(key, name, ~0u, fallback) != 0;
}

}  // namespace

void Settings::read(const UNICODE_STRING &path) {
  *this = {};
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, const_cast<PUNICODE_STRING>(&path), OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE,
                             nullptr, nullptr);
  HANDLE key;
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return;
  disable3d = readFlag(key, L"Disable3D", disable3d);
  disableGdi = readFlag(key, L"DisableGdiAcceleration", disableGdi);
  disableAperture = readFlag(key, L"DisableAperture", disableAperture);
  disableBuffers = readFlag(key, L"DisableHardwareBuffers", disableBuffers);
  userModeLog = readNumber(key, L"UserModeLog", AEROGPU_EXT_USER_MODE_LOG_MAX, userModeLog);
  ZwClose(key);
}

}  // namespace aero
