// SPDX-License-Identifier: MIT
// Processes that share a surface, for the tests of tokens and of process rights.
#pragma once

#include <cstdint>
#include <memory>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

/// STATUS_PRIVILEGED_INSTRUCTION: DxgkDdiRender's answer to a stream that names foreign objects (page
/// "DxgkDdiRender").
inline constexpr NTSTATUS kPrivilegedInstruction = ntStatus(0xC0000096);

/// A process with one context, and its view of one shared surface.
struct Sharer {
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  OpenAllocation* opened = nullptr;
  uint64_t token = 0;   // from its own private data
  uint32_t handle = 0;  // its texture
};
/// Returns null after a broken rule.
std::unique_ptr<Sharer> makeSharer(Adapter& adapter, uint64_t process);

/// Kills the process (Client::terminate).
void terminate(std::unique_ptr<Sharer> sharer);

/// Returns a shared allocation of 64x64 pixels that no process has open; null after a broken rule.
std::shared_ptr<Allocation> makeShared(Adapter& adapter);
/// Opens the allocation for the first time. Makes a texture over it and exports the texture; with handle
/// spaces the driver has done both, and this imports it.
bool openAndExport(Adapter& adapter, Sharer& creator, const std::shared_ptr<Allocation>& allocation);
/// Opens the allocation for another process. Returns false after a broken rule.
bool openShared(Sharer& opener, const std::shared_ptr<Allocation>& allocation);
/// Imports the texture by the opener's own token, through the driver.
NTSTATUS importShared(Sharer& opener);
NTSTATUS destroyHandle(Sharer& owner);

/// Waits until all earlier submissions, including the driver's own, are done.
void settle(Adapter& adapter, Context& context);
/// True if the device knows the token: tested by an import that the driver does not see, whose handle is
/// destroyed again. The answer "no" is two device errors, which are added to `errors`.
bool deviceKnowsToken(Adapter& adapter, Context& context, uint64_t token, uint32_t& errors);

}  // namespace aerogpu::host
