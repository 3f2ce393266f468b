// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/test/fake_runtime.h"

#include <sys/mman.h>

#include <thread>

#include "guest-drivers/umd-d3d10/ddi/entry_points.h"

namespace aero::test {
namespace {

constexpr size_t kPage = 4096;

FakeRuntime &self(HANDLE handle) {
  return *static_cast<FakeRuntime *>(static_cast<FakeCallbacks *>(handle));
}

/** A kernel callback of one set of entries. Another set is in the table in the next call: a driver that copied an entry
 * calls the wrong one. */
template <int kSet, auto kMember, class Type> struct InSet;
template <int kSet, auto kMember, class... Arguments>
struct InSet<kSet, kMember, HRESULT(APIENTRY *)(HANDLE, Arguments...)> {
  static HRESULT APIENTRY call(HANDLE handle, Arguments... arguments) {
    EXPECT_EQ(self(handle).set(), kSet) << "an entry that the driver has copied is called";
    return (self(handle).real().*kMember)(handle, arguments...);
  }
};

template <int kSet> void fillKernel(D3DDDI_DEVICECALLBACKS &table) {
#define ENTRY(NAME) table.NAME = InSet<kSet, &D3DDDI_DEVICECALLBACKS::NAME, decltype(table.NAME)>::call;
  ENTRY(pfnAllocateCb)
  ENTRY(pfnDeallocateCb)
  ENTRY(pfnLockCb)
  ENTRY(pfnUnlockCb)
  ENTRY(pfnRenderCb)
  ENTRY(pfnCreateContextCb)
  ENTRY(pfnDestroyContextCb)
  ENTRY(pfnEscapeCb)
  ENTRY(pfnSetDisplayModeCb)
  ENTRY(pfnSetPriorityCb)
  ENTRY(pfnQueryResidencyCb)
#undef ENTRY
}

template <int kSet> VOID APIENTRY setErrorCb(D3D10DDI_HRTCORELAYER core, HRESULT code) {
  FakeRuntime &rt = self(core.handle);
  EXPECT_EQ(rt.set(), kSet) << "an entry that the driver has copied is called";
  rt.setError(code);
}

template <int kSet> VOID APIENTRY amortizedCb(D3D10DDI_HRTCORELAYER core) {
  FakeRuntime &rt = self(core.handle);
  EXPECT_EQ(rt.set(), kSet) << "an entry that the driver has copied is called";
  rt.amortized++;
}

HRESULT APIENTRY presentCb(HANDLE handle, const DXGIDDICB_PRESENT *data) {
  self(handle).dxgiPresents.push_back(*data);
  return 0;
}

/** True if the function may report the code: section by section of the page "Handling Errors". */
bool mayReport(std::string_view name, HRESULT code) {
  const auto begins = [&](std::string_view with) { return name.substr(0, with.size()) == with; };
  const bool maps = name.find("Map") != std::string_view::npos && name.find("Unmap") == std::string_view::npos;
  if (name == "CheckCounter") return code == kDxgiUnsupported || code == kInvalidArgument;
  if (begins("Check") || begins("CalcPrivate") || name == "ResourceIsStagingBusy" || name == "DXGI") return false;
  if (code == kDeviceRemoved) return true;
  if (name == "CreateResource" && code == kDxgiUnsupported) return true;
  if (begins("Create") || name == "OpenResource" || name.find("WithIfaces") != std::string_view::npos)
    return code == kOutOfMemory;
  return (maps || name == "QueryGetData") && code == kDxgiWasStillDrawing;
}

}  // namespace

Guarded::Guarded(size_t bytes, uint8_t fill) : m_bytes(bytes), m_mapped((bytes + kPage - 1) / kPage * kPage) {
  m_map = static_cast<uint8_t *>(
      mmap(nullptr, m_mapped + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  EXPECT_NE(m_map, MAP_FAILED);
  EXPECT_EQ(mprotect(m_map + m_mapped, kPage, PROT_NONE), 0);
  m_end = m_map + m_mapped;
  memset(m_map, fill, m_mapped);
}

Guarded::~Guarded() {
  munmap(m_map, m_mapped + kPage);
}

FakeRuntime::FakeRuntime(FakeKernel &kernel, UINT interfaceNumber)
    : FakeCallbacks(kernel), interfaceNumber(interfaceNumber) {}

FakeRuntime::~FakeRuntime() {
  if (device.pDrvPrivate) close();
}

size_t FakeRuntime::tableBytes() const {
  return is11() ? sizeof(D3D11DDI_DEVICEFUNCS) : is10() ? sizeof(D3D10DDI_DEVICEFUNCS) : sizeof(D3D10_1DDI_DEVICEFUNCS);
}

D3D10DDIARG_OPENADAPTER FakeRuntime::adapterArgs() {
  m_adapterTable =
      std::make_unique<Guarded>(byOldExport ? sizeof(D3D10DDI_ADAPTERFUNCS) : sizeof(D3D10_2DDI_ADAPTERFUNCS));
  D3D10DDIARG_OPENADAPTER args = {};
  args.hRTAdapter.handle = handle();
  args.Interface = interfaceNumber;
  args.Version = version;
  args.pAdapterCallbacks = &m_adapterCallbacks;
  args.pAdapterFuncs_2 = m_adapterTable->as<D3D10_2DDI_ADAPTERFUNCS>();
  return args;
}

HRESULT FakeRuntime::openAdapter() {
  D3D10DDIARG_OPENADAPTER args = adapterArgs();
  const HRESULT result = byOldExport ? OpenAdapter10(&args) : OpenAdapter10_2(&args);
  adapter = args.hAdapter;
  return result;
}

HRESULT FakeRuntime::createDevice() {
  const D3D10DDIARG_CALCPRIVATEDEVICESIZE size = {interfaceNumber, version, 0};
  m_memory = std::make_unique<Guarded>((adapterFunctions().pfnCalcPrivateDeviceSize(adapter, &size) + 15) / 16 * 16);
  m_table = std::make_unique<Guarded>(tableBytes());
  m_dxgi =
      std::make_unique<Guarded>(IS_DXGI1_1_BASE_FUNCTIONS(interfaceNumber, version) ? sizeof(DXGI1_1_DDI_BASE_FUNCTIONS)
                                                                                    : sizeof(DXGI_DDI_BASE_FUNCTIONS));
  m_kernelTable = std::make_unique<Guarded>(sizeof(D3DDDI_DEVICECALLBACKS), 0);
  m_coreTable = std::make_unique<Guarded>(
      is11() ? sizeof(D3D11DDI_CORELAYER_DEVICECALLBACKS) : sizeof(D3D10DDI_CORELAYER_DEVICECALLBACKS), 0);
  m_dxgiCallbacks.pfnPresentCb = presentCb;
  swapCallbacks();
  D3D10DDIARG_CREATEDEVICE args = {};
  args.hRTDevice.handle = handle();
  args.Interface = interfaceNumber;
  args.Version = version;
  args.pKTCallbacks = m_kernelTable->as<D3DDDI_DEVICECALLBACKS>();
  args.p11DeviceFuncs = m_table->as<D3D11DDI_DEVICEFUNCS>();
  args.hDrvDevice.pDrvPrivate = m_memory->as<void>();
  args.DXGIBaseDDI.pDXGIBaseCallbacks = &m_dxgiCallbacks;
  args.DXGIBaseDDI.pDXGIDDIBaseFunctions2 = m_dxgi->as<DXGI1_1_DDI_BASE_FUNCTIONS>();
  args.hRTCoreLayer.handle = handle();
  args.p11UMCallbacks = m_coreTable->as<D3D11DDI_CORELAYER_DEVICECALLBACKS>();
  const HRESULT result = adapterFunctions().pfnCreateDevice(adapter, &args);
  memset(static_cast<void *>(&args), 0xDD, sizeof args);
  if (result >= 0) device.pDrvPrivate = m_memory->as<void>();
  return result;
}

void FakeRuntime::open() {
  ASSERT_EQ(openAdapter(), 0);
  ASSERT_EQ(createDevice(), 0);
}

void FakeRuntime::close() {
  if (device.pDrvPrivate) call("DestroyDevice", functions10().pfnDestroyDevice);
  EXPECT_EQ(adapterFunctions().pfnCloseAdapter(adapter), 0);
  device = {};
  adapter = {};
  EXPECT_EQ(m_context, 0u) << "DestroyContextCb was not called";
}

void FakeRuntime::swapCallbacks() {
  m_set = 1 - m_set;
  auto &kernelTable = *m_kernelTable->as<D3DDDI_DEVICECALLBACKS>();
  auto &core = *m_coreTable->as<D3D11DDI_CORELAYER_DEVICECALLBACKS>();
  m_set ? fillKernel<1>(kernelTable) : fillKernel<0>(kernelTable);
  core.pfnSetErrorCb = m_set ? setErrorCb<1> : setErrorCb<0>;
  if (is11()) core.pfnPerformAmortizedProcessingCb = m_set ? amortizedCb<1> : amortizedCb<0>;
}

void FakeRuntime::begin(const char *name) {
  EXPECT_TRUE(m_called.empty()) << name << " within " << m_called;
  if (mayMove && ++m_calls % 7 == 0) relocate();
  swapCallbacks();
  m_called = name;
  error = 0;
}

void FakeRuntime::end() {
  m_called.clear();
}

void FakeRuntime::setError(HRESULT code) {
  EXPECT_FALSE(m_called.empty()) << "SetErrorCb outside of a call";
  EXPECT_EQ(error, 0) << m_called << " reports twice";
  EXPECT_TRUE(mayReport(m_called, code)) << m_called << " reports " << std::hex << code;
  error = code;
}

void FakeRuntime::inThread(const std::function<void()> &work) {
  std::thread(work).join();
}

void FakeRuntime::relocate() {
  auto moved = std::make_unique<Guarded>(tableBytes());
  memcpy(moved->as<void>(), m_table->as<void>(), tableBytes());
  m_table.swap(moved);
  if (is11())
    functions11().pfnRelocateDeviceFuncs(device, &functions11());
  else if (is10())
    functions10().pfnRelocateDeviceFuncs(device, &functions10());
  else
    functions101().pfnRelocateDeviceFuncs(device, &functions101());
}

}  // namespace aero::test
