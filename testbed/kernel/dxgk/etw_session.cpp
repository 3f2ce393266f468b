// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/etw_session.h"

#include "testbed/kernel/dxgk/ddi_call.h"

namespace aerogpu::host {

void listenToEtw(bool listen, uint8_t level, uint64_t keywords) {
  EtwProvider provider;
  if (!widenEtw(listen ? level : 0, listen ? keywords : 0, provider)) return;
  callDdi("EnableCallback", kPassiveLevel, provider.callback, static_cast<const void*>(nullptr),
          uint32_t{listen}, level, keywords, uint64_t{0}, static_cast<void*>(nullptr), provider.context);
  if (listen) setEtw(level, keywords);
}

}  // namespace aerogpu::host
