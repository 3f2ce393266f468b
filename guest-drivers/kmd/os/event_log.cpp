// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/os/event_log.h"

namespace aero {
namespace {

PDRIVER_OBJECT s_driver;

}  // namespace

void openEventLog(PDRIVER_OBJECT driver) {
  s_driver = driver;
}

void logEvent(NTSTATUS event, NTSTATUS status, ULONG a, ULONG b, ULONG c, const wchar_t *text) {
  const ULONG data[] = {static_cast<ULONG>(status), a, b, c};
  // Dump data begins at DumpData, which the structure counts once (wdm page "IO_ERROR_LOG_PACKET").
  constexpr ULONG fixed = FIELD_OFFSET(IO_ERROR_LOG_PACKET, DumpData) + sizeof data, maxText = 46;
  static_assert(fixed + (maxText + 1) * sizeof(wchar_t) <= ERROR_LOG_MAXIMUM_SIZE);
  ULONG characters = 0;
  while (text && characters < maxText && text[characters]) characters++;
  ULONG bytes = fixed + (text ? (characters + 1) * static_cast<ULONG>(sizeof(wchar_t)) : 0);
  if (bytes < sizeof(IO_ERROR_LOG_PACKET)) bytes = sizeof(IO_ERROR_LOG_PACKET);
  auto *packet = static_cast<PIO_ERROR_LOG_PACKET>(IoAllocateErrorLogEntry(s_driver, static_cast<UCHAR>(bytes)));
  if (!packet) return;
  RtlZeroMemory(packet, bytes);
  packet->ErrorCode = event;
  packet->FinalStatus = status;
  packet->DumpDataSize = sizeof data;
  RtlCopyMemory(packet->DumpData, data, sizeof data);
  if (text) {  // its end is zero already
    packet->NumberOfStrings = 1;
    packet->StringOffset = static_cast<USHORT>(fixed);
    RtlCopyMemory(reinterpret_cast<UCHAR *>(packet) + fixed, text, characters * sizeof(wchar_t));
  }
  IoWriteErrorLogEntry(packet);
}

}  // namespace aero
