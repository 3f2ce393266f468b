// SPDX-License-Identifier: MIT
// Matches the elements of an input layout, which name semantics, with a vertex shader's inputs: drivers get registers.
#pragma once

#include <cstdint>
#include <vector>

#include "testbed/d3d11-runtime/container/container.h"

namespace aerogpu::runtime11 {

/// D3D11_INPUT_ELEMENT_DESC, for Linux too.
struct LayoutElement {
  const char *name = nullptr;
  uint32_t index = 0, format = 0, slot = 0, offset = 0;
  bool perInstance = false;
  uint32_t step = 0;
};
inline constexpr uint32_t kAppend = 0xFFFFFFFF;  ///< as an offset: behind the element before in the slot

/// D3D10DDIARG_INPUT_ELEMENT_DESC.
struct DriverLayoutElement {
  uint32_t slot = 0, offset = 0, format = 0;
  bool perInstance = false;
  uint32_t step = 0, reg = 0;
};

/// Returns in `out` an element for each that the shader takes, in the order of `elements`. False: the API refuses the
/// layout: an input without an element, a format that vertices cannot have, an unaligned offset, a slot beyond `slots`,
/// one semantic twice, different classes in a slot, or steps of vertex data.
bool matchLayout(const std::vector<LayoutElement> &elements, const std::vector<Element> &inputs, uint32_t slots,
                 std::vector<DriverLayoutElement> &out);

}  // namespace aerogpu::runtime11
