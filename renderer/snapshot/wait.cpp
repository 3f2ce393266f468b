// SPDX-License-Identifier: MIT
#include "renderer/snapshot/wait.h"

#include <memory>
#include <optional>
#include <utility>

namespace aerogpu::snapshot {

namespace {

/// Notes how work ended. The back end has returned from it before waitIdle() does.
class Ended final : public core::Completion {
public:
  Ended(core::Backend& backend, std::optional<Error>& error) : m_backend(backend), m_error(error) {}
  void completed(const std::optional<Error>& gpuError, aerogpu_frame* frame) override {
    m_error = gpuError;
    if (frame) m_backend.releaseFrame(frame);
  }

private:
  core::Backend& m_backend;
  std::optional<Error>& m_error;
};

}  // namespace

Result<void> finishWork(core::Backend& backend) {
  std::optional<Error> error;
  backend.endSubmission(std::make_unique<Ended>(backend, error), true);
  backend.waitIdle(UINT64_MAX);
  if (error) return *error;
  return {};
}

}  // namespace aerogpu::snapshot
