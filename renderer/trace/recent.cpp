// SPDX-License-Identifier: MIT
#include "renderer/trace/recent.h"

#include <memory>
#include <utility>

#include "aerogpu/aerogpu_pci.h"
#include "renderer/trace/whole_file.h"

namespace aerogpu::trace {

void Recent::push(Entry entry) {
  m_bytes += entry.cost();
  m_entries.push_back(std::move(entry));
  while (m_bytes > m_mostBytes) {
    m_bytes -= m_entries.front().cost();
    m_entries.pop_front();
  }
}

void Recent::add(const aerogpu_submission& submission, const core::ExecutionReport& report,
                 uint32_t scanoutAlloc) {
  if (submission.descriptor_error != AEROGPU_ERROR_NONE) return;  // nothing to show
  Entry entry;
  entry.record.version = AEROGPU_TRACE_SUBMISSION_VERSION;
  entry.record.fixed_size = sizeof entry.record;
  entry.record.flags = submission.flags;
  entry.record.context_id = submission.context_id;
  entry.record.engine_id = submission.engine_id;
  entry.record.signal_fence = submission.signal_fence;
  entry.inSpace = submission.in_space != 0;
  entry.space = {submission.space, submission.space_flags, scanoutAlloc, 0};
  entry.presents = report.presents != 0;
  const size_t size = submission.cmd_size + submission.alloc_table_size;
  if (submission.cmd_size <= UINT32_MAX && size < m_mostBytes) {  // else only its existence is noted
    entry.commandBytes = static_cast<uint32_t>(submission.cmd_size);
    entry.bytes.reserve(size);
    const auto* commands = static_cast<const uint8_t*>(submission.cmd);
    const auto* table = static_cast<const uint8_t*>(submission.alloc_table);
    entry.bytes.insert(entry.bytes.end(), commands, commands + submission.cmd_size);
    entry.bytes.insert(entry.bytes.end(), table, table + submission.alloc_table_size);
  }
  Lock lock(m_mutex);
  push(std::move(entry));
}

void Recent::deviceReset() {
  Lock lock(m_mutex);
  if (m_entries.empty() || m_entries.back().isReset) return;
  Entry entry;
  entry.isReset = true;
  push(std::move(entry));
}

uint64_t Recent::keptBytes() const {
  Lock lock(m_mutex);
  return m_bytes;
}

std::string Recent::failed(const std::string& why, Clock::time_point now) {
  std::deque<Entry> entries;
  {
    Lock lock(m_mutex);
    if (m_entries.empty() || (m_written && now - m_writtenAt < kBetweenFiles)) return "";
    m_written = true;
    m_writtenAt = now;
    entries.swap(m_entries);
    m_bytes = 0;
  }
  if (m_place) {
    const auto add = [](void* place, const void* bytes, size_t size) {
      return static_cast<Place*>(place)->add({static_cast<const uint8_t*>(bytes), size});
    };
    m_place->end(m_place->begin() && write(entries, why, add, m_place), static_cast<uint32_t>(entries.size()),
                 why);
    return "";
  }
  WholeFile file(m_path);
  const auto add = [](void* whole, const void* bytes, size_t size) {
    return static_cast<WholeFile*>(whole)->add({static_cast<const uint8_t*>(bytes), size});
  };
  if (!file.begin() || !write(entries, why, add, &file) || !file.end())
    return "the newest submissions could not be written: " + file.error();
  return lineOf(entries.size(), m_path, why);
}

std::string Recent::lineOf(size_t count, const std::string& path, const std::string& why) {
  return "the newest " + std::to_string(count) + " submissions are in '" + path + "': " + why;
}

bool Recent::write(const std::deque<Entry>& entries, const std::string& why, TraceFileWriter::Sink sink,
                   void* opaque) const {
  Origin origin = m_origin;
  origin.failure = why;
  const auto writer = Writer::create(sink, opaque, origin);
  for (const Entry& entry : entries) {
    if (entry.isReset) {
      writer->deviceReset();
      continue;
    }
    if (!writer->inFrame()) writer->beginFrame();
    const std::span<const uint8_t> bytes(entry.bytes);
    SubmissionRecord record = entry.record;
    if (entry.commandBytes != 0)
      record.command_blob = writer->blob(BlobKind::CommandStream, bytes.first(entry.commandBytes));
    if (bytes.size() > entry.commandBytes)
      record.alloc_table_blob = writer->blob(BlobKind::AllocTable, bytes.subspan(entry.commandBytes));
    if (entry.inSpace) writer->space(entry.space);
    writer->submission(record, {});
    if (entry.presents) writer->present();
  }
  std::string ignored;  // the place knows why
  return writer->finish(ignored);
}

}  // namespace aerogpu::trace
