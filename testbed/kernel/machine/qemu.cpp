// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/qemu.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace aerogpu::host {

namespace {

constexpr int kStartMs = 60000, kReplaceMs = kStartMs + 30000;
constexpr char kDone[] = "done";

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
  m_options = options;
  m_memoryBytes = options.memoryBytes;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, m_requests) != 0)
    return guest::Status::systemFailure("no sockets for requests");
  // Sealed, the renderer's process maps it too.
  m_memory = memfd_create("aerogpu-guest-ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (m_memory < 0 || ftruncate(m_memory, static_cast<off_t>(m_memoryBytes)) < 0 ||
      fcntl(m_memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    return guest::Status::systemFailure("no file of %llu bytes for guest RAM",
                                        static_cast<unsigned long long>(m_memoryBytes));
  guest::Status status = launch(0, false, m_pid);
  return status.ok() ? waitUntilItAnswers() : status;
}

guest::Status Qemu::launch(unsigned number, bool incoming, pid_t& pid) {
  const std::string bytes = std::to_string(m_memoryBytes);
  std::vector<std::string> arguments = {
      m_options.launcher,
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
      "unix:" + socketPath("/qtest", number) + ",server=on,wait=off",
      "-qmp",
      "unix:" + socketPath("/qmp", number) + ",server=on,wait=off",
      "-d",
      "guest_errors",
      "-device",
      "aerogpu,id=gpu0,addr=4" + m_options.deviceOptions};
  if (incoming) arguments.insert(arguments.end(), {"-incoming", "defer"});
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string log = m_folder + "/log";
  pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int in = open("/dev/null", O_RDONLY), out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execvp(argv[0], argv.data());
    std::perror(argv[0]);
    _exit(127);
  }
  return pid > 0 ? guest::Status()
                 : guest::Status::systemFailure("cannot start %s", m_options.launcher.c_str());
}

guest::Status Qemu::waitUntilItAnswers() {
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

void Qemu::end(pid_t& pid) {
  if (pid <= 0) return;
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  pid = -1;
}

guest::Status Qemu::prepare() {
  return m_prepared > 0 ? guest::Status() : launch(m_number + 1, true, m_prepared);
}

guest::Status Qemu::takeNext() {
  end(m_pid);
  for (const char* name : {"/qtest", "/qmp"}) unlink(socketPath(name, m_number).c_str());
  guest::Status status = prepare();
  if (!status.ok()) return status;
  ++m_number;
  m_pid = std::exchange(m_prepared, -1);
  return waitUntilItAnswers();
}

guest::Status Qemu::replace() {
  if (getpid() == m_owner) {
    guest::Status status = takeNext();
    return status.ok() ? prepare() : status;
  }
  char answer[1024];
  pollfd ready{m_requests[1], POLLIN, 0};
  if (send(m_requests[1], kDone, 1, MSG_NOSIGNAL) != 1 || poll(&ready, 1, kReplaceMs) != 1)
    return guest::Status::failure("there is no other QEMU within %d s", kReplaceMs / 1000);
  const ssize_t length = recv(m_requests[1], answer, sizeof answer - 1, 0);
  answer[std::max<ssize_t>(length, 0)] = 0;
  if (std::strcmp(answer, kDone) != 0) return guest::Status::failure("%s", answer);
  ++m_number;
  return {};
}

int Qemu::serve(pid_t child) {
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  for (;;) {
    pollfd ready[2] = {{m_requests[0], POLLIN, 0}, {ended, POLLIN, 0}};
    if (ended < 0 || (poll(ready, 2, -1) > 0 && ready[1].revents)) break;
    char request;
    if (!ready[0].revents || recv(m_requests[0], &request, 1, MSG_DONTWAIT) != 1) continue;
    const guest::Status status = takeNext();
    const std::string text = status.ok() ? kDone : status.text().substr(0, 1000);
    send(m_requests[0], text.data(), text.size(), MSG_NOSIGNAL);
    (void)prepare();  // if it fails, the next replacement says so
  }
  if (ended >= 0) close(ended);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return status;
}

Qemu::~Qemu() {
  if (getpid() != m_owner) return;  // a test's process, which has a copy
  end(m_pid);
  end(m_prepared);
  if (m_memory >= 0) close(m_memory);
  if (m_folder.empty()) return;
  for (const unsigned number : {m_number, m_number + 1})
    for (const char* name : {"/qtest", "/qmp"}) unlink(socketPath(name, number).c_str());
  for (const char* name : {"/log", "/screen", "/state"}) unlink((m_folder + name).c_str());
  rmdir(m_folder.c_str());
}

}  // namespace aerogpu::host
