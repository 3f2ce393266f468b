// SPDX-License-Identifier: MIT
// Tests SELFTEST of the escapes: it finds each violation of the ABI that a test makes without the driver's
// knowledge, and nothing when all is well; nobody notices that it runs.
#include <cstring>
#include <mutex>
#include <thread>

#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

class SelfTest {
public:
  SelfTest(Adapter& adapter, Client& client) : m_escapes(adapter, client) {}

  /// Expects that SELFTEST finds this error. On a busy computer its time may be over before that; then it is
  /// called again.
  void finds(uint32_t error, const char* what, uint32_t timeoutMs = 500) {
    aerogpu_escape_selftest_inout answer{};
    for (int tries = 0; tries < 50; ++tries) {
      answer = once(timeoutMs, what);
      if (answer.error_code == error || !isAboutTime(answer.error_code)) break;
    }
    expect(answer.error_code == error && answer.passed == (error == AEROGPU_DBGCTL_SELFTEST_OK),
           "SELFTEST, %s: error %u (%u, passed %u)", what, error, answer.error_code, answer.passed);
  }
  void passes(const char* what) { finds(AEROGPU_DBGCTL_SELFTEST_OK, what); }
  Escapes& escapes() { return m_escapes; }

private:
  static bool isAboutTime(uint32_t error) {
    return error == AEROGPU_DBGCTL_SELFTEST_ERR_GPU_BUSY || error == AEROGPU_DBGCTL_SELFTEST_ERR_TIMEOUT ||
           error == AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_SEQ_STUCK ||
           error == AEROGPU_DBGCTL_SELFTEST_ERR_TIME_BUDGET_EXHAUSTED;
  }
  aerogpu_escape_selftest_inout once(uint32_t timeoutMs, const char* what) {
    aerogpu_escape_selftest_inout test{};
    test.timeout_ms = timeoutMs;
    test.passed = 77;
    const int64_t began = nowNs();
    const auto answer = m_escapes.answer<aerogpu_escape_selftest_inout>(AEROGPU_ESCAPE_OP_SELFTEST, test);
    const int64_t took = nowNs() - began;
    // ESC-7, with extra time for a busy computer.
    expect(took < 5000000000, "SELFTEST, %s: it takes %lld ms", what, static_cast<long long>(took / 1000000));
    const auto perf = m_escapes.answer<aerogpu_escape_query_perf_out>(AEROGPU_ESCAPE_OP_QUERY_PERF);
    expect(perf.selftest_count == ++m_runs && perf.selftest_last_error_code == answer.error_code,
           "QUERY_PERF: %llu self tests, the last found %u",
           static_cast<unsigned long long>(perf.selftest_count), perf.selftest_last_error_code);
    return answer;
  }

  Escapes m_escapes;
  uint64_t m_runs = 0;
};

/// Sets a register to `value` without the driver's knowledge, expects the error, and restores the driver's
/// value.
void withRegister(Adapter& adapter, uint32_t offset, uint32_t value, SelfTest& test, uint32_t error,
                  const char* what) {
  auto& r = adapter.registers();
  const uint32_t before = r.read(offset);
  r.write(offset, value);
  test.finds(error, what);
  r.write(offset, before);
}

/// Breaks a register for the driver, if the machine can do that.
void withFault(Adapter& adapter, uint32_t offset, const Machine::Fault& fault, SelfTest& test, uint32_t error,
               const char* what) {
  if (!adapter.machine().breakRegister(offset, fault)) {
    skipTest("registers cannot be broken here: SELFTEST, %s, was not looked at", what);
    return;
  }
  test.finds(error, what);
  adapter.machine().breakRegister(offset, {});
}

void ring(Adapter& adapter, SelfTest& test, Context& context) {
  auto& r = adapter.registers();
  const uint32_t control = r.read(AEROGPU_MMIO_REG_RING_CONTROL);
  r.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_TIMEOUT, "the ring stands");
  Stream flush;
  flush.flush();
  expect(ntSuccess(context.render(flush.bytes(), {})), "work behind it");
  test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_GPU_BUSY, "the ring stands with work in it", 50);
  // Each NOP holds a buffer of the driver until the ring has passed it. SELFTEST is called until it reports
  // that there is no buffer left.
  test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_NO_RESOURCES, "the driver's buffers fill up", 1);
  r.write(AEROGPU_MMIO_REG_RING_CONTROL, control);
  expect(adapter.scheduler().waitIdle(), "all of it completes");
  test.passes("the ring runs again");
  expect(ntSuccess(callDdi("DxgkDdiResetFromTimeout", kPassiveLevel, adapter.ddi.DxgkDdiResetFromTimeout,
                           adapter.context())),
         "a reset");
  test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_RING_NOT_READY, "between reset and restart");
  expect(ntSuccess(callDdi("DxgkDdiRestartFromTimeout", kPassiveLevel, adapter.ddi.DxgkDdiRestartFromTimeout,
                           adapter.context())),
         "a restart");
  test.passes("after the restart");
}

