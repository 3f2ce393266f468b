// SPDX-License-Identifier: MIT
// Drives a renderer through its C interface for tests, benchmarks and fuzzers: guest memory, submissions with
// allocation tables, results, frames, texture read-back. One thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_packets.hpp"
#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"
#include "renderer/remote/shared_memory.h"

namespace aerogpu {
class LocalRenderer;
}  // namespace aerogpu

namespace aerogpu::test {

/// A range of guest memory with an allocation id.
struct Allocation {
  uint32_t id = 0;
  uint32_t flags = 0;  ///< enum aerogpu_alloc_flags
  uint64_t gpa = 0, size = 0;
};

/// A finished frame, copied.
struct Frame {
  uint32_t width = 0, height = 0, strideBytes = 0, format = 0;
  std::vector<uint8_t> pixels;
  uint64_t sequence = 0, damageSince = 0;
  std::vector<std::array<uint32_t, 4>> damage{};  ///< left, top, right, bottom
};

/// A finished submission or snapshot.
struct FinishedSubmission {
  aerogpu_submission_result result{};  ///< `frame` is null here; see Harness::frames()
  bool hasFrame = false;
};

class Harness {
public:
  struct Options {
    const char* backend = "null";
    const char* vulkanDevice = "";  ///< index, or part of a name
    uint32_t flags = 0;             ///< enum aerogpu_renderer_flags
    uint64_t maxHostmem = uint64_t{1} << 30;
    uint64_t maxSpaceHostmem = 0;             ///< 0: half of maxHostmem
    uint64_t guestBytes = uint64_t{8} << 20;  ///< guest RAM from address 0
    const char* cacheDir = "";                ///< null: the VM's folder
    const char* vmName = nullptr;
    const char* vmUuid = nullptr;
    const char* recentTrace = nullptr;  ///< file; null: off
    uint64_t recentBytes = 0;
    uint32_t maxBatchMs = 0;  ///< 0: the renderer's default
    uint32_t processDeaths = 0;
    const char* caps = "";  ///< what is announced; empty: all
    bool moves = true;      ///< false: AEROGPU_TEST_MOVE leaves it alone; say why
  };
  /// Creates the renderer. Tests that need it check ok().
  explicit Harness(const Options& options);
  Harness() : Harness(Options{}) {}
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  bool ok() const { return m_renderer != nullptr; }
  const std::string& createError() const { return m_createError; }
  aerogpu_renderer* renderer() { return m_renderer; }
  /// True if it runs in a process of its own: AEROGPU_TEST_PROCESS is "asked", and it asks for guest memory,
  /// or "shared", and it maps it.
  static bool isRemote() { return std::getenv("AEROGPU_TEST_PROCESS") != nullptr; }
  /// Returns its parts, for a test that looks inside, so that it must not be remote.
  LocalRenderer& local();

  /// Called, if set, before the renderer reads or writes guest memory; from its threads.
  std::function<void(uint64_t gpa, bool write)> onGuestAccess;

  /// Called, if set, when the renderer asks for the spaces of submissions that it was not given yet; from its
  /// own thread.
  std::function<std::vector<uint32_t>()> waitingSpaces;

  /// Called, if set, with each log line at level guest of any harness; from their renderers' threads.
  static inline void (*onGuestLine)(const char* line) = nullptr;

  /// Most bytes of one mapping, as if memory regions ended there; a power of two.
  std::atomic<uint64_t> mappingLimit{uint64_t{1} << 40};
  /// Returns the number of mappings that were not ended yet.
  int mappingsHeld() const { return m_mappings.load(); }

  /// Returns guest RAM; address 0 is the first byte.
  std::span<uint8_t> memory() { return {m_bytes, m_memoryBytes}; }
  /// Takes guest memory (page-aligned, zeroed) and gives it an allocation id that the next submissions list.
  Allocation allocate(uint64_t size, uint32_t flags = 0);
  /// Gives a range an allocation id wherever it lies, even without memory there.
  Allocation name(uint64_t gpa, uint64_t size, uint32_t flags = 0);
  std::span<uint8_t> bytes(const Allocation& allocation) {
    return memory().subspan(allocation.gpa, allocation.size);
  }
  void forget(const Allocation& allocation);
  /// Takes guest memory with a page list (AEROGPU_ALLOC_FLAG_EXT_SCATTER): `gpa` is the list's address, the
  /// pages lie in falling order, so that no two are adjacent.
  Allocation allocateScattered(uint64_t size, uint32_t flags = 0);
  /// Returns byte `offset` of a scattered allocation.
  uint8_t& scatteredByte(const Allocation& allocation, uint64_t offset);
  void setScatteredPage(const Allocation& allocation, uint64_t page, uint64_t gpa);

  /// The space of the next submissions, with handle spaces enabled; none: without them.
  struct InSpace {
    uint32_t space = 0, flags = 0;  ///< AEROGPU_EXT_SPACE_FLAG_*
  };
  uint32_t submitFlags = 0;  ///< of the next submissions, enum aerogpu_submit_flags
  static constexpr InSpace kKernel{0, AEROGPU_EXT_SPACE_FLAG_KERNEL};
  std::optional<InSpace> space;
  /// Returns the space's counters; nothing if there is no such space.
  std::optional<aerogpu_renderer_space> spaceInfo(uint32_t number) const;

