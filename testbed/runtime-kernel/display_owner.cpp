// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/display_owner.h"

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

bool DisplayOwner::take() {
  const KernelAdapter &adapter = m_device.kernelAdapter();
  const D3DKMT_VIDPNSOURCEOWNER_TYPE type = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
  const UINT source = adapter.vidPnSource();
  const D3DKMT_SETVIDPNSOURCEOWNER argument{m_device.kernelHandle(), &type, &source, 1};
  const HRESULT result = resultOfStatus(adapter.kernel().SetVidPnSourceOwner(&argument));
  if (FAILED(result)) logLine("the display cannot be taken over: 0x%08lx", static_cast<unsigned long>(result));
  m_owns = SUCCEEDED(result);
  return m_owns;
}

void DisplayOwner::leave() {
  if (!m_owns) return;
  m_owns = false;
  // No list: releases every source of the device.
  const D3DKMT_SETVIDPNSOURCEOWNER argument{m_device.kernelHandle(), nullptr, nullptr, 0};
  m_device.kernelAdapter().kernel().SetVidPnSourceOwner(&argument);
}

void setScreenMode(UINT width, UINT height) {
  DEVMODEW now{};
  now.dmSize = sizeof now;
  if (EnumDisplaySettingsW(nullptr, ENUM_CURRENT_SETTINGS, &now) && now.dmPelsWidth == width &&
      now.dmPelsHeight == height)
    return;
  DEVMODEW mode{};
  mode.dmSize = sizeof mode;
  mode.dmFields = DM_PELSWIDTH | DM_PELSHEIGHT;
  mode.dmPelsWidth = width;
  mode.dmPelsHeight = height;
  ChangeDisplaySettingsExW(nullptr, &mode, nullptr, CDS_FULLSCREEN, nullptr);
}

void restoreScreenMode() {
  ChangeDisplaySettingsExW(nullptr, nullptr, nullptr, 0, nullptr);
}

}  // namespace aerogpu::runtime
