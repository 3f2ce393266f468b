// SPDX-License-Identifier: MIT
#include "renderer/translator/client.h"

#include <cstring>
#include <utility>

#include "renderer/base/mutex.h"

namespace aerogpu::translator {
namespace {

constexpr const char* kName = "aerogpu-translator";

Mutex g_startMutex;  // constant-initialised, as the pointer below: constructors may use it before ours run
std::atomic<process::Client*> g_shared{nullptr};
std::string* g_failure GUARDED_BY(g_startMutex) = nullptr;  // of the last prepareProcess; never freed

}  // namespace

bool prepareProcess(const std::string& program, std::string& error) {
  Lock lock(g_startMutex);
  if (g_shared.load(std::memory_order_acquire)) return true;
  const std::string path =
      !program.empty()
          ? program
          : process::findProgram(kName, "AEROGPU_TRANSLATOR", reinterpret_cast<const void*>(&prepareProcess),
                                 AEROGPU_MODULE_FROM_BIN, error);
  std::unique_ptr<process::Client> client;
  if (!path.empty())
    client = process::Client::start({path, kName, "the shader translator", "VKD3D_SHADER_DEBUG=none"}, error);
  if (!client) {
    if (!g_failure) g_failure = new std::string;
    *g_failure = error;
    return false;
  }
  g_shared.store(client.release(), std::memory_order_release);
  return true;
}

void takeProcess(int control) {
  Lock lock(g_startMutex);
  g_shared.store(process::Client::over(control).release(), std::memory_order_release);
}

std::string whyNone() {
  Lock lock(g_startMutex);
  return g_failure ? *g_failure : "aerogpu_renderer_prepare_process() was not called";
}

process::Client* shared() {
  return g_shared.load(std::memory_order_acquire);
}

Result<std::vector<uint8_t>> call(process::Client& client, Job job,
                                  std::initializer_list<std::span<const uint8_t>> input,
                                  const std::atomic<bool>* cancelled) {
  auto product = client.call(static_cast<uint32_t>(job), input, cancelled);
  if (!product) return errorOf(std::move(product.error()));
  return std::move(*product);
}

Error errorOf(process::CallError failed) {
  using Reason = process::CallError::Reason;
  switch (failed.reason) {
    case Reason::TooBig:
      return {ErrorCode::CmdDecode, "shader is too big to translate"};
    case Reason::Refused:
      // The text comes from a process that may be compromised; the log lines after it must stay visible.
      failed.text.resize(std::strlen(failed.text.c_str()));
      return {ErrorCode::CmdDecode, "the shader translator refuses the shader", std::move(failed.text)};
    case Reason::Died:
      return {ErrorCode::CmdDecode, "the shader translator gave up on the shader"};
    case Reason::NoSocket:
      return {ErrorCode::Backend, "no socket for the shader translator"};
    case Reason::NoChild:
      return {ErrorCode::Backend, "no process for the shader translator"};
    case Reason::NoAnswer:
      return {ErrorCode::Backend, "the shader translator does not answer"};
    case Reason::Ended:
      return {ErrorCode::Backend, "the shader translator has ended"};
    case Reason::Cancelled:
      return {ErrorCode::Interrupted, "interrupted while a shader was translated"};
  }
  return {ErrorCode::Internal, "a call of the shader translator failed"};
}

}  // namespace aerogpu::translator