void vblank(Adapter& adapter, SelfTest& test) {
  auto& r = adapter.registers();
  withFault(adapter, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS, {.readAnd = 0}, test,
            AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_REGS_OUT_OF_RANGE, "a period of 0");
  // The test disables the scanout without the driver's knowledge.
  withRegister(adapter, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0, test,
               AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_SEQ_STUCK, "the vblanks stand");
  withRegister(adapter, AEROGPU_MMIO_REG_IRQ_ENABLE, 0, test,
               AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_REGS_OUT_OF_RANGE, "another mask than the driver's");
  withFault(adapter, AEROGPU_MMIO_REG_IRQ_STATUS, {.readOr = 0x100}, test,
            AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_REGS_OUT_OF_RANGE, "an interrupt that there is not");
  withFault(
      adapter, AEROGPU_MMIO_REG_IRQ_ENABLE,
      {.readOr = AEROGPU_IRQ_SCANOUT_VBLANK, .writeAnd = ~static_cast<uint32_t>(AEROGPU_IRQ_SCANOUT_VBLANK)},
      test, AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_REGS_OUT_OF_RANGE, "an enable bit that is stuck");
  withFault(adapter, AEROGPU_MMIO_REG_IRQ_STATUS, {.readOr = AEROGPU_IRQ_SCANOUT_VBLANK}, test,
            AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_CLEARED, "a status bit that stays");
  // The OS wants vblanks, so the mask is as it has to be; but the device never gets the bit.
  const uint32_t enabled = r.read(AEROGPU_MMIO_REG_IRQ_ENABLE);
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  if (adapter.machine().breakRegister(AEROGPU_MMIO_REG_IRQ_ENABLE,
                                      {.readOr = AEROGPU_IRQ_SCANOUT_VBLANK,
                                       .writeAnd = ~static_cast<uint32_t>(AEROGPU_IRQ_SCANOUT_VBLANK)})) {
    r.write(AEROGPU_MMIO_REG_IRQ_ENABLE, enabled);
    test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_LATCHED, "ticks that latch nothing");
    adapter.machine().breakRegister(AEROGPU_MMIO_REG_IRQ_ENABLE, {});
  }
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
  expect(r.read(AEROGPU_MMIO_REG_IRQ_ENABLE) == enabled, "the mask is as before");
  // PCI Local Bus Specification 3.0, 6.2.2: bit 10 of the command register, interrupt disable.
  if (adapter.machine().clockJumps()) {  // the VM's interrupt line uses that bit itself
    uint16_t command = 0;
    expect(adapter.machine().readConfig(4, &command, sizeof command).ok(), "the command register is read");
    const uint16_t off = command | 0x400;
    expect(adapter.machine().writeConfig(4, &off, sizeof off).ok(), "the interrupt line is off");
    test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_DELIVERED, "a line that is not connected");
    expect(adapter.machine().writeConfig(4, &command, sizeof command).ok(), "the interrupt line is on");
  }
  // Too short to call the vblanks stuck, long enough for the earlier checks.
  r.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_TIME_BUDGET_EXHAUSTED, "less time than three frames take", 40);
  r.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
  test.passes("all is mended");
  adapter.display().setVisible(false);
  test.passes("without a scanout there are no vblanks to miss");
  adapter.display().setVisible(true);
}

void cursor(Adapter& adapter, SelfTest& test) {
  aerogpu_escape_set_cursor_shape_in shape{};
  shape.width = shape.height = 1;
  shape.pitch_bytes = 4;
  shape.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  struct {
    aerogpu_escape_set_cursor_shape_in in;
    uint8_t rest[3];
  } __attribute__((packed)) one{shape, {0, 0, 0xFF}};
  aerogpu_escape_set_cursor_position_in position{};
  position.x = 30;
  position.y = 40;
  aerogpu_escape_set_cursor_visibility_in visibility{};
  for (const bool shown : {false, true}) {
    visibility.visible = shown;
    expect(ntSuccess(test.escapes().ask(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, one)) &&
               ntSuccess(test.escapes().ask(AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, position)) &&
               ntSuccess(test.escapes().ask(AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, visibility)),
           "a pointer");
    test.passes(shown ? "a pointer is shown" : "a pointer is hidden");
    withFault(adapter, AEROGPU_MMIO_REG_CURSOR_X, {.readAnd = ~1u}, test,
              shown ? AEROGPU_DBGCTL_SELFTEST_OK : AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_RW_MISMATCH,
              shown ? "a shown pointer is not moved, so nothing is seen" : "a bit that is not kept");
    withRegister(adapter, AEROGPU_MMIO_REG_CURSOR_X, 31, test, AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_RW_MISMATCH,
                 "another place");
    withRegister(adapter, AEROGPU_MMIO_REG_CURSOR_WIDTH, 2, test,
                 AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_RW_MISMATCH, "another width");
    withRegister(adapter, AEROGPU_MMIO_REG_CURSOR_ENABLE, !shown, test,
                 AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_RW_MISMATCH, "not what was shown");
    withRegister(adapter, AEROGPU_MMIO_REG_CURSOR_WIDTH, 129, test,
                 AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_REGS_OUT_OF_RANGE, "wider than any pointer");
    withRegister(adapter, AEROGPU_MMIO_REG_CURSOR_HOT_Y, 1, test,
                 AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_REGS_OUT_OF_RANGE, "a hot spot outside of it");
    withRegister(adapter, AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B5G6R5_UNORM, test,
                 AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_REGS_OUT_OF_RANGE, "another format");
    test.passes("the pointer is as it was");
  }
}

