// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/modes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace aerogpu::runtime11 {
namespace {

DXGI_MODE_DESC describe(const D3DKMT_DISPLAYMODE &mode, DXGI_FORMAT format) {
  return {mode.Width,
          mode.Height,
          {mode.RefreshRate.Numerator, mode.RefreshRate.Denominator},
          format,
          DXGI_MODE_SCANLINE_ORDER_PROGRESSIVE,
          DXGI_MODE_SCALING_UNSPECIFIED};
}

/// In thousandths of a hertz.
UINT64 rateOf(const DXGI_RATIONAL &rate) {
  return rate.Denominator ? UINT64{rate.Numerator} * 1000 / rate.Denominator : 0;
}

std::pair<UINT64, UINT64> distance(const DXGI_MODE_DESC &a, const DXGI_MODE_DESC &b) {
  const auto between = [](UINT64 x, UINT64 y) { return x > y ? x - y : y - x; };
  return {between(a.Width, b.Width) + between(a.Height, b.Height),
          between(rateOf(a.RefreshRate), rateOf(b.RefreshRate))};
}

}  // namespace

std::vector<DXGI_MODE_DESC> modesOf(const runtime::KernelAdapter &adapter, DXGI_FORMAT format) {
  std::vector<DXGI_MODE_DESC> out;
  const bool shown = format == DXGI_FORMAT_R8G8B8A8_UNORM || format == DXGI_FORMAT_B8G8R8A8_UNORM ||
                     format == DXGI_FORMAT_R8G8B8A8_UNORM_SRGB || format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB;
  if (!shown) return out;
  for (const D3DKMT_DISPLAYMODE &mode : adapter.modes())
    if (mode.Format == D3DDDIFMT_X8R8G8B8) out.push_back(describe(mode, format));
  std::stable_sort(out.begin(), out.end(), [](const DXGI_MODE_DESC &a, const DXGI_MODE_DESC &b) {
    return std::make_tuple(a.Width, a.Height, rateOf(a.RefreshRate)) <
           std::make_tuple(b.Width, b.Height, rateOf(b.RefreshRate));
  });
  return out;
}

bool currentMode(const runtime::KernelAdapter &adapter, DXGI_FORMAT format, DXGI_MODE_DESC &out) {
  D3DKMT_DISPLAYMODE current{};
  if (!adapter.currentMode(current)) return false;
  out = describe(current, format);
  return true;
}

HRESULT closestMode(const runtime::KernelAdapter &adapter, const DXGI_MODE_DESC &wanted, DXGI_MODE_DESC &out) {
  DXGI_MODE_DESC complete = wanted, current{};
  if (complete.Format == DXGI_FORMAT_UNKNOWN) complete.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
  if (!currentMode(adapter, complete.Format, current)) return E_FAIL;
  if (!complete.Width) {
    complete.Width = current.Width;
    complete.Height = current.Height;
  }
  if (!complete.RefreshRate.Numerator || !complete.RefreshRate.Denominator) complete.RefreshRate = current.RefreshRate;
  const std::vector<DXGI_MODE_DESC> modes = modesOf(adapter, complete.Format);
  if (modes.empty()) return DXGI_ERROR_NOT_FOUND;
  out = *std::min_element(modes.begin(), modes.end(), [&](const DXGI_MODE_DESC &a, const DXGI_MODE_DESC &b) {
    return distance(a, complete) < distance(b, complete);
  });
  return S_OK;
}

}  // namespace aerogpu::runtime11
