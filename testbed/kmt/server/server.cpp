// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <shared_mutex>
#include <thread>

namespace aerogpu::host {

namespace {

bool sendAll(int socket, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

/// Reads until there is a request. Returns false at the end of the connection, and after a fault, which is
/// reported.
bool receive(int socket, RequestFramer& framer, uint32_t process) {
  for (;;) {
    switch (framer.next()) {
      case RequestFramer::State::Request:
        return true;
      case RequestFramer::State::Fault:
        note("kmt: a connection of process %u ends: a message of %u bytes for call %u is %s", process,
             framer.header().length, framer.header().call, framer.fault());
        return false;
      case RequestFramer::State::Incomplete:
        break;
    }
    const auto room = framer.room();
    const ssize_t n = recv(socket, room.data(), room.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    framer.added(static_cast<size_t>(n));
  }
}

std::vector<uint8_t> beginReply(const kmt::RequestHeader& request, size_t bodyBytes) {
  std::vector<uint8_t> message(kmt::kHeaderBytes + bodyBytes);
  const kmt::ReplyHeader header{0, request.call, request.sequence, kmt::kStatusSuccess};
  std::memcpy(message.data(), &header, sizeof header);
  return message;
}

/// Completes header and body; the tail is there already.
void finishReply(std::vector<uint8_t>& message, NTSTATUS status, const void* body, size_t bodyBytes) {
  kmt::ReplyHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  const kmt::CallInfo& info = *kmt::findCall(header.call);
  if (message.size() > kmt::kHeaderBytes + bodyBytes + info.replyTail) {
    brokenRule("kmt: the answer to %s has %zu bytes", info.name, message.size());
    message.resize(kmt::kHeaderBytes + bodyBytes);
    status = kmt::kStatusUnsuccessful;
  }
  header.length = static_cast<uint32_t>(message.size());
  header.status = status;
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + kmt::kHeaderBytes, body, bodyBytes);
}

template <kmt::Call call>
std::vector<uint8_t> runCall(Kernel& kernel, Process& process, const RequestFramer& framer) {
  typename kmt::CallOf<call>::Request request;
  typename kmt::CallOf<call>::Reply reply{};
  std::memcpy(&request, framer.rest().data(), sizeof request);
  TailReader in(framer.rest().subspan(sizeof request));
  std::vector<uint8_t> message = beginReply(framer.header(), sizeof reply);
  TailWriter out(message);
  const NTSTATUS status = kernel.run(CallTag<call>{}, process, request, in, reply, out);
  finishReply(message, status, &reply, sizeof reply);
  return message;
}

std::vector<uint8_t> runCall(Kernel& kernel, Process& process, const RequestFramer& framer) {
  switch (static_cast<kmt::Call>(framer.header().call)) {
#define AEROGPU_KMT_CALL(NUMBER, NAME, ...) \
  case kmt::Call::NAME:                     \
    return runCall<kmt::Call::NAME>(kernel, process, framer);
    AEROGPU_KMT_CALLS(AEROGPU_KMT_CALL)
#undef AEROGPU_KMT_CALL
  }
  return {};  // the framer rejects other numbers
}

/// True if the keys are equal. Takes the same time for every key.
bool sameKey(const char (&shown)[kmt::kKeyBytes], const std::string& key) {
  char expected[kmt::kKeyBytes] = {};
  key.copy(expected, kmt::kKeyBytes - 1);
  unsigned differences = 0;
  for (size_t i = 0; i < kmt::kKeyBytes; ++i)
    differences |= static_cast<unsigned char>(shown[i]) ^ static_cast<unsigned char>(expected[i]);
  return differences == 0;
}

}  // namespace

KmtServer::KmtServer(Kernel& kernel, Adapter& adapter, std::string key)
    : m_kernel(kernel), m_adapter(adapter), m_key(std::move(key)) {}

KmtServer::~KmtServer() {
  if (m_listener >= 0) close(m_listener);
  std::unique_lock lock(m_mutex);
  for (const int socket : m_sockets) shutdown(socket, SHUT_RDWR);
  m_changed.wait(lock, [&] { return m_sockets.empty(); });
}

guest::Status KmtServer::listen(uint16_t port) {
  m_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (m_listener < 0) return guest::Status::systemFailure("no socket");
  const int on = 1;
  setsockopt(m_listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t bytes = sizeof address;
  if (bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(m_listener, 64) != 0 ||
      getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
    return guest::Status::systemFailure("cannot listen on 127.0.0.1:%u", port);
  m_port = ntohs(address.sin_port);
  return {};
}

void KmtServer::accept() {
  const int connection = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  std::lock_guard lock(m_mutex);
  if (m_sockets.size() >= kMaxConnections) {
    note("kmt: a connection is turned away: there are %zu already", m_sockets.size());
    close(connection);
    return;
  }
  m_sockets.insert(connection);
  std::thread([this, connection] { serve(connection); }).detach();
}

bool KmtServer::answerHello(int socket, const kmt::RequestHeader& header, const Process& process) {
  struct stat memory {};
  const std::string memoryFile = m_adapter.machine().memoryFile();
  if (stat(memoryFile.c_str(), &memory) != 0)
    brokenRule("there is no file of memory at %s", memoryFile.c_str());
  const std::pair<std::string, uint64_t> files[] = {{memoryFile, static_cast<uint64_t>(memory.st_size)},
                                                    {process.memory.path(), CommandMemory::kBytes}};
  kmt::HelloReply reply{};
  reply.process = process.id;
  reply.files = static_cast<uint32_t>(std::size(files));
  reply.cookie = process.cookie;
  std::vector<uint8_t> message = beginReply(header, sizeof reply);
  TailWriter out(message);
  for (const auto& [path, bytes] : files) {
    kmt::SharedFile file{};
    file.bytes = bytes;
    path.copy(file.path, sizeof file.path - 1);
    out.append(file);
  }
  finishReply(message, kmt::kStatusSuccess, &reply, sizeof reply);
  return sendAll(socket, message);
}

std::shared_ptr<Process> KmtServer::greet(int socket, RequestFramer& framer) {
  if (!receive(socket, framer, 0)) return nullptr;
  kmt::HelloRequest hello;
  if (framer.header().call != static_cast<uint32_t>(kmt::Call::Hello)) {
    note("kmt: a connection ends: it begins with call %u", framer.header().call);
    return nullptr;
  }
  std::memcpy(&hello, framer.rest().data(), sizeof hello);
  framer.done();
  if (hello.magic != kmt::kHelloMagic || hello.version != kmt::kWireVersion) {
    note("kmt: a connection ends: it speaks version %u, not %u", hello.version, kmt::kWireVersion);
    return nullptr;
  }
  if (!sameKey(hello.key, m_key)) {
    note("kmt: a connection ends: it shows another key");
    return nullptr;
  }
  auto process = m_kernel.enter(hello.process, hello.cookie, hello.pointerBits);
  if (process && !answerHello(socket, framer.header(), *process)) {
    m_kernel.leave(process);
    return nullptr;
  }
  return process;
}

void KmtServer::serve(int socket) {
  attachThread("kmt");
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  RequestFramer framer;
  if (const auto process = greet(socket, framer)) {
    ProcessScope scope(process->id);
    while (receive(socket, framer, process->id)) {
      if (framer.header().process != process->id) {
        note("kmt: a connection of process %u ends: it says that it is of %u", process->id,
             framer.header().process);
        break;
      }
      std::shared_lock awake(m_kernel.awake());
      const std::vector<uint8_t> reply = runCall(m_kernel, *process, framer);
      awake.unlock();
      framer.done();
      if (!sendAll(socket, reply)) break;
    }
    std::shared_lock awake(m_kernel.awake());
    m_kernel.leave(process);
  }
  std::lock_guard lock(m_mutex);
  close(socket);
  m_sockets.erase(socket);
  m_changed.notify_all();
}

}  // namespace aerogpu::host
