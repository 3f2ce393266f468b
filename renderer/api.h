// SPDX-License-Identifier: MIT
// The object of the C interface (aerogpu/renderer.h): one back end, one executor, the order of completions.
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
#include "renderer/snapshot/load.h"
#include "renderer/snapshot/saving.h"
#include "renderer/snapshot/spool.h"
#include "renderer/trace/capture.h"
#include "renderer/trace/recent.h"

/// The render thread owns everything except what is atomic or guarded.
struct aerogpu_renderer {
public:
  static std::unique_ptr<aerogpu_renderer> create(const aerogpu_renderer_config& config, std::string& error);
  ~aerogpu_renderer();

  void submit(const aerogpu_submission& submission);
  void snapshotScanout(uint64_t cookie);
  bool reset();
  void interrupt();
  void resume();
  void shutdown();
  /// Writes a snapshot of what is held; waits for all work first.
  aerogpu::Result<void> save(aerogpu::trace::Writer& file, const aerogpu::snapshot::Ahead* ahead = nullptr);
  /// Drops everything, as a reset does that waits for all work.
  void dropAll();
  aerogpu::snapshot::Outcome loadBytes(std::span<const uint8_t> bytes);
  aerogpu::snapshot::Outcome loadFinish(aerogpu_scanout_config* scanout);
  /// Asked during a move whether it goes on.
  struct GoesOn {
    bool (*ask)(void* opaque, uint64_t bytes);  ///< null: it does
    void* opaque;
    bool operator()(uint64_t bytes) const { return !ask || ask(opaque, bytes); }
  };
  aerogpu::snapshot::Outcome move(bool& kept);
  /// Moves to another GPU of the back end, or, if that fails, makes everything anew on this one.
  aerogpu::snapshot::Outcome moveTo(const std::string& device, const GoesOn& goesOn, bool& kept);
  /// Returns the capability block of the GPU in use. Any thread.
  std::vector<uint8_t> capsHere() const;

  /// Most submissions that may be unfinished; submit blocks at this bound.
  static constexpr uint64_t kMaxInFlight = 64;

  // The C interface reads these.
  const aerogpu_renderer_callbacks callbacks;
  void* const opaque;
  aerogpu::Log log;
  aerogpu::HostMemory hostMemory;
  aerogpu::HostMemory frameReserve;  ///< beyond hostMemory, for frames alone
  aerogpu::core::MadeFrames madeFrames;
  aerogpu::core::Stats stats;
  aerogpu::core::GuestMemory guest;
  std::atomic<bool> interrupted{false}, closing{false}, holdValues{false};
  std::atomic<uint32_t> faults{0};  ///< enum aerogpu_renderer_faults
  std::unique_ptr<aerogpu::core::Backend> backend;
  std::unique_ptr<aerogpu::core::Announced> announced;
  std::string capsSet = "host";          ///< that is announced where nothing else was promised; constant
  std::vector<uint8_t> promised;         ///< what the guest was told
  bool goesWhereSomethingLacks = false;  ///< GPUs that lack something of it are taken too
  std::unique_ptr<aerogpu::core::Executor> executor;
  aerogpu::trace::Origin origin;  ///< constant
  std::unique_ptr<aerogpu::trace::Capture> capture;
  std::unique_ptr<aerogpu::trace::Recent> recent;     ///< constant; null: off
  std::unique_ptr<aerogpu::snapshot::Saving> saving;  ///< while the guest goes on
  std::unique_ptr<aerogpu::snapshot::Loader> loader;  ///< of a snapshot whose bytes come

private:
  explicit aerogpu_renderer(const aerogpu_renderer_config& config);
  class Finish;
  void waitForRoom();
  /// See core::Sharing.
  static bool othersWait(void* renderer, const aerogpu::core::Owner& owner);
  void finished();
  std::vector<uint8_t> describeGpu() const;
  void setCaps(std::vector<uint8_t> caps);
  aerogpu::snapshot::Outcome rest(const GoesOn& goesOn) const;
  aerogpu::snapshot::Outcome saveTo(aerogpu::snapshot::Spool& saved, const GoesOn& goesOn, bool toAnotherGpu);
  aerogpu::snapshot::Outcome loadFrom(const aerogpu::snapshot::Spool& saved, const GoesOn& goesOn);
  aerogpu::snapshot::Outcome loadOnce(const aerogpu::snapshot::Spool& saved, const GoesOn& goesOn);
  aerogpu::snapshot::Outcome openFitting(const std::string& device);
  void useOther();

  std::string m_loadError;                ///< why the load has failed; empty: it has not
  std::vector<uint32_t> m_alignedStream;  ///< copy of a stream that came unaligned
  aerogpu::Mutex m_mutex;
  aerogpu::CondVar m_roomChanged;
  uint64_t m_inFlight GUARDED_BY(m_mutex) = 0;
  mutable aerogpu::Mutex m_capsMutex;
  std::vector<uint8_t> m_caps GUARDED_BY(m_capsMutex);  ///< of the GPU in use
  friend const void* aerogpu_renderer_caps(const aerogpu_renderer* renderer, size_t* size);
};
