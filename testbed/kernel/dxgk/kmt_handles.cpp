// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/kmt_handles.h"

#include <map>
#include <mutex>

namespace aerogpu::host {

namespace {

struct KmtObject {
  DXGK_HANDLE_TYPE type;
  void *driverData, *deviceSpecific;
  D3DKMT_HANDLE parent;
};
std::mutex s_handleMutex;
std::map<D3DKMT_HANDLE, KmtObject> s_handles;
D3DKMT_HANDLE s_nextHandle = 0x40000040;

}  // namespace

D3DKMT_HANDLE makeKmtHandle(DXGK_HANDLE_TYPE type, void* driverData, void* deviceSpecific,
                            D3DKMT_HANDLE parent) {
  std::lock_guard lock(s_handleMutex);
  const D3DKMT_HANDLE handle = s_nextHandle;
  s_nextHandle += 0x40;
  s_handles[handle] = {type, driverData, deviceSpecific, parent};
  return handle;
}

void setKmtHandleData(D3DKMT_HANDLE handle, void* driverData, void* deviceSpecific) {
  std::lock_guard lock(s_handleMutex);
  const auto found = s_handles.find(handle);
  if (found == s_handles.end()) return;
  found->second.driverData = driverData;
  found->second.deviceSpecific = deviceSpecific;
}

void dropKmtHandle(D3DKMT_HANDLE handle) {
  std::lock_guard lock(s_handleMutex);
  s_handles.erase(handle);
}

void* kmtHandleData(const DXGKARGCB_GETHANDLEDATA& data) {
  std::lock_guard lock(s_handleMutex);
  const auto found = s_handles.find(data.hObject);
  if (found == s_handles.end() || found->second.type != data.Type) return nullptr;
  return data.Flags.DeviceSpecific ? found->second.deviceSpecific : found->second.driverData;
}

D3DKMT_HANDLE kmtHandleParent(D3DKMT_HANDLE handle) {
  std::lock_guard lock(s_handleMutex);
  const auto found = s_handles.find(handle);
  return found == s_handles.end() ? 0 : found->second.parent;
}

D3DKMT_HANDLE kmtHandleChild(const DXGKARGCB_ENUMHANDLECHILDREN& data) {
  std::lock_guard lock(s_handleMutex);
  UINT index = 0;
  for (const auto& [handle, object] : s_handles)
    if (object.parent == data.hObject && index++ == data.Index) return handle;
  return 0;
}

}  // namespace aerogpu::host
