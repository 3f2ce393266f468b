// SPDX-License-Identifier: MIT
// multithread.h: ID3D10Multithread of a device, with which programs of several threads hold the lock that each of its
// calls takes.
#pragma once

#include "testbed/d3d11-runtime/base/headers.h"

namespace aerogpu::runtime11 {

class Multithread final : public ID3D10Multithread {
public:
  /// `device`: whose references it shares. Devices of Direct3D 11 begin without protection, those of 10 with it.
  Multithread(IUnknown &device, CRITICAL_SECTION &lock) : m_device(device), m_lock(lock) {}
  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override { return m_device.QueryInterface(id, out); }
  ULONG STDMETHODCALLTYPE AddRef() override { return m_device.AddRef(); }
  ULONG STDMETHODCALLTYPE Release() override { return m_device.Release(); }
  void STDMETHODCALLTYPE Enter() override;
  void STDMETHODCALLTYPE Leave() override;
  WINBOOL STDMETHODCALLTYPE SetMultithreadProtected(WINBOOL protect) override;
  WINBOOL STDMETHODCALLTYPE GetMultithreadProtected() override;

private:
  IUnknown &m_device;
  CRITICAL_SECTION &m_lock;
  bool m_protected = false;
  UINT m_entered = 0;  ///< by the thread that has the lock
};

}  // namespace aerogpu::runtime11
