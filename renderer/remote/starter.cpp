// SPDX-License-Identifier: MIT
#include "renderer/remote/starter.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "renderer/process/start.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/protocol.h"
#include "renderer/remote/start_protocol.h"
#include "renderer/translator/client.h"

namespace aerogpu::remote {
namespace {

Mutex g_mutex;  // constant-initialised, as the pointer below: constructors may use it before ours run
std::map<std::string, std::shared_ptr<Starter>>* g_starters GUARDED_BY(g_mutex) = nullptr;  // never freed

bool makePair(Descriptor& here, Descriptor& there, std::string& error) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    error = std::string("no socket for the renderer's process: ") + std::strerror(errno);
    return false;
  }
  here = Descriptor(ends[0]);
  there = Descriptor(ends[1]);
  return true;
}

}  // namespace

std::shared_ptr<Starter> Starter::of(const std::string& program, std::string& error) {
  Lock lock(g_mutex);
  if (!g_starters) g_starters = new std::map<std::string, std::shared_ptr<Starter>>;
  std::shared_ptr<Starter>& starter = (*g_starters)[program];
  if (starter && !starter->hasEnded()) return starter;
  starter.reset();
  const std::string path =
      !program.empty()
          ? program
          : process::findProgram("aerogpu-renderer", "AEROGPU_RENDERER",
                                 reinterpret_cast<const void*>(&Starter::of), AEROGPU_MODULE_FROM_BIN, error);
  if (path.empty()) return nullptr;
  process::Program about{path, "aerogpu-renderer", "the renderer's process"};
  about.wholeEnvironment = true;  // Vulkan's loader and drivers are told there what to do
  const process::Client* translator = translator::shared();  // as the embedder's, or none
  const int more = translator ? translator->control() : -1;
  Descriptor control(process::startProgram(about, error, std::span(&more, translator ? 1 : 0)));
  if (!control) return nullptr;
  starter.reset(new Starter(std::move(control), path));
  return starter;
}

bool Starter::hasEnded() const {
  pollfd polled{m_control.get(), 0, 0};
  return poll(&polled, 1, 0) > 0;  // a hang-up is always reported
}

bool Starter::start(uint64_t untilNs, Started& started, std::string& error) {
  Lock lock(m_mutex);
  Descriptor control, life;
  if (!makePair(started.control, control, error) || !makePair(started.life, life, error)) return false;
  const int given[] = {control.get(), life.get()};
  const StartRequest request;
  if (!sendDescriptors(m_control.get(), bytesOf(request), given)) {
    error = m_program + " has ended, and cannot start a renderer's process";
    return false;
  }
  control = {};
  life = {};  // the starter's ends are the only ones now: if it ends, these hang up
  StartAnswer answer{};
  std::vector<Descriptor> handles;
  if (!waitForInput(started.life.get(), untilNs) ||
      !receiveDescriptors(started.life.get(), {reinterpret_cast<uint8_t*>(&answer), sizeof answer},
                          handles) ||
      answer.magic != kStartMagic) {
    error = m_program + " does not start a renderer's process";
    return false;
  }
  if (answer.failure != 0 || handles.size() != 1) {
    error =
        m_program + " cannot start a renderer's process: " + std::strerror(static_cast<int>(answer.failure));
    return false;
  }
  started.handle = std::move(handles[0]);
  return true;
}

}  // namespace aerogpu::remote
