// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/init/init.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace aerogpu::guest {

namespace {

Status mountOne(const char* type, const char* where) {
  mkdir(where, 0755);
  if (mount(type, where, type, 0, nullptr) < 0 && errno != EBUSY)
    return Status::systemFailure("cannot mount %s on %s", type, where);
  return {};
}

}  // namespace

Status mountHugePages() {
  return mountOne("hugetlbfs", kHugePageMount);
}

Status mountFileSystems() {
  for (const auto& [type, where] :
       {std::pair{"devtmpfs", "/dev"}, std::pair{"proc", "/proc"}, std::pair{"sysfs", "/sys"}}) {
    Status status = mountOne(type, where);
    if (!status.ok()) return status;
  }
  const int console = open("/dev/console", O_RDWR | O_NOCTTY);
  if (console >= 0) {
    for (int fd = 0; fd < 3; ++fd) dup2(console, fd);
    if (console > 2) close(console);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return mountHugePages();
}

Status loadModules() {
  std::FILE* order = std::fopen("/modules/order", "re");
  if (!order) return Status::systemFailure("cannot open /modules/order");
  char name[128];
  Status status;
  while (status.ok() && std::fscanf(order, "%127s", name) == 1) {
    const std::string path = std::string("/modules/") + name;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
      status = Status::systemFailure("cannot load %s", path.c_str());
    if (fd >= 0) close(fd);
  }
  std::fclose(order);
  return status;
}

std::string kernelCommandLine() {
  std::FILE* file = std::fopen("/proc/cmdline", "re");
  if (!file) return {};
  char line[4096] = {};
  const size_t n = std::fread(line, 1, sizeof line - 1, file);
  std::fclose(file);
  return {line, n};
}

void powerOff() {
  std::fflush(stdout);
  tcdrain(1);
  sync();
  reboot(RB_POWER_OFF);
  for (;;) pause();
}

}  // namespace aerogpu::guest
