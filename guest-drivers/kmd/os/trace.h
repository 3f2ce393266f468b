// SPDX-License-Identifier: MIT
// trace.h: events for ETW (trace_events.h), to whoever listens to the driver's provider, and to dxgkrnl's own logger
// while DxgkDdiControlEtwLogging wants it. Nothing is made up, and nothing read, while nobody listens.
#pragma once

#include "guest-drivers/common/trace_events.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero::trace {

/** The provider exists from DriverEntry until Unload. PASSIVE_LEVEL. */
void start();
void stop();
/** DxgkDdiControlEtwLogging, any IRQL; `log` is of any adapter's interface, null for none. */
void control(bool enable, uint8_t level);
void setLogger(DXGKCB_LOG_ETW_EVENT log);

/** Somebody listens; what they want is wanted()'s to say. */
extern volatile bool g_listened;  // NOLINT(bugprone-dynamic-static-initializers): declared here, false in trace.cpp
/** Whether somebody wants such events. Any IRQL. */
bool wanted(uint8_t level, uint64_t keyword);
/** Any IRQL; use write(). */
void put(uint16_t id, uint8_t level, uint64_t keyword, const void *payload, uint32_t bytes);

/** `make` returns the event, and is called only when it is wanted. Any IRQL. */
template <class Event, class Make> [[gnu::always_inline]] inline void write(Make make) {
  if (!g_listened) [[likely]]
    return;
  if (!wanted(Event::kLevel, Event::kKeyword)) return;
  const Event event = make();
  put(Event::kId, Event::kLevel, Event::kKeyword, &event, sizeof event);
}

}  // namespace aero::trace
