// SPDX-License-Identifier: MIT
// The device of fake11.dll: each function records its name and its numbers. Some can break a rule (fakeMisbehave).
#include "testbed/d3d11-runtime/test/fake_device.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "testbed/d3d11-runtime/test/fake_functions.h"
#include "testbed/runtime-kernel/function_name.h"

namespace aerogpu::fake {
namespace {

constexpr SIZE_T kObjectBytes = 24;

struct FakeDevice {
  D3D10DDI_HRTDEVICE runtime{};
  D3D10DDI_HRTCORELAYER layer{};
  const D3DDDI_DEVICECALLBACKS *kernel = nullptr;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS *core = nullptr;
  const DXGI_DDI_BASE_CALLBACKS *dxgi = nullptr;
  PFND3DDDI_RENDERCB copiedRender = nullptr;
  PFND3D10DDI_SETERROR_CB copiedError = nullptr;
  void **table = nullptr;
  HANDLE context = nullptr;
  UINT *commands = nullptr;
  UINT submissions = 0, polls = 0;
  bool is11 = false;
  std::map<void *, D3DKMT_HANDLE> allocations;
  std::map<std::string, void *> states;  ///< by the function that set it
  std::map<void *, HANDLE> owners;       ///< the runtime's resource of each object that has allocations of its own
  std::vector<HANDLE> toFree;            ///< of objects that were destroyed; freed at the next flush
  std::set<HANDLE> primaries;            ///< those of `owners` that are scanned out
  D3DKMT_HANDLE opened = 0;              ///< an allocation that another device made
  std::vector<BYTE> memory = std::vector<BYTE>(1 << 16);
} * g_device;  // the last one

void setError(HRESULT code) {
  FakeDevice &device = *g_device;
  if (misbehaves("copied callback"))
    device.copiedError(device.layer, code);
  else if (misbehaves("mixed handles"))
    device.core->pfnSetErrorCb({device.runtime.handle}, code);
  else
    device.core->pfnSetErrorCb(device.layer, code);
}

void submit() {
  FakeDevice &device = *g_device;
  D3DDDICB_RENDER render{};
  device.commands[0] = 0xC0FFEE00 + device.submissions++;
  render.hContext = device.context;
  render.CommandLength = 4;
  const auto function = misbehaves("copied kernel callback") ? device.copiedRender : device.kernel->pfnRenderCb;
  const HRESULT result = function(device.runtime.handle, &render);
  if (result != S_OK) record("callback Render %08lx", static_cast<unsigned long>(result));
  device.commands = static_cast<UINT *>(render.pNewCommandBuffer);
  if (device.is11 && !misbehaves("no amortized processing")) device.core->pfnPerformAmortizedProcessingCb(device.layer);
}

// What is printed of an argument.
template <class T>
concept DriverHandle = requires(T t) {
  t.pDrvPrivate;
}
&&!std::is_same_v<T, D3D10DDI_HDEVICE>;
template <class T>
concept RuntimeHandle = requires(T t) {
  t.handle;
};

template <class T> void print(std::string &line, T value) {
  char text[128] = "";
  if constexpr (DriverHandle<T>) {
    std::snprintf(text, sizeof text, " %s", value.pDrvPrivate ? "object" : "none");
  } else if constexpr (std::is_floating_point_v<T>) {
    std::snprintf(text, sizeof text, " %g", static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    std::snprintf(text, sizeof text, " %lld", static_cast<long long>(value));
  } else if constexpr (std::is_same_v<T, FLOAT *> || std::is_same_v<T, const FLOAT *>) {
    std::snprintf(text, sizeof text, " (%g %g %g %g)", value[0], value[1], value[2], value[3]);
  } else if constexpr (std::is_same_v<T, const D3D10_DDI_BOX *>) {
    if (value)
      std::snprintf(text, sizeof text, " box %ld,%ld,%ld-%ld,%ld,%ld", value->left, value->top, value->front,
                    value->right, value->bottom, value->back);
  } else if constexpr (std::is_same_v<T, const D3D10_DDI_VIEWPORT *>) {
    if (value) std::snprintf(text, sizeof text, " %gx%g", value->Width, value->Height);
  } else if constexpr (std::is_same_v<T, const D3D10DDIARG_CREATERESOURCE *> ||
                       std::is_same_v<T, const D3D11DDIARG_CREATERESOURCE *>) {
    std::snprintf(text, sizeof text, " kind %d %ux%u format %d usage %u bind 0x%x map 0x%x levels %u data %d",
                  value->ResourceDimension, value->pMipInfoList->TexelWidth, value->pMipInfoList->TexelHeight,
                  value->Format, value->Usage, value->BindFlags, value->MapFlags, value->MipLevels,
                  value->pInitialDataUP != nullptr);
    line += text;
    text[0] = 0;
    if (value->MiscFlags) std::snprintf(text, sizeof text, " misc 0x%x", value->MiscFlags);
    if (const DXGI_DDI_PRIMARY_DESC *primary = value->pPrimaryDesc)
      std::snprintf(text, sizeof text, " primary flags %u source %u mode %ux%u format %d %u/%u Hz", primary->Flags,
                    primary->VidPnSourceId, primary->ModeDesc.Width, primary->ModeDesc.Height, primary->ModeDesc.Format,
                    primary->ModeDesc.RefreshRate.Numerator, primary->ModeDesc.RefreshRate.Denominator);
  } else if constexpr (std::is_same_v<T, const D3D10DDIARG_OPENRESOURCE *>) {
    std::snprintf(text, sizeof text, " allocations %u with %u bytes, resource %d with %u bytes", value->NumAllocations,
                  value->pOpenAllocationInfo[0].PrivateDriverDataSize, value->hKMResource.handle != 0,
                  value->PrivateDriverDataSize);
  } else if constexpr (std::is_same_v<T, const D3D10DDIARG_CREATEELEMENTLAYOUT *>) {
    for (UINT i = 0; i < value->NumElements; ++i) {
      const D3D10DDIARG_INPUT_ELEMENT_DESC &e = value->pVertexElements[i];
      std::snprintf(text, sizeof text, " [slot %u offset %u format %d register %u]", e.InputSlot, e.AlignedByteOffset,
                    e.Format, e.InputRegister);
      line += text;
    }
    text[0] = 0;
  } else if constexpr (std::is_same_v<T, const D3D10DDIARG_STAGE_IO_SIGNATURES *>) {
    for (const bool out : {false, true}) {
      const D3D10DDIARG_SIGNATURE_ENTRY *rows = out ? value->pOutputSignature : value->pInputSignature;
      line += out ? " out" : " in";
      for (UINT i = 0; i < (out ? value->NumOutputSignatureEntries : value->NumInputSignatureEntries); ++i) {
        std::snprintf(text, sizeof text, " %d:%u:%x", rows[i].SystemValue, rows[i].Register, rows[i].Mask);
        line += text;
      }
    }
    text[0] = 0;
  } else if constexpr (std::is_same_v<T, const UINT *>) {
    if (value) std::snprintf(text, sizeof text, " 0x%x", value[0]);
  } else if constexpr (std::is_same_v<T, const D3D10DDIARG_CREATERENDERTARGETVIEW *>) {
    std::snprintf(text, sizeof text, " kind %d format %d mip %u slices %u+%u", value->ResourceDimension, value->Format,
                  value->Tex2D.MipSlice, value->Tex2D.FirstArraySlice, value->Tex2D.ArraySize);
  } else if constexpr (std::is_same_v<T, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *> ||
                       std::is_same_v<T, const D3D10_1DDIARG_CREATESHADERRESOURCEVIEW *> ||
                       std::is_same_v<T, const D3D11DDIARG_CREATESHADERRESOURCEVIEW *>) {
    std::snprintf(text, sizeof text, " kind %d format %d mips %u+%u slices %u+%u", value->ResourceDimension,
                  value->Format, value->Tex2D.MostDetailedMip, value->Tex2D.MipLevels, value->Tex2D.FirstArraySlice,
                  value->Tex2D.ArraySize);
  } else if constexpr (std::is_same_v<T, const D3D10_DDI_DEPTH_STENCIL_DESC *>) {
    std::snprintf(text, sizeof text, " depth %d stencil %d front %d back %d", value->DepthEnable, value->StencilEnable,
                  value->FrontEnable, value->BackEnable);
  } else if constexpr (std::is_same_v<T, const D3D10_DDI_BLEND_DESC *>) {
    std::snprintf(text, sizeof text, " of 10 enable %d %d source %d", value->BlendEnable[0], value->BlendEnable[7],
                  value->SrcBlend);
  } else if constexpr (std::is_same_v<T, const D3D10_1_DDI_BLEND_DESC *>) {
    std::snprintf(text, sizeof text, " of 10.1 enable %d %d source %d", value->RenderTarget[0].BlendEnable,
                  value->RenderTarget[7].BlendEnable, value->RenderTarget[0].SrcBlend);
  }
  line += text;
}

bool begins(const char *name, const char *with) {
  return std::strncmp(name, with, std::strlen(with)) == 0;
}

/// An object in the runtime's memory: must be garbage at first.
template <class T> void make(T handle) {
  if constexpr (DriverHandle<T>) {
    BYTE *memory = static_cast<BYTE *>(handle.pDrvPrivate);
    bool zero = true;
    for (SIZE_T i = 0; i < kObjectBytes; ++i) zero = zero && !memory[i];
    if (zero) record("memory of zeros");
    std::memset(memory, 0x11, misbehaves("long object") ? kObjectBytes + 8 : kObjectBytes);
  }
}

// Allocations of resources that others see. The other functions have none.
template <class... A> bool allocateFor(A...) {
  return true;
}
template <class... A> void freeFor(A...) {}

template <class Description> bool allocate(const Description &description, void *object, HANDLE runtime) {
  const bool shared = description.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED;
  if (description.pPrimaryDesc && (misbehaves("no scanout") || misbehaves("no scanout without a word"))) {
    if (misbehaves("no scanout")) description.pPrimaryDesc->DriverFlags |= DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
    setError(DXGI_DDI_ERR_UNSUPPORTED);
    return false;
  }
  if ((!shared && !description.pPrimaryDesc) || (shared && misbehaves("nothing shared"))) return true;
  UINT bytes = 4096;
  D3DDDI_ALLOCATIONINFO info{};
  info.pPrivateDriverData = &bytes;
  info.PrivateDriverDataSize = sizeof bytes;
  info.Flags.Primary = description.pPrimaryDesc || misbehaves("primary of a texture");
  D3DDDICB_ALLOCATE allocate{};
  allocate.hResource = runtime;
  allocate.NumAllocations = 1;
  allocate.pAllocationInfo = &info;
  if (g_device->kernel->pfnAllocateCb(g_device->runtime.handle, &allocate) != S_OK) return true;
  g_device->owners[object] = runtime;
  g_device->allocations[object] = info.hAllocation;
  if (description.pPrimaryDesc) g_device->primaries.insert(runtime);
  return true;
}
/// Returns an allocation that belongs to no resource.
D3DKMT_HANDLE allocateOne() {
  UINT bytes = 4096;
  D3DDDI_ALLOCATIONINFO info{};
  info.pPrivateDriverData = &bytes;
  info.PrivateDriverDataSize = sizeof bytes;
  D3DDDICB_ALLOCATE allocate{};
  allocate.NumAllocations = 1;
  allocate.pAllocationInfo = &info;
  g_device->kernel->pfnAllocateCb(g_device->runtime.handle, &allocate);
  return info.hAllocation;
}

template <class Description>
bool allocateFor(D3D10DDI_HDEVICE, const Description *description, D3D10DDI_HRESOURCE object,
                 D3D10DDI_HRTRESOURCE runtime) {
  if constexpr (std::is_same_v<Description, D3D10DDIARG_OPENRESOURCE>) {
    g_device->opened = description->pOpenAllocationInfo[0].hAllocation;
    if (!misbehaves("lock of another's")) return true;
    D3DDDICB_LOCK lock{};
    lock.hAllocation = g_device->opened;
    lock.Flags.LockEntire = 1;
    g_device->kernel->pfnLockCb(g_device->runtime.handle, &lock);
    return true;
  } else {
    return allocate(*description, object.pDrvPrivate, runtime.handle);
  }
}

void freeAllocations(HANDLE runtime) {
  D3DDDICB_DEALLOCATE argument{};
  argument.hResource = runtime;
  g_device->kernel->pfnDeallocateCb(g_device->runtime.handle, &argument);
}
void freeFor(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE object) {
  const auto found = g_device->owners.find(object.pDrvPrivate);
  if (found == g_device->owners.end()) return;
  const bool primary = g_device->primaries.erase(found->second);
  if (misbehaves(primary ? "late primary" : "late"))
    g_device->toFree.push_back(found->second);
  else if (!misbehaves("never"))
    freeAllocations(found->second);
  g_device->owners.erase(found);
  g_device->allocations.erase(object.pDrvPrivate);
}

/// The object of a function whose second argument is a handle.
template <class Handle, class... A> void *firstObject(D3D10DDI_HDEVICE, Handle handle, A...) {
  if constexpr (requires { handle.pDrvPrivate; }) return handle.pDrvPrivate;
  return nullptr;
}
template <class... A> void *firstObject(A...) {
  return nullptr;
}

/// What a function does besides recording.
template <class R, class... A> R act(const char *name, A... arguments) {
  if constexpr (!std::is_void_v<R>) {
    static const DWORD first = GetCurrentThreadId();
    if (misbehaves("note threads") && GetCurrentThreadId() != first) record("another thread asks");
    return static_cast<R>(begins(name, "CalcPrivate") ? kObjectBytes : 0);
  } else if (begins(name, "Create") || begins(name, "OpenResource")) {
    if (misbehaves("no memory") && begins(name, "CreateResource")) {
      setError(E_OUTOFMEMORY);
      return;
    }
    if (!allocateFor(arguments...)) return;
    (make(arguments), ...);
    ++aliveCount();
  } else if (begins(name, "Destroy") && std::strcmp(name, "DestroyDevice") != 0) {
    freeFor(arguments...);
    --aliveCount();
  } else if (begins(name, "SetBlendState") || begins(name, "SetDepthStencilState") ||
             begins(name, "SetRasterizerState")) {
    g_device->states[name] = firstObject(arguments...);
  }
}

template <auto kMember, class Table, class R, class... A> void fill(Table &table, R (*Table::*)(A...)) {
  table.*kMember = [](A... arguments) -> R {
    static constexpr runtime::FunctionName name = runtime::functionName<kMember>();
    std::string line = name.text;
    (print(line, arguments), ...);
    if (!begins(name.text, "CalcPrivate")) record("%s", line.c_str());
    return act<R>(name.text, arguments...);
  };
}

void APIENTRY draw(D3D10DDI_HDEVICE, UINT count, UINT start) {
  record("Draw %u %u", count, start);
  for (const char *name : {"SetBlendState", "SetDepthStencilState", "SetRasterizerState"})
    if (!g_device->states[name]) record("%s never gave an object", name);
  if (misbehaves("S_OK as error")) setError(S_OK);
  if (misbehaves("memory in a draw") || misbehaves("copied callback") || misbehaves("mixed handles"))
    setError(misbehaves("memory in a draw") ? E_OUTOFMEMORY : static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED));
  if (misbehaves("removed")) setError(static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED));
  if (misbehaves("control words")) {
    const unsigned short word = 0x7F;
    asm volatile("fldcw %0" : : "m"(word));
  }
  if (misbehaves("old table")) g_device->table[0] = nullptr;
}

void APIENTRY flush(D3D10DDI_HDEVICE) {
  record("Flush");
  submit();
  for (const HANDLE runtime : std::exchange(g_device->toFree, {})) freeAllocations(runtime);
}

void APIENTRY map(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, UINT subresource, D3D10_DDI_MAP type, UINT flags,
                  D3D10DDI_MAPPED_SUBRESOURCE *out) {
  record("map %u type %d flags 0x%x", subresource, type, flags);
  if (misbehaves("busy") || misbehaves("busy without leave")) {
    if (flags || misbehaves("busy without leave")) return setError(DXGI_DDI_ERR_WASSTILLDRAWING);
  }
  if (misbehaves("no pointer")) return;
  *out = {g_device->memory.data(), 256, 65536};
}

template <auto kName>
void APIENTRY namedMap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, UINT subresource, D3D10_DDI_MAP type,
                       UINT flags, D3D10DDI_MAPPED_SUBRESOURCE *out) {
  static constexpr runtime::FunctionName name = runtime::functionName<kName>();
  record("%s", name.text);
  map(device, resource, subresource, type, flags, out);
}

