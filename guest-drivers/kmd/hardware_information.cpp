// SPDX-License-Identifier: MIT
#include "hardware_information.h"

namespace aero {
namespace {

void setValue(HANDLE key, const wchar_t *name, ULONG type, const void *data, SIZE_T bytes) {
  UNICODE_STRING value;
  RtlInitUnicodeString(&value, name);
  (void)ZwSetValueKey(key, &value, 0, type, const_cast<void *>(data), static_cast<ULONG>(bytes));
}

template <size_t count> void setText(HANDLE key, const wchar_t *name, const wchar_t (&text)[count]) {
  setValue(key, name, REG_SZ, text, sizeof text);
}

/** Decimal digits of `number` at `at`; returns the place behind them. */
wchar_t *appendNumber(wchar_t *at, uint16_t number) {
  uint16_t divisor = 1;
  while (number / divisor >= 10) divisor = static_cast<uint16_t>(divisor * 10);
  for (; divisor; divisor /= 10) *at++ = static_cast<wchar_t>(L'0' + number / divisor % 10);
  return at;
}

}  // namespace

void writeHardwareInformation(const UNICODE_STRING &path, uint64_t vramBytes, uint32_t abiVersion) {
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, const_cast<PUNICODE_STRING>(&path), OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE,
                             nullptr, nullptr);
  HANDLE key;
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_SET_VALUE, &attributes))) return;
  setText(key, L"HardwareInformation.ChipType", L"AeroGPU");
  setText(key, L"HardwareInformation.DacType", L"Virtual display");
  setText(key, L"HardwareInformation.AdapterString", L"aerogpu virtual GPU");
  // There is no BIOS of the driver's concern; what tells one device from another is its interface.
  wchar_t bios[32] = L"AeroGPU ABI ";
  wchar_t *end = bios;
  while (*end) end++;
  end = appendNumber(end, static_cast<uint16_t>(abiVersion >> 16));
  *end++ = L'.';
  end = appendNumber(end, static_cast<uint16_t>(abiVersion));
  *end++ = 0;
  setValue(key, L"HardwareInformation.BiosString", REG_SZ, bios,
           static_cast<SIZE_T>(reinterpret_cast<uint8_t *>(end) - reinterpret_cast<uint8_t *>(bios)));
  // The page says megabytes; whoever reads the value takes it for bytes, and other drivers write bytes.
  const ULONG bytes = vramBytes > MAXULONG ? MAXULONG : static_cast<ULONG>(vramBytes);
  setValue(key, L"HardwareInformation.MemorySize", REG_DWORD, &bytes, sizeof bytes);
  ZwClose(key);
}

}  // namespace aero
