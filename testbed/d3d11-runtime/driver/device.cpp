// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/device.h"

#include <algorithm>
#include <cstddef>

namespace aerogpu::runtime11 {

using runtime::brokenRule;
using runtime::FloatControl;
using runtime::logLine;

namespace {

constexpr size_t kPointer = sizeof(void *);
constexpr UINT kRelocateEvery = 64;  // calls

SRWLOCK g_layerLock = SRWLOCK_INIT;
std::vector<CoreLayer *> g_coreLayers;  // live ones

constexpr unsigned entry(size_t offset) {
  return static_cast<unsigned>(offset / kPointer);
}

/// Entries of the table of 11 that may be null without command lists; none of the shorter tables is among them.
bool isOptional(unsigned i) {
  return i == entry(offsetof(D3D11DDI_DEVICEFUNCS, pfnCommandListExecute)) ||
         (i >= entry(offsetof(D3D11DDI_DEVICEFUNCS, pfnCheckDeferredContextHandleSizes)) &&
          i <= entry(offsetof(D3D11DDI_DEVICEFUNCS, pfnDestroyCommandList))) ||
         i >= entry(offsetof(D3D11DDI_DEVICEFUNCS, pfnRecycleCommandList));
}

bool isNever(unsigned) {
  return false;
}

unsigned tableEntries(Shape shape) {
  return entry(shape == Shape::Ten      ? sizeof(D3D10DDI_DEVICEFUNCS)
               : shape == Shape::TenOne ? sizeof(D3D10_1DDI_DEVICEFUNCS)
                                        : sizeof(D3D11DDI_DEVICEFUNCS));
}

size_t coreBytes(Shape shape) {
  return shape == Shape::Eleven ? sizeof(D3D11DDI_CORELAYER_DEVICECALLBACKS)
                                : sizeof(D3D10DDI_CORELAYER_DEVICECALLBACKS);
}

}  // namespace

DriverDevice::DriverDevice(const DriverAdapter &adapter)
    : KernelDevice(adapter.kernelAdapter(), D3DKMT_CLIENTHINT_DX10), m_adapter(adapter) {
  AcquireSRWLockExclusive(&g_layerLock);
  g_coreLayers.push_back(&m_coreLayer);
  ReleaseSRWLockExclusive(&g_layerLock);
}

DriverDevice::~DriverDevice() {
  if (m_created) {
    flush();
    call<&D3D11DDI_DEVICEFUNCS::pfnDestroyDevice>();
    if (!m_memory.isIntact()) brokenRule("the driver wrote behind its memory of the device");
  }
  for (const Resource &resource : m_kernelResources)
    if (hasAllocations(resource.kernel.get())) brokenRule("DestroyDevice left allocations of a resource");
  AcquireSRWLockExclusive(&g_layerLock);
  g_coreLayers.erase(std::remove(g_coreLayers.begin(), g_coreLayers.end(), &m_coreLayer), g_coreLayers.end());
  ReleaseSRWLockExclusive(&g_layerLock);
}

HRESULT DriverDevice::create(const Choice &choice, UINT flags, const CallbackSet (&sets)[2]) {
  m_choice = choice;
  m_sets = sets;
  const HRESULT made = createKernelDevice();
  if (FAILED(made)) return made;
  if (choice.shape == Shape::Eleven)
    flags |= static_cast<UINT>(choice.level) << D3D11DDI_CREATEDEVICE_FLAG_3DPIPELINESUPPORT_SHIFT;
  if (!m_memory.allocate(m_adapter.privateDeviceSize(choice, flags))) return E_OUTOFMEMORY;
  const bool second = IS_DXGI1_1_BASE_FUNCTIONS(choice.interfaceVersion, choice.version);
  m_coreCallbacks = m_corePages.renew(coreBytes(choice.shape), kPointer);
  if (!m_coreCallbacks || !m_guard.make(tableEntries(choice.shape)) ||
      !m_dxgiGuard.make(entry(second ? sizeof(DXGI1_1_DDI_BASE_FUNCTIONS) : sizeof(DXGI_DDI_BASE_FUNCTIONS))))
    return E_OUTOFMEMORY;
  m_driver.pDrvPrivate = m_memory.data();
  D3D10DDIARG_CREATEDEVICE argument{};
  argument.hRTDevice.handle = runtimeHandle();
  argument.Interface = choice.interfaceVersion;
  argument.Version = choice.version;
  argument.pKTCallbacks = &m_kernelCallbacks;
  argument.p11DeviceFuncs = static_cast<D3D11DDI_DEVICEFUNCS *>(m_guard.table());
  argument.hDrvDevice = m_driver;
  argument.DXGIBaseDDI.pDXGIBaseCallbacks = &m_dxgiCallbacks;
  argument.DXGIBaseDDI.pDXGIDDIBaseFunctions = static_cast<DXGI_DDI_BASE_FUNCTIONS *>(m_dxgiGuard.table());
  argument.hRTCoreLayer.handle = &m_coreLayer;
  argument.p11UMCallbacks = static_cast<const D3D11DDI_CORELAYER_DEVICECALLBACKS *>(m_coreCallbacks);
  argument.Flags = flags;
  const FloatControl before = beginCall("CreateDevice", Errors::None);
  const HRESULT result = m_adapter.createDevice(argument);
  endCall("CreateDevice", before);
  std::memset(static_cast<void *>(&argument), kPoison, sizeof argument);
  if (FAILED(result)) {
    logLine("CreateDevice of the driver, interface 0x%x, gave 0x%08lx", choice.interfaceVersion,
            static_cast<unsigned long>(result));
    if (hasContexts()) brokenRule("a CreateDevice that failed left contexts");
    return result;
  }
  if (result != S_OK && result != DXGI_STATUS_NO_REDIRECTION)
    brokenRule("CreateDevice gave 0x%08lx", static_cast<unsigned long>(result));
  if (!hasContexts()) brokenRule("CreateDevice made no context");
  // The device can do without what is missing until it is called.
  m_guard.check(isOptional);
  m_dxgiGuard.check(isNever);
  m_created = true;
  return S_OK;
}

runtime::KernelResource *DriverDevice::addKernelResource() {
  std::erase_if(m_kernelResources, [this](const Resource &resource) {
    if (!resource.retired || !resource.freed || hasAllocations(resource.kernel.get())) return false;
    removeResource(resource.kernel.get());
    return true;
  });
  m_kernelResources.push_back({std::make_unique<runtime::KernelResource>(), false, false});
  addResource(m_kernelResources.back().kernel.get());
  return m_kernelResources.back().kernel.get();
}

void DriverDevice::retireKernelResource(runtime::KernelResource *resource, runtime::KernelResource *identity) {
  // Page "Changes from Direct3D 10": a primary's pfnDeallocateCb comes inside of DestroyResource.
  if (identity->primary && hasAllocations(identity)) brokenRule("DestroyResource left the allocations of a primary");
  for (Resource &row : m_kernelResources) {
    row.retired |= row.kernel.get() == resource;
    row.freed |= row.kernel.get() == identity;
  }
}

HRESULT DriverDevice::flush() {
  const HRESULT result = call<&D3D11DDI_DEVICEFUNCS::pfnFlush>();
  for (const Resource &row : m_kernelResources)
    if (row.freed && !isLost() && hasAllocations(row.kernel.get()))
      brokenRule("Flush left the allocations of a resource that was destroyed");
  return result;
}

void DriverDevice::exchangeCallbacks() {
  m_set = 1 - m_set;
  const CallbackSet &set = m_sets[m_set];
  m_kernelCallbacks = set.kernel;
  m_dxgiCallbacks = set.dxgi;
  std::memcpy(m_coreCallbacks, &set.core, coreBytes(m_choice.shape));
}

void DriverDevice::relocateSometimes() {
  if (!m_created || ++m_calls % kRelocateEvery) return;
  m_calls = 0;
  void *moved = m_guard.move();
  if (!moved) return;
  constexpr const char *kName = "RelocateDeviceFuncs";
  static_assert(offsetof(D3D10DDI_DEVICEFUNCS, pfnRelocateDeviceFuncs) ==
                    offsetof(D3D11DDI_DEVICEFUNCS, pfnRelocateDeviceFuncs) &&
                offsetof(D3D10_1DDI_DEVICEFUNCS, pfnRelocateDeviceFuncs) ==
                    offsetof(D3D11DDI_DEVICEFUNCS, pfnRelocateDeviceFuncs));
  if (!static_cast<const D3D11DDI_DEVICEFUNCS *>(moved)->pfnRelocateDeviceFuncs) {
    missing(kName);
    return;
  }
  const FloatControl before = beginCall(kName, Errors::DeviceRemoved);
  switch (m_choice.shape) {
  case Shape::Ten: {
    auto *table = static_cast<D3D10DDI_DEVICEFUNCS *>(moved);
    table->pfnRelocateDeviceFuncs(m_driver, table);
    break;
  }
  case Shape::TenOne: {
    auto *table = static_cast<D3D10_1DDI_DEVICEFUNCS *>(moved);
    table->pfnRelocateDeviceFuncs(m_driver, table);
    break;
  }
  case Shape::Eleven: {
    auto *table = static_cast<D3D11DDI_DEVICEFUNCS *>(moved);
    table->pfnRelocateDeviceFuncs(m_driver, table);
    break;
  }
  }
  endCall(kName, before);
}

FloatControl DriverDevice::beginCall(const char *name, Errors allowed) {
  enterCall(name);
  exchangeCallbacks();
  m_allowed = allowed;
  m_error = S_OK;
  m_amortized = false;
  m_submissionsBefore = submissions();
  return FloatControl::read();
}

HRESULT DriverDevice::endCall(const char *name, const FloatControl &before) {
  leaveCall();
  checkControlWords(name, before);
  if (m_choice.shape == Shape::Eleven && submissions() != m_submissionsBefore && !m_amortized && m_created)
    brokenRule("%s submitted without a call of pfnPerformAmortizedProcessingCb", name);
  return m_error;
}

HRESULT DriverDevice::missing(const char *name) {
  brokenRule("the driver has no %s", name);
  return E_NOTIMPL;
}

HRESULT DriverDevice::present(DXGI_DDI_ARG_PRESENT &argument, const runtime::PresentRequest &request) {
  setPresentRequest(&request);
  // It is opaque by the page "DXGI_DDI_ARG_PRESENT"; drivers that present by themselves, as Mesa's d3d10umd does
  // (DxgiFns.cpp), take it for this structure, which Windows has there.
  D3DKMT_PRESENT context{};
  context.hWindow = request.window;
  context.SrcRect = request.source;
  context.DstRect = request.destination;
  context.Flags.Blt = !request.flip;
  context.Flags.Flip = request.flip;
  context.Flags.SrcRectValid = context.Flags.DstRectValid = !request.flip;
  context.FlipInterval = request.interval;
  m_dxgiContext = argument.pDXGIContext = &context;  // the driver passes it on as it is
  const UINT before = presentCalls();
  const HRESULT result = dxgi<&DXGI_DDI_BASE_FUNCTIONS::pfnPresent>(argument);
  if (SUCCEEDED(result) && presentCalls() != before + 1)
    brokenRule("Present called pfnPresentCb %u times", presentCalls() - before);
  setPresentRequest(nullptr);
  m_dxgiContext = nullptr;
  countPresent(SUCCEEDED(result));
  return result;
}

HRESULT DriverDevice::setDisplayMode(DXGI_DDI_HRESOURCE primary) {
  DXGI_DDI_ARG_SETDISPLAYMODE argument{};
  argument.hResource = primary;
  const UINT before = modeCalls();
  const HRESULT result = dxgi<&DXGI_DDI_BASE_FUNCTIONS::pfnSetDisplayMode>(argument);
  if (SUCCEEDED(result) && modeCalls() != before + 1)
    brokenRule("SetDisplayMode called pfnSetDisplayModeCb %u times", modeCalls() - before);
  return result;
}

DriverDevice *DriverDevice::fromCore(D3D10DDI_HRTCORELAYER handle, const char *callback, int set) {
  AcquireSRWLockShared(&g_layerLock);
  const bool known = std::find(g_coreLayers.begin(), g_coreLayers.end(), handle.handle) != g_coreLayers.end();
  ReleaseSRWLockShared(&g_layerLock);
  if (!known) {
    brokenRule("%s without the runtime's core layer handle", callback);
    return nullptr;
  }
  DriverDevice *device = static_cast<CoreLayer *>(handle.handle)->device;
  if (device->m_set != set) brokenRule("%s: the driver kept a copy of the entry", callback);
  if (!device->runningCall()) brokenRule("%s outside of a call of the device", callback);
  return device;
}

void DriverDevice::checkSet(HANDLE handle, const char *callback, int set) {
  if (!handle) return;  // the callback reports it
  const auto *device = static_cast<const DriverDevice *>(static_cast<KernelDevice *>(handle));
  if (device->m_set != set) brokenRule("%s: the driver kept a copy of the entry", callback);
}

void DriverDevice::checkContext(HANDLE handle, const void *context) {
  if (handle && static_cast<const DriverDevice *>(static_cast<KernelDevice *>(handle))->m_dxgiContext != context)
    brokenRule("pfnPresentCb with another pDXGIContext than Present had");
}

void DriverDevice::setError(HRESULT code) {
  const char *name = runningCall() ? runningCall() : "no function";
  if (!isAllowed(m_allowed, code)) {
    brokenRule("%s passed 0x%08lx to pfnSetErrorCb, which it may not", name, static_cast<unsigned long>(code));
    m_lost = true;
  }
  if (code == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED)) setRemoved();
  // What is no error counts as one too.
  m_error = FAILED(code) ? code : E_FAIL;
}

}  // namespace aerogpu::runtime11
