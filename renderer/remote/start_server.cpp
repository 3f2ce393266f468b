// SPDX-License-Identifier: MIT
// The starter's own side: one thread, which waits for requests and for the ends of what it has started.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "renderer/process/start.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/protocol.h"
#include "renderer/remote/start_protocol.h"
#include "renderer/remote/starter.h"

namespace aerogpu::remote {
namespace {

struct Child {
  pid_t pid = -1;
  Descriptor handle;  ///< a pidfd
  Descriptor life;
  bool killed = false;
};

class Starts {
public:
  Starts(Descriptor control, const std::string& program) : m_control(std::move(control)), m_program(program) {
    if (fcntl(kTranslatorFd, F_GETFD) >= 0) m_translator = kTranslatorFd;
  }

  void run() {
    std::vector<pollfd> polled;
    for (;;) {
      polled.clear();
      const bool room = m_children.size() < kMostStarted;
      polled.push_back({m_control.get(), static_cast<short>(room ? POLLIN : 0), 0});
      for (const Child& child : m_children) {
        polled.push_back({child.handle.get(), POLLIN, 0});
        polled.push_back({child.killed ? -1 : child.life.get(), 0, 0});  // a hang-up is always reported
      }
      if (poll(polled.data(), polled.size(), -1) < 0) {
        if (errno != EINTR && errno != EAGAIN) return;
        continue;
      }
      for (size_t i = m_children.size(); i-- > 0;)
        look(i, polled[1 + 2 * i].revents, polled[2 + 2 * i].revents);
      if ((polled[0].revents & POLLIN) != 0) {
        if (!takeRequest()) return;
      } else if (polled[0].revents != 0) {
        return;
      }
    }
  }

private:
  void look(size_t index, short ended, short left) {
    Child& child = m_children[index];
    if (ended != 0) {
      EndNotice notice;
      waitpid(child.pid, &notice.status, 0);
      (void)send(child.life.get(), &notice, sizeof notice, MSG_NOSIGNAL | MSG_DONTWAIT);
      std::swap(child, m_children.back());
      m_children.pop_back();
    } else if (left != 0) {
      kill(child.pid, SIGKILL);  // not waited for yet, so its number is its own
      child.killed = true;
    }
  }

  /// False if the embedder has ended, or says what it never says.
  bool takeRequest() {
    StartRequest request{};
    std::vector<Descriptor> given;
    if (!receiveDescriptors(m_control.get(), {reinterpret_cast<uint8_t*>(&request), sizeof request}, given) ||
        request.magic != kStartMagic || given.size() != 2)
      return false;
    Child child;
    StartAnswer answer;
    answer.failure = static_cast<uint32_t>(start(given[0].get(), child));
    child.life = std::move(given[1]);
    const int handle = child.handle.get();
    const auto handles = answer.failure == 0 ? std::span(&handle, 1) : std::span<const int>();
    // An embedder that has gone meanwhile has left a hang-up, which ends the child.
    (void)sendDescriptors(child.life.get(), bytesOf(answer), handles);
    if (answer.failure == 0) m_children.push_back(std::move(child));
    return true;
  }

  int start(int control, Child& child) const {
    process::Program program{m_program, "aerogpu-renderer", "the renderer's process"};
    program.argument = kSessionArgument;
    program.wholeEnvironment = true;
    // Huge pages for what malloc() maps, such as textures of a GPU in software: a renderer that takes over
    // from another one touches all of it at once. (Memory Allocation Tunables in glibc's manual; from 2.35.)
    if (!std::getenv("GLIBC_TUNABLES")) program.setting = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
    const int descriptors[] = {control, m_translator};
    const auto given = std::span(descriptors).first(m_translator >= 0 ? 2 : 1);
    if (const int failure = process::spawnProgram(program, given, child.pid); failure != 0) return failure;
    child.handle = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0)));
    if (child.handle) return 0;
    const int failure = errno;
    kill(child.pid, SIGKILL);
    waitpid(child.pid, nullptr, 0);
    return failure;
  }

  const Descriptor m_control;
  const std::string m_program;
  int m_translator = -1;  ///< its control socket, if the embedder has one
  std::vector<Child> m_children;
};

}  // namespace

void serveStarts(Descriptor control, const std::string& program) {
  Starts(std::move(control), program).run();
}

}  // namespace aerogpu::remote
