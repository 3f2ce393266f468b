// SPDX-License-Identifier: MIT
// The renderer in a process of its own, behind the C interface: a session (session.h), and a new one after a
// reset when that has ended.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/core/made_frames.h"
#include "renderer/interface/object.h"
#include "renderer/remote/long_capture.h"
#include "renderer/remote/long_save.h"
#include "renderer/remote/successor.h"

namespace aerogpu {

namespace snapshot {
class Spool;
}

class RemoteRenderer final : public aerogpu_renderer {
public:
  /// `config` and its callbacks have their whole size. Null and a message on failure.
  static std::unique_ptr<RemoteRenderer> create(const aerogpu_renderer_config& config, std::string& error);
  ~RemoteRenderer() override;

  void logLine(enum aerogpu_log_level level, const std::string& line) const override;
  const char* backendName() const override { return life().backendName.c_str(); }
  const char* deviceName() const override { return life().deviceName.c_str(); }
  const char* driverName() const override { return life().driverName.c_str(); }
  uint64_t features() const override { return life().features; }
  std::span<const uint8_t> caps() const override { return life().caps; }
  std::string missing(std::span<const uint8_t> caps) const override;
  bool adoptCaps(std::span<const uint8_t> caps, bool partly) override;

  void submit(const aerogpu_submission& given) override;
  void setScanout(const aerogpu_scanout_config& config) override;
  void snapshotScanout(uint64_t cookie) override;
  aerogpu_frame* makeFrame(const aerogpu_frame& from) override { return m_madeFrames.make(from); }
  void releaseFrame(aerogpu_frame* frame) override;

  void interrupt() override;
  void shutdown() override;
  uint32_t leftovers() const override;
  bool waitIdle(uint64_t timeoutNs) override;
  void resume() override;
  bool reset() override;
  void holdValues(bool hold) override;
  bool gpuLost() const override;
  void lose() override;
  void playFaults(uint32_t faults) override;

  void readStats(aerogpu_renderer_stats& out) const override;
  bool readProcess(aerogpu_renderer_process& out) const override;
  void readSpaceLimits(aerogpu_renderer_space_limits& out) const override { out = life().limits; }
  bool nextSpace(uint32_t from, aerogpu_renderer_space& out) const override;

  Outcome save(const aerogpu_bytes_sink& sink) override;
  void saveBegin(const aerogpu_bytes_sink& sink) override;
  Result<SaveLeft, std::string> saveAhead(uint64_t budgetBytes) override;
  Outcome saveEnd() override;
  void saveCancel() override;
  Outcome loadBytes(std::span<const uint8_t> bytes) override;
  Outcome loadFinish(aerogpu_scanout_config* scanout) override;
  Outcome move(bool& kept) override;
  Outcome moveTo(const std::string& device, const GoesOn& goesOn, bool& kept) override;
  Outcome prepare(const char* device) override;
  void setRegions(std::span<const aerogpu_guest_region> regions) override;
  Outcome captureStart(const char* path) override;
  Outcome captureStop() override;

  /// Descriptions of GPUs that are kept, since references to them stay valid. One that is different each time
  /// is no GPU.
  static constexpr size_t kMostLives = 64;
  /// The time within which deaths count; tests shorten it.
  static inline std::atomic<uint64_t> deathsNs{60'000'000'000};
  /// The process that there is now; 0: none. Any thread.
  uint32_t processId() const;

private:
  RemoteRenderer(const aerogpu_renderer_config& config, std::string program);
  /// Starts a process with a renderer. Null and a message on failure.
  std::shared_ptr<remote::Session> begin(const remote::Packer& config, remote::Created& made,
                                         std::string& error);
  /// Takes it in place of the one before, which is ended.
  void use(const std::shared_ptr<remote::Session>& begun, remote::Created made);
  bool start(std::string& error);
  /// What the guest was told of the GPU, and whether GPUs that lack something of it are taken too.
  std::pair<std::vector<uint8_t>, bool> promise() const EXCLUDES(m_mutex);
  /// Tells a new process what the embedder has set.
  Outcome tellAll(remote::Session& to);
  /// Waits for all work, and saves it; or says that the GPU is lost, and nothing is left to move.
  Outcome takeAll(snapshot::Spool& saved, bool& lost, const GoesOn& goesOn);
  /// Makes everything anew in a new process.
  Outcome fill(remote::Session& begun, const snapshot::Spool& saved, const GoesOn& goesOn);
  /// Counts the death of the process, once. False if it has died too often lately.
  bool mayStart();
  void tellRegions(remote::Session& to);
  /// The session that there is now; it stays while anyone holds it.
  std::shared_ptr<remote::Session> session() const EXCLUDES(m_mutex);
  /// What is known of the renderer since it was created or moved. References stay valid.
  const remote::Created& life() const EXCLUDES(m_mutex);
  uint64_t urgent(remote::Urgent kind, uint64_t value, uint64_t otherwise,
                  std::vector<uint8_t>* answer = nullptr) const;
  /// A call that has only an outcome.
  Outcome callFor(remote::Call call, std::initializer_list<std::span<const uint8_t>> parts,
                  const remote::Meanwhile& meanwhile = {});
  /// One that waits for all work, whose callbacks have returned afterwards.
  Outcome callAtRest(remote::Call call, const remote::Meanwhile& meanwhile = {});

  const aerogpu_renderer_callbacks m_callbacks;
  void* const m_opaque;
  const std::string m_program;
  const uint32_t m_mostDeaths;  ///< in a minute; 0: no limit
  mutable Log m_log;
  HostMemory m_hostMemory, m_frameReserve;  ///< for frames of the embedder's
  core::MadeFrames m_madeFrames;
  const uint64_t m_frameBytes;
  remote::FailurePlace m_failures;
  remote::Packer m_config;                      ///< for the next process
  aerogpu_scanout_config m_scanout{};           ///< as set last; without a size: never
  std::vector<remote::RegionRecord> m_regions;  ///< that a process may map
  std::vector<remote::Descriptor> m_files;
  remote::LongSave m_save;
  remote::LongCapture m_capture;
  bool m_loads = false;

  std::deque<uint64_t> m_lateDeaths;  ///< times of nowNs() within the last minute

  mutable Mutex m_mutex;
  std::shared_ptr<remote::Session> m_session GUARDED_BY(m_mutex);
  std::deque<remote::Created> m_lives GUARDED_BY(m_mutex);      ///< those that differ
  const remote::Created* m_life GUARDED_BY(m_mutex) = nullptr;  ///< the one that there is now
  bool m_holdsValues GUARDED_BY(m_mutex) = false;
  uint32_t m_faults GUARDED_BY(m_mutex) = 0;
  std::vector<uint8_t> m_promised GUARDED_BY(m_mutex);  ///< what the guest was told
  bool m_takesPart GUARDED_BY(m_mutex) = false;         ///< GPUs that lack something of it are taken too
  /// Of sessions before this one, and of this one once it was counted.
  uint32_t m_deaths GUARDED_BY(m_mutex) = 0;
  std::string m_lastDeath GUARDED_BY(m_mutex);
  bool m_isCounted GUARDED_BY(m_mutex) = false;
  remote::Successor m_next{m_log};  ///< the last member: its thread uses the others
};

}  // namespace aerogpu
