// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/os/trace.h"

namespace aero::trace {
namespace {

// One provider for all adapters, as page "EtwRegister" recommends. One caller at a time writes each variable; code at
// any IRQL reads them. A reader that sees only part of a change may write an event too many or too few.
REGHANDLE g_provider;
volatile uint8_t g_level;      // 0 = no session listens to the provider
volatile ULONG g_keywords;     // our keywords that the sessions want
volatile uint8_t g_dxgkLevel;  // 0 = dxgkrnl's logger wants none
DXGKCB_LOG_ETW_EVENT volatile g_log;

constexpr ULONG kEnableProvider = 1;  // EVENT_CONTROL_CODE_ENABLE_PROVIDER of evntrace.h, which is no kernel header

void changed() {
  g_listened = g_level || g_dxgkLevel;
}

/** Page "PENABLECALLBACK": runs at PASSIVE_LEVEL, also from within EtwRegister. */
VOID NTAPI enabled(LPCGUID, ULONG control, UCHAR level, ULONGLONG any, ULONGLONG, PEVENT_FILTER_DESCRIPTOR, PVOID) {
  if (control > kEnableProvider) return;  // a request to log the provider's state, which has none
  g_keywords = any ? static_cast<ULONG>(any) : ~0u;
  // Level 0 means all (page "EnableTraceEx").
  g_level = control == kEnableProvider ? (level ? level : uint8_t{0xFF}) : uint8_t{0};
  changed();
}

const GUID *provider() {
  static_assert(sizeof kProvider == sizeof(GUID));
  return reinterpret_cast<const GUID *>(&kProvider);
}

}  // namespace

volatile bool g_listened;

void start() {
  // Without a provider the driver works without events.
  if (!NT_SUCCESS(EtwRegister(provider(), enabled, nullptr, &g_provider))) g_provider = 0;
}

void stop() {
  g_level = 0;
  g_dxgkLevel = 0;
  changed();
  if (g_provider) EtwUnregister(g_provider);
  g_provider = 0;
}

void control(bool enable, uint8_t level) {
  g_dxgkLevel = enable ? (level ? level : uint8_t{0xFF}) : uint8_t{0};
  changed();
}

void setLogger(DXGKCB_LOG_ETW_EVENT log) {
  g_log = log;
}

bool wanted(uint8_t level, uint64_t keyword) {
  return (level <= g_level && (keyword & g_keywords)) || level <= g_dxgkLevel;
}

void put(uint16_t id, uint8_t level, uint64_t keyword, const void *payload, uint32_t bytes) {
  if (level <= g_level && (keyword & g_keywords)) {
    const EVENT_DESCRIPTOR descriptor = {id, 0, 0, level, 0, id, keyword};
    EVENT_DATA_DESCRIPTOR data = {};
    data.Ptr = reinterpret_cast<ULONG_PTR>(payload);
    data.Size = bytes;
    EtwWrite(g_provider, &descriptor, nullptr, 1, &data);
  }
  // Not from the interrupt routine, which may only call DxgkCbNotifyInterrupt and DxgkCbQueueDpc (page
  // "DxgkDdiInterruptRoutine"): dxgkrnl logs its own completions and vertical syncs there.
  DXGKCB_LOG_ETW_EVENT log = g_log;
  if (log && level <= g_dxgkLevel && KeGetCurrentIrql() <= DISPATCH_LEVEL)
    log(provider(), static_cast<UCHAR>(id), static_cast<USHORT>(bytes), const_cast<void *>(payload));
}

}  // namespace aero::trace
