// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/shaders/shader.h"

namespace aero {
namespace {

constexpr uint32_t kMostTokens = 1u << 16, kMostEntries = 64, kMostElements = 32;

/** True for an input that has no register: a geometry shader's SV_PrimitiveID, which its tokens declare (CODE-3). */
bool isGenerated(const D3D10DDIARG_SIGNATURE_ENTRY &input) {
  return input.Register == AEROGPU_EXT_NO_REGISTER;
}

UINT countInputs(const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures) {
  UINT count = 0;
  for (UINT i = 0; i < signatures.NumInputSignatureEntries; i++) count += !isGenerated(signatures.pInputSignature[i]);
  return count;
}

/** True if a shader draws to the first layer and viewport alone: only geometry shaders choose, where they can (GEOM-7).
 */
bool drawsToOneLayer(const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures) {
  for (UINT i = 0; i < signatures.NumOutputSignatureEntries; i++) {
    const D3D10_SB_NAME value = signatures.pOutputSignature[i].SystemValue;
    if (value == D3D10_SB_NAME_RENDER_TARGET_ARRAY_INDEX || value == D3D10_SB_NAME_VIEWPORT_ARRAY_INDEX) return false;
  }
  return true;
}

uint8_t *copyEntries(uint8_t *to, const D3D10DDIARG_SIGNATURE_ENTRY *entries, UINT count, bool inputs) {
  for (UINT i = 0; i < count; i++) {
    if (inputs && isGenerated(entries[i])) continue;
    const aerogpu_ext_signature_entry entry = {static_cast<uint32_t>(entries[i].SystemValue), entries[i].Register,
                                               entries[i].Mask};
    memcpy(to, &entry, sizeof entry);
    to += sizeof entry;
  }
  return to;
}

/** True if the device has all kinds of resources that a shader declares: buffers, and textures of one sample. Its
 * translator refuses the others when the shader has been made already, as an error of the device. */
bool declaresWhatThereIs(const UINT *code, uint32_t tokens, bool hasShapes) {
  constexpr uint32_t kShapes = 1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURE1D |
                               1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURE1DARRAY |
                               1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURE3D;
  constexpr uint32_t kPlain = 1u << D3D10_SB_RESOURCE_DIMENSION_BUFFER | 1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURE2D |
                              1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURE2DARRAY |
                              1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURECUBE |
                              1u << D3D10_SB_RESOURCE_DIMENSION_TEXTURECUBEARRAY;
  const uint32_t kinds = hasShapes ? kPlain | kShapes : kPlain;
  constexpr uint32_t kOpcode = 0x7FF, kDimensionShift = 11, kDimension = 31;
  for (uint32_t at = 2; at < tokens;) {
    const uint32_t opcode = code[at] & kOpcode;
    if (opcode == D3D10_SB_OPCODE_DCL_RESOURCE && !(kinds >> (code[at] >> kDimensionShift & kDimension) & 1))
      return false;
    const bool isData = opcode == D3D10_SB_OPCODE_CUSTOMDATA;  // with a length of its own
    const uint32_t length =
        isData ? (at + 1 < tokens ? code[at + 1] : 0)
               : (code[at] & D3D10_SB_TOKENIZED_INSTRUCTION_LENGTH_MASK) >> D3D10_SB_TOKENIZED_INSTRUCTION_LENGTH_SHIFT;
    if (!length || length > tokens - at) return true;  // the device says what is wrong with such tokens
    at += length;
  }
  return true;
}

}  // namespace

HRESULT Shader::create(DeviceObjects &objects, uint32_t stage, const UINT *code,
                       const D3D10DDIARG_STAGE_IO_SIGNATURES &signatures) {
  const uint32_t tokens = code[1];
  const UINT allInputs = signatures.NumInputSignatureEntries, outputs = signatures.NumOutputSignatureEntries;
  if (tokens < 2 || tokens > kMostTokens || allInputs > kMostEntries || outputs > kMostEntries ||
      !declaresWhatThereIs(code, tokens, objects.formats.hasShapes()))
    return kNotAvailable;
  const bool chooses = stage == AEROGPU_SHADER_STAGE_GEOMETRY && objects.formats.hasLayers();
  if (!chooses && !drawsToOneLayer(signatures)) return kNotAvailable;
  const UINT inputs = countInputs(signatures);
  handle = objects.take();
  if (!handle) return objects.context.result(false);
  const size_t bytes = size_t{tokens} * 4 + (size_t{inputs} + outputs) * sizeof(aerogpu_ext_signature_entry);
  auto *packet = objects.context.appendBytes<aerogpu_cmd_ext_create_shader>(bytes);
  if (!packet) {
    objects.handles.give(handle);
    handle = 0;
    return objects.context.result(false);
  }
  packet->shader_handle = handle;
  packet->stage = stage;
  packet->token_count = tokens;
  packet->input_count = inputs;
  packet->output_count = outputs;
  auto *at = reinterpret_cast<uint8_t *>(packet + 1);
  memcpy(at, code, size_t{tokens} * 4);
  at = copyEntries(at + size_t{tokens} * 4, signatures.pInputSignature, allInputs, true);
  copyEntries(at, signatures.pOutputSignature, outputs, false);
  return kOk;
}

HRESULT ElementLayout::create(DeviceObjects &objects, const D3D10DDIARG_CREATEELEMENTLAYOUT &args) {
  if (args.NumElements > kMostElements) return kNotAvailable;
  handle = objects.take();
  if (!handle) return objects.context.result(false);
  auto *packet = objects.context.append<aerogpu_cmd_ext_create_layout>(args.NumElements);
  if (!packet) {
    objects.handles.give(handle);
    handle = 0;
    return objects.context.result(false);
  }
  packet->input_layout_handle = handle;
  aerogpu_ext_layout_element *elements = Context::elementsOf(packet);
  for (UINT i = 0; i < args.NumElements; i++) {
    const D3D10DDIARG_INPUT_ELEMENT_DESC &from = args.pVertexElements[i];
    elements[i] = {from.InputRegister,
                   from.InputSlot,
                   static_cast<uint32_t>(from.Format),
                   from.AlignedByteOffset,
                   static_cast<uint32_t>(from.InputSlotClass),
                   from.InstanceDataStepRate};
  }
  return kOk;
}

}  // namespace aero
