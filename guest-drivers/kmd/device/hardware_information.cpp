// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/hardware_information.h"

#include "guest-drivers/kmd/device/capability_block.h"

namespace aero {
namespace {

void setValue(HANDLE key, const wchar_t *name, ULONG type, const void *data, SIZE_T bytes) {
  UNICODE_STRING value;
  RtlInitUnicodeString(&value, name);
  (void)ZwSetValueKey(key, &value, 0, type, const_cast<void *>(data), static_cast<ULONG>(bytes));
}

void setText(HANDLE key, const wchar_t *name, const wchar_t *text) {
  SIZE_T length = 0;
  while (text[length]) length++;
  setValue(key, name, REG_SZ, text, (length + 1) * sizeof *text);
}

/** Copies `text` to `at`, without its end; returns the place after it. */
wchar_t *appendText(wchar_t *at, const wchar_t *text) {
  while (*text) *at++ = *text++;
  return at;
}

/** Writes the decimal digits of `number` at `at`; returns the place after them. */
wchar_t *appendNumber(wchar_t *at, uint16_t number) {
  uint16_t divisor = 1;
  while (number / divisor >= 10) divisor = static_cast<uint16_t>(divisor * 10);
  for (; divisor; divisor /= 10) *at++ = static_cast<wchar_t>(L'0' + number / divisor % 10);
  return at;
}

}  // namespace

void writeHardwareInformation(const UNICODE_STRING &path, uint64_t vramBytes, uint32_t abiVersion,
                              const CapabilityBlock &capabilities) {
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, const_cast<PUNICODE_STRING>(&path), OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE,
                             nullptr, nullptr);
  HANDLE key;
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_SET_VALUE, &attributes))) return;
  constexpr wchar_t kAdapter[] = L"aerogpu virtual GPU", kOn[] = L" on ";
  wchar_t gpu[64], text[sizeof kAdapter / sizeof *kAdapter + sizeof kOn / sizeof *kOn + sizeof gpu / sizeof *gpu];
  capabilities.deviceName(gpu, sizeof gpu / sizeof *gpu);
  wchar_t *end = appendText(text, kAdapter);
  if (*gpu) end = appendText(appendText(end, kOn), gpu);
  *end = 0;
  setText(key, L"HardwareInformation.ChipType", *gpu ? gpu : L"AeroGPU");
  setText(key, L"HardwareInformation.DacType", L"Virtual display");
  setText(key, L"HardwareInformation.AdapterString", text);
  // The adapter has no BIOS that the driver knows; devices differ in their interface.
  end = appendNumber(appendText(text, L"AeroGPU ABI "), static_cast<uint16_t>(abiVersion >> 16));
  *end++ = L'.';
  end = appendNumber(end, static_cast<uint16_t>(abiVersion));
  *end = 0;
  setText(key, L"HardwareInformation.BiosString", text);
  // The page says megabytes, but readers of the value take it for bytes, and other drivers write bytes.
  const ULONG bytes = vramBytes > MAXULONG ? MAXULONG : static_cast<ULONG>(vramBytes);
  setValue(key, L"HardwareInformation.MemorySize", REG_DWORD, &bytes, sizeof bytes);
  ZwClose(key);
}

}  // namespace aero
