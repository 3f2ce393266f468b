// SPDX-License-Identifier: MIT
// trace.h: sends ETW events (trace_events.h) to all listeners, and to dxgkrnl's own logger while
// DxgkDdiControlEtwLogging wants it. No event is built, and no register read, while no one listens.
#pragma once

#include "guest-drivers/common/trace_events.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero::trace {

/** The provider exists from DriverEntry until Unload. PASSIVE_LEVEL. */
void start();
void stop();
/** control(): DxgkDdiControlEtwLogging. setLogger(): `log` is from the interface of any adapter; null for none. Any
 *  IRQL. */
void control(bool enable, uint8_t level);
void setLogger(DXGKCB_LOG_ETW_EVENT log);

/** Some session listens; wanted() says which events it wants. */
extern volatile bool g_listened;  // NOLINT(bugprone-dynamic-static-initializers): declared here, false in trace.cpp
/** True if a listener wants such events. Any IRQL. */
bool wanted(uint8_t level, uint64_t keyword);
/** Sends an event to those who want it. Any IRQL; called by write(). */
void put(uint16_t id, uint8_t level, uint64_t keyword, const void *payload, uint32_t bytes);

/** Writes the event that `make` returns; calls `make` only if the event is wanted. Any IRQL. */
template <class Event, class Make> [[gnu::always_inline]] inline void write(Make make) {
  if (!g_listened) [[likely]]
    return;
  if (!wanted(Event::kLevel, Event::kKeyword)) return;
  const Event event = make();
  put(Event::kId, Event::kLevel, Event::kKeyword, &event, sizeof event);
}

}  // namespace aero::trace