void APIENTRY getData(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, void *data, UINT size, UINT flags) {
  record("QueryGetData size %u flags %u", size, flags);
  if (g_device->polls++ % 2 == 0) {
    if (misbehaves("early answer")) std::memset(data, 0, size);
    return setError(DXGI_DDI_ERR_WASSTILLDRAWING);
  }
  if (size == sizeof(BOOL)) *static_cast<BOOL *>(data) = !misbehaves("false event");
  if (size == sizeof(UINT64)) *static_cast<UINT64 *>(data) = 42;
}

void APIENTRY checkFormat(D3D10DDI_HDEVICE, DXGI_FORMAT format, UINT *out) {
  *out = format == DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM ? D3D10_DDI_FORMAT_SUPPORT_NOT_SUPPORTED : 0x1F;
  if (misbehaves("odd format")) *out |= 0x100;
}

void APIENTRY checkMultisample(D3D10DDI_HDEVICE, DXGI_FORMAT, UINT samples, UINT *out) {
  *out = samples == 1 || samples == 4;
}

void APIENTRY destroyDevice(D3D10DDI_HDEVICE) {
  record("DestroyDevice");
  D3DDDICB_DESTROYCONTEXT argument{};
  argument.hContext = g_device->context;
  if (!misbehaves("left context")) g_device->kernel->pfnDestroyContextCb(g_device->runtime.handle, &argument);
  delete std::exchange(g_device, nullptr);
  --aliveCount();
}

