// SPDX-License-Identifier: MIT
// Messages of programs (testbed/kmt/wire.h) as they come in and go out. No byte of a request is trusted:
// lengths are compared before anything is read.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "testbed/kmt/wire.h"

namespace aerogpu::host {

/// Splits a socket's data into requests. A program waits for each answer, so there is one at a time.
class RequestFramer {
public:
  RequestFramer() : m_bytes(kmt::kMaxMessageBytes) {}

  /// Returns where the next bytes go, never empty unless next() has a result.
  std::span<uint8_t> room() { return {m_bytes.data() + m_have, m_bytes.size() - m_have}; }
  void added(size_t bytes) { m_have += bytes; }

  enum class State { Incomplete, Request, Fault };
  /// After Request, header() and rest() return it, until done().
  State next();
  const kmt::RequestHeader& header() const { return m_header; }
  std::span<const uint8_t> rest() const {
    return {m_bytes.data() + kmt::kHeaderBytes, m_header.length - kmt::kHeaderBytes};
  }
  /// After Fault, returns its description.
  const char* fault() const { return m_fault; }
  void done() { m_have = 0; }

private:
  std::vector<uint8_t> m_bytes;
  size_t m_have = 0;
  kmt::RequestHeader m_header{};
  const char* m_fault = nullptr;
};

/// The tail of a request, read piece by piece. After one piece too many, all are empty and ok() is false.
class TailReader {
public:
  explicit TailReader(std::span<const uint8_t> bytes) : m_left(bytes) {}

  std::span<const uint8_t> take(uint64_t bytes) {
    if (bytes > m_left.size()) m_ok = false;
    if (!m_ok) return {};
    const auto piece = m_left.first(static_cast<size_t>(bytes));
    m_left = m_left.subspan(static_cast<size_t>(bytes));
    return piece;
  }
  /// Copies, since tails are not aligned for their elements.
  template <class Element>
  std::vector<Element> array(uint64_t count) {
    if (count > m_left.size() / sizeof(Element)) m_ok = false;
    const auto bytes = take(m_ok ? count * sizeof(Element) : 0);
    std::vector<Element> elements(bytes.size() / sizeof(Element));
    if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
    return elements;
  }
  std::vector<uint8_t> bytes(uint64_t count) {
    const auto piece = take(count);
    return {piece.begin(), piece.end()};
  }
  bool ok() const { return m_ok; }
  /// True if everything was there, and nothing is left.
  bool finished() const { return m_ok && m_left.empty(); }

private:
  std::span<const uint8_t> m_left;
  bool m_ok = true;
};

/// The tail of an answer.
class TailWriter {
public:
  explicit TailWriter(std::vector<uint8_t>& out) : m_out(out) {}
  void append(std::span<const uint8_t> bytes) { m_out.insert(m_out.end(), bytes.begin(), bytes.end()); }
  template <class Element>
  void append(const Element& element) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&element);
    m_out.insert(m_out.end(), bytes, bytes + sizeof element);
  }

private:
  std::vector<uint8_t>& m_out;
};

}  // namespace aerogpu::host
