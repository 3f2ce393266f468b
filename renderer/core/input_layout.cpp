// SPDX-License-Identifier: MIT
#include "renderer/core/input_layout.h"

#include <array>
#include <cstring>

#include "aerogpu/aerogpu_cmd_shader.h"
#include "aerogpu/d3d9/declaration.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kMaxDxgiElements = 32;         // D3D11_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT
constexpr uint32_t kAppendAligned = 0xFFFFFFFFu;  // D3D11_APPEND_ALIGNED_ELEMENT

const char* textOf(d3d9::DeclError error) {
  switch (error) {
    case d3d9::DeclError::NoEnd:
      return "vertex declaration has no end element";
    case d3d9::DeclError::TooLong:
      return "vertex declaration is too long";
    case d3d9::DeclError::UnknownType:
      return "unknown D3DDECLTYPE";
    default:
      return "unknown D3DDECLUSAGE";
  }
}

Result<std::vector<InputElement>> parseD3d9(std::span<const uint8_t> blob) {
  std::vector<InputElement> elements;
  d3d9::DeclReader reader(blob.data(), blob.size());
  for (d3d9::VertexElement raw; reader.next(raw);) {
    if (raw.stream >= kMaxVertexStreams)
      return refused(ErrorCode::CmdDecode, "no such vertex stream",
                     {{"element", elements.size()}, {"stream", raw.stream}, {"of", kMaxVertexStreams}});
    InputElement element;
    element.semanticHash = semanticHash(raw.usage);
    element.semanticIndex = raw.usageIndex;
    element.isD3d9Type = true;
    element.format = static_cast<uint32_t>(raw.type);
    element.stream = raw.stream;
    element.offset = raw.offset;
    elements.push_back(element);
  }
  if (reader.error() != d3d9::DeclError::None)
    return refused(ErrorCode::CmdDecode, textOf(reader.error()),
                   {{"element", elements.size()}, {"blob_size_bytes", blob.size()}});
  return elements;
}

/// Checks the parts that elements of either DXGI form have. Returns the element's bytes.
Result<uint32_t> checkDxgi(uint32_t i, uint32_t slot, uint32_t slotClass, uint32_t format) {
  if (slot >= kMaxVertexStreams)
    return refused(ErrorCode::CmdDecode, "no such input slot",
                   {{"element", i}, {"input_slot", slot}, {"of", kMaxVertexStreams}});
  if (slotClass > 1)
    return refused(ErrorCode::CmdDecode, "unknown input slot class",
                   {{"element", i}, {"input_slot_class", slotClass}, {"limit", 1u}});
  const uint32_t bytes = dxgiVertexBytes(format);
  if (bytes == 0)
    return refused(ErrorCode::CmdDecode, "DXGI format cannot be a vertex element",
                   {{"element", i}, {"dxgi_format", format}});
  return bytes;
}

Result<void> checkOffset(uint32_t i, const char* field, uint32_t offset) {
  constexpr uint32_t kMaxOffset = 1u << 16;
  if (offset > kMaxOffset)
    return refused(ErrorCode::OutOfBounds, "vertex element lies too far in",
                   {{"element", i}, {field, offset}, {"limit", kMaxOffset}});
  return {};
}

// AllocTable::load() and PacketReader::open() begin alike: each names the fields of a header of its own.
Result<std::vector<InputElement>> parseDxgi(std::span<const uint8_t> blob) {
  aerogpu_input_layout_blob_header header;
  if (blob.size() < sizeof header)
    return refused(ErrorCode::CmdDecode, "input layout shorter than its header",
                   {{"blob_size_bytes", blob.size()}, {"limit", sizeof header}});
  std::memcpy(&header, blob.data(), sizeof header);
  if (header.version != AEROGPU_INPUT_LAYOUT_BLOB_VERSION)
    return refused(ErrorCode::CmdDecode, "input layout of another version",
                   {{"version", header.version}, {"limit", AEROGPU_INPUT_LAYOUT_BLOB_VERSION}});
  if (header.element_count > kMaxDxgiElements)
    return refused(ErrorCode::CmdDecode, "input layout is too long",
                   {{"element_count", header.element_count}, {"limit", kMaxDxgiElements}});
  if (header.element_count > (blob.size() - sizeof header) / sizeof(aerogpu_input_layout_element_dxgi))
    return refused(ErrorCode::CmdDecode, "elements run past the input layout",
                   {{"element_count", header.element_count}, {"blob_size_bytes", blob.size()}});
  std::vector<InputElement> elements;
  std::array<uint32_t, kMaxVertexStreams> end{};  // start of the next appended element of each slot
  for (uint32_t i = 0; i < header.element_count; ++i) {
    aerogpu_input_layout_element_dxgi raw;
    std::memcpy(&raw, blob.data() + sizeof header + i * sizeof raw, sizeof raw);
    const auto checked = checkDxgi(i, raw.input_slot, raw.input_slot_class, raw.dxgi_format);
    if (!checked) return checked.error();
    const uint32_t bytes = *checked;
    uint32_t offset = raw.aligned_byte_offset;
    if (offset == kAppendAligned) {
      const uint32_t align = bytes < 4 ? bytes : 4;  // an element starts at a multiple of its size, 4 at most
      offset = (end[raw.input_slot] + align - 1) / align * align;
    }
    if (auto near = checkOffset(i, "aligned_byte_offset", offset); !near) return near.error();
    end[raw.input_slot] = offset + bytes;
    InputElement element;
    element.semanticHash = raw.semantic_name_hash;
    element.semanticIndex = raw.semantic_index;
    element.format = raw.dxgi_format;
    element.stream = raw.input_slot;
    element.offset = offset;
    element.perInstance = raw.input_slot_class == 1;
    element.stepRate = raw.instance_data_step_rate;
    elements.push_back(element);
  }
  return elements;
}

}  // namespace

