// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/adapter.h"

#include <cstdlib>
#include <cstring>

#include "testbed/runtime-kernel/log.h"
#include "testbed/runtime-kernel/settings.h"

namespace aerogpu::runtime11 {

using runtime::brokenRule;
using runtime::FloatControl;
using runtime::logLine;

namespace {

constexpr UINT32 kMostVersions = 64;
constexpr UINT kRoom = 16;  // marked bytes behind an answer
constexpr BYTE kMark = 0xEE;

bool never(unsigned) {
  return false;
}

}  // namespace

void checkControlWords(const char *function, const FloatControl &before) {
  const FloatControl after = FloatControl::read();
  if (after == before) return;
  before.write();
  brokenRule("%s changed the floating-point control words from %04x, %08x to %04x, %08x", function, before.x87,
             before.sse, after.x87, after.sse);
}

DriverAdapter::~DriverAdapter() {
  if (m_opened) {
    const auto *table = static_cast<const D3D10DDI_ADAPTERFUNCS *>(m_guard.table());
    const FloatControl before = FloatControl::read();
    const HRESULT result = table->pfnCloseAdapter(m_driver);
    checkControlWords("CloseAdapter", before);
    if (result != S_OK) brokenRule("CloseAdapter gave 0x%08lx", static_cast<unsigned long>(result));
  }
  if (m_module) FreeLibrary(m_module);
}

bool DriverAdapter::open(const WCHAR *name) {
  return m_kernelAdapter.open(name) && loadDriver() && readVersions() && m_kernelAdapter.readModes();
}

bool DriverAdapter::loadDriver() {
  // The setting is for a kernel side that names a driver of Direct3D 9 only.
  WCHAR file[MAX_PATH];
  if (runtime::setting("DRIVER", m_file)) {
    MultiByteToWideChar(CP_ACP, 0, m_file, -1, file, MAX_PATH);
  } else {
    HRESULT found = m_kernelAdapter.driverFile(KMTUMDVERSION_DX11, file);
    if (FAILED(found)) found = m_kernelAdapter.driverFile(KMTUMDVERSION_DX10, file);
    if (FAILED(found)) {
      logLine("the kernel side names no user-mode driver of Direct3D 10 or 11: 0x%08lx",
              static_cast<unsigned long>(found));
      return false;
    }
    if (!WideCharToMultiByte(CP_UTF8, 0, file, -1, m_file, sizeof m_file, nullptr, nullptr)) m_file[0] = 0;
  }
  m_module = LoadLibraryW(file);
  if (!m_module) {
    logLine("cannot load the user-mode driver '%s': error %lu", m_file, GetLastError());
    return false;
  }
  return openDriver("OpenAdapter10_2", true) || openDriver("OpenAdapter10", false);
}

bool DriverAdapter::openDriver(const char *exportName, bool second) {
  FARPROC symbol = GetProcAddress(m_module, exportName);
  if (!symbol) {
    logLine("'%s' has no %s", m_file, exportName);
    return false;
  }
  PFND3D10DDI_OPENADAPTER openAdapter = nullptr;
  static_assert(sizeof symbol == sizeof openAdapter);
  std::memcpy(&openAdapter, &symbol, sizeof symbol);
  constexpr size_t kPointer = sizeof(void *);
  if (!m_guard.make(second ? sizeof(D3D10_2DDI_ADAPTERFUNCS) / kPointer : sizeof(D3D10DDI_ADAPTERFUNCS) / kPointer))
    return false;
  m_callbacks = runtime::KernelAdapter::callbacks();
  D3D10DDIARG_OPENADAPTER argument{};
  argument.hRTAdapter.handle = m_kernelAdapter.runtimeHandle();
  // OpenAdapter10_2 may ignore both.
  argument.Interface = D3D10_0_DDI_INTERFACE_VERSION;
  argument.Version = (D3D10_0_DDI_BUILD_VERSION << 16) | 7601;
  argument.pAdapterCallbacks = &m_callbacks;
  argument.pAdapterFuncs = static_cast<D3D10DDI_ADAPTERFUNCS *>(m_guard.table());
  const void *table = argument.pAdapterFuncs;
  const FloatControl before = FloatControl::read();
  const HRESULT result = openAdapter(&argument);
  checkControlWords(exportName, before);
  if (FAILED(result)) {
    logLine("%s of '%s' gave 0x%08lx", exportName, m_file, static_cast<unsigned long>(result));
    return false;
  }
  if (result != S_OK) brokenRule("%s gave 0x%08lx", exportName, static_cast<unsigned long>(result));
  if (argument.pAdapterFuncs != table) brokenRule("%s exchanged the pointer to the table", exportName);
  if (!m_guard.check(never)) return false;
  m_driver = argument.hAdapter;
  m_second = second;
  m_opened = true;
  return true;
}

bool DriverAdapter::readVersions() {
  if (!m_second) {
    m_versions.assign(1, D3D10_0_DDI_SUPPORTED);  // what it was opened with
    return true;
  }
  const auto &table = *static_cast<const D3D10_2DDI_ADAPTERFUNCS *>(m_guard.table());
  UINT32 count = 0;
  const FloatControl before = FloatControl::read();
  HRESULT result = table.pfnGetSupportedVersions(m_driver, &count, nullptr);
  if (FAILED(result) || !count || count > kMostVersions) {
    logLine("GetSupportedVersions gave 0x%08lx and %u", static_cast<unsigned long>(result), count);
    return false;
  }
  m_versions.resize(count);
  // Too short an array first. The page of the function has no code for it, so any error will do.
  UINT32 less = count - 1;
  UINT64 none = 0;
  const HRESULT tooShort = table.pfnGetSupportedVersions(m_driver, &less, count > 1 ? m_versions.data() : &none);
  if (SUCCEEDED(tooShort))
    brokenRule("GetSupportedVersions with room for too few gave 0x%08lx", static_cast<unsigned long>(tooShort));
  UINT32 given = count;
  result = table.pfnGetSupportedVersions(m_driver, &given, m_versions.data());
  checkControlWords("GetSupportedVersions", before);
  if (FAILED(result) || given != count) {
    brokenRule("GetSupportedVersions gave 0x%08lx and %u, after %u", static_cast<unsigned long>(result), given, count);
    return false;
  }
  m_levels = cap(D3D11DDICAPS_3DPIPELINESUPPORT);
  m_shader = cap(D3D11DDICAPS_SHADER);
  m_threading = cap(D3D11DDICAPS_THREADING);
  if (m_levels & (m_levels + 1)) brokenRule("pipeline levels 0x%x: one without those below it", m_levels);
  if ((m_threading & D3D11DDICAPS_COMMANDLISTS_BUILD_2) && !(m_threading & D3D11DDICAPS_FREETHREADED))
    brokenRule("threading caps 0x%x: command lists without free threading", m_threading);
  return true;
}

UINT DriverAdapter::cap(D3D10_2DDICAPS_TYPE type) const {
  const auto &table = *static_cast<const D3D10_2DDI_ADAPTERFUNCS *>(m_guard.table());
  BYTE answer[sizeof(UINT) + kRoom];
  std::memset(answer, kMark, sizeof answer);
  std::memset(answer, 0, sizeof(UINT));
  D3D10_2DDIARG_GETCAPS argument{};
  argument.Type = type;
  argument.pData = answer;
  argument.DataSize = sizeof(UINT);
  const FloatControl before = FloatControl::read();
  const HRESULT result = table.pfnGetCaps(m_driver, &argument);
  checkControlWords("GetCaps", before);
  for (UINT i = 0; i < kRoom; ++i)
    if (answer[sizeof(UINT) + i] != kMark) {
      brokenRule("GetCaps %u writes behind the %u bytes of its answer", type, argument.DataSize);
      break;
    }
  UINT value = 0;
  std::memcpy(&value, answer, sizeof value);
  if (SUCCEEDED(result)) return value;
  logLine("GetCaps %u gave 0x%08lx", type, static_cast<unsigned long>(result));
  return 0;
}

bool DriverAdapter::choose(D3D_FEATURE_LEVEL level, Choice &choice) const {
  char only[16];
  const UINT interfaceOnly =
      runtime::setting("INTERFACE", only) ? static_cast<UINT>(std::strtoul(only, nullptr, 16)) : 0;
  return runtime11::choose(m_versions, m_levels, level, interfaceOnly, choice);
}

SIZE_T DriverAdapter::privateDeviceSize(const Choice &choice, UINT flags) const {
  const auto &table = *static_cast<const D3D10DDI_ADAPTERFUNCS *>(m_guard.table());
  const D3D10DDIARG_CALCPRIVATEDEVICESIZE argument{choice.interfaceVersion, choice.version, flags};
  const FloatControl before = FloatControl::read();
  const SIZE_T size = table.pfnCalcPrivateDeviceSize(m_driver, &argument);
  checkControlWords("CalcPrivateDeviceSize", before);
  return size;
}

HRESULT DriverAdapter::createDevice(D3D10DDIARG_CREATEDEVICE &argument) const {
  return static_cast<const D3D10DDI_ADAPTERFUNCS *>(m_guard.table())->pfnCreateDevice(m_driver, &argument);
}

}  // namespace aerogpu::runtime11
