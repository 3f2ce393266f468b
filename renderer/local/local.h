// SPDX-License-Identifier: MIT
// The renderer in this process: one back end, one executor, the order of completions.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"
#include "renderer/core/announced.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/executor/executor.h"
#include "renderer/core/made_frames.h"
#include "renderer/interface/object.h"
#include "renderer/snapshot/load.h"
#include "renderer/snapshot/saving.h"
#include "renderer/snapshot/spool.h"
#include "renderer/trace/capture.h"
#include "renderer/trace/recent.h"

namespace aerogpu {

/// The render thread owns everything except what is atomic or guarded.
class LocalRenderer final : public aerogpu_renderer {
public:
  /// `config` and its callbacks have their whole size. Null and a message on failure.
  static std::unique_ptr<LocalRenderer> create(const aerogpu_renderer_config& config, std::string& error);
  ~LocalRenderer() override;

  void logLine(enum aerogpu_log_level level, const std::string& line) const override;
  const char* backendName() const override { return backend->name(); }
  const char* deviceName() const override { return backend->deviceName(); }
  const char* driverName() const override { return backend->driverName(); }
  uint64_t features() const override { return executor->features(); }
  std::span<const uint8_t> caps() const override;
  std::string missing(std::span<const uint8_t> caps) const override;
  bool adoptCaps(std::span<const uint8_t> caps, bool partly) override;

  void submit(const aerogpu_submission& given) override;
  void setScanout(const aerogpu_scanout_config& config) override { executor->setScanout(config); }
  void snapshotScanout(uint64_t cookie) override;
  aerogpu_frame* makeFrame(const aerogpu_frame& from) override { return madeFrames.make(from); }
  void releaseFrame(aerogpu_frame* frame) override;

  void interrupt() override;
  void shutdown() override;
  uint32_t leftovers() const override;
  bool waitIdle(uint64_t timeoutNs) override { return backend->waitIdle(timeoutNs); }
  void resume() override;
  bool reset() override;
  void holdValues(bool hold) override;
  bool gpuLost() const override { return backend->lost(); }
  void lose() override { backend->lose(); }
  void playFaults(uint32_t asked) override;

  void readStats(aerogpu_renderer_stats& out) const override;
  void readSpaceLimits(aerogpu_renderer_space_limits& out) const override;
  bool nextSpace(uint32_t from, aerogpu_renderer_space& out) const override;

  Outcome save(const aerogpu_bytes_sink& sink) override;
  void saveBegin(const aerogpu_bytes_sink& sink) override;
  Result<SaveLeft, std::string> saveAhead(uint64_t budgetBytes) override;
  Outcome saveEnd() override;
  void saveCancel() override { saving.reset(); }
  Outcome loadBytes(std::span<const uint8_t> bytes) override;
  Outcome loadFinish(aerogpu_scanout_config* scanout) override;
  /// True from the beginning of a snapshot to the end of its load: no call may come between.
  bool loads() const { return loader && loader->begun(); }
  Outcome move(bool& kept) override;
  Outcome moveTo(const std::string& device, const GoesOn& goesOn, bool& kept) override;
  void setRegions(std::span<const aerogpu_guest_region>) override {}  // it maps through the callbacks
  Outcome captureStart(const char* path) override;
  Outcome captureStop() override;
  /// Captures to a file that the caller has opened. Render thread.
  Outcome captureInto(std::unique_ptr<trace::Writer> writer);

  /// Writes a snapshot of what is held; waits for all work first.
  Result<void> saveInto(trace::Writer& file, const snapshot::Ahead* ahead = nullptr);
  /// Drops everything, as a reset does that waits for all work.
  void dropAll();

  /// Most submissions that may be unfinished; submit blocks at this bound.
  static constexpr uint64_t kMaxInFlight = 64;

  const aerogpu_renderer_callbacks callbacks;
  void* const opaque;
  mutable Log log;
  HostMemory hostMemory;
  HostMemory frameReserve;  ///< beyond hostMemory, for frames alone
  core::MadeFrames madeFrames;
  core::Stats stats;
  core::GuestMemory guest;
  std::atomic<bool> interrupted{false}, closing{false}, valuesHeld{false};
  std::atomic<uint32_t> faults{0};  ///< enum aerogpu_renderer_faults
  std::unique_ptr<core::Backend> backend;
  std::unique_ptr<core::Announced> announced;
  std::string capsSet = "host";          ///< that is announced where nothing else was promised; constant
  std::vector<uint8_t> promised;         ///< what the guest was told
  bool goesWhereSomethingLacks = false;  ///< GPUs that lack something of it are taken too
  std::unique_ptr<core::Executor> executor;
  trace::Origin origin;  ///< constant
  std::unique_ptr<trace::Capture> capture;
  std::unique_ptr<trace::Recent> recent;     ///< constant; null: off
  std::unique_ptr<snapshot::Saving> saving;  ///< while the guest goes on
  std::unique_ptr<snapshot::Loader> loader;  ///< of a snapshot whose bytes come

private:
  explicit LocalRenderer(const aerogpu_renderer_config& config);
  class Finish;
  void waitForRoom();
  /// See core::Sharing.
  static bool othersWait(void* renderer, const core::Owner& owner);
  void finished();
  std::vector<uint8_t> describeGpu() const;
  /// Returns the capability block of the GPU in use. Any thread.
  std::vector<uint8_t> capsHere() const;
  void setCaps(std::vector<uint8_t> caps);
  void endInterruption();
  Outcome rest(const GoesOn& goesOn) const;
  Outcome saveTo(snapshot::Spool& saved, const GoesOn& goesOn, bool toAnotherGpu);
  Outcome loadFrom(const snapshot::Spool& saved, const GoesOn& goesOn);
  Outcome loadOnce(const snapshot::Spool& saved, const GoesOn& goesOn);
  Outcome openFitting(const std::string& device);
  void useOther();

  std::string m_loadError;                ///< why the load has failed; empty: it has not
  std::vector<uint32_t> m_alignedStream;  ///< copy of a stream that came unaligned
  Mutex m_mutex;
  CondVar m_roomChanged;
  uint64_t m_inFlight GUARDED_BY(m_mutex) = 0;
  mutable Mutex m_capsMutex;
  std::vector<uint8_t> m_caps GUARDED_BY(m_capsMutex);  ///< of the GPU in use
};

}  // namespace aerogpu