template <class Table> void APIENTRY relocate(D3D10DDI_HDEVICE, Table *table) {
  if (!misbehaves("old table")) g_device->table = reinterpret_cast<void **>(table);
}

HRESULT APIENTRY present(DXGI_DDI_ARG_PRESENT *data) {
  record("Present blt %u flip %u interval %d surface %d target %d", data->Flags.Blt, data->Flags.Flip,
         data->FlipInterval, data->hSurfaceToPresent != 0, data->hDstResource != 0);
  submit();
  if (misbehaves("no present")) return S_OK;
  DXGIDDICB_PRESENT argument{};
  const auto found = g_device->allocations.find(reinterpret_cast<void *>(data->hSurfaceToPresent));
  argument.hSrcAllocation = found == g_device->allocations.end() ? 0x40000040 : found->second;
  if (data->Flags.Flip && misbehaves("flip of a texture")) argument.hSrcAllocation = allocateOne();
  argument.pDXGIContext = misbehaves("other context") ? &argument : data->pDXGIContext;
  argument.hContext = g_device->context;
  return g_device->dxgi->pfnPresentCb(g_device->runtime.handle, &argument);
}

HRESULT APIENTRY setDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE *data) {
  record("SetDisplayMode subresource %u", data->SubResourceIndex);
  if (misbehaves("no display mode")) return S_OK;
  D3DDDICB_SETDISPLAYMODE argument{};
  argument.hPrimaryAllocation = misbehaves("mode of a texture")
                                    ? allocateOne()
                                    : g_device->allocations[reinterpret_cast<void *>(data->hResource)];
  return g_device->kernel->pfnSetDisplayModeCb(g_device->runtime.handle, &argument);
}

