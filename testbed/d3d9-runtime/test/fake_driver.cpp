// SPDX-License-Identifier: MIT
// The user-mode driver of fake.dll. It draws nothing, but has memory for its resources, submits commands and calls back
// as a driver does.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "testbed/d3d9-runtime/test/fake.h"
#include "testbed/d3d9-runtime/test/fake_record.h"

namespace aerogpu::fake {

namespace {

unsigned g_alive;

std::vector<std::string> g_calls;
std::string g_misbehaviour;

struct Resource {
  HANDLE runtime = nullptr;
  bool system = false, opened = false;
  UINT surfaces = 0;
  std::vector<BYTE> bytes;
  D3DKMT_HANDLE allocation = 0;
};

struct FakeDevice {
  HANDLE runtime = nullptr;
  D3DDDI_DEVICECALLBACKS callbacks{};
  HANDLE context = nullptr;
  UINT *commands = nullptr;
  UINT commandBytes = 0, allocations = 0, submissions = 0;
  std::set<Resource *> resources;
  const void *userVertices = nullptr;
  UINT pendingPolls = 0;  ///< how often GetQueryData returns S_FALSE first
};

FakeDevice &of(HANDLE device) {
  return *static_cast<FakeDevice *>(device);
}
unsigned long bits(HRESULT value) {
  return static_cast<unsigned long>(value);
}

HANDLE newObject() {
  ++g_alive;
  return new int(0);
}

void deleteObject(HANDLE object) {
  --g_alive;
  delete static_cast<int *>(object);
}

HRESULT submit(FakeDevice &device) {
  D3DDDICB_RENDER render{};
  device.commands[0] = 0xC0FFEE00 + device.submissions++;
  UINT *old = device.commands;
  render.hContext = device.context;
  render.CommandLength = misbehaves("too long") ? device.commandBytes + 4 : 4;
  const HRESULT result = device.callbacks.pfnRenderCb(device.runtime, &render);
  record("callback Render %08lx other buffer %d old readable %d", bits(result), render.pNewCommandBuffer != old,
         !IsBadReadPtr(old, 4));
  device.commands = static_cast<UINT *>(render.pNewCommandBuffer);
  device.commandBytes = render.NewCommandBufferSize;
  // All of the buffer must be accessible.
  std::memset(device.commands, 0, device.commandBytes);
  return result;
}

HRESULT APIENTRY createResource(HANDLE handle, D3DDDIARG_CREATERESOURCE *data) {
  FakeDevice &device = of(handle);
  const D3DDDI_SURFACEINFO &top = data->pSurfList[0], &last = data->pSurfList[data->SurfCount - 1];
  record(
      "CreateResource format %u pool %u %ux%ux%u last %ux%u surfaces %u levels %u samples %u fvf %x flags %08x pitch "
      "%u",
      static_cast<unsigned>(data->Format), data->Pool, top.Width, top.Height, top.Depth, last.Width, last.Height,
      data->SurfCount, data->MipLevels, data->MultisampleType, data->Fvf, data->Flags.Value, top.SysMemPitch);
  if (misbehaves("no memory")) return E_OUTOFMEMORY;
  if (misbehaves("refuse surfaces") && top.Width == 64) return D3DERR_NOTAVAILABLE;
  auto resource = std::make_unique<Resource>();
  resource->runtime = data->hResource;
  resource->surfaces = data->SurfCount;
  resource->system = data->Pool == D3DDDIPOOL_SYSTEMMEM;
  if (!resource->system) {
    UINT bytes = 0;
    for (UINT i = 0; i < data->SurfCount; ++i)
      bytes += data->pSurfList[i].Width * data->pSurfList[i].Height *
               (data->pSurfList[i].Depth ? data->pSurfList[i].Depth : 1) * 16;
    D3DDDI_ALLOCATIONINFO info{};
    info.pPrivateDriverData = &bytes;
    info.PrivateDriverDataSize = sizeof bytes;
    info.Flags.Primary = data->Flags.Primary;
    D3DDDICB_ALLOCATE allocate{};
    allocate.hResource = data->hResource;
    allocate.NumAllocations = 1;
    allocate.pAllocationInfo = &info;
    const HRESULT result = device.callbacks.pfnAllocateCb(device.runtime, &allocate);
    if (FAILED(result)) return result;
    resource->allocation = info.hAllocation;
  }
  ++g_alive;
  device.resources.insert(resource.get());
  data->hResource = resource.release();
  return S_OK;
}

HRESULT APIENTRY openResource(HANDLE handle, D3DDDIARG_OPENRESOURCE *data) {
  record("OpenResource allocations %u private data %u resource data %u", data->NumAllocations,
         data->pOpenAllocationInfo[0].PrivateDriverDataSize, data->PrivateDriverDataSize);
  Resource *resource = new Resource;
  ++g_alive;
  resource->runtime = data->hResource;
  resource->opened = true;
  resource->allocation = data->pOpenAllocationInfo[0].hAllocation;
  of(handle).resources.insert(resource);
  data->hResource = resource;
  return S_OK;
}

HRESULT APIENTRY destroyResource(HANDLE handle, HANDLE object) {
  FakeDevice &device = of(handle);
  Resource *resource = static_cast<Resource *>(object);
  record("DestroyResource");
  if (!resource->system && !misbehaves("leak allocations")) {
    D3DDDICB_DEALLOCATE deallocate{};
    deallocate.hResource = resource->runtime;
    device.callbacks.pfnDeallocateCb(device.runtime, &deallocate);
  }
  device.resources.erase(resource);
  --g_alive;
  delete resource;
  return S_OK;
}

HRESULT APIENTRY lock(HANDLE handle, D3DDDIARG_LOCK *data) {
  FakeDevice &device = of(handle);
  const Resource *resource = static_cast<Resource *>(data->hResource);
  if (data->Flags.AreaValid)
    record("Lock sub %u flags %03x area %ld,%ld-%ld,%ld", data->SubResourceIndex, data->Flags.Value, data->Area.left,
           data->Area.top, data->Area.right, data->Area.bottom);
  else if (data->Flags.RangeValid)
    record("Lock sub %u flags %03x range %u+%u", data->SubResourceIndex, data->Flags.Value, data->Range.Offset,
           data->Range.Size);
  else
    record("Lock sub %u flags %03x", data->SubResourceIndex, data->Flags.Value);
  if (data->Flags.DoNotWait && misbehaves("busy")) return D3DDDIERR_WASSTILLDRAWING;
  if (data->Flags.NotifyOnly) return S_OK;
  D3DDDICB_LOCK call{};
  call.hAllocation = resource->allocation;
  call.Flags.LockEntire = 1;
  call.Flags.IgnoreSync = misbehaves("sync without wait");
  const HRESULT result = device.callbacks.pfnLockCb(device.runtime, &call);
  data->pSurfData = call.pData;
  data->Pitch = 256;
  return misbehaves("wrong result") ? E_FAIL : result;
}

HRESULT APIENTRY unlock(HANDLE handle, const D3DDDIARG_UNLOCK *data) {
  FakeDevice &device = of(handle);
  record("Unlock sub %u flags %u", data->SubResourceIndex, data->Flags.Value);
  if (data->Flags.NotifyOnly || misbehaves("no unlock")) return S_OK;
  D3DDDICB_UNLOCK call{};
  call.NumAllocations = 1;
  call.phAllocations = &static_cast<Resource *>(data->hResource)->allocation;
  return device.callbacks.pfnUnlockCb(device.runtime, &call);
}

HRESULT APIENTRY setRenderState(HANDLE, const D3DDDIARG_RENDERSTATE *data) {
  record("SetRenderState %u %08x", data->State, data->Value);
  if (misbehaves("control words")) {
    const unsigned short word = 0x027F;  // double precision, instead of the current setting
    asm volatile("fldcw %0" : : "m"(word));
  }
  return S_OK;
}

HRESULT APIENTRY setTextureStageState(HANDLE, const D3DDDIARG_TEXTURESTAGESTATE *data) {
  record("SetTextureStageState %u %u %08x", data->Stage, data->State, data->Value);
  return S_OK;
}

HRESULT APIENTRY setTexture(HANDLE, UINT stage, HANDLE texture) {
  record("SetTexture %u %d", stage, texture != nullptr);
  return S_OK;
}

HRESULT APIENTRY setRenderTarget(HANDLE, const D3DDDIARG_SETRENDERTARGET *data) {
  record("SetRenderTarget %u %d sub %u", data->RenderTargetIndex, data->hRenderTarget != nullptr,
         data->SubResourceIndex);
  return S_OK;
}

HRESULT APIENTRY setDepthStencil(HANDLE, const D3DDDIARG_SETDEPTHSTENCIL *data) {
  record("SetDepthStencil %d", data->hZBuffer != nullptr);
  return S_OK;
}

HRESULT APIENTRY setViewport(HANDLE, const D3DDDIARG_VIEWPORTINFO *data) {
  record("SetViewport %u,%u %ux%u", data->X, data->Y, data->Width, data->Height);
  return S_OK;
}

HRESULT APIENTRY setZRange(HANDLE, const D3DDDIARG_ZRANGE *data) {
  record("SetZRange %g %g", static_cast<double>(data->MinZ), static_cast<double>(data->MaxZ));
  return S_OK;
}

HRESULT APIENTRY setScissorRect(HANDLE, const RECT *rect) {
  record("SetScissorRect %ld,%ld-%ld,%ld", rect->left, rect->top, rect->right, rect->bottom);
  return S_OK;
}

HRESULT APIENTRY updateWInfo(HANDLE, const D3DDDIARG_WINFO *data) {
  record("UpdateWInfo %g %g", static_cast<double>(data->WNear), static_cast<double>(data->WFar));
  return S_OK;
}

HRESULT APIENTRY setClipPlane(HANDLE, const D3DDDIARG_SETCLIPPLANE *data) {
  record("SetClipPlane %u %g %g %g %g", data->Index, static_cast<double>(data->Plane[0]),
         static_cast<double>(data->Plane[1]), static_cast<double>(data->Plane[2]), static_cast<double>(data->Plane[3]));
  return S_OK;
}

HRESULT APIENTRY validateDevice(HANDLE, D3DDDIARG_VALIDATETEXTURESTAGESTATE *data) {
  data->NumPasses = 1;
  return S_OK;
}

HRESULT APIENTRY createDecl(HANDLE, D3DDDIARG_CREATEVERTEXSHADERDECL *data, const D3DDDIVERTEXELEMENT *elements) {
  std::string text;
  for (UINT i = 0; i < data->NumVertexElements; ++i) {
    char part[64];
    std::snprintf(part, sizeof part, " %u:%u/%u/%u.%u", elements[i].Stream, elements[i].Offset, elements[i].Type,
                  elements[i].Usage, elements[i].UsageIndex);
    text += part;
  }
  record("CreateVertexShaderDecl%s", text.c_str());
  data->ShaderHandle = newObject();
  return S_OK;
}

HRESULT APIENTRY deleteObjectOf(HANDLE, HANDLE object) {
  record("Delete");
  deleteObject(object);
  return S_OK;
}

HRESULT APIENTRY setDecl(HANDLE, HANDLE object) {
  record("SetVertexShaderDecl %d", object != nullptr);
  return S_OK;
}

HRESULT APIENTRY createVertexShader(HANDLE, D3DDDIARG_CREATEVERTEXSHADERFUNC *data, const UINT *code) {
  record("CreateVertexShaderFunc %u bytes %08x .. %08x", data->Size, code[0], code[data->Size / 4 - 1]);
  data->ShaderHandle = newObject();
  return S_OK;
}

HRESULT APIENTRY createPixelShader(HANDLE, D3DDDIARG_CREATEPIXELSHADER *data, const UINT *code) {
  record("CreatePixelShader %u bytes %08x .. %08x", data->CodeSize, code[0], code[data->CodeSize / 4 - 1]);
  data->ShaderHandle = newObject();
  return S_OK;
}

HRESULT APIENTRY setVertexShader(HANDLE, HANDLE object) {
  record("SetVertexShaderFunc %d", object != nullptr);
  return S_OK;
}

HRESULT APIENTRY setPixelShader(HANDLE, HANDLE object) {
  record("SetPixelShader %d", object != nullptr);
  return S_OK;
}

HRESULT APIENTRY setVertexConst(HANDLE, const D3DDDIARG_SETVERTEXSHADERCONST *data, const VOID *values) {
  record("SetVertexShaderConst %u+%u %g", data->Register, data->Count,
         static_cast<double>(*static_cast<const float *>(values)));
  return S_OK;
}

HRESULT APIENTRY setVertexConstI(HANDLE, const D3DDDIARG_SETVERTEXSHADERCONSTI *data, const INT *values) {
  record("SetVertexShaderConstI %u+%u %d", data->Register, data->Count, *values);
  return S_OK;
}

HRESULT APIENTRY setVertexConstB(HANDLE, const D3DDDIARG_SETVERTEXSHADERCONSTB *data, const BOOL *values) {
  record("SetVertexShaderConstB %u+%u %d", data->Register, data->Count, *values);
  return S_OK;
}

HRESULT APIENTRY setPixelConst(HANDLE, const D3DDDIARG_SETPIXELSHADERCONST *data, const FLOAT *values) {
  record("SetPixelShaderConst %u+%u %g", data->Register, data->Count, static_cast<double>(*values));
  return S_OK;
}

HRESULT APIENTRY setPixelConstI(HANDLE, const D3DDDIARG_SETPIXELSHADERCONSTI *data, const INT *values) {
  record("SetPixelShaderConstI %u+%u %d", data->Register, data->Count, *values);
  return S_OK;
}

HRESULT APIENTRY setPixelConstB(HANDLE, const D3DDDIARG_SETPIXELSHADERCONSTB *data, const BOOL *values) {
  record("SetPixelShaderConstB %u+%u %d", data->Register, data->Count, *values);
  return S_OK;
}

HRESULT APIENTRY setStreamSource(HANDLE, const D3DDDIARG_SETSTREAMSOURCE *data) {
  record("SetStreamSource %u %d offset %u stride %u", data->Stream, data->hVertexBuffer != nullptr, data->Offset,
         data->Stride);
  return S_OK;
}

HRESULT APIENTRY setStreamSourceUm(HANDLE handle, const D3DDDIARG_SETSTREAMSOURCEUM *data, const VOID *memory) {
  of(handle).userVertices = memory;
  record("SetStreamSourceUm %u stride %u first %g", data->Stream, data->Stride,
         static_cast<double>(*static_cast<const float *>(memory)));
  return S_OK;
}

HRESULT APIENTRY setStreamSourceFreq(HANDLE, const D3DDDIARG_SETSTREAMSOURCEFREQ *data) {
  record("SetStreamSourceFreq %u %08x", data->Stream, data->Divider);
  return S_OK;
}

HRESULT APIENTRY setIndices(HANDLE handle, const D3DDDIARG_SETINDICES *data) {
  FakeDevice &device = of(handle);
  record("SetIndices %d stride %u", data->hIndexBuffer != nullptr, data->Stride);
  // After a draw from user memory: the memory it pointed to has been overwritten.
  if (device.userVertices) record("user memory now %08x", *static_cast<const UINT *>(device.userVertices));
  device.userVertices = nullptr;
  return S_OK;
}

HRESULT APIENTRY setIndicesUm(HANDLE, UINT size, const VOID *memory) {
  record("SetIndicesUm %u first %u", size, *static_cast<const WORD *>(memory));
  return S_OK;
}

HRESULT APIENTRY drawPrimitive(HANDLE, const D3DDDIARG_DRAWPRIMITIVE *data, const UINT *flags) {
  record("DrawPrimitive type %u start %u count %u flags %d", data->PrimitiveType, data->VStart, data->PrimitiveCount,
         flags != nullptr);
  return S_OK;
}

HRESULT APIENTRY drawIndexedPrimitive(HANDLE, const D3DDDIARG_DRAWINDEXEDPRIMITIVE *data) {
  record("DrawIndexedPrimitive type %u base %d min %u vertices %u start %u count %u", data->PrimitiveType,
         data->BaseVertexIndex, data->MinIndex, data->NumVertices, data->StartIndex, data->PrimitiveCount);
  return S_OK;
}

HRESULT APIENTRY clear(HANDLE, const D3DDDIARG_CLEAR *data, UINT count, const RECT *rects) {
  char first[64] = "";
  if (count)
    std::snprintf(first, sizeof first, " %ld,%ld-%ld,%ld", rects[0].left, rects[0].top, rects[0].right,
                  rects[0].bottom);
  record("Clear flags %x color %08x rects %u%s", data->Flags, data->FillColor, count, first);
  return S_OK;
}

HRESULT APIENTRY blt(HANDLE, const D3DDDIARG_BLT *data) {
  const RECT &a = data->SrcRect, &b = data->DstRect;
  record("Blt %d:%u %ld,%ld-%ld,%ld to %d:%u %ld,%ld-%ld,%ld flags %x",
         static_cast<Resource *>(data->hSrcResource)->system, data->SrcSubResourceIndex, a.left, a.top, a.right,
         a.bottom, static_cast<Resource *>(data->hDstResource)->system, data->DstSubResourceIndex, b.left, b.top,
         b.right, b.bottom, data->Flags.Value);
  return S_OK;
}

HRESULT APIENTRY colorFill(HANDLE, const D3DDDIARG_COLORFILL *data) {
  record("ColorFill sub %u %ld,%ld-%ld,%ld %08x", data->SubResourceIndex, data->DstRect.left, data->DstRect.top,
         data->DstRect.right, data->DstRect.bottom, data->Color);
  return S_OK;
}

HRESULT APIENTRY texBlt(HANDLE, const D3DDDIARG_TEXBLT *data) {
  record("TexBlt from %d face %u rect %ldx%ld", static_cast<Resource *>(data->hSrcResource)->system, data->CubeMapFace,
         data->SrcRect.right, data->SrcRect.bottom);
  return S_OK;
}

HRESULT APIENTRY volBlt(HANDLE, const D3DDDIARG_VOLUMEBLT *data) {
  record("VolBlt box %ux%ux%u", data->SrcBox.Right, data->SrcBox.Bottom, data->SrcBox.Back);
  return S_OK;
}

HRESULT APIENTRY bufBlt(HANDLE, const D3DDDIARG_BUFFERBLT *data) {
  record("BufBlt to %u from %u+%u", data->Offset, data->SrcRange.Offset, data->SrcRange.Size);
  return S_OK;
}

HRESULT APIENTRY generateMips(HANDLE, const D3DDDIARG_GENERATEMIPSUBLEVELS *data) {
  record("GenerateMipSubLevels filter %u", static_cast<unsigned>(data->Filter));
  return S_OK;
}

HRESULT APIENTRY setDisplayMode(HANDLE handle, const D3DDDIARG_SETDISPLAYMODE *data) {
  FakeDevice &device = of(handle);
  record("SetDisplayMode sub %u", data->SubResourceIndex);
  D3DDDICB_SETDISPLAYMODE call{};
  call.hPrimaryAllocation = static_cast<Resource *>(data->hResource)->allocation;
  return device.callbacks.pfnSetDisplayModeCb(device.runtime, &call);
}

HRESULT APIENTRY present(HANDLE handle, const D3DDDIARG_PRESENT *data) {
  FakeDevice &device = of(handle);
  record("Present source %d:%u destination %d flags %x interval %u", data->hSrcResource != nullptr,
         data->SrcSubResourceIndex, data->hDstResource != nullptr, data->Flags.Value, data->FlipInterval);
  D3DDDICB_PRESENT call{};
  if (data->hSrcResource) call.hSrcAllocation = static_cast<Resource *>(data->hSrcResource)->allocation;
  call.hContext = device.context;
  return device.callbacks.pfnPresentCb(device.runtime, &call);
}

HRESULT APIENTRY flush(HANDLE handle) {
  record("Flush");
  return misbehaves("lazy flush") ? S_OK : submit(of(handle));
}

HRESULT APIENTRY createQuery(HANDLE, D3DDDIARG_CREATEQUERY *data) {
  record("CreateQuery %u", data->QueryType);
  data->hQuery = newObject();
  return S_OK;
}

HRESULT APIENTRY issueQuery(HANDLE handle, const D3DDDIARG_ISSUEQUERY *data) {
  record("IssueQuery flags %x", data->Flags.Value);
  of(handle).pendingPolls = 1;
  return S_OK;
}

HRESULT APIENTRY getQueryData(HANDLE handle, D3DDDIARG_GETQUERYDATA *data) {
  record("GetQueryData");
  if (of(handle).pendingPolls) {
    --of(handle).pendingPolls;
    return S_FALSE;
  }
  *static_cast<UINT *>(data->pData) = misbehaves("false event") ? 0 : 1;
  return S_OK;
}

HRESULT APIENTRY queryResidency(HANDLE, const D3DDDIARG_QUERYRESOURCERESIDENCY *data) {
  record("QueryResourceResidency %u", data->NumResources);
  return S_RESIDENT_IN_SHARED_MEMORY;
}

HRESULT APIENTRY destroyDevice(HANDLE handle) {
  FakeDevice &device = of(handle);
  record("DestroyDevice");
  D3DDDICB_DESTROYCONTEXT destroy{device.context};
  device.callbacks.pfnDestroyContextCb(device.runtime, &destroy);
  --g_alive;
  delete &device;
  return S_OK;
}

}  // namespace

HRESULT APIENTRY createDevice(HANDLE, D3DDDIARG_CREATEDEVICE *data) {
  record("CreateDevice interface %u flags %x", data->Interface, data->Flags.Value);
  auto device = std::make_unique<FakeDevice>();
  device->runtime = data->hDevice;
  device->callbacks = *data->pCallbacks;
  D3DDDICB_CREATECONTEXT context{};
  const HRESULT result = device->callbacks.pfnCreateContextCb(device->runtime, &context);
  if (FAILED(result)) return result;
  device->context = context.hContext;
  device->commands = static_cast<UINT *>(context.pCommandBuffer);
  device->commandBytes = context.CommandBufferSize;
  D3DDDI_DEVICEFUNCS &f = *data->pDeviceFuncs;
  f.pfnCreateResource = createResource;
  f.pfnOpenResource = openResource;
  f.pfnDestroyResource = destroyResource;
  f.pfnLock = lock;
  f.pfnUnlock = unlock;
  f.pfnSetRenderState = setRenderState;
  f.pfnSetTextureStageState = setTextureStageState;
  f.pfnSetTexture = setTexture;
  f.pfnSetRenderTarget = setRenderTarget;
  f.pfnSetDepthStencil = setDepthStencil;
  f.pfnSetViewport = setViewport;
  f.pfnSetZRange = setZRange;
  f.pfnSetScissorRect = setScissorRect;
  f.pfnUpdateWInfo = updateWInfo;
  f.pfnSetClipPlane = setClipPlane;
  f.pfnValidateDevice = validateDevice;
  f.pfnCreateVertexShaderDecl = createDecl;
  f.pfnDeleteVertexShaderDecl = deleteObjectOf;
  f.pfnSetVertexShaderDecl = setDecl;
  f.pfnCreateVertexShaderFunc = createVertexShader;
  f.pfnDeleteVertexShaderFunc = deleteObjectOf;
  f.pfnSetVertexShaderFunc = setVertexShader;
  f.pfnCreatePixelShader = createPixelShader;
  f.pfnDeletePixelShader = deleteObjectOf;
  f.pfnSetPixelShader = setPixelShader;
  f.pfnSetVertexShaderConst = setVertexConst;
  f.pfnSetVertexShaderConstI = setVertexConstI;
  f.pfnSetVertexShaderConstB = setVertexConstB;
  f.pfnSetPixelShaderConst = setPixelConst;
  f.pfnSetPixelShaderConstI = setPixelConstI;
  f.pfnSetPixelShaderConstB = setPixelConstB;
  f.pfnSetStreamSource = setStreamSource;
  f.pfnSetStreamSourceUm = setStreamSourceUm;
  f.pfnSetStreamSourceFreq = setStreamSourceFreq;
  f.pfnSetIndices = setIndices;
  f.pfnSetIndicesUm = setIndicesUm;
  f.pfnDrawPrimitive = drawPrimitive;
  f.pfnDrawIndexedPrimitive = drawIndexedPrimitive;
  f.pfnClear = clear;
  f.pfnBlt = blt;
  f.pfnColorFill = colorFill;
  f.pfnTexBlt = texBlt;
  f.pfnVolBlt = volBlt;
  f.pfnBufBlt = bufBlt;
  f.pfnGenerateMipSubLevels = generateMips;
  f.pfnSetDisplayMode = setDisplayMode;
  f.pfnPresent = present;
  if (!misbehaves("no Flush")) f.pfnFlush = flush;
  f.pfnCreateQuery = createQuery;
  f.pfnDestroyQuery = deleteObjectOf;
  f.pfnIssueQuery = issueQuery;
  f.pfnGetQueryData = getQueryData;
  f.pfnQueryResourceResidency = queryResidency;
  f.pfnDestroyDevice = destroyDevice;
  ++g_alive;
  FakeDevice *made = device.release();
  data->hDevice = made;
  if (misbehaves("late callback")) {
    // From another thread, without having announced it.
    const auto late = [](void *argument) -> DWORD {
      submit(*static_cast<FakeDevice *>(argument));
      return 0;
    };
    HANDLE thread = CreateThread(nullptr, 0, late, made, 0, nullptr);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
  }
  return S_OK;
}

unsigned &aliveCount() {
  return g_alive;
}

void record(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  g_calls.emplace_back(line);
}

bool misbehaves(const char *how) {
  return g_misbehaviour == how;
}

}  // namespace aerogpu::fake

using namespace aerogpu::fake;

extern "C" {

unsigned fakeCallCount() {
  return static_cast<unsigned>(g_calls.size());
}
const char *fakeCall(unsigned index) {
  return index < g_calls.size() ? g_calls[index].c_str() : "";
}
void fakeClear() {
  g_calls.clear();
}
unsigned fakeAlive() {
  return g_alive;
}
void fakeMisbehave(const char *how) {
  g_misbehaviour = how ? how : "";
}

}  // extern "C"
