// SPDX-License-Identifier: MIT
// aerogpu-session: process 1 of a Linux guest that runs a server and programs, several at a time if
// requested. tests-qtest/vm/guest_stack.py makes the guest: the driver host is the server, the programs are
// Wine's.
//
//   /session/environment  NAME=VALUE, one a line, for all of them
//   /session/server       the server's path and its arguments, one a line. A line of its output that begins
//                         with "aerogpu-kmt: " and an address says that it is ready; programs find that in
//                         AEROGPU_KMT.
//
// "aerogpu-session: ready" on the console means that it reads the second serial line. Commands there, one a
// line, words with blanks between them, at most 4095 bytes (the terminal's limit):
//
//   start LABEL [NAME=VALUE...] PROGRAM [ARGUMENT...]
//                                       a program with a pipe as its standard input, and variables of its own
//   write LABEL WORD...                 a line for that pipe
//   release LABEL                       closes that pipe
//   kill LABEL                          ends the program with SIGKILL
//   tell COMMAND...                     a line for the server's standard input
//   stop                                closes the server's standard input and, when it has ended, turns off
//
// The console shows the server's lines as they are, a program's after its label and ": ". Then come
// "aerogpu-session: ended CODE LABEL", "aerogpu-session: the server ended with CODE", and, for a command that
// fails, "aerogpu-session: error: ...".
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

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "guest-drivers/linux/device/status.h"
#include "guest-drivers/linux/init/init.h"

