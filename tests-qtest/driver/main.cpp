// SPDX-License-Identifier: MIT
// aerogpu-driver-host: runs tests of the shipped aerogpu.sys against the device. In the VM it is process 1;
// as root on any Linux with the device it runs as an ordinary program. Output is TAP: one "ok" or "not ok"
// line per test.
//
//   aerogpu-driver-host [--driver FILE] [--seed N] [--iterations N] [--debug-lines] [--without-outside]
//                       [--machine vm|qtest] [--qemu LAUNCHER] [--list | --run NAME...]
//   aerogpu-driver-host --serve [--port N] [--umd FILE] [--umd-wow FILE] [--umd10 FILE]
//                               [--umd10-wow FILE] [--mode WIDTHxHEIGHT]
//                               [--setting NAME=NUMBER]... [--save-every SECONDS] [--driver FILE]
//                               [--machine ...]
//
// --serve: answers the D3DKMT calls of programs (testbed/kmt/server/serve.h) in place of tests; --umd is the
// Direct3D 9 user-mode driver of 64-bit programs, --umd-wow that of 32-bit ones, --umd10 and --umd10-wow are
// those of Direct3D 10 and 11. --setting: a value of the driver's software key. --save-every: saves the qtest
// machine, kills its QEMU and lets another one go on, again and again.
// --machine qtest: not the computer that this runs on, but a QEMU without a processor that it starts with
// LAUNCHER (scripts/qemu-aerogpu; $AEROGPU_LAUNCHER). Needs no root.
// --without-outside: nothing answers what the screen shows (tests-qtest/driver/outside.h); tests say what
// they did not see.
// In the VM the kernel parameter aerogpu.host has the same options, with commas for blanks.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/linux/init/init.h"
#include "testbed/kernel/core/call_log.h"
#include "testbed/kernel/machine/machine_factory.h"
#include "testbed/kernel/machine/qemu.h"
#include "testbed/kernel/machine/qtest_machine.h"
#include "testbed/kmt/server/serve.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

Options s_options;
std::vector<std::string> s_names;
bool s_list, s_qtest, s_serve;
ServeOptions s_serveOptions;
QemuOptions s_qemuOptions;
Qemu s_qemu;

