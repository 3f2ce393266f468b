// SPDX-License-Identifier: MIT
// The sleep of a machine, as dxgkrnl takes the adapter through it.
#pragma once

#include <functional>

namespace aerogpu::host {

class Adapter;
struct Allocation;

/// Hides the source, waits for what is queued, evicts everything, and takes the adapter to D3; calls `down`,
/// in which the machine may sleep; then D0, the mode, and `shown` on the screen, or the desktop's primary
/// where that is null. Nobody calls the driver meanwhile. False after a broken rule, or where `down` said so:
/// the adapter is in D3 then.
bool sleepSystem(Adapter& adapter, Allocation* shown, const std::function<bool()>& down);

}  // namespace aerogpu::host
