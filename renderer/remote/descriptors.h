// SPDX-License-Identifier: MIT
// Bytes with descriptors beside them, over a socket of datagrams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/remote/shared_memory.h"

namespace aerogpu::remote {

/// Most descriptors of one datagram (SCM_MAX_FD of Linux is 253).
inline constexpr size_t kMostDescriptors = 128;

/// True if it is a socket like those over which descriptors go here.
bool isControl(int fd);

/// Waits until something comes or the other side has ended; false at the limit, a time of nowNs().
bool waitForInput(int fd, uint64_t untilNs);

/// False if the other side does not take it. Does not wait.
bool sendDescriptors(int socket, std::span<const uint8_t> bytes, std::span<const int> descriptors);

/// Waits for a datagram of just bytes.size() bytes; false if another one comes, or the other side has ended.
bool receiveDescriptors(int socket, std::span<uint8_t> bytes, std::vector<Descriptor>& descriptors);

}  // namespace aerogpu::remote
