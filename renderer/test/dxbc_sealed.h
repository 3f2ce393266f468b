// SPDX-License-Identifier: MIT
// Test support: puts the right checksum into an assembled DXBC container.
#pragma once

#include <cstring>

#include "renderer/shader/dxbc/checksum.h"
#include "renderer/test/dxbc_builder.h"

namespace aerogpu::test::dxbc {

inline void seal(Tokens& file) {
  uint8_t digest[16];
  shader::dxbcChecksum({reinterpret_cast<const uint8_t*>(file.data()), file.size() * 4}, digest);
  std::memcpy(file.data() + 1, digest, sizeof digest);
}

inline Tokens sealed(Tokens file) {
  seal(file);
  return file;
}

}  // namespace aerogpu::test::dxbc
