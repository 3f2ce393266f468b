// SPDX-License-Identifier: MIT
// connection.h: a program's connections to the driver host, and one call over one of them. A call takes a
// connection that no other thread uses, or opens one more, so that a call that blocks is in nobody's way. Any
// thread; not under the loader lock.
#pragma once

#include "testbed/kmt/client/windows_headers.h"
#include "testbed/kmt/status.h"
#include "testbed/kmt/wire.h"

namespace aerogpu::kmt {

struct Connection;

/// One request and its answer. The answer is valid until the object goes.
class CallBuffer {
public:
  explicit CallBuffer(Call call);
  ~CallBuffer();
  CallBuffer(const CallBuffer &) = delete;
  CallBuffer &operator=(const CallBuffer &) = delete;

  /// Kernel side there? Otherwise send() says why there is none.
  bool connected() const { return m_connection != nullptr; }
  void *body();
  /// Adds to the request's tail. What does not fit, or a null pointer with bytes, fails the call: send()
  /// returns STATUS_INVALID_PARAMETER and sends nothing.
  void append(const void *data, size_t bytes);
  /// The call's status; STATUS_DEVICE_REMOVED when the kernel side is gone.
  NTSTATUS send();
  /// The answer is there, whatever its status.
  bool answered() const { return m_answered; }
  /// The next `bytes` bytes of the answer's tail; null when it has no more so many.
  const uint8_t *take(size_t bytes);

private:
  Connection *m_connection;
  const CallInfo &m_info;
  uint32_t m_used;  // bytes of the request's, then read of the answer's tail
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
  /// Zeroes where there is no answer.
  const Reply &reply() {
    static constexpr Reply kNone{};
    return answered() ? *static_cast<const Reply *>(body()) : kNone;
  }
};

/// A call without a tail.
template <Call call>
NTSTATUS callKernel(const typename CallOf<call>::Request &request, typename CallOf<call>::Reply *reply = nullptr) {
  KernelCall<call> kernel(request);
  const NTSTATUS status = kernel.send();
  if (reply) *reply = kernel.reply();
  return status;
}

}  // namespace aerogpu::kmt
