// SPDX-License-Identifier: MIT
// Tests the driver's reports about itself: entries of the event log, and ETW events with fences.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_ring.h"
#include "guest-drivers/common/trace_events.h"
#include "testbed/kernel/dxgk/etw_session.h"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

namespace trace = aero::trace;

// guest-drivers/package/resources/aerogpu_events.mc.
constexpr uint32_t kDeviceError = 0xA0A30006, kStarted = 0x60A30008, kStopped = 0x60A30009;
constexpr int kQuietMs = 60000;

/// Start and stop are logged, each once, with the promised data.
void lifeCycle() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  for (unsigned round = 1; round <= 2; ++round) {
    if (!expect(ntSuccess(adapter.addDevice()) && ntSuccess(adapter.startDevice()), "a start")) return;
    auto& r = adapter.registers();
    expect(loggedEvents(kStarted) == round && loggedEvents(kStopped) == round - 1,
           "round %u: one start is told", round);
    const auto log = errorLogEntries();
    expect(log.back().errorCode == kStarted && log.back().data.size() == 4 && log.back().data[0] == 0 &&
               log.back().data[1] == r.read(AEROGPU_MMIO_REG_ABI_VERSION) &&
               log.back().data[2] == r.read(AEROGPU_MMIO_REG_FEATURES_LO) &&
               log.back().data[3] == r.read(AEROGPU_MMIO_REG_FEATURES_HI),
           "its numbers are the device's");
    for (const ErrorLogEntry& entry : log)
      expect(entry.source == "aerogpu", "the source of the texts, not '%s'", entry.source.c_str());
    adapter.stopDevice();
    expect(loggedEvents(kStopped) == round, "round %u: one stop is told", round);
    adapter.removeDevice();
    expect(loggedEvents(kStopped) == round, "round %u: removal is no other stop", round);
  }
  adapter.unload();
}

/// The first error is logged at once, those of the next minute together, and none is lost.
void deviceErrorLog(Adapter& adapter, Client&, Context& context) {
  auto& r = adapter.registers();
  const auto entry = [&](unsigned index) {
    ErrorLogEntry found{};
    unsigned n = 0;
    for (const auto& e : errorLogEntries())
      if (e.errorCode == kDeviceError && n++ == index) found = e;
    return found;
  };
  const auto is = [&](const ErrorLogEntry& e, uint64_t fence, uint32_t count) {
    expect(e.data.size() == 4 && e.data[1] == AEROGPU_ERROR_CMD_DECODE &&
               e.data[2] == static_cast<uint32_t>(fence) && e.data[3] == count,
           "an entry of %u errors (%zu numbers)", count, e.data.size());
    expect(e.strings.size() == 1 && e.strings[0].starts_with("CMD_DECODE"), "its text names the error");
  };
  expect(loggedEvents(kDeviceError) == 0, "no errors yet");
  uint64_t fence = submitErrors(adapter, context);
  const auto told = [&](unsigned entries) {
    // Logged in the DPC, after the completion that waitIdle() has seen.
    comes([&] { return loggedEvents(kDeviceError) >= entries; });
    return loggedEvents(kDeviceError);
  };
  const uint32_t first = r.read(AEROGPU_MMIO_REG_ERROR_COUNT);
  expect(told(1) == 1, "the first one is told");
  is(entry(0), fence, entry(0).data.size() == 4 ? entry(0).data[3] : 0);
  for (int i = 0; i < 20; ++i) fence = submitErrors(adapter, context);
  drainDpcs();
  expect(loggedEvents(kDeviceError) == 1, "twenty more within the minute are not (%u)",
         loggedEvents(kDeviceError));
  if (!adapter.machine().clockJumps()) {
    skipTest("the clock cannot jump here: what comes after the minute was not looked at");
    expectDeviceErrors(adapter, (20 + 1) * 2);
    return;
  }
  sleepMs(kQuietMs + 100);
  fence = submitErrors(adapter, context);
  expect(told(2) == 2, "the next one after it is");
  is(entry(1), fence, r.read(AEROGPU_MMIO_REG_ERROR_COUNT) - first);
  submitErrors(adapter, context);
  drainDpcs();
  expect(loggedEvents(kDeviceError) == 2, "and then there is quiet");
  expectDeviceErrors(adapter, (20 + 3) * 2);
}

template <class Event>
std::vector<Event> eventsOf(const std::vector<EtwEvent>& all) {
  std::vector<Event> found;
  for (const EtwEvent& e : all) {
    if (e.id != Event::kId) continue;
    Event event;
    if (!expect(e.payload.size() == sizeof event && e.level == Event::kLevel && e.keyword == Event::kKeyword,
                "event %u: %zu bytes, level %u, keyword %llu", e.id, e.payload.size(), e.level,
                static_cast<unsigned long long>(e.keyword)))
      continue;
    std::memcpy(&event, e.payload.data(), sizeof event);
    found.push_back(event);
  }
  return found;
}

/// Returns all events up to the first one of an error. The interrupt that reports a completion may have been
/// under way when the device latched the error; the error's interrupt then comes after it.
std::vector<EtwEvent> eventsWithError() {
  std::vector<EtwEvent> all;
  for (int i = 0; i < 1000 && eventsOf<trace::DeviceError>(all).empty(); ++i) {
    if (i) sleepMs(5);
    drainDpcs();
    for (EtwEvent& event : takeEtwEvents()) all.push_back(std::move(event));
  }
  return all;
}

