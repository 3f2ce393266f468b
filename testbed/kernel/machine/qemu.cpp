// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/qemu.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace aerogpu::host {

namespace {

constexpr int kStartMs = 60000;

bool answers(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  bool ok = fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (ok) {  // its greeting comes from the main loop, when all devices are there
    char c;
    ok = read(fd, &c, 1) == 1;
  }
  if (fd >= 0) close(fd);
  return ok;
}

}  // namespace

std::string Qemu::memoryPath() const {
  return "/proc/" + std::to_string(m_owner) + "/fd/" + std::to_string(m_memory);
}

std::string Qemu::output() const {
  std::string text;
  const int fd = open((m_folder + "/log").c_str(), O_RDONLY | O_CLOEXEC);
  char chunk[4096];
  for (ssize_t n; fd >= 0 && (n = read(fd, chunk, sizeof chunk)) > 0;)
    text.append(chunk, static_cast<size_t>(n));
  if (fd >= 0) close(fd);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "it printed nothing" : text;
}

guest::Status Qemu::start(const QemuOptions& options) {
  m_owner = getpid();
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = std::string(temporary && *temporary ? temporary : "/tmp") + "/aerogpu-host-XXXXXX";
  if (!mkdtemp(folder.data()))
    return guest::Status::systemFailure("cannot make the folder %s", folder.c_str());
  m_folder = folder;
  m_memoryBytes = options.memoryBytes;
  m_memory = memfd_create("aerogpu-guest-ram", MFD_CLOEXEC);
  if (m_memory < 0 || ftruncate(m_memory, static_cast<off_t>(m_memoryBytes)) < 0)
    return guest::Status::systemFailure("no file of %llu bytes for guest RAM",
                                        static_cast<unsigned long long>(m_memoryBytes));
  const std::string bytes = std::to_string(m_memoryBytes);
  std::vector<std::string> arguments = {
      options.launcher,
      "-accel",
      "qtest",
      "-machine",
      "pc,memory-backend=ram",
      "-m",
      "size=" + bytes + "B",
      "-object",
      "memory-backend-file,id=ram,share=on,size=" + bytes + "B,mem-path=" + memoryPath(),
      "-display",
      "none",
      "-nodefaults",
      "-qtest-log",
      "/dev/null",
      "-qtest",
      "unix:" + qtestPath() + ",server=on,wait=off",
      "-qmp",
      "unix:" + qmpPath() + ",server=on,wait=off",
      "-d",
      "guest_errors",
      "-device",
      "aerogpu,id=gpu0,addr=4" + options.deviceOptions};
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string log = m_folder + "/log";
  m_pid = fork();
  if (m_pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int in = open("/dev/null", O_RDONLY), out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execvp(argv[0], argv.data());
    std::perror(argv[0]);
    _exit(127);
  }
  if (m_pid < 0) return guest::Status::systemFailure("cannot start %s", options.launcher.c_str());
  for (int waited = 0; waited < kStartMs; waited += 10) {
    if (answers(qmpPath())) return {};
    int status = 0;
    if (waitpid(m_pid, &status, WNOHANG) == m_pid) {
      m_pid = -1;
      return guest::Status::failure("QEMU did not start: %s", output().c_str());
    }
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  return guest::Status::failure("QEMU does not answer: %s", output().c_str());
}

Qemu::~Qemu() {
  if (getpid() != m_owner) return;  // a test's process, which has a copy
  if (m_pid > 0) {
    kill(m_pid, SIGKILL);
    int status = 0;
    waitpid(m_pid, &status, 0);
  }
  if (m_memory >= 0) close(m_memory);
  if (m_folder.empty()) return;
  for (const char* name : {"/qtest", "/qmp", "/log", "/screen"}) unlink((m_folder + name).c_str());
  rmdir(m_folder.c_str());
}

}  // namespace aerogpu::host
