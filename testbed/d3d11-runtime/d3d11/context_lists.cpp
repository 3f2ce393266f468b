// SPDX-License-Identifier: MIT
// Command lists on the immediate context. They inherit nothing of its state, and leave the default state or what was
// bound before (Direct3D 11.3 Functional Specification, 6.3.3 and 6.3.4).
#include "testbed/d3d11-runtime/d3d11/command_list.h"
#include "testbed/d3d11-runtime/d3d11/context.h"

namespace aerogpu::runtime11 {

void Context::ExecuteCommandList(ID3D11CommandList *given, WINBOOL restore) {
  const Lock lock(core().lock);
  if (!given) return;
  const Ref<CommandList> list(static_cast<CommandList *>(given));
  const BoundState before = *this;
  ClearState();
  list->play(*this);
  if (restore) bind(before);
}

HRESULT Context::FinishCommandList(WINBOOL, ID3D11CommandList **list) {
  if (list) *list = nullptr;
  return DXGI_ERROR_INVALID_CALL;  // of deferred contexts alone
}

}  // namespace aerogpu::runtime11
