// SPDX-License-Identifier: MIT
// query.h: a query, in the runtime's memory.
#pragma once

#include "aerogpu/aerogpu_cmd_extension.h"
#include "guest-drivers/umd-common/submit/progress.h"
#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

class Query : public AwaitedResult {
public:
  explicit Query(const D3D10DDIARG_CREATEQUERY &args)
      : AwaitedResult(isCount(args.Query), isStreams(args.Query) ? 2 : 1),
        m_type(args.Query),
        m_flags(args.MiscFlags) {}
  static Query *from(D3D10DDI_HQUERY handle) { return static_cast<Query *>(handle.pDrvPrivate); }

  /** True if there are queries of this type; `hasStreams`: the device streams out. */
  static bool isOffered(D3D10DDI_QUERY type, bool hasStreams);
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
  static bool isStreams(D3D10DDI_QUERY type) {
    return type == D3D10DDI_QUERY_STREAMOUTPUTSTATS || type == D3D10DDI_QUERY_STREAMOVERFLOWPREDICATE;
  }
  /** Returns enum aerogpu_ext_query_type of a query that begins. */
  uint32_t deviceType() const {
    return isStreams(m_type) ? AEROGPU_EXT_QUERY_STREAM_STATISTICS : AEROGPU_EXT_QUERY_OCCLUSION;
  }
  bool begins() const { return isCount(m_type) || isStreams(m_type); }

  D3D10DDI_QUERY m_type;
  UINT m_flags;
  uint64_t m_batch = 0;                // the batch of its end; 0: not ended
  uint32_t m_slot = Progress::kSlots;  // the slot that counts for it; kSlots: none
};

}  // namespace aero