  /// Submits `writer`'s stream with every allocation listed, waits for it, and returns the result.
  FinishedSubmission submit(const CommandWriter& writer, uint32_t context = 0);
  /// Submits raw bytes with the given table, waits, and returns the result.
  FinishedSubmission submitRaw(std::span<const uint8_t> stream, std::span<const uint8_t> table,
                               uint32_t context = 0, uint32_t descriptorError = 0);
  /// Submits without waiting.
  void submitAsync(const CommandWriter& writer, uint32_t context = 0);
  void waitIdle();
  std::vector<uint8_t> allocTable() const;

  void setScanout(uint32_t format, uint32_t width, uint32_t height, uint32_t pitch, uint64_t gpa,
                  bool enable = true);
  /// Shows the texture of an allocation (SPACE-18).
  void showAllocation(uint32_t id);
  FinishedSubmission snapshotScanout();

  aerogpu_renderer_stats stats() const;

  /// Sets whether frames that come out are copied for takeFrames().
  std::atomic<bool> keepsFrames{true};
  /// Sets whether frames that come out stay out, as on a screen, until releaseFrames() or the end.
  std::atomic<bool> holdsFrames{false};
  void releaseFrames();
  /// Returns the frames that came out so far, oldest first, and empties the list.
  std::vector<Frame> takeFrames();
  /// Returns the results so far.
  std::vector<FinishedSubmission> takeFinished();
  /// Returns log lines at level error (host at fault or a validation message).
  std::vector<std::string> takeErrorLines();
  /// Returns the newest log lines at level guest (guest at fault).
  std::vector<std::string> takeGuestLines();

  /// Returns a fresh handle.
  uint32_t handle() { return m_nextHandle++; }

  /// Reads mip 0 of layer 0 (or another subresource) of a texture back, tight rows, in the texture's own
  /// format: a copy with write-back into a staging texture of the harness.
  std::vector<uint8_t> readTexture(uint32_t texture, aerogpu_format format, uint32_t width, uint32_t height,
                                   uint32_t mip = 0, uint32_t layer = 0);
  /// Reads a buffer back.
  std::vector<uint8_t> readBuffer(uint32_t buffer, uint64_t size);

  // Frequent packets.
  static void createTexture(CommandWriter& w, uint32_t handle, aerogpu_format format, uint32_t width,
                            uint32_t height, uint32_t usage, uint32_t mips = 1, uint32_t layers = 1,
                            uint32_t allocId = 0, uint32_t rowPitch = 0, uint32_t allocOffset = 0);
  static void clear(CommandWriter& w, uint32_t flags, float r, float g, float b, float a, float depth = 1,
                    uint32_t stencil = 0) {
    packets::clear(w, flags, {r, g, b, a}, depth, stencil);
  }

private:
  static int onMap(void* opaque, uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping* out);
  static void onUnmap(void* opaque, const aerogpu_guest_mapping* mapping, uint64_t written);
  static void onDone(void* opaque, const aerogpu_submission_result* result);
  static void onLog(void* opaque, enum aerogpu_log_level level, const char* line);
  static size_t onWaitingSpaces(void* opaque, uint32_t* spaces, size_t room);
  FinishedSubmission waitFor(uint64_t cookie);
  /// Returns a submission of these bytes with the next cookie and fence, in `space`.
  aerogpu_submission next(std::span<const uint8_t> stream, std::span<const uint8_t> table, uint32_t context);
  std::vector<uint8_t> m_emptied;  ///< replaces a test's bytes in next() (emptied.h)
  /// Ends a read-back: destroys the staging resource, submits, and takes the bytes in the allocation.
  std::vector<uint8_t> takeStaging(CommandWriter& w, uint32_t staging, const Allocation& allocation);

  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  const uint64_t m_memoryBytes;
  const bool m_moves;
  std::unique_ptr<uint8_t, Free> m_private;  ///< page-aligned, as a machine's RAM is
  remote::SharedMemory m_shared;             ///< in its place
  uint8_t* m_bytes = nullptr;
  std::atomic<int> m_mappings{0};
  uint64_t m_nextGpa = 0x10000;
  uint32_t m_nextAlloc = 1;
  uint32_t m_nextHandle = 1;
  uint64_t m_nextCookie = 1;
  uint64_t m_nextFence = 1;
  std::vector<Allocation> m_allocations;
  aerogpu_renderer* m_renderer = nullptr;
  std::string m_createError;

  Mutex m_mutex;
  CondVar m_changed;
  std::vector<FinishedSubmission> m_finished GUARDED_BY(m_mutex);
  std::vector<Frame> m_frames GUARDED_BY(m_mutex);
  std::vector<aerogpu_frame*> m_held GUARDED_BY(m_mutex);
  std::vector<std::string> m_errorLines GUARDED_BY(m_mutex), m_guestLines GUARDED_BY(m_mutex);
  uint64_t m_doneCookie GUARDED_BY(m_mutex) = 0;
};

}  // namespace aerogpu::test
