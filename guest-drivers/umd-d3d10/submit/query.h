// SPDX-License-Identifier: MIT
// query.h: a query, in the runtime's memory.
#pragma once

#include "guest-drivers/umd-common/submit/progress.h"
#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

class Query : public AwaitedResult {
public:
  explicit Query(const D3D10DDIARG_CREATEQUERY &args)
      : AwaitedResult(isCount(args.Query)), m_type(args.Query), m_flags(args.MiscFlags) {}
  static Query *from(D3D10DDI_HQUERY handle) { return static_cast<Query *>(handle.pDrvPrivate); }

  /** True if there are queries of this type. */
  static bool isOffered(D3D10DDI_QUERY type);
  HRESULT begin(Context &context, Progress &progress);
  HRESULT end(Context &context, Progress &progress);
  /** Returns kWasStillDrawing while the answer is not there; never waits. `data` may be null. */
  HRESULT data(Context &context, Progress &progress, void *data, UINT bytes, UINT flags);
  /** Gives up its count and its result. */
  void drop(Progress &progress);
  /** True if the program permits that draws are not left out by its result. */
  bool isHint() const { return m_flags & D3D10DDI_QUERY_MISCFLAG_PREDICATEHINT; }

private:
  static bool isCount(D3D10DDI_QUERY type) {
    return type == D3D10DDI_QUERY_OCCLUSION || type == D3D10DDI_QUERY_OCCLUSIONPREDICATE;
  }

  D3D10DDI_QUERY m_type;
  UINT m_flags;
  uint64_t m_batch = 0;                // the batch of its end; 0: not ended
  uint32_t m_slot = Progress::kSlots;  // the slot that counts for it; kSlots: none
};

}  // namespace aero
