// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/ddi/device_tables.h"

#include "guest-drivers/umd-d3d10/ddi/entry.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"
#include "guest-drivers/umd-d3d10/ddi/object_sizes.h"

namespace aero {
namespace {

/** Bodies of functions that nobody writes out. */
struct Nothing {
  template <class... Arguments> static HRESULT call(Device &, Arguments...) { return kOk; }
};
struct Refused {
  template <class... Arguments> static HRESULT call(Device &, Arguments...) { return kNotImplemented; }
};
template <SIZE_T kBytes> struct Size {
  template <class... Arguments> static SIZE_T call(Device &, Arguments...) { return kBytes; }
};

// Bodies of functions of entry_points.h, whose arguments choose the overload.
#define AERO_BODY_Done(NAME)                                                                                           \
  struct Body##NAME {                                                                                                  \
    template <class... Arguments> static auto call(Device &device, Arguments... a) { return ddi::NAME(device, a...); } \
  };
#define AERO_BODY_Size(NAME) using Body##NAME = Size<sizes::k##NAME>;
#define AERO_BODY_Nothing(NAME) using Body##NAME = Nothing;
#define AERO_BODY_Refused(NAME) using Body##NAME = Refused;
#define AERO_BODY_Null(NAME)
#define AERO_BODY(NAME, SINCE, ANSWER, CATEGORY) AERO_BODY_##ANSWER(NAME)
AERO_DEVICE_FUNCTIONS(AERO_BODY)
#undef AERO_BODY

enum class Version { D3D10, D3D10_1, D3D11 };

template <bool kLogged, Version kVersion, class Table> void fill(Table &table) {
#define AERO_ENTRY(NAME, CATEGORY) \
  table.pfn##NAME = Entry<Function::NAME, Category::CATEGORY, Body##NAME, kLogged, decltype(table.pfn##NAME)>::call;
#define AERO_FILL_Done(NAME, CATEGORY) AERO_ENTRY(NAME, CATEGORY)
#define AERO_FILL_Size(NAME, CATEGORY) AERO_ENTRY(NAME, CATEGORY)
#define AERO_FILL_Nothing(NAME, CATEGORY) AERO_ENTRY(NAME, CATEGORY)
#define AERO_FILL_Refused(NAME, CATEGORY) AERO_ENTRY(NAME, CATEGORY)
#define AERO_FILL_Null(NAME, CATEGORY) table.pfn##NAME = nullptr;
#define AERO_FILL(NAME, SINCE, ANSWER, CATEGORY) \
  if constexpr (kVersion >= Version::SINCE) {    \
    AERO_FILL_##ANSWER(NAME, CATEGORY)           \
  }
  AERO_DEVICE_FUNCTIONS(AERO_FILL)
#undef AERO_FILL
}

template <Version kVersion, class Table> void fillOne(Table &table, bool isLogged) {
  if (isLogged)
    fill<true, kVersion>(table);
  else
    fill<false, kVersion>(table);
}

}  // namespace

void fillTable(D3D10DDI_DEVICEFUNCS &table, bool isLogged) {
  fillOne<Version::D3D10>(table, isLogged);
}

void fillTable(D3D10_1DDI_DEVICEFUNCS &table, bool isLogged) {
  fillOne<Version::D3D10_1>(table, isLogged);
}

void fillTable(D3D11DDI_DEVICEFUNCS &table, bool isLogged) {
  fillOne<Version::D3D11>(table, isLogged);
}

}  // namespace aero
