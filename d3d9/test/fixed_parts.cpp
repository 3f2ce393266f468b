// SPDX-License-Identifier: MIT
// The generator of the fixed function, linked only with the functions that compilers always require: it has
// no heap, no library and no floating-point numbers. Compiled and linked (see meson.build), never run.
#include "aerogpu/d3d9/fixed_function.h"

extern "C" void* memset(void* to, int value, size_t size) {
  auto* bytes = static_cast<volatile unsigned char*>(to);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(value);
  return to;
}
extern "C" void* memcpy(void* to, const void* from, size_t size) {
  auto* out = static_cast<volatile unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  for (size_t i = 0; i < size; ++i) out[i] = in[i];
  return to;
}

extern "C" int driverParts(const aerogpu::d3d9::FixedStates* states,
                           const aerogpu::d3d9::VertexElement* elements, size_t count, uint32_t* tokens,
                           size_t capacity) {
  using namespace aerogpu::d3d9;
  const FixedVertexInputs inputs = fixedVertexInputs(elements, count);
  const FixedPixelKey pixel = fixedPixelKey(*states, &inputs);
  const FixedVertexKey vertex =
      fixedVertexKey(*states, inputs, fixedCoordinatesRead(pixel), fixedSpecularRead(pixel));
  return static_cast<int>(writeFixedVertexShader(vertex, tokens, capacity).tokens +
                          writeFixedPixelShader(pixel, true, tokens, capacity).tokens + hash(vertex) +
                          hash(pixel));
}
