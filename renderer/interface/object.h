// SPDX-License-Identifier: MIT
// The object behind the C interface (aerogpu/renderer.h): the renderer in this process (renderer/local/), or
// the one in a process of its own (renderer/remote/). Each function is documented there, with its thread.
#pragma once

#include <span>
#include <string>

#include "aerogpu/renderer.h"
#include "renderer/base/result.h"

namespace aerogpu {

/// Asked during a move whether it goes on.
struct GoesOn {
  bool (*ask)(void* opaque, uint64_t bytes) = nullptr;  ///< null: it does
  void* opaque = nullptr;
  bool operator()(uint64_t bytes) const { return !ask || ask(opaque, bytes); }
};

/// Bytes that a save still has to send.
struct SaveLeft {
  uint64_t rested = 0, written = 0;
};

/// A move asks its embedder after so many bytes whether it goes on, and as often while work ends.
inline constexpr uint64_t kMovePiece = uint64_t{1} << 20, kMoveRestNs = 100'000'000;
inline constexpr const char* kGivenUp = "it was given up";
inline constexpr const char* kIsBusy = "a save or load is under way";

/// Why a save cannot go on.
inline constexpr const char* kNoSave = "no save has begun";

}  // namespace aerogpu

/// Structures that come in here have their whole size, but for a submission; those that go out are filled in
/// whole.
struct aerogpu_renderer {
public:
  aerogpu_renderer() = default;
  virtual ~aerogpu_renderer() = default;
  aerogpu_renderer(const aerogpu_renderer&) = delete;
  aerogpu_renderer& operator=(const aerogpu_renderer&) = delete;

  virtual void logLine(enum aerogpu_log_level level, const std::string& line) const = 0;

  virtual const char* backendName() const = 0;
  virtual const char* deviceName() const = 0;
  virtual const char* driverName() const = 0;
  virtual uint64_t features() const = 0;
  virtual std::span<const uint8_t> caps() const = 0;
  /// Returns what it lacks of a block; empty: nothing.
  virtual std::string missing(std::span<const uint8_t> caps) const = 0;
  /// Without data: its own.
  virtual bool adoptCaps(std::span<const uint8_t> caps, bool partly) = 0;

  virtual void submit(const aerogpu_submission& given) = 0;
  virtual void setScanout(const aerogpu_scanout_config& config) = 0;
  virtual void snapshotScanout(uint64_t cookie) = 0;
  virtual aerogpu_frame* makeFrame(const aerogpu_frame& from) = 0;
  virtual void releaseFrame(aerogpu_frame* frame) = 0;

  virtual void interrupt() = 0;
  virtual void shutdown() = 0;
  virtual uint32_t leftovers() const = 0;
  virtual bool waitIdle(uint64_t timeoutNs) = 0;
  virtual void resume() = 0;
  virtual bool reset() = 0;
  virtual void holdValues(bool hold) = 0;
  virtual bool gpuLost() const = 0;
  virtual void lose() = 0;
  virtual void playFaults(uint32_t faults) = 0;

  virtual void readStats(aerogpu_renderer_stats& out) const = 0;
  /// False: there is no process beside this one.
  virtual bool readProcess(aerogpu_renderer_process&) const { return false; }
  virtual void readSpaceLimits(aerogpu_renderer_space_limits& out) const = 0;
  virtual bool nextSpace(uint32_t from, aerogpu_renderer_space& out) const = 0;

  virtual aerogpu::Outcome save(const aerogpu_bytes_sink& sink) = 0;
  virtual void saveBegin(const aerogpu_bytes_sink& sink) = 0;
  virtual aerogpu::Result<aerogpu::SaveLeft, std::string> saveAhead(uint64_t budgetBytes) = 0;
  virtual aerogpu::Outcome saveEnd() = 0;
  virtual void saveCancel() = 0;
  virtual aerogpu::Outcome loadBytes(std::span<const uint8_t> bytes) = 0;
  /// `scanout`: null, or what it is about.
  virtual aerogpu::Outcome loadFinish(aerogpu_scanout_config* scanout) = 0;
  virtual aerogpu::Outcome move(bool& kept) = 0;
  /// Moves to another GPU of the back end, or, if that fails, makes everything anew on this one.
  virtual aerogpu::Outcome moveTo(const std::string& device, const aerogpu::GoesOn& goesOn, bool& kept) = 0;
  /// `device`: null if none is to be ready.
  virtual aerogpu::Outcome prepare(const char* /*device*/) {
    return std::string("the renderer has no process of its own");
  }
  virtual void setRegions(std::span<const aerogpu_guest_region> regions) = 0;
  virtual aerogpu::Outcome captureStart(const char* path) = 0;
  virtual aerogpu::Outcome captureStop() = 0;
};
