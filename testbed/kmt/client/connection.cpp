// SPDX-License-Identifier: MIT
#include "testbed/kmt/client/connection.h"

#include "testbed/kmt/client/host_socket.h"
#include "testbed/kmt/client/report_line.h"
#include "testbed/kmt/client/shared_files.h"

namespace aerogpu::kmt {

struct Connection {
  HostSocket socket;
  uint32_t sequence;
  Connection *next;  // in the list of free connections
  alignas(16) uint8_t message[kMaxMessageBytes];
};

namespace {

SRWLOCK s_lock = SRWLOCK_INIT;  // protects everything below; never held over a call
Connection *s_free;
uint32_t s_process;
uint64_t s_cookie;
volatile LONG s_lost;  // the kernel side is gone, or never existed

struct Address {
  sockaddr_in at;
  char key[kKeyBytes];
};

/// Parses HOST:PORT with a numeric HOST.
bool parseAddress(const char *text, sockaddr_in &out) {
  out = {};
  out.sin_family = AF_INET;
  uint32_t host = 0, port = 0, value = 0;
  int dots = 0, digits = 0;
  for (; *text && *text != ':'; ++text) {
    if (*text == '.') {
      if (!digits || ++dots > 3) return false;
      host = host << 8 | value;
      value = 0;
      digits = 0;
    } else if (*text >= '0' && *text <= '9') {
      value = value * 10 + static_cast<uint32_t>(*text - '0');
      if (++digits > 3 || value > 255) return false;
    } else {
      return false;
    }
  }
  if (dots != 3 || !digits || *text != ':') return false;
  host = host << 8 | value;
  for (digits = 0, ++text; *text; ++text) {
    if (*text < '0' || *text > '9' || ++digits > 5) return false;
    port = port * 10 + static_cast<uint32_t>(*text - '0');
  }
  if (!digits || port == 0 || port > 65535) return false;
  out.sin_addr.s_addr = htonl(host);
  out.sin_port = htons(static_cast<u_short>(port));
  return true;
}

bool readAddress(Address &out) {
  char text[64];
  const DWORD length = GetEnvironmentVariableA("AEROGPU_KMT", text, sizeof text);
  if (!length || length >= sizeof text || !parseAddress(text, out.at)) {
    reportLine("AEROGPU_KMT has to be HOST:PORT in numbers, as aerogpu-driver-host --serve prints it", "");
    return false;
  }
  for (char &c : out.key) c = 0;
  const DWORD keyLength = GetEnvironmentVariableA("AEROGPU_KMT_KEY", out.key, kKeyBytes);
  if (!keyLength || keyLength >= kKeyBytes) {
    reportLine("AEROGPU_KMT_KEY has to be the driver host's, at most 63 characters", "");
    return false;
  }
  return true;
}

/// Reads one answer to `request` into `message`: usually in one piece. `length` gets its bytes.
bool receive(const HostSocket &socket, uint8_t *message, const RequestHeader &request, uint32_t &length) {
  uint32_t have = 0, want = kHeaderBytes;
  while (have < want) {
    const uint32_t n = receiveSome(socket, message + have, kMaxMessageBytes - have);
    if (!n) return false;
    const bool known = have >= kHeaderBytes;
    have += n;
    if (known || have < kHeaderBytes) continue;
    const auto *header = reinterpret_cast<const ReplyHeader *>(message);
    if (const char *fault = replyFault(*header, request)) {
      reportLine("the kernel side's answer is wrong: ", fault);
      return false;
    }
    want = header->length;
  }
  length = want;
  return have == want;  // the kernel side sends nothing unasked
}

/// Sends the request whose body and tail are in `connection.message`, and reads its answer.
bool exchange(Connection &connection, uint32_t call, uint32_t length, uint32_t &replyLength) {
  RequestHeader header = {length, call, s_process, ++connection.sequence};
  *reinterpret_cast<RequestHeader *>(connection.message) = header;
  return sendAll(connection.socket, connection.message, length) &&
         receive(connection.socket, connection.message, header, replyLength);
}

void destroy(Connection *connection) {
  closeSocket(connection->socket);
  VirtualFree(connection, 0, MEM_RELEASE);
}

/// Connects, and sends the Hello: `process` and `cookie` are those of a process that the kernel side knows already, or
/// 0.
Connection *connectTo(const Address &address, uint32_t process, uint64_t cookie) {
  auto *connection =
      static_cast<Connection *>(VirtualAlloc(nullptr, sizeof(Connection), MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE));
  if (!connection) return nullptr;
  if (!connectSocket(connection->socket, address.at)) {
    reportLine("nobody listens where AEROGPU_KMT says", "");
    destroy(connection);
    return nullptr;
  }
  auto *hello = reinterpret_cast<HelloRequest *>(connection->message + kHeaderBytes);
  hello->magic = kHelloMagic;
  hello->version = kWireVersion;
  hello->process = process;
  hello->pointerBits = sizeof(void *) * 8;
  hello->cookie = cookie;
  for (uint32_t i = 0; i < kKeyBytes; ++i) hello->key[i] = address.key[i];
  uint32_t length = 0;
  const bool ok = exchange(*connection, static_cast<uint32_t>(Call::Hello), kHeaderBytes + sizeof *hello, length);
  const auto *header = reinterpret_cast<const ReplyHeader *>(connection->message);
  const auto *reply = reinterpret_cast<const HelloReply *>(connection->message + kHeaderBytes);
  if (!ok || header->status < 0 || reply->files > (length - kHeaderBytes - sizeof *reply) / sizeof(SharedFile)) {
    reportLine("the kernel side refuses the connection (is AEROGPU_KMT_KEY its key?)", "");
    destroy(connection);
    return nullptr;
  }
  return connection;
}

/// Makes the process' first connection: with s_lock held, because only one may be the first.
Connection *connectFirst(const Address &address) {
  Connection *connection = connectTo(address, 0, 0);
  if (!connection) return nullptr;
  const auto *reply = reinterpret_cast<const HelloReply *>(connection->message + kHeaderBytes);
  s_process = reply->process;
  s_cookie = reply->cookie;
  setSharedFiles(reinterpret_cast<const SharedFile *>(reply + 1), reply->files);
  return connection;
}

Connection *acquire() {
  if (s_lost) return nullptr;
  AcquireSRWLockExclusive(&s_lock);
  Connection *connection = s_free;
  if (connection) s_free = connection->next;
  Address address;
  if (!connection && !s_process) {
    connection = readAddress(address) ? connectFirst(address) : nullptr;
    if (!connection) s_lost = 1;
    ReleaseSRWLockExclusive(&s_lock);
    return connection;
  }
  ReleaseSRWLockExclusive(&s_lock);
  if (connection || !readAddress(address)) return connection;
  connection = connectTo(address, s_process, s_cookie);
  if (!connection) s_lost = 1;
  return connection;
}

void release(Connection *connection) {
  AcquireSRWLockExclusive(&s_lock);
  connection->next = s_free;
  s_free = connection;
  ReleaseSRWLockExclusive(&s_lock);
}

}  // namespace

CallBuffer::CallBuffer(Call call)
    : m_connection(acquire()), m_info(infoOf(call)), m_used(kHeaderBytes + m_info.requestBytes) {
  if (!m_connection) return;
  for (uint32_t i = kHeaderBytes; i < m_used; ++i) m_connection->message[i] = 0;
}

CallBuffer::~CallBuffer() {
  if (!m_connection) return;
  if (s_lost)
    destroy(m_connection);
  else
    release(m_connection);
}

void *CallBuffer::body() {
  return m_connection->message + kHeaderBytes;
}

void CallBuffer::append(const void *data, size_t bytes) {
  if (!m_connection || !bytes) return;
  const uint32_t most = kHeaderBytes + m_info.requestBytes + m_info.requestTail;
  if (!data || bytes > most - m_used) {
    m_invalid = true;
    return;
  }
  __builtin_memcpy(m_connection->message + m_used, data, bytes);
  m_used += static_cast<uint32_t>(bytes);
}

NTSTATUS CallBuffer::send() {
  if (!m_connection) return kStatusDeviceRemoved;
  if (m_invalid) return kStatusInvalidParameter;
  if (!exchange(*m_connection, m_info.number, m_used, m_replyBytes)) {
    if (!InterlockedExchange(&s_lost, 1)) reportLine("the kernel side is gone; it was asked for ", m_info.name);
    return kStatusDeviceRemoved;
  }
  m_answered = true;
  m_used = kHeaderBytes + m_info.replyBytes;
  return reinterpret_cast<const ReplyHeader *>(m_connection->message)->status;
}

const uint8_t *CallBuffer::take(size_t bytes) {
  if (!m_answered || bytes > m_replyBytes - m_used) return nullptr;
  const uint8_t *at = m_connection->message + m_used;
  m_used += static_cast<uint32_t>(bytes);
  return at;
}

}  // namespace aerogpu::kmt
