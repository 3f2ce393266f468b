// SPDX-License-Identifier: MIT
// libFuzzer entry: any bytes as a token stream or a container. emit() must succeed if parse() does.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "aerogpu/d3d9/disassembler.h"
#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/shader/translate.h"

using namespace aerogpu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(data, size);
  if (shader::isDxbc(bytes)) {
    if (const auto container = shader::parseDxbc(bytes)) {
      (void)shader::readInputSignature(*container);
      (void)shader::readOutputSignature(*container);
      (void)container->d3d9Stream();
      (void)shader::withValidChecksum(bytes);
    }
    return 0;
  }
  std::vector<uint32_t> tokens(size / 4);
  if (!tokens.empty()) std::memcpy(tokens.data(), data, tokens.size() * 4);
  (void)d3d9::disassemble(tokens);
  const auto program = shader::parse(tokens);
  if (!program) return 0;
  const std::vector<shader::Varying> linked = {{d3d9::Usage::Color, 0, 0, 15},
                                               {d3d9::Usage::TexCoord, 0, 1, 15}};
  shader::EmitOptions options;
  options.linkedOutputs = linked;
  options.shadowSamplers = 1;
  options.decodedSamplers = 6;
  options.gatheredSamplers = 0x8000C;
  options.clipPlaneCount = 1;
  options.projectedBy = {1, 2, 3, 0};
  options.dualSource = size % 8 == 0;
  options.inputTypes[1] = shader::InputType::Uint;
  options.inputTypes[2] = shader::InputType::Int;
  if (!shader::emit(*program, options)) std::abort();
  return 0;
}
