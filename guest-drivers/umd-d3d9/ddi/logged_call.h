// SPDX-License-Identifier: MIT
// logged_call.h: wraps the functions of a device so that their calls are logged. At level Calls the line is written
// before the function runs, so a call that never returns, or crashes the process, is the last line without a result.
#pragma once

#include "guest-drivers/umd-d3d9/ddi/first_seen.h"
#include "guest-drivers/umd-d3d9/ddi/function_list.h"
#include "guest-drivers/umd-d3d9/device/device.h"
#include "guest-drivers/umd-d3d9/log/call_arguments.h"

namespace aero {

enum class Function : uint32_t {
#define AERO_NUMBER(NAME, ANSWER) NAME,
  AERO_DEVICE_FUNCTIONS(AERO_NUMBER)
#undef AERO_NUMBER
};

inline constexpr const char *kFunctionNames[] = {
#define AERO_NAME(NAME, ANSWER) #NAME,
    AERO_DEVICE_FUNCTIONS(AERO_NAME)
#undef AERO_NAME
};

template <class T> void describeOther(CallText &out, const T &argument) {
  out.text(", ");
  if constexpr (std::is_pointer_v<T>)
    describeHandle(out, argument);
  else
    describeArgument(out, argument);
}

/** Describes the arguments. If the first one is a structure, its content is written. Pointers after it may be arrays of
 * no elements, so only their addresses are written. */
template <class First, class... Rest> void describeAll(CallText &out, const First &first, const Rest &...rest) {
  describeArgument(out, first);
  (describeOther(out, rest), ...);
}
inline void describeAll(CallText &) {}

template <class First, class... Rest> void describeAnswers(CallText &out, const First &first, const Rest &...) {
  describeResult(out, first);
}
inline void describeAnswers(CallText &) {}

/** Wraps `kFunction` and logs its calls. */
template <Function kName, class Type, Type kFunction> struct Logged;
template <Function kName, class... Arguments, HRESULT(APIENTRY *kFunction)(HANDLE, Arguments...)>
struct Logged<kName, HRESULT(APIENTRY *)(HANDLE, Arguments...), kFunction> {
  static HRESULT APIENTRY call(HANDLE handle, Arguments... arguments) {
    // DestroyDevice destroys the device, not its adapter.
    Device &device = *Device::from(handle);
    CallLog &log = device.adapter().log();
    const uint32_t number = device.number;
    CallText text;
    uint32_t line = 0;
    (noteArgument(device, arguments), ...);
    if (log.hasCalls()) {
      begin(text, arguments...);
      line = log.write(number, text);
      device.context.note(text.data(), text.size());
    }
    const HRESULT result = kFunction(handle, arguments...);
    if (!log.wants(result)) return result;
    if (!log.hasCalls()) begin(text, arguments...);
    describeEnd(text, result);
    if (!failed(result)) describeAnswers(text, arguments...);
    if (log.hasCalls())
      log.rewrite(line, number, text);
    else
      log.write(number, text);
    if constexpr (kName != Function::DestroyDevice)
      if (failed(result)) device.context.note(text.data(), text.size());
    return result;
  }

private:
  static void begin(CallText &text, const Arguments &...arguments) {
    text.text(kFunctionNames[static_cast<uint32_t>(kName)]).text("(");
    describeAll(text, arguments...);
    text.text(")");
  }
};

/** Returns the logged form of a function; null for null. */
template <Function kName, class Type, auto kFunction> constexpr Type logged() {
  if constexpr (std::is_null_pointer_v<decltype(kFunction)>)
    return nullptr;
  else
    return Logged<kName, Type, kFunction>::call;
}

}  // namespace aero
