// SPDX-License-Identifier: MIT
// Direct3D 10's descriptions in those of Direct3D 11, and back: all that differs between the two. Most are the same
// bytes under another name (convert.cpp compares); the overloads are for the rest. API pages of the structures.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "testbed/d3d11-runtime/d3d10core/headers.h"

namespace aerogpu::runtime11 {

/// Returns a structure of the other version with the same members.
template <class To, class From> To same(const From &from) {
  static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(static_cast<void *>(&to), &from, sizeof to);
  return to;
}

/// Returns flags of D3D11_RESOURCE_MISC_ for those of D3D10_RESOURCE_MISC_; false: there are no such flags.
bool miscOf11(UINT ten, UINT &eleven);
UINT miscOf10(UINT eleven);
/// True if all binds are Direct3D 10's.
bool isBind10(UINT bind);

/// Conversions for the interfaces' GetDesc.
D3D10_BUFFER_DESC tenOf(const D3D11_BUFFER_DESC &desc);
/// Of a texture: any of the three structures, whose flags have the same names.
template <class To, class From> To tenOfTexture(const From &desc) {
  To out = same<To>(desc);
  out.MiscFlags = miscOf10(desc.MiscFlags);
  return out;
}
D3D10_DEPTH_STENCIL_VIEW_DESC tenOf(const D3D11_DEPTH_STENCIL_VIEW_DESC &desc);
/// Direct3D 10.0 has one blend function: that of the first target that blends.
D3D10_BLEND_DESC tenOf(const D3D11_BLEND_DESC &desc);
D3D10_QUERY_DESC tenOf(const D3D11_QUERY_DESC &desc);

/// Conversions for creations; false: the API refuses the description, as Direct3D 10 has no such flag or number.
bool elevenOf(const D3D10_BUFFER_DESC &desc, D3D11_BUFFER_DESC &out);
/// Likewise.
template <class To, class From> bool elevenOfTexture(const From &desc, To &out) {
  out = same<To>(desc);
  return isBind10(desc.BindFlags) && miscOf11(desc.MiscFlags, out.MiscFlags);
}
D3D11_DEPTH_STENCIL_VIEW_DESC elevenOf(const D3D10_DEPTH_STENCIL_VIEW_DESC &desc);
D3D11_BLEND_DESC elevenOf(const D3D10_BLEND_DESC &desc);
bool elevenOf(const D3D10_QUERY_DESC &desc, D3D11_QUERY_DESC &out);
D3D11_VIEWPORT elevenOf(const D3D10_VIEWPORT &viewport);
D3D10_VIEWPORT tenOf(const D3D11_VIEWPORT &viewport);

}  // namespace aerogpu::runtime11
