// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/adapter_core.h"

namespace aerogpu::host {

namespace {

AdapterCore* s_current;

}  // namespace

AdapterCore* AdapterCore::current() {
  return s_current;
}

AdapterCore::AdapterCore() {
  s_current = this;
}

AdapterCore::~AdapterCore() {
  s_current = nullptr;
}

ULONG AdapterCore::targetId() const {
  for (const auto& child : childDescriptors)
    if (child.ChildDeviceType == TypeVideoOutput) return child.ChildUid;
  return 0;
}

void AdapterCore::requestDpc() {
  queueHostDpc([](void* self) { static_cast<AdapterCore*>(self)->runDpc(); }, this);
}

void AdapterCore::runDpc() {
  if (!m_started) return;
  callDdi("DxgkDdiDpcRoutine", kDispatchLevel, ddi.DxgkDdiDpcRoutine, m_context);
}

}  // namespace aerogpu::host
