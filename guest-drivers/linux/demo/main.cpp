// SPDX-License-Identifier: MIT
// aerogpu-demo: shows the device's abilities, from user space. As process 1 of the demo guest it also brings
// the system up and turns it off; as root on any Linux with the device it runs as an ordinary program.
#include <unistd.h>

#include <cstdio>

#include "guest-drivers/linux/demo/desktop.h"
#include "guest-drivers/linux/demo/latency.h"
#include "guest-drivers/linux/demo/options.h"
#include "guest-drivers/linux/demo/selftest.h"
#include "guest-drivers/linux/demo/session.h"
#include "guest-drivers/linux/init/init.h"

namespace {

using namespace aerogpu::guest;

Status run(const Options& options) {
  if (options.task == Task::Probe) {
    std::printf("aerogpu-demo: probe ok\n");
    return {};
  }
  Session session;
  Status status = session.open(desktopMemoryBytes(options.mode), kDesktopCommandBytes);
  if (!status.ok()) return status;
  switch (options.task) {
    case Task::Latency:
      status = runLatency(session.device(), options.iterations);
      break;
    case Task::SelfTest:
      status = runSelfTest(session.device(), options.mode);
      break;
    case Task::Desktop:
      status = runDesktop(session.device(), options);
      break;
    case Task::Probe:
      break;
  }
  session.device().stop();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const bool isInit = getpid() == 1;
  Options options;
  Status status;
  if (isInit) {
    status = mountFileSystems();
    if (status.ok()) status = loadModules();
    if (status.ok()) status = options.parseKernelCommandLine(kernelCommandLine());
  } else {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    status = options.parseArguments(argc, argv);
    if (status.ok() && options.task != Task::Probe) status = mountHugePages();
  }
  if (status.ok()) status = run(options);
  if (!status.ok()) std::printf("aerogpu-demo: error: %s\n", status.text().c_str());
  std::printf("aerogpu-demo: %s\n", status.ok() ? "done" : "failed");
  if (isInit) powerOff();
  return status.ok() ? 0 : 1;
}
