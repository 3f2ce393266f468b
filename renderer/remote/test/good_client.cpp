// SPDX-License-Identifier: MIT
#include "renderer/remote/test/good_client.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <cstring>

#include "aerogpu/aerogpu.h"

namespace aerogpu::remote::test {
namespace {

// Limits in seconds (docs/develop/renderer-process.md, "Limits"), with what killing the process may take, and
// some for a clock that goes on with each look.
constexpr uint64_t kSlack = 10;
constexpr uint64_t kUrgent = 15 + 6 + kSlack;
constexpr uint64_t kCall = 120 + 15 + 6 + kSlack;
/// Submissions under way have kCall each.
constexpr uint64_t kAllDone = Session::kMaxInFlight * 120 + kCall;
constexpr uint64_t kStart = 5 + kCall + kUrgent + kCall + 4;

}  // namespace

GoodClient::GoodClient(Dice& dice, const SharedMemory& memory, bool isQuick)
    : m_dice(dice), m_memory(memory), m_isQuick(isQuick) {}

GoodClient::~GoodClient() {
  if (!m_renderer) return;
  finish();
  releaseFrames(0);
  within("destroy", kAllDone + kCall, [this] { aerogpu_renderer_destroy(m_renderer); });
  EXPECT_EQ(m_mapped.load(), 0);
  Lock lock(m_mutex);
  EXPECT_TRUE(m_expected.empty());
}

void GoodClient::within(const char* what, uint64_t seconds, const std::function<void()>& call) {
  const uint64_t begin = nowNs(), missed = QuickClock::missedNs();
  call();
  const uint64_t took = nowNs() - begin - (QuickClock::missedNs() - missed);
  if (m_isQuick) {
    EXPECT_LE(took, seconds * 1'000'000'000) << what;
  }
}

int GoodClient::onMap(void* opaque, uint64_t gpa, uint64_t size, bool, aerogpu_guest_mapping* out) {
  auto& self = *static_cast<GoodClient*>(opaque);
  if (size == 0 || gpa < kGuestBase || gpa - kGuestBase >= kGuestBytes) return -1;
  const uint64_t at = gpa - kGuestBase;
  out->host = self.m_memory.bytes() + at;
  out->size = std::min({size, kGuestBytes - at, uint64_t{65536}});
  ++self.m_mapped;
  return 0;
}

void GoodClient::onUnmap(void* opaque, const aerogpu_guest_mapping* mapping, uint64_t written) {
  auto& self = *static_cast<GoodClient*>(opaque);
  EXPECT_LE(written, mapping->size);
  --self.m_mapped;
}

void GoodClient::onDone(void* opaque, const aerogpu_submission_result* result) {
  auto& self = *static_cast<GoodClient*>(opaque);
  Lock lock(self.m_mutex);
  if (self.m_expected.empty() || self.m_expected.front() != result->cookie) {
    ADD_FAILURE() << "cookie " << result->cookie << " is not the next one";
    return;
  }
  self.m_expected.pop_front();
  if (result->gpu_lost) ++self.m_lost;
  if (aerogpu_frame* frame = result->frame) {
    ++self.m_frames;
    // A display reads all of it.
    const auto* pixels = static_cast<const volatile uint8_t*>(frame->pixels);
    (void)pixels[0];
    (void)pixels[uint64_t{frame->stride_bytes} * (frame->height - 1) + uint64_t{frame->width} * 4 - 1];
    EXPECT_LE(frame->damage_count, uint32_t{AEROGPU_FRAME_DAMAGE_MAX});
    for (uint32_t i = 0; i < std::min<uint32_t>(frame->damage_count, AEROGPU_FRAME_DAMAGE_MAX); ++i) {
      EXPECT_LE(frame->damage[i].right, frame->width);
      EXPECT_LE(frame->damage[i].bottom, frame->height);
    }
    self.m_shown.push_back(frame);
  }
}

void GoodClient::onLog(void*, enum aerogpu_log_level, const char* line) {
  const size_t size = std::strlen(line);
  EXPECT_LE(size, kMostText + 100);
  EXPECT_TRUE(std::none_of(line, line + size, [](char c) { return static_cast<uint8_t>(c) < ' '; })) << line;
}

size_t GoodClient::onWaitingSpaces(void*, uint32_t* spaces, size_t room) {
  for (size_t i = 0; i < std::min<size_t>(room, 3); ++i) spaces[i] = static_cast<uint32_t>(i);
  return 3;
}

bool GoodClient::create(const char* program, const std::string& name) {
  const aerogpu_renderer_callbacks callbacks{sizeof callbacks, onMap,  onUnmap, onDone, onLog,
                                             onWaitingSpaces,  nullptr};
  aerogpu_renderer_config config{};
  config.struct_size = sizeof config;
  config.backend = "null";
  config.cache_dir = "";
  config.vm_name = name.c_str();
  config.max_hostmem = uint64_t{16} << 20;
  config.callbacks = &callbacks;
  config.opaque = this;
  config.process = program;
  char error[512] = "";
  within("create", kStart, [&] { m_renderer = aerogpu_renderer_create(&config, error, sizeof error); });
  EXPECT_NE(m_renderer == nullptr, error[0] == '\0');
  if (!m_renderer) return false;
  size_t size = 0;
  EXPECT_NE(aerogpu_renderer_caps(m_renderer, &size), nullptr);
  EXPECT_LE(size, kMostCaps);
  EXPECT_LE(std::strlen(aerogpu_renderer_device_name(m_renderer)), kMostName);
  return true;
}

void GoodClient::releaseFrames(size_t keep) {
  std::vector<aerogpu_frame*> released;
  {
    Lock lock(m_mutex);
    for (; m_shown.size() > keep; m_shown.pop_front()) released.push_back(m_shown.front());
  }
  for (aerogpu_frame* frame : released) aerogpu_renderer_frame_release(m_renderer, frame);
}

void GoodClient::submit() {
  const std::vector<uint8_t> stream = m_dice.bytes(m_dice.chance(1) ? 3'000'000 : 400);
  aerogpu_submission submission{};
  submission.struct_size = sizeof submission;
  submission.cookie = ++m_cookie;
  submission.signal_fence = m_cookie;
  submission.cmd = stream.data();
  submission.cmd_size = stream.size();
  submission.in_space = m_dice.chance(50);
  submission.space = static_cast<uint32_t>(m_dice.below(4));
  {
    Lock lock(m_mutex);
    m_expected.push_back(m_cookie);
  }
  within("submit", kAllDone, [&] { aerogpu_renderer_submit(m_renderer, &submission); });
}

void GoodClient::snapshot() {
  ++m_cookie;
  {
    Lock lock(m_mutex);
    m_expected.push_back(m_cookie);
  }
  within("snapshot_scanout", kAllDone, [this] { aerogpu_renderer_snapshot_scanout(m_renderer, m_cookie); });
}

aerogpu_bytes_sink GoodClient::sink() {
  const auto write = [](void* opaque, const void* bytes, size_t size) {
    auto& self = *static_cast<GoodClient*>(opaque);
    uint8_t last;
    std::memcpy(&last, static_cast<const uint8_t*>(bytes) + size - 1, 1);
    self.m_sinkTakes -= std::min<uint64_t>(self.m_sinkTakes, size);
    return self.m_sinkTakes != 0;
  };
  m_sinkTakes = m_dice.chance(20) ? m_dice.below(1000) : UINT64_MAX;
  return {sizeof(aerogpu_bytes_sink), write, this};
}

void GoodClient::save() {
  char error[512];
  const aerogpu_bytes_sink to = sink();
  if (m_dice.chance(40)) {
    within("save", kAllDone + kCall, [&] { aerogpu_renderer_save(m_renderer, &to, error, sizeof error); });
    return;
  }
  within("save_begin", 2 * kCall, [&] { aerogpu_renderer_save_begin(m_renderer, &to, error, sizeof error); });
  uint64_t rested = 0, written = 0;
  for (uint64_t times = m_dice.below(3); times != 0; --times)
    within("save_ahead", kCall,
           [&] { aerogpu_renderer_save_ahead(m_renderer, 1000, &rested, &written, error, sizeof error); });
  if (m_dice.chance(20)) submit();
  if (m_dice.chance(30))
    within("save_cancel", kCall, [&] { aerogpu_renderer_save_cancel(m_renderer); });
  else
    within("save_end", kAllDone + kCall, [&] { aerogpu_renderer_save_end(m_renderer, error, sizeof error); });
}

void GoodClient::load() {
  char error[512];
  const std::vector<uint8_t> bytes = m_dice.bytes(m_dice.chance(1) ? 5'000'000 : 500);
  within("load_bytes", kCall,
         [&] { aerogpu_renderer_load_bytes(m_renderer, bytes.data(), bytes.size(), error, sizeof error); });
  aerogpu_scanout_config scanout{};
  scanout.struct_size = sizeof scanout;
  within("load_finish", kCall,
         [&] { aerogpu_renderer_load_finish(m_renderer, &scanout, error, sizeof error); });
  EXPECT_EQ(scanout.struct_size, sizeof scanout);
}

void GoodClient::setRegions() {
  const aerogpu_guest_region region{sizeof region, 1, kGuestBase, kGuestBytes, 0, m_memory.fd()};
  within("set_regions", kCall, [&] { aerogpu_renderer_set_regions(m_renderer, &region, m_dice.below(2)); });
}

void GoodClient::reset() {
  ++m_resets;
  within("reset", kUrgent + kAllDone + kCall + kStart, [this] { aerogpu_renderer_reset(m_renderer); });
  Lock lock(m_mutex);
  EXPECT_TRUE(m_expected.empty());
}

void GoodClient::urgentRound(Dice& dice) {
  switch (dice.below(7)) {
    case 0:
      aerogpu_renderer_interrupt(m_renderer);
      break;
    case 1: {
      aerogpu_renderer_stats stats{};
      stats.struct_size = sizeof stats;
      aerogpu_renderer_get_stats(m_renderer, &stats);
      EXPECT_EQ(stats.struct_size, sizeof stats);
      break;
    }
    case 2: {
      aerogpu_renderer_space space{};
      space.struct_size = sizeof space;
      uint32_t from = 0, steps = 0;
      while (aerogpu_renderer_next_space(m_renderer, from, &space)) {
        EXPECT_LE(++steps, 5000u);
        EXPECT_EQ(space.struct_size, sizeof space);
        EXPECT_LT(strnlen(space.image_name, sizeof space.image_name), sizeof space.image_name);
        from = space.space + 1;
        if (from == 0 || steps > 5000) break;
      }
      break;
    }
    case 3: {
      aerogpu_renderer_process process{};
      process.struct_size = sizeof process;
      aerogpu_renderer_get_process(m_renderer, &process);
      EXPECT_LT(strnlen(process.last_death, sizeof process.last_death), sizeof process.last_death);
      break;
    }
    case 4:
      aerogpu_renderer_hold_values(m_renderer, dice.chance(50));
      break;
    case 5:
      aerogpu_renderer_play_faults(m_renderer, 0);
      break;
    default:
      (void)aerogpu_renderer_leftovers(m_renderer);
  }
}

void GoodClient::round() {
  releaseFrames(m_dice.below(8));
  if (aerogpu_renderer_gpu_lost(m_renderer) && !m_dice.chance(20)) {
    reset();
    if (m_dice.chance(50)) setRegions();
    return;
  }
  switch (m_dice.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      submit();
      break;
    case 5:
      snapshot();
      break;
    case 6:
    case 7:
      within("urgent", 5000 * kUrgent, [this] { urgentRound(m_dice); });
      break;
    case 8:
    case 9:
      save();
      break;
    case 10:
      load();
      break;
    case 11:
      setRegions();
      break;
    case 12: {
      const aerogpu_scanout_config config{sizeof config, 1,          64, 64, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                          256,           kGuestBase, 0,  0};
      within("set_scanout", kCall, [&] { aerogpu_renderer_set_scanout(m_renderer, &config); });
      break;
    }
    case 13: {
      char error[512];
      bool kept = false;
      if (m_dice.chance(20))
        within("prepare_move", kStart + 2 * kCall, [&] {
          aerogpu_renderer_prepare_move(m_renderer, m_dice.chance(80) ? "" : nullptr, error, sizeof error);
        });
      if (m_dice.chance(30))
        within("move_to", kStart + 2 * kAllDone + 6 * kCall, [&] {
          aerogpu_renderer_move_to(m_renderer, "", nullptr, nullptr, &kept, error, sizeof error);
        });
      else
        within("move", kAllDone + kCall,
               [&] { aerogpu_renderer_move(m_renderer, &kept, error, sizeof error); });
      break;
    }
    case 14:
      within("wait_idle", kAllDone + kCall,
             [this] { aerogpu_renderer_wait_idle(m_renderer, m_dice.chance(50) ? UINT64_MAX : 1'000'000); });
      break;
    default: {
      char error[512];
      within("others", 3 * kCall, [&] {
        aerogpu_renderer_capture_start(m_renderer, "no/where", error, sizeof error);
        aerogpu_renderer_resume(m_renderer);
        if (m_dice.chance(20)) aerogpu_renderer_lose(m_renderer);
      });
    }
  }
}

void GoodClient::finish() {
  within("wait_idle", kAllDone + kCall, [this] { aerogpu_renderer_wait_idle(m_renderer, UINT64_MAX); });
  Lock lock(m_mutex);
  EXPECT_TRUE(m_expected.empty());
}

}  // namespace aerogpu::remote::test
