// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/result.h"

#include <d3d9.h>

#include "guest-drivers/programs/fail.h"

namespace programs {

namespace {

struct ResultName {
  HRESULT result;
  const char *name;
};
constexpr ResultName kResults[] = {
    {D3DERR_INVALIDCALL, "D3DERR_INVALIDCALL"},
    {D3DERR_NOTAVAILABLE, "D3DERR_NOTAVAILABLE"},
    {D3DERR_OUTOFVIDEOMEMORY, "D3DERR_OUTOFVIDEOMEMORY"},
    {D3DERR_DEVICELOST, "D3DERR_DEVICELOST"},
    {D3DERR_DEVICENOTRESET, "D3DERR_DEVICENOTRESET"},
    {D3DERR_DEVICEREMOVED, "D3DERR_DEVICEREMOVED"},
    {D3DERR_DEVICEHUNG, "D3DERR_DEVICEHUNG"},
    {D3DERR_DRIVERINTERNALERROR, "D3DERR_DRIVERINTERNALERROR"},
    {D3DERR_UNSUPPORTEDTEXTUREFILTER, "D3DERR_UNSUPPORTEDTEXTUREFILTER"},
    {E_OUTOFMEMORY, "E_OUTOFMEMORY"},
    {E_NOTIMPL, "E_NOTIMPL"},
    {E_INVALIDARG, "E_INVALIDARG"},
    {E_FAIL, "E_FAIL"},
};

}  // namespace

bool ok(HRESULT result, const char *call) {
  if (SUCCEEDED(result)) return true;
  for (const ResultName &known : kResults)
    if (known.result == result) return fail("%s failed: 0x%08lX (%s)", call, static_cast<DWORD>(result), known.name);
  return fail("%s failed: 0x%08lX", call, static_cast<DWORD>(result));
}

}  // namespace programs
