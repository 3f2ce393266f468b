// SPDX-License-Identifier: MIT
// Saves the machine, kills its QEMU, and goes on with another one. The keeper of the clock does it, since no
// thread may use QEMU meanwhile and no time may pass. Guest RAM is the file that this process and programs
// map: it goes from the one QEMU to the other as it is, written on by programs, and is not in the state
// (x-ignore-shared; QEMU: qapi/migration.json). Everything else is, the device's video memory too.
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/machine/qtest_machine.h"

namespace aerogpu::host {

namespace {

constexpr int64_t kMigrateNs = 120'000'000'000;  // limit of a save, and of a load
constexpr int64_t kAskedNs = 600'000'000'000;    // limit of the wait for a save, which a sleep may delay
constexpr uint64_t kBytesPerSecond = 1ull << 40;
// Counters that begin at 0 with each QEMU. Those that say what there is now are not among them.
constexpr const char* kCounted[] = {"draws", "errors", "presents", "submissions", "moves", "moves-refused"};

int64_t realNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

/// Asks with `command` until the answer's member "status" is one of `ends`, which have its quotes; the answer
/// is then in `answer`.
guest::Status waitStatus(Qmp& qmp, const char* command, std::initializer_list<const char*> ends,
                         std::string& answer) {
  for (const int64_t end = realNow() + kMigrateNs; realNow() < end;) {
    if (guest::Status status = qmp.execute(command, "{}", answer); !status.ok()) return status;
    for (const char* state : ends)
      if (answer.find(std::string(R"("status": )") + state) != std::string::npos) return {};
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
  }
  return guest::Status::failure("%s: not within %lld s: %s", command,
                                static_cast<long long>(kMigrateNs / 1'000'000'000), answer.c_str());
}

/// Returns what a guest can poll of the device without side effects.
std::vector<uint32_t> look(guest::Registers& registers) {
  std::vector<uint32_t> seen;
  for (uint32_t at = 0; at <= AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES; at += 4)
    seen.push_back(registers.read(at));
  return seen;
}

}  // namespace

void QtestMachine::saveEvery(unsigned seconds) {
  m_saveEveryNs = seconds * 1'000'000'000ll;
}

// The calling thread counts as busy: the clock does not jump while it waits.
bool QtestMachine::saveAndRestore() {
  std::unique_lock lock(m_savesMutex);
  const uint64_t mine = ++m_savesAsked;
  clockKick();
  if (m_saved.wait_for(lock, std::chrono::nanoseconds(kAskedNs), [&] { return m_savesDone >= mine; }))
    return m_lastSaved;
  brokenRule("the machine was not saved within %lld s", static_cast<long long>(kAskedNs / 1'000'000'000));
  return false;
}

void QtestMachine::keepSaves() {
  const int64_t every = m_saveEveryNs;
  if (m_lastSaveNs == 0) m_lastSaveNs = realNow();
  uint64_t asked;
  {
    std::lock_guard lock(m_savesMutex);
    asked = m_savesAsked;
    if (asked == m_savesDone && (every == 0 || realNow() - m_lastSaveNs < every)) return;
  }
  std::unique_lock awake(m_sleepMutex, std::try_to_lock);
  if (!awake) return;
  const bool saved = saveNow();
  m_lastSaveNs = realNow();
  std::lock_guard lock(m_savesMutex);
  m_savesDone = asked;
  m_lastSaved = saved;
  m_saved.notify_all();
}

guest::Status QtestMachine::deviceProperty(const std::string& name, uint64_t& value) {
  const auto monitor = m_qmp.hold();
  guest::Status status = m_qmp.property(name, value);
  if (const auto before = m_countedBefore.find(name); before != m_countedBefore.end())
    value += before->second;
  return status;
}

/// Keeps the counters of a QEMU that is about to be killed.
guest::Status QtestMachine::noteCounters() {
  for (const char* name : kCounted) {
    uint64_t value = 0;
    if (guest::Status status = m_qmp.property(name, value); !status.ok()) return status;
    m_countedBefore[name] += value;
  }
  return {};
}

/// Leaves guest RAM out of what is saved or loaded, and sets no pace.
guest::Status QtestMachine::shareMemory() {
  std::string ignored;
  guest::Status status =
      m_qmp.execute("migrate-set-capabilities",
                    R"({"capabilities": [{"capability": "x-ignore-shared", "state": true}]})", ignored);
  if (status.ok())
    status = m_qmp.execute("migrate-set-parameters",
                           R"({"max-bandwidth": )" + std::to_string(kBytesPerSecond) + "}", ignored);
  return status;
}

guest::Status QtestMachine::save(const std::string& path) {
  std::string answer;
  guest::Status status = m_qmp.execute("stop", "{}", answer);
  if (status.ok()) status = shareMemory();
  if (status.ok()) status = m_qmp.execute("migrate", R"({"uri": "exec:cat >)" + path + "\"}", answer);
  if (status.ok()) status = waitStatus(m_qmp, "query-migrate", {R"("completed")", R"("failed")"}, answer);
  if (status.ok() && answer.find(R"("completed")") == std::string::npos)
    status = guest::Status::failure("%s: %s", answer.c_str(), m_qemu.output().c_str());
  return status;
}

/// Makes QEMU's reports of the line begin with its level: QEMU reports changes to what it reported last,
/// which is low for a new one. PCI 3.0, 6.2.2, "Interrupt Disable", takes the device's request from the line
/// and gives it back.
void QtestMachine::reportLine() {
  constexpr uint32_t kCommand = 4, kInterruptDisable = 1u << 10;
  const uint32_t command = config(kGpu, kCommand) & 0xFFFF;  // ones would clear the status bits above
  m_socket.setLevel(kInterrupt, false);
  setConfig(kGpu, kCommand, command | kInterruptDisable);
  setConfig(kGpu, kCommand, command);
}

guest::Status QtestMachine::restore(const std::string& path) {
  const std::vector<uint32_t> before = look(registers());
  guest::Status status = noteCounters();
  if (status.ok()) status = m_qemu.replace();
  if (status.ok()) status = m_qmp.connect(m_qemu.qmpPath());
  if (status.ok()) status = m_socket.reconnect(m_qemu.qtestPath());
  if (!status.ok()) return status;
  m_socket.interceptInterrupts("ioapic");
  std::string answer;
  status = shareMemory();
  if (status.ok()) status = m_qmp.execute("migrate-incoming", R"({"uri": "exec:cat )" + path + "\"}", answer);
  if (status.ok()) status = waitStatus(m_qmp, "query-status", {R"("paused")", R"("running")"}, answer);
  if (!status.ok()) return status;
  const std::vector<uint32_t> after = look(registers());
  if (const auto at = std::mismatch(before.begin(), before.end(), after.begin()); at.first != before.end())
    return guest::Status::failure("register 0x%zx is 0x%x, and was 0x%x",
                                  static_cast<size_t>(at.first - before.begin()) * 4, *at.second, *at.first);
  reportLine();
  // A fault that lasts is the host's.
  if (m_faults && !setProperty("x-gpu-fault", m_faults))
    return guest::Status::failure("QEMU does not take its fault again");
  m_restsSince = UINT64_MAX;
  return m_qmp.execute("cont", "{}", answer);
}

/// Returns false, after a broken rule, if the machine was not saved and goes on.
bool QtestMachine::saveNow() {
  const std::string path = m_qemu.folder() + "/state";
  std::lock_guard configuration(m_configMutex);
  const auto bus = m_socket.hold();
  const auto monitor = m_qmp.hold();
  clockStop();
  m_socket.catchUp();
  const int64_t began = realNow();
  guest::Status status = save(path);
  const int64_t saved = realNow();
  const bool good = status.ok();
  std::string answer;
  if (good) {
    status = restore(path);
  } else {
    brokenRule("the machine is not saved: %s", status.text().c_str());
    status = m_qmp.execute("cont", "{}", answer);
  }
  if (!status.ok()) {
    std::printf("# aerogpu-driver-host: error: after %u saves the machine does not go on: %s; %s\n", m_saves,
                status.text().c_str(), m_qemu.output().c_str());
    std::fflush(stdout);
    _exit(3);
  }
  if (good) {
    struct stat file {};
    stat(path.c_str(), &file);
    std::printf("# saved and restored %u: %lld KiB, saved in %lld ms, restored in %lld ms\n", ++m_saves,
                static_cast<long long>(file.st_size >> 10),
                static_cast<long long>((saved - began) / 1'000'000),
                static_cast<long long>((realNow() - saved) / 1'000'000));
    std::fflush(stdout);
  }
  unlink(path.c_str());
  clockGo();
  return good;
}

}  // namespace aerogpu::host
