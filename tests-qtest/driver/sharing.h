// SPDX-License-Identifier: MIT
// Processes that share a surface, for the tests of tokens and of what a process may do.
#pragma once

#include <cstdint>
#include <memory>

#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

/// STATUS_PRIVILEGED_INSTRUCTION: what DxgkDdiRender answers to a stream that names what is not the caller's
/// (page "DxgkDdiRender").
inline constexpr NTSTATUS kPrivilegedInstruction = ntStatus(0xC0000096);

/// A process with one context, and what it has of one shared surface.
struct Sharer {
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  OpenAllocation* opened = nullptr;
  uint64_t token = 0;   // as its own private data say
  uint32_t handle = 0;  // its texture
};
/// Empty after a broken rule.
std::unique_ptr<Sharer> makeSharer(Adapter& adapter, uint64_t process);

/// The process is killed (Client::terminate).
void terminate(std::unique_ptr<Sharer> sharer);

/// A shared allocation of 64x64 pixels that nobody has open; null after a broken rule.
std::shared_ptr<Allocation> makeShared(Adapter& adapter);
/// The first to open it: makes its texture and exports it; with handle spaces the driver did, and it is
/// imported.
bool openAndExport(Adapter& adapter, Sharer& creator, const std::shared_ptr<Allocation>& allocation);
/// Another one opens it. False after a broken rule.
bool openShared(Sharer& opener, const std::shared_ptr<Allocation>& allocation);
/// Imports by the opener's own token, through the driver.
NTSTATUS importShared(Sharer& opener);
NTSTATUS destroyHandle(Sharer& owner);

/// All that was submitted before, the driver's own submissions too, is done.
void settle(Adapter& adapter, Context& context);
/// Whether the device knows the token: asked by an import that the driver does not see, whose handle is
/// destroyed again. The answer "no" is two device errors, which are added to `errors`.
bool deviceKnowsToken(Adapter& adapter, Context& context, uint64_t token, uint32_t& errors);

}  // namespace aerogpu::host
