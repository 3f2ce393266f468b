// SPDX-License-Identifier: MIT
// dxgi_ddi.cpp: DXGI's functions. They return their results.
#include "guest-drivers/umd-common/log/describe.h"
#include "guest-drivers/umd-d3d10/ddi/dxgi_functions.h"
#include "guest-drivers/umd-d3d10/device/device.h"
#include "guest-drivers/umd-d3d10/dxgi/present.h"

namespace aero {
namespace {

/** Runs `body` for the device of a call, writes the call to the log, and returns the result. */
template <class Arguments, class Body> HRESULT run(const char *name, Arguments *args, Body body) {
  Device &device = *reinterpret_cast<Device *>(args->hDevice);
  CallLog &log = device.adapter().log();
  CallText text;
  uint32_t line = 0;
  const bool isOn = log.isOn();
  if (isOn) {
    describeWords(text.text(name).text("("), args, sizeof *args);
    text.text(")");
    if (log.hasCalls()) line = log.write(device.number, text);
  }
  HRESULT result = body(device);
  device.takeNews(result);
  if (!isOn || !log.wants(result)) return result;
  describeEnd(text, result);
  if (log.hasCalls())
    log.rewrite(line, device.number, text);
  else
    log.write(device.number, text);
  return result;
}

D3DKMT_HANDLE allocationOf(DXGI_DDI_HRESOURCE resource) {
  return resource ? Resource::from(resource)->identity.memory.handle : 0;
}

HRESULT APIENTRY Present(DXGI_DDI_ARG_PRESENT *args) {
  return run("DXGI Present", args, [&](Device &device) {
    DXGIDDICB_PRESENT data = {};
    data.hSrcAllocation = allocationOf(args->hSurfaceToPresent);
    data.hDstAllocation = allocationOf(args->hDstResource);
    data.pDXGIContext = args->pDXGIContext;
    data.hContext = device.context.handle();
    // All that was drawn goes to the kernel first, and presents follow each other even if nothing was drawn.
    const HRESULT flushed = device.flush();
    if (failed(flushed)) return flushed;
    return data.hSrcAllocation ? device.present(data) : kDxgiUnsupported;  // a format that no screen has
  });
}

HRESULT APIENTRY GetGammaCaps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS *args) {
  return run("DXGI GetGammaCaps", args, [&](Device &) {
    *args->pGammaCapabilities = {};  // no points: there is no curve to set
    args->pGammaCapabilities->MaxConvertedValue = 1;
    return kOk;
  });
}

HRESULT APIENTRY SetDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE *args) {
  return run("DXGI SetDisplayMode", args, [&](Device &device) {
    D3DDDICB_SETDISPLAYMODE data = {};
    data.hPrimaryAllocation = allocationOf(args->hResource);
    const HRESULT flushed = device.flush();
    if (failed(flushed)) return flushed;
    return data.hPrimaryAllocation ? device.runtime.setDisplayMode(data) : kInvalidArgument;
  });
}

HRESULT APIENTRY SetResourcePriority(DXGI_DDI_ARG_SETRESOURCEPRIORITY *args) {
  return run("DXGI SetResourcePriority", args, [&](Device &device) {
    const D3DKMT_HANDLE allocation = allocationOf(args->hResource);
    D3DDDICB_SETPRIORITY data = {};
    data.NumAllocations = 1;
    data.HandleList = &allocation;
    data.pPriorities = &args->Priority;
    return allocation ? device.runtime.setPriority(data) : kOk;  // what has no guest memory is never moved
  });
}

HRESULT APIENTRY QueryResourceResidency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY *args) {
  // Draws use objects of the device, which are there at all times.
  return run("DXGI QueryResourceResidency", args, [&](Device &) {
    for (SIZE_T i = 0; i < args->Resources; i++) args->pStatus[i] = DXGI_DDI_RESIDENCY_FULLY_RESIDENT;
    return kOk;
  });
}

HRESULT APIENTRY RotateResourceIdentities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args) {
  return run("DXGI RotateResourceIdentities", args, [&](Device &device) {
    rotate(args->pResources, args->Resources);
    device.pipeline.rotated();
    return kOk;
  });
}

HRESULT APIENTRY Blt(DXGI_DDI_ARG_BLT *args) {
  return run("DXGI Blt", args, [&](Device &device) { return blt(device.objects, *args); });
}

HRESULT APIENTRY ResolveSharedResource(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE *args) {
  // Its contents must be final and submitted before its owner changes (page "DXGI_DDI_ARG_RESOLVESHAREDRESOURCE").
  return run("DXGI ResolveSharedResource", args, [](Device &device) { return device.flush(); });
}

}  // namespace

void fillDxgiTable(const DXGI_DDI_BASE_ARGS &args, bool hasEight) {
  DXGI1_1_DDI_BASE_FUNCTIONS &table = *args.pDXGIDDIBaseFunctions2;
  table.pfnPresent = Present;
  table.pfnGetGammaCaps = GetGammaCaps;
  table.pfnSetDisplayMode = SetDisplayMode;
  table.pfnSetResourcePriority = SetResourcePriority;
  table.pfnQueryResourceResidency = QueryResourceResidency;
  table.pfnRotateResourceIdentities = RotateResourceIdentities;
  table.pfnBlt = Blt;
  if (hasEight) table.pfnResolveSharedResource = ResolveSharedResource;
}

}  // namespace aero
