// SPDX-License-Identifier: MIT
// query_ddi.cpp: queries and predication.
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero::ddi {

HRESULT CreateQuery(Device &device, const D3D10DDIARG_CREATEQUERY *args, D3D10DDI_HQUERY handle, D3D10DDI_HRTQUERY) {
  if (!Query::isOffered(args->Query, device.adapter().formats().hasStreams())) return kNotAvailable;
  new (handle.pDrvPrivate) Query(*args);
  return kOk;
}

HRESULT DestroyQuery(Device &device, D3D10DDI_HQUERY handle) {
  Query::from(handle)->drop(device.progress);
  return kOk;
}

HRESULT QueryBegin(Device &device, D3D10DDI_HQUERY handle) {
  return Query::from(handle)->begin(device.context, device.progress);
}

HRESULT QueryEnd(Device &device, D3D10DDI_HQUERY handle) {
  return Query::from(handle)->end(device.context, device.progress);
}

HRESULT QueryGetData(Device &device, D3D10DDI_HQUERY handle, VOID *data, UINT bytes, UINT flags) {
  return Query::from(handle)->data(device.context, device.progress, data, bytes, flags);
}

HRESULT SetPredication(Device &, D3D10DDI_HQUERY handle, BOOL) {
  const Query *query = Query::from(handle);
  return !query || query->isHint() ? kOk : kNotAvailable;
}

}  // namespace aero::ddi