HRESULT APIENTRY blt(DXGI_DDI_ARG_BLT *data) {
  record("Blt to %u,%u-%u,%u flags 0x%x rotate %d", data->DstLeft, data->DstTop, data->DstRight, data->DstBottom,
         data->Flags.Value, data->Rotate);
  return S_OK;
}

HRESULT APIENTRY rotate(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *data) {
  record("RotateResourceIdentities %u", data->Resources);
  for (UINT i = 0; i + 1 < data->Resources; ++i) {
    void *one = reinterpret_cast<void *>(data->pResources[i]),
         *next = reinterpret_cast<void *>(data->pResources[i + 1]);
    if (!g_device->owners.count(one) || !g_device->owners.count(next)) continue;
    std::swap(g_device->owners[one], g_device->owners[next]);
    std::swap(g_device->allocations[one], g_device->allocations[next]);
  }
  return S_OK;
}

template <class T> HRESULT APIENTRY other(T *) {
  record("another function of DXGI");
  return S_OK;
}

template <class Table> void fillCommon(Table &table) {
#define AEROGPU_FILL(NAME) fill<&Table::NAME>(table, &Table::NAME);
  AEROGPU_FUNCTIONS_OF_10(AEROGPU_FILL)
#undef AEROGPU_FILL
  table.pfnDraw = draw;
  table.pfnFlush = flush;
#define AEROGPU_MAP(NAME) table.NAME = namedMap<&Table::NAME>;
  AEROGPU_MAP(pfnDynamicIABufferMapNoOverwrite)
  AEROGPU_MAP(pfnDynamicIABufferMapDiscard)
  AEROGPU_MAP(pfnDynamicConstantBufferMapDiscard)
  AEROGPU_MAP(pfnDynamicResourceMapDiscard)
  AEROGPU_MAP(pfnStagingResourceMap)
  AEROGPU_MAP(pfnResourceMap)
#undef AEROGPU_MAP
  table.pfnQueryGetData = getData;
  table.pfnCheckFormatSupport = checkFormat;
  table.pfnCheckMultisampleQualityLevels = checkMultisample;
  table.pfnDestroyDevice = destroyDevice;
  table.pfnRelocateDeviceFuncs = relocate<Table>;
  if (misbehaves("no Flush")) table.pfnFlush = nullptr;
}

