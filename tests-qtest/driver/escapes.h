// SPDX-License-Identifier: MIT
// DxgkDdiEscape as a process calls it through D3DKMTEscape (protocol/include/aerogpu/aerogpu_escape.h).
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_escape.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

/// The requirements of an operation, and the callers that may use it.
struct EscapeOperation {
  uint32_t op;
  UINT bytes;
  bool privileged;
  bool always = false;  ///< also with escapes=off (ESC-8)
};
std::span<const EscapeOperation> escapeOperations();

class Escapes {
public:
  Escapes(Adapter& adapter, Client& client) : m_adapter(adapter), m_client(client) {}

  /// Sends these bytes as they are; the driver's answer replaces them.
  NTSTATUS raw(void* data, UINT bytes);
  /// Sends the operation with `blob`, whose header is filled in.
  template <class Blob>
  NTSTATUS ask(uint32_t op, Blob& blob) {
    const aerogpu_escape_header header{AEROGPU_ESCAPE_VERSION, op, sizeof blob, 0};
    std::memcpy(&blob, &header, sizeof header);  // every blob begins with its header
    return raw(&blob, sizeof blob);
  }
  /// Sends the operation, which must succeed.
  template <class Blob>
  Blob answer(uint32_t op, Blob blob = {}) {
    const NTSTATUS status = ask(op, blob);
    expect(ntSuccess(status), "escape %u is answered (0x%08x)", op, status);
    return blob;
  }

private:
  Adapter& m_adapter;
  Client& m_client;
};

/// The registers whose effect every process sees: scanout, cursor, interrupt mask, ring.
class SharedRegisters {
public:
  explicit SharedRegisters(Adapter& adapter);
  void expectSame(const char* when) const;

private:
  std::vector<uint32_t> look() const;
  Adapter& m_adapter;
  std::vector<uint32_t> m_values;
};

/// Submits a stream with two errors, which the device reports with the code CMD_DECODE; returns its fence.
uint64_t submitErrors(Adapter& adapter, Context& context);

}  // namespace aerogpu::host
