// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/ddi/device_functions.h"

#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/ddi/function_list.h"
#include "guest-drivers/umd-d3d9/ddi/logged_call.h"

namespace aero {
namespace {

/** A function of the type `Function` that does nothing and returns `kResult`. */
template <class Function, HRESULT kResult> struct Fixed;
template <class... Arguments, HRESULT kResult> struct Fixed<HRESULT(APIENTRY *)(Arguments...), kResult> {
  static HRESULT APIENTRY call(Arguments...) { return kResult; }
};

#define AERO_FIXED(NAME, RESULT) Fixed<decltype(D3DDDI_DEVICEFUNCS::pfn##NAME), RESULT>::call
#define AERO_ANSWER_Done(NAME) ddi::NAME
#define AERO_ANSWER_Missing(NAME) AERO_FIXED(NAME, kNotImplemented)
#define AERO_ANSWER_Stub(NAME) AERO_FIXED(NAME, kOk)
#define AERO_ANSWER_Overlay(NAME) AERO_FIXED(NAME, kUnsupportedOverlay)
#define AERO_ANSWER_Crypto(NAME) AERO_FIXED(NAME, kUnsupportedCrypto)
#define AERO_ANSWER_NotAvailable(NAME) AERO_FIXED(NAME, kNotAvailable)
#define AERO_ANSWER_Null(NAME) nullptr

}  // namespace

D3DDDI_DEVICEFUNCS deviceFunctions() {
  D3DDDI_DEVICEFUNCS functions = {};
#define AERO_FILL(NAME, ANSWER) functions.pfn##NAME = AERO_ANSWER_##ANSWER(NAME);
  AERO_DEVICE_FUNCTIONS(AERO_FILL)
#undef AERO_FILL
  return functions;
}

D3DDDI_DEVICEFUNCS loggedDeviceFunctions() {
  D3DDDI_DEVICEFUNCS functions = {};
#define AERO_FILL(NAME, ANSWER) \
  functions.pfn##NAME = logged<Function::NAME, decltype(D3DDDI_DEVICEFUNCS::pfn##NAME), AERO_ANSWER_##ANSWER(NAME)>();
  AERO_DEVICE_FUNCTIONS(AERO_FILL)
#undef AERO_FILL
  return functions;
}

}  // namespace aero
