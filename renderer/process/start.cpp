// SPDX-License-Identifier: MIT
#include "renderer/process/start.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "renderer/process/protocol.h"

extern char** environ;

namespace aerogpu::process {
namespace {

/// The part of the environment that the program sees: library paths, and sanitizer settings.
constexpr const char* kEnvironment[] = {
    "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS="};

std::vector<char*> environment(const Program& program) {
  std::vector<char*> kept;
  if (program.setting) kept.push_back(const_cast<char*>(program.setting));
  for (char** entry = environ; entry && *entry; ++entry)
    for (const char* name : kEnvironment)
      if (!program.wholeEnvironment && std::strncmp(*entry, name, std::strlen(name)) == 0)
        kept.push_back(*entry);
  // But for what is preloaded into this process: the device is, and a sanitizer's runtime may be.
  if (program.wholeEnvironment)
    for (char** entry = environ; entry && *entry; ++entry)
      if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0) kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

std::string whyNot(int status) {
  if (WIFSIGNALED(status)) return std::string("it died of a signal: ") + strsignal(WTERMSIG(status));
  switch (WEXITSTATUS(status)) {
    case kExitNoSandbox:
      return "this kernel or container has no seccomp filters";
    case kExitNoFork:
      return "there can be no more processes";
    default:
      return "it does not run (exit status " + std::to_string(WEXITSTATUS(status)) + ")";
  }
}

std::string folderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

/// Returns the folders of the object that holds `code` and of the program, each with a slash at the end.
std::vector<std::string> ownFolders(const void* code) {
  std::vector<std::string> folders;
  char path[PATH_MAX];
  Dl_info info;
  if (dladdr(code, &info) && info.dli_fname && realpath(info.dli_fname, path))
    folders.push_back(folderOf(path));
  if (realpath("/proc/self/exe", path)) folders.push_back(folderOf(path));
  return folders;
}

}  // namespace

std::string findProgram(const char* name, const char* variable, const void* code,
                        const std::string& installed, std::string& error) {
  if (const char* named = secure_getenv(variable); named && *named) return named;
  const std::vector<std::string> folders = ownFolders(code);
  for (const std::string& folder : folders)
    for (const char* below : {"", "../renderer/", "../"})
      if (std::string path = folder + below + name; access(path.c_str(), X_OK) == 0) return path;
  if (!folders.empty() && !installed.empty())
    if (std::string path = folders.front() + installed + "/" + name; access(path.c_str(), X_OK) == 0)
      return path;
  error = std::string(name) + " is neither beside nor near " +
          (folders.empty() ? "this program" : folders.front());
  return {};
}

int spawnProgram(const Program& program, std::span<const int> descriptors, pid_t& child) {
  // Copies above every place that is filled, so that none of these is overwritten before its turn.
  std::vector<int> copies;
  int failure = 0;
  for (const int descriptor : descriptors) {
    const int least = kControlFd + static_cast<int>(descriptors.size());
    copies.push_back(fcntl(descriptor, F_DUPFD_CLOEXEC, least));
    if (copies.back() < 0) failure = errno;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int place = kControlFd;
  for (const int copy : copies) posix_spawn_file_actions_adddup2(&actions, copy, place++);
  posix_spawn_file_actions_addclosefrom_np(&actions, place);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
#ifndef AEROGPU_ADDRESS_SANITIZER
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#endif
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char* arguments[] = {const_cast<char*>(program.name), const_cast<char*>(program.argument), nullptr};
  if (failure == 0)
    failure = posix_spawn(&child, program.path.c_str(), &actions, &attributes, arguments,
                          environment(program).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (const int copy : copies)
    if (copy >= 0) close(copy);
  return failure;
}

int startProgram(const Program& program, std::string& error, std::span<const int> more) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    error = std::string("no socket for ") + program.title + ": " + std::strerror(errno);
    return -1;
  }
  pid_t pid = -1;
  std::vector<int> descriptors{ends[1]};
  descriptors.insert(descriptors.end(), more.begin(), more.end());
  const int failure = spawnProgram(program, descriptors, pid);
  close(ends[1]);
  const auto fail = [&](const std::string& why) {
    error = std::string(program.title) + " " + program.path + " cannot be started: " + why;
    close(ends[0]);
    return -1;
  };
  if (failure != 0) return fail(std::strerror(failure));
  // The program goes into the background and leaves no child here.
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  // Another thread may have reaped it (SIGCHLD ignored); then the first call tells.
  if (waited == pid && !(WIFEXITED(status) && WEXITSTATUS(status) == kExitReady)) return fail(whyNot(status));
  return ends[0];
}

}  // namespace aerogpu::process
