// SPDX-License-Identifier: MIT
// entry.h: makes the functions that the runtime calls from those of entry_points.h: unwraps the device, reports errors,
// as far as the function may have any, and logs calls. At level Calls the line is written before the function runs, so
// a call that never returns, or crashes the process, is the last line without a result.
#pragma once

#include "guest-drivers/umd-common/log/describe.h"
#include "guest-drivers/umd-d3d10/ddi/function_list.h"
#include "guest-drivers/umd-d3d10/device/device.h"

namespace aero {

enum class Function : uint32_t {
#define AERO_NUMBER(NAME, SINCE, ANSWER, CATEGORY) NAME,
  AERO_DEVICE_FUNCTIONS(AERO_NUMBER)
#undef AERO_NUMBER
};

inline constexpr const char *kFunctionNames[] = {
#define AERO_NAME(NAME, SINCE, ANSWER, CATEGORY) #NAME,
    AERO_DEVICE_FUNCTIONS(AERO_NAME)
#undef AERO_NAME
};

/** Returns the code of a failure that a function of the category may report. */
constexpr HRESULT reported(Category category, HRESULT result) {
  if (result == kDeviceRemoved) return result;
  switch (category) {
  case Category::Primary:
    if (result == kDxgiUnsupported) return result;
    [[fallthrough]];
  case Category::Memory:
    return kOutOfMemory;
  case Category::Map:
  case Category::Data:
    return result == kWasStillDrawing ? kDxgiWasStillDrawing : kDeviceRemoved;
  case Category::CheckCounter:
    return result == kDxgiUnsupported ? result : kInvalidArgument;
  default:
    return kDeviceRemoved;
  }
}

/** Writes a handle's or pointer's address, or a number. */
template <class T> void describeArgument(CallText &out, const T &argument) {
  if constexpr (std::is_pointer_v<T>) {
    describeHandle(out, argument);
  } else if constexpr (std::is_class_v<T>) {
    static_assert(sizeof(T) == sizeof(void *));
    const void *address;
    memcpy(&address, &argument, sizeof address);
    describeHandle(out, address);
  } else if constexpr (std::is_floating_point_v<T>) {
    uint32_t bits;
    memcpy(&bits, &argument, sizeof bits);
    out.text("float ").hex(bits);
  } else if constexpr (std::is_signed_v<T>) {
    out.signedNumber(argument);
  } else {
    out.number(static_cast<uint64_t>(argument));
  }
}

inline void describeArguments(CallText &) {}
/** Describes arguments. If the first one points to a structure, its first words are written. Pointers after it may be
 * arrays of no elements, so only their addresses are written. */
template <class First, class... Rest> void describeArguments(CallText &out, const First &first, const Rest &...rest) {
  using Target = std::remove_pointer_t<First>;
  if constexpr (std::is_pointer_v<First> && std::is_class_v<Target> && std::is_const_v<Target>) {
    if (first) describeWords(out, first, sizeof(Target));
  } else {
    describeArgument(out, first);
  }
  ((out.text(", "), describeArgument(out, rest)), ...);
}

template <class... Arguments> void describeCall(CallText &out, Function name, const Arguments &...arguments) {
  out.text(kFunctionNames[static_cast<uint32_t>(name)]).text("(");
  describeArguments(out, arguments...);
  out.text(")");
}

/** An entry of the type `Type`. `Body::call` does the work; it returns an HRESULT where the entry returns nothing. */
template <Function kName, Category kCategory, class Body, bool kLogged, class Type> struct Entry;

template <Function kName, Category kCategory, class Body, bool kLogged, class... Arguments>
struct Entry<kName, kCategory, Body, kLogged, VOID(APIENTRY *)(D3D10DDI_HDEVICE, Arguments...)> {
  static VOID APIENTRY call(D3D10DDI_HDEVICE handle, Arguments... arguments) {
    Device &device = *Device::from(handle);
    if constexpr (kLogged)
      logged(device, arguments...);
    else
      run(device, arguments...);
  }

private:
  static HRESULT run(Device &device, Arguments... arguments) {
    HRESULT result = Body::call(device, arguments...);
    if constexpr (kName != Function::DestroyDevice && kCategory != Category::Check) {
      if (failed(result) || device.hasNews()) {
        if (device.takeNews(result)) device.report(reported(kCategory, result));
      }
    }
    return result;
  }

  static void logged(Device &device, Arguments... arguments) {
    CallLog &log = device.adapter().log();  // it outlives the device
    const uint32_t number = device.number;
    CallText text;
    uint32_t line = 0;
    if (log.hasCalls()) {
      describeCall(text, kName, arguments...);
      line = log.write(number, text);
      device.context.note(text.data(), text.size());
    }
    const HRESULT result = run(device, arguments...);
    if (!log.wants(result)) return;
    if (!log.hasCalls()) describeCall(text, kName, arguments...);
    describeEnd(text, result);
    if (log.hasCalls())
      log.rewrite(line, number, text);
    else
      log.write(number, text);
  }
};

template <Function kName, Category kCategory, class Body, bool kLogged, class Result, class... Arguments>
struct Entry<kName, kCategory, Body, kLogged, Result(APIENTRY *)(D3D10DDI_HDEVICE, Arguments...)> {
  static_assert(kCategory == Category::Free || kCategory == Category::Check);
  static Result APIENTRY call(D3D10DDI_HDEVICE handle, Arguments... arguments) {
    Device &device = *Device::from(handle);
    const Result result = Body::call(device, arguments...);
    if constexpr (kLogged) {
      CallLog &log = device.adapter().log();
      if (log.hasCalls()) {
        CallText text;
        describeCall(text, kName, arguments...);
        log.write(device.number, text.text(" = ").number(static_cast<uint64_t>(result)));
      }
    }
    return result;
  }
};

}  // namespace aero
