// SPDX-License-Identifier: MIT
// aerogpu-renderer: the renderer's process, or the starter of such processes, with the control socket as
// descriptor 3 (docs/develop/renderer-process.md).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "renderer/process/protocol.h"
#include "renderer/remote/confine.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/server.h"
#include "renderer/remote/start_protocol.h"
#include "renderer/remote/starter.h"
#include "renderer/translator/client.h"

namespace {

using namespace aerogpu;

constexpr const char* kName = "aerogpu-renderer";

int startOthers() {
  // As the helpers: it has its own session, nobody waits for it, and it ends when its embedder does. What it
  // starts comes from the same place, also when a package has put another build there.
  char path[PATH_MAX];
  if (!realpath("/proc/self/exe", path)) return process::kExitUsage;
  const pid_t pid = fork();
  if (pid < 0) return process::kExitNoFork;
  if (pid > 0) return process::kExitReady;
  setsid();
  remote::serveStarts(remote::Descriptor(process::kControlFd), path);
  return process::kExitReady;
}

int render() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // its starter is the one that ends it
  // Its starter gives it these alone; what else there might be is for nobody here.
  const bool hasTranslator = remote::isControl(remote::kTranslatorFd);
  closefrom(hasTranslator ? remote::kTranslatorFd + 1 : process::kControlFd + 1);
  if (remote::kIsConfined && !remote::giveUpRights()) return process::kExitNoSandbox;
  std::string error;
  auto channel = remote::Channel::take(remote::Descriptor(process::kControlFd), error);
  if (!channel) {
    std::fprintf(stderr, "%s: %s\n", kName, error.c_str());
    return process::kExitUsage;
  }
  if (hasTranslator) {
    fcntl(remote::kTranslatorFd, F_SETFD, FD_CLOEXEC);
    translator::takeProcess(remote::kTranslatorFd);
  }
  remote::Server(std::move(channel)).run();
  return process::kExitReady;
}

}  // namespace

int main(int argc, char** argv) {
  const bool session = argc == 2 && std::string_view(argv[1]) == remote::kSessionArgument;
  if ((argc != 1 && !session) || !remote::isControl(process::kControlFd)) {
    std::fprintf(stderr, "%s is started by the aerogpu device, not by hand\n", kName);
    return process::kExitUsage;
  }
  return session ? render() : startOthers();
}
