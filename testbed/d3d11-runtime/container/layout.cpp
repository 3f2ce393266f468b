// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/container/layout.h"

#include <algorithm>

#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

constexpr uint32_t kMostSlots = 32;

/// Compares names of semantics: ASCII letters of either case are the same.
bool sameName(const char *a, const std::string &b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  size_t i = 0;
  for (; a[i] && i < b.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return !a[i] && i == b.size();
}

/// True for what the input assembler makes itself, whichever stage the signature is of: other stages' signatures have
/// no system value for it.
bool isGenerated(const Element &row) {
  return sameName("SV_VertexID", row.name) || sameName("SV_InstanceID", row.name);
}

}  // namespace

bool matchLayout(const std::vector<LayoutElement> &elements, const std::vector<Element> &inputs, uint32_t slots,
                 std::vector<DriverLayoutElement> &out) {
  out.clear();
  uint32_t ends[kMostSlots] = {};
  enum class Class : uint8_t { Unknown, Vertex, Instance } classes[kMostSlots] = {};
  std::vector<bool> found(inputs.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const LayoutElement &element = elements[i];
    const FormatInfo format = formatInfo(element.format);
    if (!element.name || element.slot >= std::min(slots, kMostSlots) || !(format.flags & kVertex)) return false;
    for (size_t k = 0; k < i; ++k)
      if (elements[k].index == element.index && sameName(element.name, elements[k].name)) return false;
    if (!element.perInstance && element.step) return false;
    const Class kind = element.perInstance ? Class::Instance : Class::Vertex;
    Class &slot = classes[element.slot];
    if (slot != Class::Unknown && slot != kind) return false;
    slot = kind;
    const uint32_t alignment = std::min<uint32_t>(4, format.blockBytes);
    uint32_t offset = element.offset;
    if (offset == kAppend) offset = (ends[element.slot] + alignment - 1) / alignment * alignment;
    if (offset % alignment) return false;
    ends[element.slot] = offset + format.blockBytes;
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (isGenerated(inputs[k]) || inputs[k].index != element.index || !sameName(element.name, inputs[k].name))
        continue;
      found[k] = true;
      out.push_back({element.slot, offset, element.format, element.perInstance, element.step, inputs[k].reg});
    }
  }
  for (size_t k = 0; k < inputs.size(); ++k)
    if (!found[k] && !isGenerated(inputs[k])) return false;
  return true;
}

}  // namespace aerogpu::runtime11
