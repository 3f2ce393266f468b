// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/old_states.h"

#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

using Samp = aerogpu::d3d9::SamplerStateType;
using Filter = aerogpu::d3d9::TextureFilter;

// D3DRENDERSTATETYPE of DirectX 7 and older.
enum OldRenderState : uint32_t {
  kTextureAddress = 3,
  kTextureMag = 17,
  kTextureMin = 18,
  kBorderColor = 43,
  kTextureAddressU = 44,
  kTextureAddressV = 45,
  kMipMapLodBias = 46,
  kAnisotropy = 49,
};
constexpr uint32_t kStageAddress = 12;  // D3DTSS_ADDRESS

/** The filters that a D3DTEXTUREFILTER of DirectX 7 stands for (page "D3DTEXTUREFILTER"). Its names that begin with MIP
 * take the nearest level, those that begin with LINEARMIP blend two levels; the rest of the name is the filter within a
 * level. */
struct OldFilter {
  Filter within, levels;
};
constexpr OldFilter kOldFilters[] = {
    {Filter::Point, Filter::None},    // no filter has the number 0
    {Filter::Point, Filter::None},    // NEAREST
    {Filter::Linear, Filter::None},   // LINEAR
    {Filter::Point, Filter::Point},   // MIPNEAREST
    {Filter::Linear, Filter::Point},  // MIPLINEAR
    {Filter::Point, Filter::Linear},  // LINEARMIPNEAREST
    {Filter::Linear, Filter::Linear}  // LINEARMIPLINEAR
};

const OldFilter &oldFilter(uint32_t value) {
  return kOldFilters[value < sizeof kOldFilters / sizeof kOldFilters[0] ? value : 0];
}

void setSampler(SamplerStates &samplers, uint32_t sampler, Samp state, uint32_t value) {
  samplers.set(sampler, static_cast<uint32_t>(state), value);
}

void setFilter(SamplerStates &samplers, Samp state, Filter filter) {
  setSampler(samplers, 0, state, static_cast<uint32_t>(filter));
}

void setAddress(SamplerStates &samplers, uint32_t sampler, uint32_t value) {
  setSampler(samplers, sampler, Samp::AddressU, value);
  setSampler(samplers, sampler, Samp::AddressV, value);
}

}  // namespace

bool setOldRenderState(SamplerStates &samplers, uint32_t state, uint32_t value) {
  switch (state) {
  case kTextureAddress:
    setAddress(samplers, 0, value);
    return true;
  case kTextureAddressU:
    setSampler(samplers, 0, Samp::AddressU, value);
    return true;
  case kTextureAddressV:
    setSampler(samplers, 0, Samp::AddressV, value);
    return true;
  case kBorderColor:
    setSampler(samplers, 0, Samp::BorderColor, value);
    return true;
  case kMipMapLodBias:
    setSampler(samplers, 0, Samp::MipMapLodBias, value);
    return true;
  case kAnisotropy:
    setSampler(samplers, 0, Samp::MaxAnisotropy, value);
    return true;
  case kTextureMag:
    setFilter(samplers, Samp::MagFilter, oldFilter(value).within);
    return true;
  case kTextureMin:
    setFilter(samplers, Samp::MinFilter, oldFilter(value).within);
    setFilter(samplers, Samp::MipFilter, oldFilter(value).levels);
    return true;
  default:
    return false;
  }
}

bool setOldStageState(SamplerStates &samplers, uint32_t sampler, uint32_t state, uint32_t value) {
  if (state != kStageAddress) return false;
  setAddress(samplers, sampler, value);
  return true;
}

}  // namespace aero
