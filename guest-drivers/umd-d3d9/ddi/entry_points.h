// SPDX-License-Identifier: MIT
// entry_points.h: the functions that the runtime calls. They unwrap handles and forward (*_ddi.cpp). The runtime calls
// one function of a device at a time; each may submit, and return an error from that.
#pragma once

#include <type_traits>

#include "guest-drivers/umd-common/base/ddi.h"
#include "guest-drivers/umd-d3d9/ddi/function_list.h"

namespace aero::ddi {

// NOLINTNEXTLINE(bugprone-macro-parentheses): what is declared has no parentheses
#define AERO_DECLARE_Done(NAME) std::remove_pointer_t<decltype(D3DDDI_DEVICEFUNCS::pfn##NAME)> NAME;
#define AERO_DECLARE_Missing(NAME)
#define AERO_DECLARE_Stub(NAME)
#define AERO_DECLARE_Overlay(NAME)
#define AERO_DECLARE_Crypto(NAME)
#define AERO_DECLARE_NotAvailable(NAME)
#define AERO_DECLARE_Null(NAME)
#define AERO_DECLARE(NAME, ANSWER) AERO_DECLARE_##ANSWER(NAME)
AERO_DEVICE_FUNCTIONS(AERO_DECLARE)
#undef AERO_DECLARE

HRESULT APIENTRY GetCaps(HANDLE adapter, D3DDDIARG_GETCAPS *args);
HRESULT APIENTRY CreateDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE *args);
HRESULT APIENTRY CloseAdapter(HANDLE adapter);

}  // namespace aero::ddi

/** Opens an adapter; the DLL's only export. */
extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER *args);
