// SPDX-License-Identifier: MIT
// stream_shader.cpp: what shaders stream out (docs/abi/d3d10-stream-output.md).
#include <bit>

#include "guest-drivers/umd-d3d10/shaders/shader.h"

namespace aero {
namespace {

constexpr uint32_t kGeometryProgram = 2;  // D3D10_SB_GEOMETRY_SHADER

/** Takes the declaration's entries over. `streamOf`: of an entry. */
template <class Entry, class StreamOf>
HRESULT takeEntries(StreamDeclaration &to, const Entry *entries, UINT count, StreamOf streamOf) {
  if (count > StreamDeclaration::kMostElements) return kNotAvailable;
  for (UINT i = 0; i < count; i++) {
    const Entry &entry = entries[i];
    if (entry.OutputSlot >= 4 || streamOf(entry) != 0) return kNotAvailable;
    to.elements[i] = {0, entry.OutputSlot, entry.RegisterIndex, entry.RegisterMask};
  }
  to.count = count;
  return kOk;
}

/** Returns the bytes of a vertex that the elements of a slot take. */
uint32_t bytesOf(const StreamDeclaration &declaration, uint32_t slot) {
  uint32_t words = 0;
  for (uint32_t i = 0; i < declaration.count; i++)
    if (declaration.elements[i].output_slot == slot)
      words += static_cast<uint32_t>(std::popcount(declaration.elements[i].mask));
  return words * 4;
}

}  // namespace

HRESULT StreamShader::createShader(DeviceObjects &objects, const UINT *code,
                                   const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures) {
  if (!objects.formats.hasStreams()) return kNotAvailable;
  streams = &declaration;
  // Without code, and with that of another stage, the outputs of the vertex shader that is bound go to the buffers.
  if (!code || code[0] >> 16 != kGeometryProgram) return kOk;
  return Shader::create(objects, AEROGPU_SHADER_STAGE_GEOMETRY, code, signatures);
}

HRESULT StreamShader::create(DeviceObjects &objects, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT &args,
                             const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures) {
  const HRESULT taken = takeEntries(declaration, args.pOutputStreamDecl, args.NumEntries,
                                    [](const D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY &) { return 0u; });
  if (failed(taken)) return taken;
  // The stride is of one buffer; where there are several, each has one element and nothing behind it.
  for (uint32_t slot = 0; slot < 4; slot++) declaration.strides[slot] = bytesOf(declaration, slot);
  const bool hasOne = !declaration.strides[1] && !declaration.strides[2] && !declaration.strides[3];
  if (hasOne && args.StreamOutputStrideInBytes > declaration.strides[0])
    declaration.strides[0] = args.StreamOutputStrideInBytes;
  return createShader(objects, args.pShaderCode, signatures);
}

HRESULT StreamShader::create(DeviceObjects &objects, const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT &args,
                             const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures) {
  const HRESULT taken =
      takeEntries(declaration, args.pOutputStreamDecl, args.NumEntries,
                  [](const D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY &entry) { return entry.Stream; });
  if (failed(taken)) return taken;
  for (uint32_t slot = 0; slot < 4; slot++) {
    const uint32_t given = slot < args.NumStrides ? args.BufferStridesInBytes[slot] : 0;
    declaration.strides[slot] = given ? given : bytesOf(declaration, slot);
  }
  declaration.rasterizes = args.RasterizedStream == 0;
  return createShader(objects, args.pShaderCode, signatures);
}

}  // namespace aero
