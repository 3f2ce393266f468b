// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/host_socket.h"

#include "testbed/kmt/client/linux_calls.h"

namespace aerogpu::kmt {

namespace {

// Linux's numbers for x64: include/uapi/linux/{net,socket,in,tcp,fcntl}.h. sockaddr_in and AF_INET are as in Winsock.
constexpr int64_t kStream = 1, kCloseOnExec = 02000000, kNoSignal = 0x4000, kTcp = 6, kNoDelay = 1;

bool wantsWinsock() {
  return GetEnvironmentVariableA("AEROGPU_KMT_WINSOCK", nullptr, 0) != 0;
}

bool connectLinux(HostSocket &socket, const sockaddr_in &address) {
  const int64_t made = linuxCall(LinuxCall::Socket, AF_INET, kStream | kCloseOnExec, 0);
  if (made < 0) return false;
  socket.linuxDescriptor = static_cast<int>(made);
  socket.open = socket.direct = true;
  if (linuxCall(LinuxCall::Connect, made, addressOf(&address), sizeof address) != 0) {
    closeSocket(socket);
    return false;
  }
  const int on = 1;
  linuxCall(LinuxCall::SetSocketOption, made, kTcp, kNoDelay, addressOf(&on), sizeof on);
  return true;
}

bool connectWinsock(HostSocket &socket, const sockaddr_in &address) {
  WSADATA data;
  if (WSAStartup(MAKEWORD(2, 2), &data) != 0) return false;
  socket.winsock = ::socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
  if (socket.winsock == INVALID_SOCKET) return false;
  socket.open = true;
  if (connect(socket.winsock, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
    closeSocket(socket);
    return false;
  }
  const BOOL noDelay = TRUE;
  setsockopt(socket.winsock, IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<const char *>(&noDelay), sizeof noDelay);
  return true;
}

int64_t transfer(const HostSocket &socket, LinuxCall call, uint8_t *data, uint32_t bytes) {
  if (socket.direct) {
    int64_t n;
    do n = linuxCall(call, socket.linuxDescriptor, addressOf(data), bytes, kNoSignal, 0, 0);
    while (n == kLinuxInterrupted);
    return n;
  }
  auto *text = reinterpret_cast<char *>(data);
  return call == LinuxCall::Send ? ::send(socket.winsock, text, static_cast<int>(bytes), 0)
                                 : recv(socket.winsock, text, static_cast<int>(bytes), 0);
}

}  // namespace

bool connectSocket(HostSocket &socket, const sockaddr_in &address) {
  socket = {};
  return haveLinuxCalls() && !wantsWinsock() ? connectLinux(socket, address) : connectWinsock(socket, address);
}

bool sendAll(const HostSocket &socket, const uint8_t *data, uint32_t bytes) {
  while (bytes) {
    const int64_t n = transfer(socket, LinuxCall::Send, const_cast<uint8_t *>(data), bytes);
    if (n <= 0) return false;
    data += n;
    bytes -= static_cast<uint32_t>(n);
  }
  return true;
}

uint32_t receiveSome(const HostSocket &socket, uint8_t *data, uint32_t bytes) {
  const int64_t n = transfer(socket, LinuxCall::Receive, data, bytes);
  return n > 0 ? static_cast<uint32_t>(n) : 0;
}

void closeSocket(HostSocket &socket) {
  if (!socket.open) return;
  if (socket.direct)
    linuxCall(LinuxCall::Close, socket.linuxDescriptor);
  else
    closesocket(socket.winsock);
  socket = {};
}

}  // namespace aerogpu::kmt
