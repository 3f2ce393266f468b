// SPDX-License-Identifier: MIT
// D3DKMT over TCP: connections of programs, each with a thread, and the calls over them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "guest-drivers/linux/device/status.h"
#include "testbed/kmt/server/kernel.h"

namespace aerogpu::host {

class KmtServer {
public:
  static constexpr size_t kMaxConnections = 512;

  /// `key`: the key that a connection must send first, 1 to 63 characters.
  KmtServer(Kernel& kernel, Adapter& adapter, std::string key);
  KmtServer(const KmtServer&) = delete;
  KmtServer& operator=(const KmtServer&) = delete;
  /// Ends all connections, and with them their processes; waits for that.
  ~KmtServer();

  /// Listens on 127.0.0.1; port 0 is any.
  guest::Status listen(uint16_t port);
  uint16_t port() const { return m_port; }
  /// Returns the socket for polling; when it is readable, accept() does not wait.
  int listener() const { return m_listener; }
  void accept();

private:
  void serve(int socket);
  /// Handles the first message. Returns null after one line; otherwise the answer is sent.
  std::shared_ptr<Process> greet(int socket, RequestFramer& framer);
  bool answerHello(int socket, const kmt::RequestHeader& header, const Process& process);

  Kernel& m_kernel;
  Adapter& m_adapter;
  const std::string m_key;
  int m_listener = -1;
  uint16_t m_port = 0;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::set<int> m_sockets;  // sockets of connections that have a thread
};

}  // namespace aerogpu::host
