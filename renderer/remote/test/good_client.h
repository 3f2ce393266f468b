// SPDX-License-Identifier: MIT
// An embedder that makes each kind of call to a renderer whose process may do what it likes, and sees to it
// that each ends within its limit, and each submission once and in its turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/remote/remote.h"
#include "renderer/remote/test/hostile.h"

namespace aerogpu::remote::test {

class GoodClient {
public:
  /// `memory`: a sealed file of kGuestBytes. `isQuick`: whether limits are looked at, which come at once.
  GoodClient(Dice& dice, const SharedMemory& memory, bool isQuick);
  ~GoodClient();
  GoodClient(const GoodClient&) = delete;
  GoodClient& operator=(const GoodClient&) = delete;

  /// Makes the renderer. `program`: as aerogpu_renderer_config::process; `name` is the VM's.
  bool create(const char* program, const std::string& name);
  bool isThere() const { return m_renderer != nullptr; }
  /// One call, and what it must have done; a reset if the GPU is lost.
  void round();
  uint64_t lost() const { return m_lost.load(); }
  uint64_t frames() const { return m_frames.load(); }
  uint64_t resets() const { return m_resets; }

  // As threads beside the render thread do.
  void urgentRound(Dice& dice);

private:
  static int onMap(void* opaque, uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping* out);
  static void onUnmap(void* opaque, const aerogpu_guest_mapping* mapping, uint64_t written);
  static void onDone(void* opaque, const aerogpu_submission_result* result);
  static void onLog(void* opaque, enum aerogpu_log_level level, const char* line);
  static size_t onWaitingSpaces(void* opaque, uint32_t* spaces, size_t room);
  /// Waits for all, and looks at what was finished.
  void finish();
  void submit();
  void snapshot();
  void save();
  void load();
  void setRegions();
  void reset();
  void releaseFrames(size_t keep);
  aerogpu_bytes_sink sink();
  /// Calls, and compares the time that it took.
  void within(const char* what, uint64_t seconds, const std::function<void()>& call);

  Dice& m_dice;
  const SharedMemory& m_memory;
  const bool m_isQuick;
  aerogpu_renderer* m_renderer = nullptr;
  uint64_t m_cookie = 0;
  uint64_t m_sinkTakes = UINT64_MAX;
  uint64_t m_resets = 0;
  std::atomic<int> m_mapped{0};
  std::atomic<uint64_t> m_lost{0}, m_frames{0};
  Mutex m_mutex;
  std::deque<uint64_t> m_expected GUARDED_BY(m_mutex);
  std::deque<aerogpu_frame*> m_shown GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::remote::test
