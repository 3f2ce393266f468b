// SPDX-License-Identifier: MIT
// The parts of d3d9/ that drivers use, compiled and linked as drivers do it (see meson.build), never run.
#include "aerogpu/d3d9/declaration.h"
#include "aerogpu/d3d9/formats.h"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"
#include "aerogpu/d3d9/token_writer.h"

extern "C" int driverParts(const void* declaration, size_t size, uint32_t* tokens, uint32_t number) {
  using namespace aerogpu::d3d9;
  size_t sum = 0;
  DeclReader reader(declaration, size);
  for (VertexElement element; reader.next(element);)
    sum += kDeclTypes[static_cast<size_t>(element.type)].bytes +
           kUsageNames[element.usageIndex % kUsageCount][0];
  if (const StateInfo* state = findRenderState(number)) sum += state->defaultValue + state->name[0];
  if (const StateInfo* state = findSamplerState(number)) sum += state->defaultValue + state->name[0];
  if (findTextureStageState(number))
    sum += textureStageDefault(static_cast<TextureStageStateType>(number), number & 7);
  if (const FormatInfo* format = findFormat(number)) sum += format->blockBytes + format->name[0];
  TokenWriter writer(tokens, number);
  writer.version({Stage::Pixel, 2, 0});
  writer.comment(tokens, number);
  writer.dcl(Usage::TexCoord, 0, destinationToken(RegisterType::AddressOrTexture, 0));
  writer.dclSampler(SamplerType::Texture2D, 0);
  writer.def(0, number, 0, 0, 0x3F800000u);
  writer.instruction(Opcode::Mov, destinationToken(RegisterType::ColorOut, 0),
                     sourceToken(RegisterType::Const, 0));
  writer.end();
  return static_cast<int>(sum + writer.size() + writer.ok() + static_cast<size_t>(reader.error()));
}
