// SPDX-License-Identifier: MIT
// Starting the translator program, and the one that the process shares.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "renderer/base/mutex.h"
#include "renderer/translator/client.h"

extern char** environ;

namespace aerogpu::translator {
namespace {

/// What of the environment the program sees: where libraries are, and sanitizer settings.
constexpr const char* kEnvironment[] = {
    "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS="};

std::vector<char*> environment() {
  static char quiet[] = "VKD3D_SHADER_DEBUG=none";
  std::vector<char*> kept = {quiet};
  for (char** entry = environ; entry && *entry; ++entry)
    for (const char* name : kEnvironment)
      if (std::strncmp(*entry, name, std::strlen(name)) == 0) kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

int spawn(const std::string& program, int control, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, control, kControlFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, kControlFd + 1);
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
  char* arguments[] = {const_cast<char*>("aerogpu-translator"), nullptr};
  const int result =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
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

/// Folders of the object that holds this code and of the program, each with a slash at the end.
std::vector<std::string> ownFolders() {
  std::vector<std::string> folders;
  char path[PATH_MAX];
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&prepareProcess), &info) && info.dli_fname &&
      realpath(info.dli_fname, path))
    folders.push_back(folderOf(path));
  if (realpath("/proc/self/exe", path)) folders.push_back(folderOf(path));
  return folders;
}

std::string findProgram(std::string& error) {
  if (const char* named = secure_getenv("AEROGPU_TRANSLATOR"); named && *named) return named;
  const std::vector<std::string> folders = ownFolders();
  for (const std::string& folder : folders)
    for (const char* below : {"", "../renderer/", "../"})
      if (std::string path = folder + below + "aerogpu-translator"; access(path.c_str(), X_OK) == 0)
        return path;
  error =
      "aerogpu-translator is neither beside nor near " + (folders.empty() ? "this program" : folders.front());
  return {};
}

Mutex g_startMutex;  // constant-initialised, as the pointer below: constructors may run before ours
std::atomic<Client*> g_shared{nullptr};
std::string* g_failure GUARDED_BY(g_startMutex) = nullptr;  // of the last prepareProcess; never freed

}  // namespace

std::unique_ptr<Client> Client::start(const std::string& program, std::string& error, uint32_t graceMs) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    error = std::string("no socket for the shader translator: ") + std::strerror(errno);
    return nullptr;
  }
  pid_t pid = -1;
  const int failure = spawn(program, ends[1], pid);
  close(ends[1]);
  std::unique_ptr<Client> client(new Client(ends[0], graceMs));
  if (failure != 0) {
    error = "the shader translator " + program + " cannot be started: " + std::strerror(failure);
    return nullptr;
  }
  // It goes into the background and leaves no child behind here.
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  // Somebody else may have reaped it (SIGCHLD ignored); then the first call tells.
  if (waited == pid && !(WIFEXITED(status) && WEXITSTATUS(status) == kExitReady)) {
    error = "the shader translator " + program + " cannot be started: " + whyNot(status);
    return nullptr;
  }
  return client;
}

bool prepareProcess(const std::string& program, std::string& error) {
  Lock lock(g_startMutex);
  if (g_shared.load(std::memory_order_acquire)) return true;
  const std::string path = program.empty() ? findProgram(error) : program;
  std::unique_ptr<Client> client = path.empty() ? nullptr : Client::start(path, error);
  if (!client) {
    if (!g_failure) g_failure = new std::string;
    *g_failure = error;
    return false;
  }
  g_shared.store(client.release(), std::memory_order_release);
  return true;
}

std::string whyNone() {
  Lock lock(g_startMutex);
  return g_failure ? *g_failure : "aerogpu_renderer_prepare_process() was not called";
}

Client* shared() {
  return g_shared.load(std::memory_order_acquire);
}

}  // namespace aerogpu::translator
