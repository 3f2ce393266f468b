// SPDX-License-Identifier: MIT
// connection.h: a program's connections to the driver host, and one call over one of them. A call takes a connection
// that no other thread uses, or opens another one, so a blocking call delays no other. Any thread; not under the loader
// lock.
#pragma once

#include "testbed/kmt/client/windows_headers.h"
#include "testbed/kmt/status.h"
#include "testbed/kmt/wire.h"

namespace aerogpu::kmt {

struct Connection;

/// One request and its answer. The answer is valid while the object lives.
class CallBuffer {
public:
  explicit CallBuffer(Call call);
  ~CallBuffer();
  CallBuffer(const CallBuffer &) = delete;
  CallBuffer &operator=(const CallBuffer &) = delete;

  /// True if there is a kernel side. Otherwise send() returns the reason.
  bool connected() const { return m_connection != nullptr; }
  void *body();
  /// Adds to the request's tail. If the data does not fit, or is a null pointer with bytes, the call fails: send()
  /// returns STATUS_INVALID_PARAMETER and sends nothing.
  void append(const void *data, size_t bytes);
  /// Returns the call's status; STATUS_DEVICE_REMOVED if the kernel side is gone.
  NTSTATUS send();
  /// True once the answer is there, whatever its status.
  bool answered() const { return m_answered; }
  /// Returns the next `bytes` bytes from the answer's tail; null if it has fewer left.
  const uint8_t *take(size_t bytes);

private:
  Connection *m_connection;
  const CallInfo &m_info;
  uint32_t m_used;  // bytes in the request's tail, later those read from the answer's tail
  uint32_t m_replyBytes = 0;
  bool m_answered = false, m_invalid = false;
};

template <Call call> class KernelCall : public CallBuffer {
public:
  using Request = typename CallOf<call>::Request;
  using Reply = typename CallOf<call>::Reply;

  KernelCall() : CallBuffer(call) {}
  explicit KernelCall(const Request &request) : CallBuffer(call) { set(request); }
  void set(const Request &request) {
    if (connected()) *static_cast<Request *>(body()) = request;
  }
  /// Returns zeroes if there is no answer.
  const Reply &reply() {
    static constexpr Reply kNone{};
    return answered() ? *static_cast<const Reply *>(body()) : kNone;
  }
};

/// Makes a call without a tail.
template <Call call>
NTSTATUS callKernel(const typename CallOf<call>::Request &request, typename CallOf<call>::Reply *reply = nullptr) {
  KernelCall<call> kernel(request);
  const NTSTATUS status = kernel.send();
  if (reply) *reply = kernel.reply();
  return status;
}

}  // namespace aerogpu::kmt
