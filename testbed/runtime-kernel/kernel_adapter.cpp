// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/kernel_adapter.h"

#include <algorithm>
#include <iterator>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

static constexpr UINT kMostModes = 4096;

KernelAdapter::~KernelAdapter() {
  if (!m_kernelHandle) return;
  D3DKMT_CLOSEADAPTER argument{m_kernelHandle};
  m_kernel->CloseAdapter(&argument);
}

bool KernelAdapter::open(const WCHAR *name) {
  m_kernel = kernelCalls();
  if (!m_kernel) return false;
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME argument{};
  lstrcpynW(argument.DeviceName, name, static_cast<int>(std::size(argument.DeviceName)));
  const NTSTATUS status = m_kernel->OpenAdapterFromGdiDisplayName(&argument);
  if (status < 0) {
    logLine("no adapter: D3DKMTOpenAdapterFromGdiDisplayName(%ls) gave 0x%08lx", name,
            static_cast<unsigned long>(status));
    return false;
  }
  m_kernelHandle = argument.hAdapter;
  m_luid = argument.AdapterLuid;
  m_source = argument.VidPnSourceId;
  return true;
}

HRESULT KernelAdapter::driverFile(KMTUMDVERSION version, WCHAR (&file)[MAX_PATH]) const {
  D3DKMT_UMDFILENAMEINFO info{};
  info.Version = version;
  const HRESULT result = queryAdapterInfo(KMTQAITYPE_UMDRIVERNAME, &info, sizeof info);
  lstrcpynW(file, SUCCEEDED(result) ? info.UmdFileName : L"", MAX_PATH);
  return result;
}

HRESULT KernelAdapter::queryAdapterInfo(KMTQUERYADAPTERINFOTYPE type, void *data, UINT size) const {
  D3DKMT_QUERYADAPTERINFO argument{};
  argument.hAdapter = m_kernelHandle;
  argument.Type = type;
  argument.pPrivateDriverData = data;
  argument.PrivateDriverDataSize = size;
  return resultOfStatus(m_kernel->QueryAdapterInfo(&argument));
}

bool KernelAdapter::readModes() {
  D3DKMT_GETDISPLAYMODELIST argument{};
  argument.hAdapter = m_kernelHandle;
  argument.VidPnSourceId = m_source;
  if (m_kernel->GetDisplayModeList(&argument) < 0 || argument.ModeCount > kMostModes) {
    logLine("no list of display modes (%u modes)", argument.ModeCount);
    return false;
  }
  m_modes.resize(argument.ModeCount);
  argument.pModeList = m_modes.data();
  if (!m_modes.empty() && m_kernel->GetDisplayModeList(&argument) < 0) m_modes.clear();
  m_modes.resize(std::min<size_t>(m_modes.size(), argument.ModeCount));
  return true;
}

bool KernelAdapter::currentMode(D3DKMT_DISPLAYMODE &mode) const {
  D3DKMT_CURRENTDISPLAYMODE argument{};
  argument.VidPnSourceId = m_source;
  if (FAILED(queryAdapterInfo(KMTQAITYPE_CURRENTDISPLAYMODE, &argument, sizeof argument))) return false;
  mode = argument.DisplayMode;
  return true;
}

D3DDDI_ADAPTERCALLBACKS KernelAdapter::callbacks() {
  D3DDDI_ADAPTERCALLBACKS table{};
  table.pfnQueryAdapterInfoCb = queryAdapterInfoCb;
  table.pfnGetMultisampleMethodListCb = getMultisampleMethodListCb;
  return table;
}

HRESULT APIENTRY KernelAdapter::queryAdapterInfoCb(HANDLE adapter, D3DDDICB_QUERYADAPTERINFO *argument) {
  const KernelAdapter *self = static_cast<const KernelAdapter *>(adapter);
  if (!self || !argument) {
    brokenRule("pfnQueryAdapterInfoCb without the runtime's adapter handle or without an argument");
    return E_INVALIDARG;
  }
  return self->queryAdapterInfo(KMTQAITYPE_UMDRIVERPRIVATE, argument->pPrivateDriverData,
                                argument->PrivateDriverDataSize);
}

HRESULT APIENTRY KernelAdapter::getMultisampleMethodListCb(HANDLE adapter,
                                                           D3DDDICB_GETMULTISAMPLEMETHODLIST *argument) {
  const KernelAdapter *self = static_cast<const KernelAdapter *>(adapter);
  if (!self || !argument) return E_INVALIDARG;
  D3DKMT_GETMULTISAMPLEMETHODLIST call{};
  call.hAdapter = self->m_kernelHandle;
  call.VidPnSourceId = argument->VidPnSourceId;
  call.Width = argument->Width;
  call.Height = argument->Height;
  call.Format = argument->Format;
  call.MethodCount = argument->MethodCount;
  // D3DDDI_MULTISAMPLINGMETHOD and D3DKMT_MULTISAMPLEMETHOD differ in one reserved number.
  std::vector<D3DKMT_MULTISAMPLEMETHOD> methods(argument->pMethodList ? std::min(argument->MethodCount, 64u) : 0);
  call.MethodCount = static_cast<UINT>(methods.size());
  call.pMethodList = methods.empty() ? nullptr : methods.data();
  const HRESULT result = resultOfStatus(self->m_kernel->GetMultisampleMethodList(&call));
  if (SUCCEEDED(result)) {
    for (UINT i = 0; i < std::min<UINT>(call.MethodCount, static_cast<UINT>(methods.size())); ++i) {
      argument->pMethodList[i].NumSamples = methods[i].NumSamples;
      argument->pMethodList[i].NumQualityLevels = methods[i].NumQualityLevels;
    }
    argument->MethodCount = call.MethodCount;
  }
  return result;
}

}  // namespace aerogpu::runtime
