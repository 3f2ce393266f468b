// SPDX-License-Identifier: MIT
// host_socket.h: a stream socket to the driver host. An x64 program under a Wine on Linux makes Linux's system calls
// itself: a receive through Winsock takes Wine five messages to its server, which is most of what a call of the kernel
// costs. Others, and whoever sets AEROGPU_KMT_WINSOCK, go through Winsock.
#pragma once

#include <cstdint>

#include "testbed/kmt/client/windows_headers.h"

namespace aerogpu::kmt {

/// Plain data; all zero is closed. One thread at a time.
struct HostSocket {
  SOCKET winsock;
  int linuxDescriptor;
  bool open, direct;
};

/// Connects over TCP without delays. Returns false if nobody listens; `socket` is closed then.
bool connectSocket(HostSocket &socket, const sockaddr_in &address);
/// Sends all of it. Returns false if the connection is gone.
bool sendAll(const HostSocket &socket, const uint8_t *data, uint32_t bytes);
/// Waits for bytes and returns how many were read, at most `bytes`; 0 if the connection is gone.
uint32_t receiveSome(const HostSocket &socket, uint8_t *data, uint32_t bytes);
void closeSocket(HostSocket &socket);

}  // namespace aerogpu::kmt
