// SPDX-License-Identifier: MIT
// The sleep of a machine: dxgkrnl's steps for the adapter.
#pragma once

#include <functional>

namespace aerogpu::host {

class Adapter;
struct Allocation;

/// Hides the source, waits for the queue, evicts everything, and takes the adapter to D3; calls `down`, in
/// which the machine may sleep; then sets D0 and the mode, and shows `shown`, or, if that is null, the
/// desktop's primary. No one else calls the driver meanwhile. Returns false after a broken rule, or if `down`
/// did: the adapter is in D3 then.
bool sleepSystem(Adapter& adapter, Allocation* shown, const std::function<bool()>& down);

}  // namespace aerogpu::host
