// SPDX-License-Identifier: MIT
// The newest submissions, kept in memory and written to a trace file after a failure. Commands and allocation
// tables only: guest memory is not copied, and objects may be older than the oldest kept submission, so such
// a trace is read (aerogpu-replay --dump) more than played.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"
#include "renderer/core/execution_report.h"
#include "renderer/trace/writer.h"

namespace aerogpu::trace {

/// Thread-safe; add() and deviceReset() come from the render thread, failed() from any.
class Recent {
public:
  using Clock = std::chrono::steady_clock;
  /// A guest decides how often failures happen, and must not keep the host's disk busy.
  static constexpr std::chrono::seconds kBetweenFiles{60};
  static constexpr uint64_t kDefaultBytes = uint64_t{16} << 20;

  /// `path`: the file, written anew for each failure. `mostBytes`: memory limit, an entry's overhead
  /// included.
  Recent(std::string path, uint64_t mostBytes, Origin origin)
      : m_path(std::move(path)), m_mostBytes(mostBytes), m_origin(std::move(origin)) {}

  /// Keeps a submission, in place of the oldest if need be. Call after its execution, before its completion.
  void add(const aerogpu_submission& submission, const core::ExecutionReport& report, uint32_t scanoutAlloc);
  void deviceReset();
  /// Another place for the file, which may belong to another process.
  class Place {
  public:
    virtual ~Place() = default;
    /// Take the file's bytes in their order; false: no more of them.
    virtual bool begin() = 0;
    virtual bool add(std::span<const uint8_t> bytes) = 0;
    /// The file is whole, with so many submissions, or there is none. Tells people of it.
    virtual void end(bool whole, uint32_t count, const std::string& why) = 0;
  };
  /// Writes there from now on, in place of the path. Before the first submission; it outlives this object.
  void writeTo(Place& place) { m_place = &place; }
  /// Returns the line for people about a file with so many submissions.
  static std::string lineOf(size_t count, const std::string& path, const std::string& why);

  /// Writes the kept submissions and forgets them. Returns a line for the log, empty if the last file is too
  /// young.
  std::string failed(const std::string& why, Clock::time_point now = Clock::now());
  /// Returns the bytes that are kept now.
  uint64_t keptBytes() const;

private:
  struct Entry {
    SubmissionRecord record{};
    SpaceRecord space{};
    bool isReset = false, inSpace = false, presents = false;
    uint32_t commandBytes = 0;
    std::vector<uint8_t> bytes;  ///< the commands, then the table
    uint64_t cost() const { return sizeof(Entry) + bytes.capacity(); }
  };

  void push(Entry entry) REQUIRES(m_mutex);
  bool write(const std::deque<Entry>& entries, const std::string& why, TraceFileWriter::Sink sink,
             void* opaque) const;

  const std::string m_path;
  const uint64_t m_mostBytes;
  const Origin m_origin;
  Place* m_place = nullptr;  ///< constant once submissions come; null: the path
  mutable Mutex m_mutex;
  std::deque<Entry> m_entries GUARDED_BY(m_mutex);
  uint64_t m_bytes GUARDED_BY(m_mutex) = 0;
  bool m_written GUARDED_BY(m_mutex) = false;
  Clock::time_point m_writtenAt GUARDED_BY(m_mutex){};
};

}  // namespace aerogpu::trace
