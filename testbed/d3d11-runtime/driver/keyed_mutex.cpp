// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/keyed_mutex.h"

#include <algorithm>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {
namespace {

constexpr LONGLONG kTicksPerMs = 10000;  // of 100 ns

}  // namespace

KeyedMutex::KeyedMutex(DriverDevice &device) : m_device(device) {
  m_device.keyedMutexes().push_back(this);
}

KeyedMutex::~KeyedMutex() {
  std::erase(m_device.keyedMutexes(), this);
  if (!m_handle) return;
  const D3DKMT_DESTROYKEYEDMUTEX argument{m_handle};
  kernel().DestroyKeyedMutex(&argument);
}

HRESULT KeyedMutex::create() {
  D3DKMT_CREATEKEYEDMUTEX argument{};
  const HRESULT result = runtime::resultOfStatus(kernel().CreateKeyedMutex(&argument));
  if (FAILED(result)) return result;
  m_handle = argument.hKeyedMutex;
  m_global = argument.hSharedHandle;
  return S_OK;
}

HRESULT KeyedMutex::open(D3DKMT_HANDLE global) {
  D3DKMT_OPENKEYEDMUTEX argument{};
  argument.hSharedHandle = global;
  const HRESULT result = runtime::resultOfStatus(kernel().OpenKeyedMutex(&argument));
  if (FAILED(result)) return result;
  m_handle = argument.hKeyedMutex;
  m_global = global;
  return S_OK;
}

HRESULT KeyedMutex::acquire(UINT64 key, DWORD milliseconds, UINT64 &fence) const {
  LARGE_INTEGER timeout{};
  timeout.QuadPart = -static_cast<LONGLONG>(milliseconds) * kTicksPerMs;
  D3DKMT_ACQUIREKEYEDMUTEX argument{};
  argument.hKeyedMutex = m_handle;
  argument.Key = key;
  argument.pTimeout = milliseconds == INFINITE ? nullptr : &timeout;
  const NTSTATUS status = kernel().AcquireKeyedMutex(&argument);
  fence = argument.FenceValue;
  if (!status || status == WAIT_TIMEOUT || status == WAIT_ABANDONED) return status;
  runtime::logLine("AcquireKeyedMutex: 0x%08lx", static_cast<unsigned long>(status));
  constexpr auto kDeviceRemoved = static_cast<NTSTATUS>(0xC00002B6);  // STATUS_DEVICE_REMOVED
  return status == kDeviceRemoved ? DXGI_ERROR_DEVICE_REMOVED : E_FAIL;
}

void KeyedMutex::own(UINT64 fence) {
  m_isOwned = true;
  m_fence = fence;
}

bool KeyedMutex::isOwnedByDevice() const {
  const auto owns = [this](const KeyedMutex *other) { return other->m_isOwned && other->m_global == m_global; };
  return std::any_of(m_device.keyedMutexes().begin(), m_device.keyedMutexes().end(), owns);
}

HRESULT KeyedMutex::release(UINT64 key) {
  D3DKMT_RELEASEKEYEDMUTEX argument{};
  argument.hKeyedMutex = m_handle;
  argument.Key = key;
  argument.FenceValue = m_fence + 1;
  m_isOwned = false;
  const NTSTATUS status = kernel().ReleaseKeyedMutex(&argument);
  if (status >= 0) return S_OK;
  runtime::logLine("ReleaseKeyedMutex: 0x%08lx", static_cast<unsigned long>(status));
  return E_FAIL;
}

}  // namespace aerogpu::runtime11