uint32_t dxgiVertexBytes(uint32_t format) {
  if (format >= 2 && format <= 4) return 16;   // R32G32B32A32
  if (format >= 6 && format <= 8) return 12;   // R32G32B32
  if (format >= 10 && format <= 14) return 8;  // R16G16B16A16
  if (format >= 16 && format <= 18) return 8;  // R32G32
  if (format >= 24 && format <= 26) return 4;  // R10G10B10A2, R11G11B10
  if (format >= 28 && format <= 32) return 4;  // R8G8B8A8
  if (format >= 34 && format <= 38) return 4;  // R16G16
  if (format >= 41 && format <= 43) return 4;  // R32
  if (format >= 49 && format <= 52) return 2;  // R8G8
  if (format >= 54 && format <= 59) return 2;  // R16
  if (format >= 61 && format <= 64) return 1;  // R8
  if (format == 87 || format == 88) return 4;  // B8G8R8A8, B8G8R8X8
  return 0;
}

uint32_t semanticHash(std::string_view name) {
  uint32_t hash = 0x811C9DC5u;  // FNV-1a, 32 bits: offset basis and prime
  for (char c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x01000193u;
  }
  return hash;
}

uint32_t semanticHash(d3d9::Usage usage) {
  const auto number = static_cast<size_t>(usage);
  return semanticHash(number < d3d9::kUsageCount ? d3d9::kUsageNames[number] : std::string_view());
}

Result<std::vector<InputElement>> parseInputLayout(std::span<const uint8_t> blob) {
  uint32_t magic = 0;
  if (blob.size() >= sizeof magic) std::memcpy(&magic, blob.data(), sizeof magic);
  return magic == AEROGPU_INPUT_LAYOUT_BLOB_MAGIC ? parseDxgi(blob) : parseD3d9(blob);
}

std::vector<uint8_t> inputLayoutBlob(std::span<const InputElement> elements) {
  std::vector<uint8_t> blob;
  const auto append = [&blob](const auto& part) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&part);
    blob.insert(blob.end(), bytes, bytes + sizeof part);
  };
  if (elements.empty() || elements.front().isD3d9Type) {
    // D3DVERTEXELEMENT9: stream, offset, then type, method, usage and usage index.
    for (const InputElement& e : elements) {
      uint8_t usage = 0;
      while (semanticHash(static_cast<d3d9::Usage>(usage)) != e.semanticHash) ++usage;
      append(static_cast<uint16_t>(e.stream));
      append(static_cast<uint16_t>(e.offset));
      const uint8_t rest[] = {static_cast<uint8_t>(e.format), 0, usage,
                              static_cast<uint8_t>(e.semanticIndex)};
      append(rest);
    }
    constexpr uint8_t kEnd[] = {0xFF, 0, 0, 0, 17, 0, 0, 0};  // D3DDECL_END
    append(kEnd);
    return blob;
  }
  append(aerogpu_input_layout_blob_header{AEROGPU_INPUT_LAYOUT_BLOB_MAGIC, AEROGPU_INPUT_LAYOUT_BLOB_VERSION,
                                          static_cast<uint32_t>(elements.size()), 0});
  for (const InputElement& e : elements)
    append(aerogpu_input_layout_element_dxgi{e.semanticHash, e.semanticIndex, e.format, e.stream, e.offset,
                                             e.perInstance ? 1u : 0u, e.stepRate});
  return blob;
}

Result<std::vector<InputElement>> parseRegisterLayout(std::span<const aerogpu_ext_layout_element> raw) {
  if (raw.size() > kMaxDxgiElements)
    return refused(ErrorCode::CmdDecode, "input layout is too long",
                   {{"element_count", raw.size()}, {"limit", kMaxDxgiElements}});
  constexpr uint32_t kRegisters = 32;  // D3D11_VS_INPUT_REGISTER_COUNT
  std::vector<InputElement> elements;
  uint32_t fed = 0;
  for (uint32_t i = 0; i < raw.size(); ++i) {
    const aerogpu_ext_layout_element& e = raw[i];
    if (e.input_register >= kRegisters)
      return refused(ErrorCode::CmdDecode, "no such input register",
                     {{"element", i}, {"input_register", e.input_register}, {"of", kRegisters}});
    if (fed >> e.input_register & 1)
      return refused(ErrorCode::CmdDecode, "two elements of an input register",
                     {{"element", i}, {"input_register", e.input_register}});
    fed |= 1u << e.input_register;
    if (const auto checked = checkDxgi(i, e.input_slot, e.input_slot_class, e.dxgi_format); !checked)
      return checked.error();
    if (auto near = checkOffset(i, "offset_bytes", e.offset_bytes); !near) return near.error();
    InputElement element;
    element.semanticIndex = e.input_register;
    element.byRegister = true;
    element.format = e.dxgi_format;
    element.stream = e.input_slot;
    element.offset = e.offset_bytes;
    element.perInstance = e.input_slot_class == 1;
    element.stepRate = e.instance_step_rate;
    elements.push_back(element);
  }
  return elements;
}

std::vector<aerogpu_ext_layout_element> registerLayout(std::span<const InputElement> elements) {
  std::vector<aerogpu_ext_layout_element> raw;
  for (const InputElement& e : elements)
    raw.push_back({e.semanticIndex, e.stream, e.format, e.offset, e.perInstance ? 1u : 0u, e.stepRate});
  return raw;
}

}  // namespace aerogpu::core