namespace aerogpu::guest {

namespace {

constexpr char kReady[] = "aerogpu-kmt: ";
constexpr char kCommands[] = "/dev/ttyS1";

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

/// Switches the loopback interface on, which exists from the start, but is down.
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

/// Opens the line of commands: whole lines, and no echo, because no program reads it.
Status openCommands(int& fd) {
  fd = open(kCommands, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  if (fd < 0 || tcgetattr(fd, &settings) < 0) return Status::systemFailure("cannot open %s", kCommands);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
  settings.c_lflag |= ICANON;
  return tcsetattr(fd, TCSANOW, &settings) < 0 ? Status::systemFailure("cannot set up %s", kCommands)
                                               : Status();
}

/// True if a word of a command is NAME=VALUE, and not a path.
bool isVariable(const std::string& word) {
  return word[0] != '/' && word.find('=') != std::string::npos;
}

int exitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Output of a process, read line by line.
struct Source {
  int fd = -1;
  std::string prefix;   // in front of each line
  std::string pending;  // a line without its end so far

  void add(const char* bytes, size_t count, Words& lines) {
    for (size_t i = 0; i < count; ++i) {
      if (bytes[i] != '\n') {
        if (bytes[i] != '\r') pending += bytes[i];
        continue;
      }
      lines.push_back(pending);
      pending.clear();
    }
  }
};

/// The server or a program.
struct Child {
  pid_t process = -1;
  int input = -1;     // the pipe to its standard input; -1: closed
  std::string label;  // empty: the server
};

/// Writes the words from `first` on to a child's standard input, as a line; false if not all of it went
/// there.
bool tell(const Child* child, const Words& words, size_t first) {
  std::string line;
  for (size_t i = first; i < words.size(); ++i) line += (i > first ? " " : "") + words[i];
  line += '\n';
  return child && child->input >= 0 &&
         write(child->input, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

class Session {
public:
  Status run();

private:
  Status prepare();
  Status start(const std::string& label, const Words& words);
  void takeCommands();
  void command(const Words& words);
  void takeOutput(Source& source);
  void takeEnds();
  void ended(size_t child, int code);
  Child* find(const std::string& label);

  std::vector<Child> m_children;  // those that have not ended
  std::vector<Source> m_sources;
  Source m_commands;
  int m_signals = -1;
  bool m_ready = false, m_stopping = false, m_failed = false;
};

void complain(const char* what, const std::string& which) {
  std::printf("aerogpu-session: error: %s '%s'\n", what, which.c_str());
}

Status Session::prepare() {
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
  if (status.ok()) status = openCommands(m_commands.fd);
  if (!status.ok()) return status;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  m_signals = signalfd(-1, &set, SFD_CLOEXEC);
  return m_signals < 0 ? Status::systemFailure("no signalfd") : Status();
}

Status Session::start(const std::string& label, const Words& words) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) return Status::systemFailure("no pipe");
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  std::fflush(stdout);
  const pid_t process = fork();
  if (process < 0) return Status::systemFailure("cannot start %s", words[0].c_str());
  if (process == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(out[1], STDERR_FILENO);
    size_t first = 0;
    for (; first + 1 < words.size() && isVariable(words[first]); ++first)
      putenv(const_cast<char*>(words[first].c_str()));
    const Words command(words.begin() + static_cast<ptrdiff_t>(first), words.end());
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    std::fprintf(stderr, "aerogpu-session: cannot run %s: %m\n", arguments[0]);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  m_children.push_back({process, in[1], label});
  m_sources.push_back({out[0], label.empty() ? "" : label + ": ", ""});
  return {};
}

Child* Session::find(const std::string& label) {
  for (Child& child : m_children)
    if (child.label == label) return &child;
  return nullptr;
}

void Session::command(const Words& words) {
  if (words.empty()) return;
  const std::string& verb = words[0];
  if (verb == "stop") {
    m_stopping = true;
    Child* server = find("");
    if (server && server->input >= 0) close(server->input);
    if (server) server->input = -1;
    return;
  }
  if (verb == "tell") {
    if (!tell(find(""), words, 1)) complain("the server cannot be told", words.size() > 1 ? words[1] : "");
    return;
  }
  Child* child = words.size() > 1 ? find(words[1]) : nullptr;
  if (verb == "start" && words.size() > 2) {
    if (child) return complain("this label is in use:", words[1]);
    const Status status = start(words[1], {words.begin() + 2, words.end()});
    if (!status.ok()) complain(status.text().c_str(), words[1]);
  } else if (verb == "release" && child) {
    if (child->input >= 0) close(child->input);
    child->input = -1;
  } else if (verb == "write" && child) {
    tell(child, words, 2);
  } else if (verb == "kill" && child) {
    kill(child->process, SIGKILL);
  } else if (verb != "release" && verb != "kill" && verb != "write") {
    complain("no such command:", verb);  // a program that others name may have ended by itself
  }
}

void Session::takeCommands() {
  char bytes[4096];
  const ssize_t count = read(m_commands.fd, bytes, sizeof bytes);
  if (count <= 0) return;
  Words lines;
  m_commands.add(bytes, static_cast<size_t>(count), lines);
  for (const std::string& line : lines) command(split(line));
}

/// Reads the available output; closes the source at its end.
void Session::takeOutput(Source& source) {
  char bytes[4096];
  ssize_t count = 0;
  while ((count = read(source.fd, bytes, sizeof bytes)) > 0) {
    Words lines;
    source.add(bytes, static_cast<size_t>(count), lines);
    for (const std::string& line : lines) {
      std::printf("%s%s\n", source.prefix.c_str(), line.c_str());
      if (m_ready || !source.prefix.empty() || line.compare(0, sizeof kReady - 1, kReady) != 0) continue;
      setenv("AEROGPU_KMT", line.c_str() + sizeof kReady - 1, 1);
      m_ready = true;
      std::printf("aerogpu-session: ready\n");
    }
  }
  if (count < 0) return;  // EAGAIN
  if (!source.pending.empty()) std::printf("%s%s\n", source.prefix.c_str(), source.pending.c_str());
  close(source.fd);
  source.fd = -1;
}

void Session::ended(size_t index, int code) {
  const Child child = m_children[index];
  m_children.erase(m_children.begin() + static_cast<ptrdiff_t>(index));
  // Its output comes before the report of its end. Processes that it leaves running may keep its output open.
  for (Source& source : m_sources)
    if (source.fd >= 0 && source.prefix == (child.label.empty() ? "" : child.label + ": "))
      takeOutput(source);
  if (!child.label.empty()) {
    if (child.input >= 0) close(child.input);
    std::printf("aerogpu-session: ended %d %s\n", code, child.label.c_str());
    return;
  }
  std::printf("aerogpu-session: the server ended with %d\n", code);
  m_failed = !m_ready;
}

void Session::takeEnds() {
  signalfd_siginfo info;
  if (read(m_signals, &info, sizeof info) < 0) return;
  int status = 0;
  for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;)
    for (size_t i = 0; i < m_children.size(); ++i)
      if (m_children[i].process == process) {  // otherwise a process that a program left running
        ended(i, exitCode(status));
        break;
      }
}

Status Session::run() {
  Words server;
  Status status = prepare();
  if (status.ok()) status = readLines("/session/server", server);
  if (status.ok() && server.empty()) status = Status::failure("/session/server names no server");
  if (status.ok()) status = start("", server);
  if (!status.ok()) return status;
  while (!m_failed && (!m_stopping || find(""))) {
    std::vector<pollfd> files = {{m_signals, POLLIN, 0}, {m_ready ? m_commands.fd : -1, POLLIN, 0}};
    for (const Source& source : m_sources) files.push_back({source.fd, POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0) continue;
    const size_t sources = m_sources.size();  // a command may add one
    for (size_t i = 0; i < sources; ++i)
      if (files[i + 2].revents) takeOutput(m_sources[i]);
    if (files[0].revents) takeEnds();
    if (files[1].revents) takeCommands();
    std::erase_if(m_sources, [](const Source& source) { return source.fd < 0; });
  }
  return {};
}

}  // namespace

}  // namespace aerogpu::guest

int main() {
  aerogpu::guest::Session session;
  const aerogpu::guest::Status status = session.run();
  if (!status.ok()) std::printf("aerogpu-session: error: %s\n", status.text().c_str());
  aerogpu::guest::powerOff();
}
