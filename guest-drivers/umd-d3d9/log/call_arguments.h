// SPDX-License-Identifier: MIT
// call_arguments.h: writes arguments into the log of calls. Structures that matter for the first boot on a system are
// written by name, others as words of 32 bits. It reads nothing that the caller may leave unset.
#pragma once

#include <string.h>

#include <type_traits>

#include "guest-drivers/umd-common/log/describe.h"

namespace aero {

// Writes the inputs of a structure.
void describe(CallText &out, const D3DDDIARG_CREATERESOURCE &args);
void describe(CallText &out, const D3DDDIARG_OPENRESOURCE &args);
void describe(CallText &out, const D3DDDIARG_LOCK &args);
void describe(CallText &out, const D3DDDIARG_UNLOCK &args);
void describe(CallText &out, const D3DDDIARG_PRESENT &args);
void describe(CallText &out, const D3DDDIARG_BLT &args);
void describe(CallText &out, const D3DDDIARG_COLORFILL &args);
void describe(CallText &out, const D3DDDIARG_TEXBLT &args);
void describe(CallText &out, const D3DDDIARG_SETRENDERTARGET &args);
void describe(CallText &out, const D3DDDIARG_RENDERSTATE &args);
void describe(CallText &out, const D3DDDIARG_TEXTURESTAGESTATE &args);
void describe(CallText &out, const D3DDDIARG_DRAWPRIMITIVE &args);
void describe(CallText &out, const D3DDDIARG_DRAWINDEXEDPRIMITIVE &args);
void describe(CallText &out, const D3DDDIARG_CLEAR &args);
void describe(CallText &out, const D3DDDIARG_SETSTREAMSOURCE &args);
void describe(CallText &out, const D3DDDIARG_CREATEQUERY &args);
void describe(CallText &out, const D3DDDIARG_ISSUEQUERY &args);
void describe(CallText &out, const D3DDDIARG_GETQUERYDATA &args);
void describe(CallText &out, const RECT &rect);

// Writes the outputs of a call that succeeded.
void describeAnswer(CallText &out, const D3DDDIARG_CREATERESOURCE &args);
void describeAnswer(CallText &out, const D3DDDIARG_OPENRESOURCE &args);
void describeAnswer(CallText &out, const D3DDDIARG_LOCK &args);
void describeAnswer(CallText &out, const D3DDDIARG_CREATEQUERY &args);
void describeAnswer(CallText &out, const D3DDDIARG_CREATEVERTEXSHADERFUNC &args);
void describeAnswer(CallText &out, const D3DDDIARG_CREATEVERTEXSHADERDECL &args);
void describeAnswer(CallText &out, const D3DDDIARG_CREATEPIXELSHADER &args);

/** Returns the name of a D3DDDICAPS_TYPE, null for an unknown number. */
const char *capsName(UINT type);

template <class T> void describeArgument(CallText &out, const T &argument) {
  if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_class_v<Target>) {
      if (!argument)
        out.text("null");
      else if constexpr (requires { describe(out, *argument); })
        describe(out, *argument);
      else
        describeWords(out, argument, sizeof(Target));
    } else {
      describeHandle(out, argument);
    }
  } else {
    out.number(static_cast<uint32_t>(argument));
  }
}

template <class T> void describeResult(CallText &out, const T &argument) {
  if constexpr (std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>> &&
                requires { describeAnswer(out, *argument); })
    if (argument) describeAnswer(out.text(" -> "), *argument);
}

}  // namespace aero
