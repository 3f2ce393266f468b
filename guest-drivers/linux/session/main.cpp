// SPDX-License-Identifier: MIT
// aerogpu-session: process 1 of a Linux guest that runs a server and, when that is ready, programs, one after
// the other. tests-qtest/vm/d3d9_test.py makes the guest: the driver host is the server, the programs are
// Wine's.
//
//   /session/environment  NAME=VALUE, one a line, for all of them
//   /session/server       the server's path and its arguments, one a line. A line of its output that begins
//   with
//                         "aerogpu-kmt: " and an address says that it is ready; programs find that in
//                         AEROGPU_KMT.
//   /session/programs     a program and its arguments a line, with blanks between them
//
// What they write goes to the console. The programs' standard input is the second serial line.
// "aerogpu-session: ended CODE PROGRAM" follows each program, "aerogpu-session: done CODE" the server.
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/status.h"
#include "init/init.h"

namespace aerogpu::guest {

namespace {

constexpr char kReady[] = "aerogpu-kmt: ";
constexpr char kInput[] = "/dev/ttyS1";

using Words = std::vector<std::string>;

Status readLines(const char* path, Words& lines) {
  std::FILE* file = std::fopen(path, "re");
  if (!file) return Status::systemFailure("cannot open %s", path);
  std::string line;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    if (!line.empty()) lines.push_back(line);
    line.clear();
  }
  std::fclose(file);
  return {};
}

Words split(const std::string& line) {
  Words words;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// The loopback interface exists from the start, and is down.
Status bringLoopbackUp() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Status::systemFailure("cannot open a socket");
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const int result = ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
  return result < 0 ? Status::systemFailure("cannot bring up the interface lo") : Status();
}

/// Starts a program with these descriptors as standard input and output. The process id, or -1.
pid_t start(const Words& words, int input, int output) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  std::fprintf(stderr, "aerogpu-session: cannot run %s: %m\n", arguments[0]);
  _exit(127);
}

int exitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Waits for one process; others that end meanwhile are nobody's children but ours.
int waitFor(pid_t process) {
  int status = 0;
  for (pid_t ended = 0; (ended = wait(&status)) != process;)
    if (ended < 0) return -1;
  return exitCode(status);
}

/// Copies what is there to read. False at the end.
bool copy(int from, int to) {
  char bytes[4096];
  const ssize_t n = read(from, bytes, sizeof bytes);
  if (n <= 0) return false;
  for (ssize_t done = 0, step = 0; done < n; done += step)
    if ((step = write(to, bytes + done, static_cast<size_t>(n - done))) < 0) return true;  // nobody reads it
  return true;
}

/// Runs a program to its end; its exit code. `children` tells of processes that ended. Processes that the
/// program leaves behind may keep its output open: nobody waits for those.
int runProgram(const Words& words, int serial, int children) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) return -1;
  const pid_t process = start(words, in[0], out[1]);
  close(in[0]);
  close(out[1]);
  std::fflush(stdout);
  pollfd files[] = {{out[0], POLLIN, 0}, {serial, POLLIN, 0}, {children, POLLIN, 0}};
  int code = -1;
  for (bool running = process > 0; running;) {
    if (poll(files, 3, -1) < 0) continue;
    if (files[1].revents && !copy(serial, in[1])) files[1].fd = -1;
    if (files[0].revents) {
      if (!copy(out[0], STDOUT_FILENO)) files[0].fd = -1;
      continue;  // all of it before the end
    }
    if (!files[2].revents) continue;
    signalfd_siginfo info;
    if (read(children, &info, sizeof info) < 0) continue;
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == process) {
        code = exitCode(status);
        running = false;
      }
  }
  close(in[1]);
  close(out[0]);
  return code;
}

/// Copies lines to the console until there are none.
void forward(std::FILE* from) {
  char line[4096];
  while (std::fgets(line, sizeof line, from)) std::printf("%s", line);
}

/// The server, with pipes to it. Its lines go to the console; a process of their own sees to that once it is
/// ready.
struct Server {
  pid_t process = -1, forwarder = -1;
  int input = -1;
  std::FILE* output = nullptr;

  Status start(const Words& words) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) return Status::systemFailure("no pipe");
    process = guest::start(words, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    input = in[1];
    output = fdopen(out[0], "r");
    if (process < 0 || !output) return Status::systemFailure("cannot start the server");
    char line[4096];
    while (std::fgets(line, sizeof line, output)) {
      std::printf("%s", line);
      if (std::strncmp(line, kReady, sizeof kReady - 1) != 0) continue;
      line[std::strcspn(line, "\r\n")] = 0;
      setenv("AEROGPU_KMT", line + sizeof kReady - 1, 1);
      std::fflush(stdout);
      forwarder = fork();
      if (forwarder != 0) return {};
      close(input);
      forward(output);
      std::fflush(stdout);
      _exit(0);
    }
    return Status::failure("the server ended with %d before it was ready", waitFor(process));
  }

  /// Its exit status, after the end of its input.
  int stop() {
    close(input);
    const int code = waitFor(process);
    waitFor(forwarder);
    return code;
  }
};

Status prepare() {
  Status status = mountFileSystems();
  if (status.ok()) status = loadModules();
  if (status.ok()) status = bringLoopbackUp();
  mkdir("/tmp", 01777);
  Words environment;
  if (status.ok()) status = readLines("/session/environment", environment);
  for (const std::string& line : environment) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) setenv(line.substr(0, equals).c_str(), line.c_str() + equals + 1, 1);
  }
  return status;
}

Status run() {
  Status status = prepare();
  Words serverWords, programs;
  if (status.ok()) status = readLines("/session/server", serverWords);
  if (status.ok()) status = readLines("/session/programs", programs);
  if (!status.ok()) return status;
  const int input = open(kInput, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (input < 0) return Status::systemFailure("cannot open %s", kInput);
  Server server;
  if (!serverWords.empty()) {
    status = server.start(serverWords);
    if (!status.ok()) return status;
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int children = signalfd(-1, &set, SFD_CLOEXEC);
  for (const std::string& line : programs) {
    const int code = runProgram(split(line), input, children);
    std::printf("aerogpu-session: ended %d %s\n", code, line.c_str());
  }
  std::printf("aerogpu-session: done %d\n", server.process < 0 ? 0 : server.stop());
  return {};
}

}  // namespace

}  // namespace aerogpu::guest

int main() {
  const aerogpu::guest::Status status = aerogpu::guest::run();
  if (!status.ok()) std::printf("aerogpu-session: error: %s\n", status.text().c_str());
  aerogpu::guest::powerOff();
}