template <class Table> void fillOf101(Table &table) {
#define AEROGPU_FILL(NAME) fill<&Table::NAME>(table, &Table::NAME);
  AEROGPU_FUNCTIONS_OF_10_1(AEROGPU_FILL)
#undef AEROGPU_FILL
}

void fillOf11(D3D11DDI_DEVICEFUNCS &table) {
#define AEROGPU_FILL(NAME) fill<&D3D11DDI_DEVICEFUNCS::NAME>(table, &D3D11DDI_DEVICEFUNCS::NAME);
  AEROGPU_FUNCTIONS_OF_11(AEROGPU_FILL)
#undef AEROGPU_FILL
#define AEROGPU_FILL(NAME) table.NAME = nullptr;
  AEROGPU_FUNCTIONS_OF_COMMAND_LISTS(AEROGPU_FILL)
#undef AEROGPU_FILL
}

}  // namespace

SIZE_T APIENTRY calcPrivateDeviceSize(D3D10DDI_HADAPTER, const D3D10DDIARG_CALCPRIVATEDEVICESIZE *data) {
  record("CalcPrivateDeviceSize interface 0x%x version 0x%x flags 0x%x", data->Interface, data->Version, data->Flags);
  return sizeof(void *);
}

HRESULT APIENTRY createDevice11(D3D10DDI_HADAPTER, D3D10DDIARG_CREATEDEVICE *data) {
  record("CreateDevice interface 0x%x flags 0x%x", data->Interface, data->Flags);
  if (misbehaves("refuse device")) return E_OUTOFMEMORY;
  delete g_device;
  FakeDevice &device = *(g_device = new FakeDevice);
  device.runtime = data->hRTDevice;
  device.layer = data->hRTCoreLayer;
  device.kernel = data->pKTCallbacks;
  device.core = data->p11UMCallbacks;
  device.dxgi = data->DXGIBaseDDI.pDXGIBaseCallbacks;
  device.copiedRender = device.kernel->pfnRenderCb;
  device.copiedError = device.core->pfnSetErrorCb;
  device.table = reinterpret_cast<void **>(data->p11DeviceFuncs);
  device.is11 = data->Interface >> 16 == D3D11_DDI_MAJOR_VERSION;
  if (device.is11) {
    fillCommon(*data->p11DeviceFuncs);
    fillOf101(*data->p11DeviceFuncs);
    fillOf11(*data->p11DeviceFuncs);
  } else if (data->Interface == D3D10_1_DDI_INTERFACE_VERSION || data->Interface == D3D10_1_x_DDI_INTERFACE_VERSION) {
    fillCommon(*data->p10_1DeviceFuncs);
    fillOf101(*data->p10_1DeviceFuncs);
  } else {
    fillCommon(*data->pDeviceFuncs);
    if (misbehaves("beyond the table")) fillOf101(*data->p10_1DeviceFuncs);
  }
  DXGI1_1_DDI_BASE_FUNCTIONS &dxgi = *data->DXGIBaseDDI.pDXGIDDIBaseFunctions2;
  const auto unfilled = dxgi.pfnResolveSharedResource;
  dxgi = {present,
          other<DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS>,
          setDisplayMode,
          other<DXGI_DDI_ARG_SETRESOURCEPRIORITY>,
          other<DXGI_DDI_ARG_QUERYRESOURCERESIDENCY>,
          rotate,
          blt,
          other<DXGI_DDI_ARG_RESOLVESHAREDRESOURCE>};
  if (misbehaves("seven functions of DXGI")) dxgi.pfnResolveSharedResource = nullptr;
  if (misbehaves("unfilled functions of DXGI")) dxgi.pfnResolveSharedResource = unfilled;
  D3DDDICB_CREATECONTEXT context{};
  const HRESULT result = device.kernel->pfnCreateContextCb(device.runtime.handle, &context);
  if (FAILED(result)) return result;
  device.context = context.hContext;
  device.commands = static_cast<UINT *>(context.pCommandBuffer);
  ++aliveCount();
  return S_OK;
}

}  // namespace aerogpu::fake
