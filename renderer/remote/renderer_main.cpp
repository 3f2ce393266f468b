// SPDX-License-Identifier: MIT
// aerogpu-renderer: the renderer's process. The device starts it (docs/develop/renderer-process.md).
#include "renderer/remote/server.h"

int main(int argc, char** argv) {
  (void)argv;
  return aerogpu::remote::serverMain(argc, "aerogpu-renderer");
}