/// ESC-3, ESC-7.
void errors() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  SelfTest test(adapter, *client);
  test.passes("all well");
  ring(adapter, test, *context);
  cursor(adapter, test);
  vblank(adapter, test);
  constexpr ULONG adapterUid = 0xFFFFFFFF;  // DISPLAY_ADAPTER_HW_ID
  adapter.display().setVisible(false);
  adapter.scheduler().waitIdle();
  adapter.display().unpin(*adapter.display().primary());
  expect(adapter.vidmm().evictAll(), "everything can be evicted");
  expect(ntSuccess(adapter.setPower(adapterUid, PowerDeviceD3, PowerActionSleep)), "D3");
  test.finds(AEROGPU_DBGCTL_SELFTEST_ERR_INVALID_STATE, "asleep");
  expect(ntSuccess(adapter.setPower(adapterUid, PowerDeviceD0, PowerActionSleep)), "D0");
  expect(adapter.display().recommit(), "the mode comes back");
  test.passes("awake");
}

/// ESC-7: nobody notices a run of SELFTEST. It reports no vertical sync while the OS wants none, loses none
/// while the OS wants them, and leaves the shared registers and the picture as they are.
void unseen() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto& r = adapter.registers();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  SelfTest test(adapter, *client);
  const SharedRegisters before(adapter);
  const uint64_t syncs = adapter.scheduler().vsyncs();
  for (int i = 0; i < 3; ++i) test.passes("nobody wants vertical syncs");
  expect(adapter.scheduler().vsyncs() == syncs, "the OS is told of no vertical sync (%llu)",
         static_cast<unsigned long long>(adapter.scheduler().vsyncs() - syncs));
  before.expectSame("after three self tests");
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  const uint64_t from = r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO),
                 seen = adapter.scheduler().vsyncs();
  for (int i = 0; i < 3; ++i) test.passes("the OS wants them");
  expect(adapter.scheduler().waitVsync(1, 1000), "they go on");
  const uint64_t ticks = r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO) - from;
  expect(adapter.scheduler().vsyncs() - seen <= ticks + 1, "none is reported twice (%llu of %llu)",
         static_cast<unsigned long long>(adapter.scheduler().vsyncs() - seen),
         static_cast<unsigned long long>(ticks));
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
  before.expectSame("in the end");
  expectNoDeviceErrors(adapter);
}

/// ESC-7: only one SELFTEST runs at a time.
void together() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  auto& r = adapter.registers();
  const uint32_t control = r.read(AEROGPU_MMIO_REG_RING_CONTROL);
  r.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);  // each of them takes time
  unsigned busy = 0, answered = 0;
  {
    std::mutex mutex;
    std::vector<std::thread> threads;
    ClockPause pause;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        Escapes escapes(adapter, *client);
        aerogpu_escape_selftest_inout test{};
        const NTSTATUS status = escapes.ask(AEROGPU_ESCAPE_OP_SELFTEST, test);
        std::lock_guard lock(mutex);
        busy += status == kDeviceBusy;
        answered += ntSuccess(status);
      });
    for (auto& thread : threads) thread.join();
  }
  expect(busy + answered == 4 && answered >= 1, "%u of four run, %u are told that one runs", answered, busy);
  r.write(AEROGPU_MMIO_REG_RING_CONTROL, control);
  expect(adapter.scheduler().waitIdle(), "all of it completes");
}

const TestCase kSelfTestTests[] = {
    {"escape-selftest", 90, errors, Runs::kBesideQemu},
    {"escape-selftest-unseen", 60, unseen, Runs::kBesideQemu},
    {"escape-selftest-together", 60, together, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> selfTestTests() {
  return kSelfTestTests;
}

}  // namespace aerogpu::host
