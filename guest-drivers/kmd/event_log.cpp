// SPDX-License-Identifier: MIT
#include "event_log.h"

namespace aero {

void logEvent(PDEVICE_OBJECT device, NTSTATUS event, NTSTATUS status, ULONG a, ULONG b, ULONG c) {
  const ULONG data[] = {static_cast<ULONG>(status), a, b, c};
  // Dump data begins at DumpData, which the structure counts once (wdm page "IO_ERROR_LOG_PACKET").
  constexpr ULONG bytes = sizeof(IO_ERROR_LOG_PACKET) + sizeof data - sizeof(ULONG);
  static_assert(bytes <= ERROR_LOG_MAXIMUM_SIZE);
  auto *packet = static_cast<PIO_ERROR_LOG_PACKET>(IoAllocateErrorLogEntry(device, static_cast<UCHAR>(bytes)));
  if (!packet) return;
  RtlZeroMemory(packet, bytes);
  packet->ErrorCode = event;
  packet->FinalStatus = status;
  packet->DumpDataSize = sizeof data;
  RtlCopyMemory(packet->DumpData, data, sizeof data);
  IoWriteErrorLogEntry(packet);
}

}  // namespace aero