/// Each submission and each completion is an event, in order, with the fence that the device sees.
void events(Adapter& adapter, Client& client, Context& context) {
  auto& r = adapter.registers();
  const auto id = etwProvider();
  expect(std::memcmp(id.data(), &trace::kProvider, id.size()) == 0, "the provider's id");
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  fillSurface(context, surface, 0xFF000001);
  adapter.scheduler().waitIdle();
  expect(takeEtwEvents().empty(), "nobody listens: nothing is written");

  listenToEtw(true, trace::kInformation, trace::kGpu);
  const uint64_t from = adapter.scheduler().submitted();
  for (uint32_t i = 0; i < 10; ++i) fillSurface(context, surface, 0xFF000000 | i);
  adapter.scheduler().waitIdle();
  const uint64_t count = adapter.scheduler().submitted() - from;
  const uint64_t completed = r.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
  // The notification comes after the completion that waitIdle() sees, or with it.
  drainDpcs();
  auto all = takeEtwEvents();
  const auto submits = eventsOf<trace::Submit>(all);
  const auto completes = eventsOf<trace::Complete>(all);
  expect(submits.size() == count, "%llu submissions have an event each (%zu)",
         static_cast<unsigned long long>(count), submits.size());
  for (size_t i = 0; i < submits.size(); ++i)
    expect(submits[i].fence == completed - submits.size() + 1 + i && submits[i].commandBytes &&
               submits[i].commandAddress,
           "submission %zu has the fence %llu", i, static_cast<unsigned long long>(submits[i].fence));
  expect(!completes.empty() && completes.back().fence == completed, "the last one is completed");
  expect(std::is_sorted(completes.begin(), completes.end(),
                        [](const auto& a, const auto& b) { return a.fence < b.fence; }),
         "completions go up");
  expect(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; }),
         "the events are in the order of time");
  expect(submits.size() + completes.size() == all.size(), "there are no others");

  uint64_t wrong = submitErrors(adapter, context);
  const auto errors = eventsOf<trace::DeviceError>(eventsWithError());
  expect(errors.size() == 1 && errors[0].fence == wrong && errors[0].code == AEROGPU_ERROR_CMD_DECODE,
         "an error with its fence (%zu)", errors.size());

  // Errors only.
  listenToEtw(true, trace::kError, trace::kGpu);
  takeEtwEvents();
  wrong = submitErrors(adapter, context);
  all = eventsWithError();
  expect(all.size() == 1 && eventsOf<trace::DeviceError>(all).size() == 1, "errors alone (%zu)", all.size());

  listenToEtw(true, trace::kVerbose, trace::kDisplay);
  takeEtwEvents();
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  const uint64_t seen = adapter.scheduler().vsyncs();
  expect(adapter.scheduler().waitVsync(3, 2000), "three vertical syncs");
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
  const uint64_t syncs = adapter.scheduler().vsyncs() - seen;
  const auto vblanks = eventsOf<trace::Vblank>(takeEtwEvents());
  expect(vblanks.size() == syncs, "%llu vertical blanks have an event each (%zu)",
         static_cast<unsigned long long>(syncs), vblanks.size());
  const uint32_t period = r.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
  for (size_t i = 1; i < vblanks.size(); ++i) {
    const uint64_t ticks = vblanks[i].sequence - vblanks[i - 1].sequence,
                   ns = vblanks[i].time - vblanks[i - 1].time;
    // Each time is rounded to a nanosecond. An interrupt that is taken late reports the next blank.
    expect(vblanks[i].sequence >= vblanks[i - 1].sequence && ns + ticks >= ticks * period &&
               ns <= ticks * period + ticks,
           "vertical blanks %llu ticks and %llu ns apart", static_cast<unsigned long long>(ticks),
           static_cast<unsigned long long>(ns));
  }
  listenToEtw(false, 0, 0);
  takeEtwEvents();
  fillSurface(context, surface, 0xFF00FF00);
  adapter.scheduler().waitIdle();
  drainDpcs();
  expect(takeEtwEvents().empty(), "nobody listens any more");

  // dxgkrnl's own logger.
  expect(takeDxgkEvents().empty(), "dxgkrnl wants none yet");
  callDdi("DxgkDdiControlEtwLogging", kPassiveLevel, adapter.ddi.DxgkDdiControlEtwLogging, BOOLEAN{1},
          ULONG{0}, UCHAR{trace::kInformation});
  fillSurface(context, surface, 0xFF0000FF);
  adapter.scheduler().waitIdle();
  drainDpcs();
  callDdi("DxgkDdiControlEtwLogging", kPassiveLevel, adapter.ddi.DxgkDdiControlEtwLogging, BOOLEAN{0},
          ULONG{0}, UCHAR{0});
  const auto logged = takeDxgkEvents();
  const auto isA = [](uint16_t id) { return [id](const EtwEvent& e) { return e.id == id; }; };
  expect(std::any_of(logged.begin(), logged.end(), isA(trace::Submit::kId)) && takeEtwEvents().empty(),
         "dxgkrnl's logger has them too (%zu)", logged.size());
  fillSurface(context, surface, 0xFF0000FF);
  adapter.scheduler().waitIdle();
  drainDpcs();
  expect(takeDxgkEvents().empty(), "until it wants no more");
  dropSurface(adapter, client, context, surface);
  adapter.scheduler().waitIdle();
  expectDeviceErrors(adapter, 4);
}

const TestCase kEventTests[] = {
    {"event-log", 60, lifeCycle},
    {"event-log-errors", 90, inProcess<deviceErrorLog>},
    {"event-trace", 60, inProcessWithMode<events, 1024, 768>},
};

}  // namespace

std::span<const TestCase> eventTests() {
  return kEventTests;
}

}  // namespace aerogpu::host
