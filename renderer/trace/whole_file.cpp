// SPDX-License-Identifier: MIT
#include "renderer/trace/whole_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace aerogpu::trace {

bool WholeFile::fail() {
  m_error = "cannot write '" + m_path + "': " + std::strerror(errno);
  drop();
  return false;
}

bool WholeFile::begin() {
  drop();
  m_file = std::fopen(m_unfinished.c_str(), "wbe");
  return m_file || fail();
}

bool WholeFile::add(std::span<const uint8_t> bytes) {
  return (m_file && std::fwrite(bytes.data(), 1, bytes.size(), m_file) == bytes.size()) || fail();
}

bool WholeFile::end() {
  if (!m_file) return fail();
  if (std::fclose(std::exchange(m_file, nullptr)) == 0 &&
      std::rename(m_unfinished.c_str(), m_path.c_str()) == 0)
    return true;
  const int why = errno;
  std::remove(m_unfinished.c_str());
  errno = why;
  return fail();
}

void WholeFile::drop() {
  if (!m_file) return;
  std::fclose(std::exchange(m_file, nullptr));
  std::remove(m_unfinished.c_str());
}

}  // namespace aerogpu::trace
