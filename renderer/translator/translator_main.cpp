// SPDX-License-Identifier: MIT
// aerogpu-translator: translates a guest's DXBC shaders (docs/develop/architecture.md). The renderer starts
// it.
#include "renderer/process/server.h"
#include "renderer/translator/dxbc_answer.h"
#include "renderer/translator/jobs.h"

using namespace aerogpu::translator;

int main(int argc, char**) {
  static constexpr aerogpu::process::JobFunction kJobs[] = {translateDxbc, finishSpirv};
  static_assert(static_cast<size_t>(Job::TranslateDxbc) == 0 && static_cast<size_t>(Job::FinishSpirv) == 1);
  return aerogpu::process::serverMain(argc, "aerogpu-translator", kJobs);
}
