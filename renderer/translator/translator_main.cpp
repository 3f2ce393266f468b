// SPDX-License-Identifier: MIT
// aerogpu-translator: what a guest's DXBC shaders are translated in (docs/architecture.md). Started by the
// renderer.
#include "renderer/translator/jobs.h"
#include "renderer/translator/server.h"

using namespace aerogpu::translator;

int main(int argc, char**) {
  static constexpr JobFunction kJobs[] = {translateDxbc, finishSpirv};
  return serverMain(argc, kJobs);
}