std::vector<TestCase> allTests() {
  std::vector<TestCase> all;
  for (const auto group :
       {pnpTests(),           displayTests(),      primaryTests(),       allocationTests(),
        budgetTests(),        sleepTests(),        rasterTests(),        renderTests(),
        gdiTests(),           pagingTests(),       pageListTests(),      sharedTests(),
        memoryTests(),        recoveryTests(),     refusalTests(),       escapeTests(),
        escapeDisplayTests(), escapeRightsTests(), selfTestTests(),      eventTests(),
        escapeRingTests(),    processTests(),      spaceTests(),         shareTests(),
        handleRangeTests(),   contextTests(),      timeoutTests(),       busyTests(),
        presentTests(),       pressureTests(),     writeCombinedTests(), savedTests(),
        slowTests(),          paletteTests(),      randomTests(),        instructionTests(),
        gammaTests(),         benchmarks()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

bool parse(const std::vector<std::string>& arguments) {
  bool naming = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    const bool hasValue = i + 1 < arguments.size();
    if (a == "--list") {
      s_list = true;
    } else if (a == "--debug-lines") {
      s_options.debugLines = true;
    } else if (a == "--without-outside") {
      s_options.outside = false;
    } else if (a == "--run") {
      naming = true;
    } else if (a == "--machine" && hasValue && (arguments[i + 1] == "vm" || arguments[i + 1] == "qtest")) {
      s_qtest = arguments[++i] == "qtest";
    } else if (a == "--serve") {
      s_serve = true;
    } else if (a == "--port" && hasValue &&
               std::strtoul(arguments[i + 1].c_str(), nullptr, 10) <= UINT16_MAX) {
      s_serveOptions.port = static_cast<uint16_t>(std::strtoul(arguments[++i].c_str(), nullptr, 10));
    } else if (a == "--umd" && hasValue) {
      s_serveOptions.umd = arguments[++i];
    } else if (a == "--umd-wow" && hasValue) {
      s_serveOptions.umdWow = arguments[++i];
    } else if (a == "--umd10" && hasValue) {
      s_serveOptions.umd10 = arguments[++i];
    } else if (a == "--umd10-wow" && hasValue) {
      s_serveOptions.umd10Wow = arguments[++i];
    } else if (a == "--setting" && hasValue && arguments[i + 1].find('=') != std::string::npos) {
      const std::string& setting = arguments[++i];
      const size_t equals = setting.find('=');
      const auto value = static_cast<uint32_t>(std::strtoul(setting.c_str() + equals + 1, nullptr, 0));
      s_serveOptions.settings.emplace_back(setting.substr(0, equals), value);
    } else if (a == "--save-every" && hasValue && std::atoi(arguments[i + 1].c_str()) > 0) {
      s_serveOptions.saveEvery = static_cast<unsigned>(std::atoi(arguments[++i].c_str()));
    } else if (a == "--mode" && hasValue &&
               std::sscanf(arguments[i + 1].c_str(), "%ux%u", &s_serveOptions.width,
                           &s_serveOptions.height) == 2) {
      ++i;
    } else if (a == "--qemu" && hasValue) {
      s_qemuOptions.launcher = arguments[++i];
    } else if (a == "--device-options" && hasValue) {
      s_qemuOptions.deviceOptions = "," + arguments[++i];
    } else if (a == "--driver" && hasValue) {
      s_options.driver = arguments[++i];
    } else if (a == "--seed" && hasValue) {
      s_options.seed = std::strtoull(arguments[++i].c_str(), nullptr, 0);
    } else if (a == "--iterations" && hasValue) {
      s_options.iterations = static_cast<unsigned>(std::strtoul(arguments[++i].c_str(), nullptr, 0));
    } else if (naming && a[0] != '-') {
      s_names.push_back(a);
    } else {
      std::printf("aerogpu-driver-host: error: what is '%s'?\n", a.c_str());
      return false;
    }
  }
  return true;
}

std::vector<std::string> kernelArguments() {
  const std::string line = guest::kernelCommandLine();
  const char key[] = "aerogpu.host=";
  const size_t at = line.find(key);
  std::vector<std::string> result;
  if (at == std::string::npos) return result;
  std::string word;
  for (const char* c = line.c_str() + at + sizeof key - 1; *c && *c != ' ' && *c != '\n'; ++c) {
    if (*c != ',') {
      word += *c;
      continue;
    }
    result.push_back(word);
    word.clear();
  }
  result.push_back(word);
  return result;
}

void writeFile(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t n = write(fd, text, std::strlen(text));
  close(fd);
}

/// Reserves huge pages, and stops the kernel from moving pages. Needs root.
guest::Status prepareKernel(bool isInit) {
  guest::Status status;
  if (!isInit) status = guest::mountHugePages();
  char pages[16];
  std::snprintf(pages, sizeof pages, "%u", (s_serve ? s_serveOptions.memoryPages : kHugePages) + 4);
  writeFile("/proc/sys/vm/nr_hugepages", pages);
  // Pages whose addresses were looked up must not move.
  writeFile("/proc/sys/vm/compact_unevictable_allowed", "0");
  writeFile("/sys/kernel/mm/transparent_hugepage/enabled", "never");
  return status;
}

guest::Status startQemu() {
  if (const char* launcher = std::getenv("AEROGPU_LAUNCHER"); launcher && s_qemuOptions.launcher.empty())
    s_qemuOptions.launcher = launcher;
  if (s_qemuOptions.launcher.empty())
    return guest::Status::failure(
        "--machine qtest needs --qemu or AEROGPU_LAUNCHER to name scripts/qemu-aerogpu");
  setMachineFactory([]() -> std::unique_ptr<Machine> { return std::make_unique<QtestMachine>(s_qemu); });
  guest::Status status = s_qemu.start(s_qemuOptions);
  return status.ok() && s_serveOptions.saveEvery ? s_qemu.prepare() : status;
}

/// Waits for the end of a process that uses the machine; returns its status as waitpid(2) does.
int waitFor(pid_t child) {
  if (s_qtest) return s_qemu.serve(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return status;
}

pid_t s_server;

void forwardSignal(int signal) {
  kill(s_server, signal);
}

/// Runs the server in a separate process, as tests run: its threads use the machine until that process ends.
int runServer() {
  s_serveOptions.driver = s_options.driver;
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, &old);  // the server sets its own signal handling
  const pid_t parent = getpid();
  std::fflush(stdout);
  s_server = fork();
  if (s_server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int result = getppid() == parent ? serve(s_serveOptions) : 1;
    std::fflush(stdout);
    _exit(result);
  }
  struct sigaction action {};
  action.sa_handler = forwardSignal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  sigprocmask(SIG_SETMASK, &old, nullptr);
  const int status = waitFor(s_server);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::printf("aerogpu-driver-host: error: the server ended by signal %d\n", WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

/// Prints the last lines that QEMU printed.
void printTail(const std::string& text) {
  size_t begin = text.size();
  for (unsigned lines = 0; begin > 0 && (text[begin - 1] != '\n' || ++lines < 40); --begin) {
  }
  for (size_t end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::printf("# qemu: %s\n", text.substr(begin, end - begin).c_str());
  }
}

constexpr int64_t kQuietNs = 30'000'000'000;

/// Stops the device after a test that died, whose memory it must not use any more.
void quiesceDevice() {
  const std::unique_ptr<Machine> machine = makeMachine();
  if (const guest::Status status = machine->openRegisters(); !status.ok()) {
    std::printf("# the device cannot be quieted: %s\n", status.text().c_str());
    return;
  }
  guest::Registers& registers = machine->registers();
  registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  registers.write(AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
  registers.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
  registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, 0);
  // The device's caches may still name memory that the next process gets.
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, 2);
  registers.write(AEROGPU_EXT_REG_SPACES, 0);
  // A packet that was under way may still count errors, which must not be taken for the next test's.
  for (const int64_t end = nowNs() + kQuietNs; registers.read(AEROGPU_EXT_REG_RING_BUSY) != 0;) {
    if (nowNs() > end) {
      std::printf("# the device is still busy after %lld s\n",
                  static_cast<long long>(kQuietNs / 1'000'000'000));
      return;
    }
    usleep(1000);
  }
}

/// Runs `body`, which returns the process' exit status, in a separate process. Returns its status as
/// waitpid(2) does.
template <class Body>
int inOwnProcess(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int result = body();
    std::fflush(stdout);
    _exit(result);
  }
  return waitFor(child);
}

/// Returns this program with the options that determine how tests run, without the choice of tests.
std::string commandLine() {
  std::string line = "aerogpu-driver-host --machine " + std::string(s_qtest ? "qtest" : "vm");
  if (s_qtest) line += " --qemu " + s_qemuOptions.launcher;
  if (!s_qemuOptions.deviceOptions.empty())
    line += " --device-options " + s_qemuOptions.deviceOptions.substr(1);
  return line + " --driver " + s_options.driver;
}

/// Runs a test. Returns 0 if it passed, or was skipped: then its process has put a reason into `skipped`,
/// which both processes share.
int runTest(const TestCase& test, std::span<char> skipped) {
  clearCallLog();
  skipped[0] = 0;
  const int status = inOwnProcess([&] {
    resetBrokenRules();
    alarm(static_cast<unsigned>(test.timeoutSeconds));
    test.run();
    if (!brokenRules()) std::snprintf(skipped.data(), skipped.size(), "%s", skipReason().c_str());
    return brokenRules() ? 1 : 0;
  });
  inOwnProcess([] {
    quiesceDevice();
    return 0;
  });
  if (status != 0) printCallLog(commandLine().c_str());
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::printf("# the test ended by signal %d%s\n", WTERMSIG(status),
              WTERMSIG(status) == SIGALRM ? " (its time was over)" : "");
  return 128 + WTERMSIG(status);
}

/// True if the name stands for tests that are left out.
bool leavesOut(const std::string& name) {
  return name.starts_with('!');
}

/// Matches a test's name, or a prefix and a star, optionally after an exclamation mark.
bool matches(const std::string& name, const TestCase& test) {
  const std::string_view plain = std::string_view(name).substr(leavesOut(name) ? 1 : 0);
  return plain == test.name ||
         (plain.ends_with('*') && std::string_view(test.name).starts_with(plain.substr(0, plain.size() - 1)));
}

bool runsUnnamed(const TestCase& test) {
  return test.runs == Runs::kEverywhere || (test.runs == Runs::kBesideQemu && s_qtest);
}

/// Returns what --list prints after a test's name.
const char* whereItRuns(const TestCase& test) {
  switch (test.runs) {
    case Runs::kEverywhere:
      break;
    case Runs::kBesideQemu:
      return " (not in a VM)";
    case Runs::kOnDemand:
      return " (on demand)";
  }
  return "";
}

int runAll() {
  openCallLog();
  const auto all = allTests();
  const bool someNamed = !std::all_of(s_names.begin(), s_names.end(), leavesOut);
  std::vector<TestCase> chosen;
  for (const TestCase& test : all) {
    bool wanted = !someNamed && runsUnnamed(test), unwanted = false;
    for (const std::string& name : s_names) (leavesOut(name) ? unwanted : wanted) |= matches(name, test);
    if (wanted && !unwanted) chosen.push_back(test);
  }
  for (const std::string& name : s_names)
    if (std::none_of(all.begin(), all.end(), [&](const TestCase& t) { return matches(name, t); })) {
      std::printf("aerogpu-host: no test is named '%s'\n", name.c_str());
      return 1;
    }
  if (chosen.empty()) {
    std::printf("aerogpu-host: all %zu tests are left out\n", all.size());
    return 1;
  }
  constexpr size_t kReasonBytes = 256;
  void* shared = mmap(nullptr, kReasonBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::printf("aerogpu-host: no memory for what tests say\n");
    return 1;
  }
  const std::span<char> reason(static_cast<char*>(shared), kReasonBytes);
  std::printf("1..%zu\n", chosen.size());
  unsigned failed = 0, skipped = 0;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const int64_t begin = nowNs();  // of this process, which has no machine: real time
    const int result = runTest(chosen[i], reason);
    const auto ms = static_cast<long long>((nowNs() - begin) / 1'000'000);
    if (result == 0 && reason[0])
      std::printf("ok %zu %s # SKIP %s\n", i + 1, chosen[i].name, reason.data());
    else
      std::printf("%s %zu %s # %lld ms%s\n", result ? "not ok" : "ok", i + 1, chosen[i].name, ms,
                  result == kBugCheckExit ? ", bug-check" : "");
    std::fflush(stdout);
    failed += result != 0;
    skipped += result == 0 && reason[0];
  }
  std::printf("aerogpu-host: %zu tests, %u failed, %u skipped\n", chosen.size(), failed, skipped);
  return failed ? 1 : 0;
}

}  // namespace

const Options& options() {
  return s_options;
}

int hostMain(int argc, char** argv) {
  const bool isInit = getpid() == 1;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  int result = 2;
  guest::Status status;
  if (isInit) {
    status = guest::mountFileSystems();
    if (status.ok()) status = guest::loadModules();
    arguments = kernelArguments();
  } else {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
  }
  if (!status.ok()) {
    std::printf("aerogpu-driver-host: error: %s\n", status.text().c_str());
  } else if (!reserveUserMemory()) {
    std::printf("aerogpu-driver-host: error: the addresses of user mode are not free\n");
  } else if (parse(arguments)) {
    if (s_list) {
      for (const TestCase& test : allTests()) std::printf("%s%s\n", test.name, whereItRuns(test));
      result = 0;
    } else {
      status = s_qtest ? startQemu() : prepareKernel(isInit);
      if (!status.ok())
        std::printf("aerogpu-driver-host: error: %s\n", status.text().c_str());
      else if (s_serve)
        result = runServer();
      else
        result = runAll();
      if (s_qtest && status.ok() && result != 0) printTail(s_qemu.output());
    }
  }
  std::printf("aerogpu-host: %s\n", result == 0 ? "done" : "failed");
  std::fflush(stdout);
  if (isInit) guest::powerOff();
  return result;
}

}  // namespace aerogpu::host

int main(int argc, char** argv) {
  return aerogpu::host::hostMain(argc, argv);
}
