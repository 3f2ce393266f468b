// SPDX-License-Identifier: MIT
#include "testbed/kmt/server/serve.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kmt/server/server.h"

namespace aerogpu::host {

namespace {

/// Converts a path: programs see the host's root folder as drive Z (Wine's default).
std::string windowsPath(const std::string& path) {
  if (!path.starts_with('/')) return path;
  std::string result = "Z:" + path;
  for (char& c : result)
    if (c == '/') c = '\\';
  return result;
}

/// Writes the screen's picture as PPM (netpbm: "ppm").
guest::Status screendump(Machine& machine, const std::string& path) {
  Machine::Picture picture;
  if (guest::Status status = machine.screen(picture); !status.ok()) return status;
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (!file) return guest::Status::systemFailure("cannot write %s", path.c_str());
  std::fprintf(file, "P6\n%u %u\n255\n", picture.width, picture.height);
  for (uint32_t y = 0; y < picture.height; ++y)
    std::fwrite(picture.rgb.data() + y * picture.pitch, 3, picture.width, file);
  const bool written = !std::ferror(file);
  return std::fclose(file) == 0 && written ? guest::Status()
                                           : guest::Status::failure("cannot write %s", path.c_str());
}

/// Appends a property of the device, as a word.
guest::Status counter(Machine& machine, const std::string& name, std::string& answer) {
  uint64_t value = 0;
  guest::Status status = machine.deviceProperty(name, value);
  answer = " " + std::to_string(value);
  return status;
}

/// Returns the kernel side's holdings, as words "name=number" to append.
std::string holdings(Kernel& kernel) {
  const Kernel::Holdings now = kernel.holdings();
  char text[160];
  std::snprintf(text, sizeof text, " processes=%zu handles=%zu shares=%zu allocations=%zu pool=%llu",
                now.processes, now.handles, now.shares, now.allocations,
                static_cast<unsigned long long>(now.poolBytes));
  return text;
}

/// Parses "WIDTHxHEIGHT FORMAT", the format a D3DDDIFORMAT; appends the surface's global handle, as a word.
guest::Status windowSurface(Kernel& kernel, const std::string& what, std::string& answer) {
  unsigned width = 0, height = 0, format = 0;
  int end = 0;
  if (std::sscanf(what.c_str(), "%ux%u %u%n", &width, &height, &format, &end) != 3 ||
      static_cast<size_t>(end) != what.size())
    return guest::Status::failure("'%s' is not WIDTHxHEIGHT FORMAT", what.c_str());
  const uint32_t share = kernel.createWindowSurface(width, height, static_cast<D3DDDIFORMAT>(format));
  if (!share) return guest::Status::failure("there is no surface of %s", what.c_str());
  answer = " " + std::to_string(share);
  return guest::Status();
}

guest::Status closeWindowSurface(Kernel& kernel, const std::string& share) {
  return kernel.destroyWindowSurface(static_cast<uint32_t>(std::strtoul(share.c_str(), nullptr, 10)))
             ? guest::Status()
             : guest::Status::failure("no window has the surface %s", share.c_str());
}

void command(Kernel& kernel, Machine& machine, const std::string& line) {
  static const std::string kScreendump = "screendump ", kCounter = "counter ", kWindow = "window-surface ",
                           kCloseWindow = "close-window-surface ";
  guest::Status status;
  std::string answer;
  if (line.starts_with(kScreendump))
    status = screendump(machine, line.substr(kScreendump.size()));
  else if (line.starts_with(kCounter))
    status = counter(machine, line.substr(kCounter.size()), answer);
  else if (line.starts_with(kWindow))
    status = windowSurface(kernel, line.substr(kWindow.size()), answer);
  else if (line.starts_with(kCloseWindow))
    status = closeWindowSurface(kernel, line.substr(kCloseWindow.size()));
  else if (line == "holdings")
    answer = holdings(kernel);
  else if (line == "lose-gpu" || line == "stick-gpu")
    status = (line == "lose-gpu" ? machine.loseGpu() : machine.stickGpu())
                 ? guest::Status()
                 : guest::Status::failure("this machine cannot do that to its GPU");
  else if (line == "sleep")
    status = kernel.sleep() ? guest::Status() : guest::Status::failure("this machine cannot sleep");
  else if (line == "privileged yes" || line == "privileged no")
    setCallerPrivileged(line == "privileged yes");
  else
    status = guest::Status::failure("what is '%s'?", line.c_str());
  if (status.ok())
    std::printf("aerogpu-kmt: %s%s\n", line.c_str(), answer.c_str());
  else
    std::printf("aerogpu-kmt: error: %s\n", status.text().c_str());
  std::fflush(stdout);
}

/// Handles complete lines of standard input. Returns false at its end.
bool commands(Kernel& kernel, Machine& machine, std::string& pending) {
  char bytes[1024];
  const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
  if (n <= 0) return false;
  pending.append(bytes, static_cast<size_t>(n));
  for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
    command(kernel, machine, pending.substr(0, end));
  if (pending.size() < 8192) return true;
  std::printf("aerogpu-kmt: error: a line of %zu characters on standard input\n", pending.size());
  return false;
}

void run(KmtServer& server, Kernel& kernel, Machine& machine, int signals) {
  std::string pending;
  for (;;) {
    pollfd files[] = {{server.listener(), POLLIN, 0}, {signals, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    if (poll(files, 3, -1) < 0) continue;
    if (files[1].revents) return;
    if (files[2].revents && !commands(kernel, machine, pending)) return;
    if (files[0].revents) server.accept();
  }
}

}  // namespace

int serve(const ServeOptions& options) {
  const char* key = std::getenv("AEROGPU_KMT_KEY");
  if (!key || !*key || std::string(key).size() >= kmt::kKeyBytes) {
    std::printf(
        "aerogpu-driver-host: error: AEROGPU_KMT_KEY has to hold the key of programs, 1 to 63 characters\n");
    return 2;
  }
  // Blocked before there are other threads, so that none receives them.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC);

  auto adapter = std::make_unique<Adapter>();
  for (const auto& [name, value] : options.settings) setRegistryDword(Adapter::registryKey(), name, value);
  guest::Status status = adapter->openDevice(options.memoryPages);
  if (status.ok()) status = adapter->loadDriver(options.driver);
  if (status.ok() && !adapter->bringUp()) status = guest::Status::failure("the driver does not start");
  if (!status.ok()) {
    std::printf("aerogpu-driver-host: error: %s\n", status.text().c_str());
    return 1;
  }
  adapter->vidmm().setContiguousCpuMemory();
  {
    Kernel kernel(*adapter, {.x64 = {windowsPath(options.umd), windowsPath(options.umd10)},
                             .x86 = {windowsPath(options.umdWow), windowsPath(options.umd10Wow)}});
    if (kernel.start(options.width, options.height)) {
      KmtServer server(kernel, *adapter, key);
      status = server.listen(options.port);
      if (status.ok()) {
        std::printf("aerogpu-kmt: 127.0.0.1:%u\n", server.port());
        std::fflush(stdout);
        adapter->machine().saveEvery(options.saveEvery);
        run(server, kernel, adapter->machine(), signals);
      } else {
        std::printf("aerogpu-driver-host: error: %s\n", status.text().c_str());
      }
    } else {
      status = guest::Status::failure("no desktop");
    }
  }
  adapter->bringDown();
  (void)adapter.release();  // the interrupt thread uses it until the process ends
  return status.ok() && brokenRules() == 0 ? 0 : 1;
}

}  // namespace aerogpu::host
