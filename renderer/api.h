// SPDX-License-Identifier: MIT
// The object of the C interface (aerogpu/renderer.h): one back end, one executor, the order of completions.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/executor/executor.h"
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

  /// Most submissions that may be unfinished; submit blocks at this bound.
  static constexpr uint64_t kMaxInFlight = 64;

  // The C interface reads these.
  const aerogpu_renderer_callbacks callbacks;
  void* const opaque;
  aerogpu::Log log;
  aerogpu::HostMemory hostMemory;
  aerogpu::HostMemory frameReserve;  ///< beyond hostMemory, for frames alone
  aerogpu::core::Stats stats;
  aerogpu::core::GuestMemory guest;
  std::atomic<bool> interrupted{false}, closing{false}, holdValues{false};
  std::atomic<uint32_t> faults{0};  ///< enum aerogpu_renderer_faults
  std::unique_ptr<aerogpu::core::Backend> backend;
  std::vector<uint8_t> caps;  ///< constant once created
  std::unique_ptr<aerogpu::core::Executor> executor;
  aerogpu::trace::Origin origin;  ///< constant
  std::unique_ptr<aerogpu::trace::Capture> capture;
  std::unique_ptr<aerogpu::trace::Recent> recent;  ///< constant; null: off

private:
  explicit aerogpu_renderer(const aerogpu_renderer_config& config);
  class Finish;
  void waitForRoom();
  /// See core::Sharing.
  static bool othersWait(void* renderer, const aerogpu::core::Owner& owner);
  void finished();

  std::vector<uint32_t> m_alignedStream;  ///< copy of a stream that came unaligned
  aerogpu::Mutex m_mutex;
  aerogpu::CondVar m_roomChanged;
  uint64_t m_inFlight GUARDED_BY(m_mutex) = 0;
};
