// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/isr_state.h"

namespace aerogpu::host {

IsrState& isrState() {
  thread_local IsrState state;
  return state;
}

}  // namespace aerogpu::host
