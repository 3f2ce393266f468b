// SPDX-License-Identifier: MIT
// A file that readers find whole: the one before, or the new one. One thread at a time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace aerogpu::trace {

class WholeFile {
public:
  explicit WholeFile(std::string path) : m_path(std::move(path)), m_unfinished(m_path + ".part") {}
  ~WholeFile() { drop(); }
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Begins a new file beside the old one, and drops one that was begun. False: see error().
  bool begin();
  /// Appends; begin() has succeeded. False: see error().
  bool add(std::span<const uint8_t> bytes);
  /// Puts the new file in the old one's place. False: that is still there, see error().
  bool end();
  /// Removes a file that was begun.
  void drop();
  /// Why the last call failed, for people.
  const std::string& error() const { return m_error; }
  const std::string& path() const { return m_path; }

private:
  bool fail();

  const std::string m_path, m_unfinished;
  std::FILE* m_file = nullptr;
  std::string m_error;
};

}  // namespace aerogpu::trace
