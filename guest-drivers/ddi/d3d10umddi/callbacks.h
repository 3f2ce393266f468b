/* SPDX-License-Identifier: MIT
 * callbacks.h: what the runtime does for the driver, besides the kernel's callbacks of d3dumddi.h. A part of
 * d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_CALLBACKS_H
#define AEROGPU_DDI_D3D10UMDDI_CALLBACKS_H

#include "d3d10umddi/handles.h"

/* The runtime may exchange entries while no thread is in the driver: keep a pointer to the table, never a copy. */

/* nc-d3d10umddi-pfnd3d10ddi_seterror_cb: how a function without a result reports failure. Each function allows
 * some codes; any other, S_OK included, removes the device. */
typedef VOID(APIENTRY *PFND3D10DDI_SETERROR_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ HRESULT hResult);

/* nc-d3d10umddi-pfnd3d10ddi_disable_deferred_staging_resource_destruction_cb: from now on the runtime destroys
 * staging resources even while they are busy. */
typedef VOID(APIENTRY *PFND3D10DDI_DISABLE_DEFERRED_STAGING_RESOURCE_DESTRUCTION_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);

/* nc-d3d10umddi-pfnd3d11ddi_perform_amortized_processing_cb: 11: after each submission, by the thread that entered
 * the driver; otherwise the runtime's memory grows. */
typedef VOID(APIENTRY *PFND3D11DDI_PERFORM_AMORTIZED_PROCESSING_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);

/* The state callbacks make the runtime call the setter again: of the whole state, or of Count slots from Base.
 * Their pages are nc-d3d10umddi- and the name in lower case, as always. */
typedef VOID(APIENTRY *PFND3D10DDI_STATE_IA_INPUTLAYOUT_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_IA_VERTEXBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_IA_INDEXBUF_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_IA_PRIMITIVE_TOPOLOGY_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_VS_CONSTBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_VS_SHADER_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_VS_SRV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_VS_SAMPLER_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_HS_SRV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_HS_SHADER_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_HS_SAMPLER_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_HS_CONSTBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_DS_SRV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_DS_SHADER_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_DS_SAMPLER_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_DS_CONSTBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_GS_CONSTBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_GS_SHADER_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_GS_SRV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_GS_SAMPLER_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_SO_TARGETS_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_RS_RASTSTATE_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_RS_VIEWPORTS_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_RS_SCISSOR_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_PS_SRV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_PS_SHADER_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_PS_SAMPLER_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_PS_CONSTBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_OM_RENDERTARGETS_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_OM_BLENDSTATE_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_OM_DEPTHSTATE_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_CS_SRV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_CS_UAV_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_CS_SHADER_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_CS_SAMPLER_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D11DDI_STATE_CS_CONSTBUF_CB)(
    _In_ D3D10DDI_HRTCORELAYER hRuntimeDevice, _In_ UINT Base, _In_ UINT Count);
typedef VOID(APIENTRY *PFND3D10DDI_STATE_TEXTFILTERSIZE_CB)(_In_ D3D10DDI_HRTCORELAYER hRuntimeDevice);

/* ns-d3d10umddi-d3d10ddi_corelayer_devicecallbacks: 10 and 10.1. */
typedef struct D3D10DDI_CORELAYER_DEVICECALLBACKS {
    PFND3D10DDI_SETERROR_CB                                      pfnSetErrorCb;
    PFND3D10DDI_STATE_VS_CONSTBUF_CB                             pfnStateVsConstBufCb;
    PFND3D10DDI_STATE_PS_SRV_CB                                  pfnStatePsSrvCb;
    PFND3D10DDI_STATE_PS_SHADER_CB                               pfnStatePsShaderCb;
    PFND3D10DDI_STATE_PS_SAMPLER_CB                              pfnStatePsSamplerCb;
    PFND3D10DDI_STATE_VS_SHADER_CB                               pfnStateVsShaderCb;
    PFND3D10DDI_STATE_PS_CONSTBUF_CB                             pfnStatePsConstBufCb;
    PFND3D10DDI_STATE_IA_INPUTLAYOUT_CB                          pfnStateIaInputLayoutCb;
    PFND3D10DDI_STATE_IA_VERTEXBUF_CB                            pfnStateIaVertexBufCb;
    PFND3D10DDI_STATE_IA_INDEXBUF_CB                             pfnStateIaIndexBufCb;
    PFND3D10DDI_STATE_GS_CONSTBUF_CB                             pfnStateGsConstBufCb;
    PFND3D10DDI_STATE_GS_SHADER_CB                               pfnStateGsShaderCb;
    PFND3D10DDI_STATE_IA_PRIMITIVE_TOPOLOGY_CB                   pfnStateIaPrimitiveTopologyCb;
    PFND3D10DDI_STATE_VS_SRV_CB                                  pfnStateVsSrvCb;
    PFND3D10DDI_STATE_VS_SAMPLER_CB                              pfnStateVsSamplerCb;
    PFND3D10DDI_STATE_GS_SRV_CB                                  pfnStateGsSrvCb;
    PFND3D10DDI_STATE_GS_SAMPLER_CB                              pfnStateGsSamplerCb;
    PFND3D10DDI_STATE_OM_RENDERTARGETS_CB                        pfnStateOmRenderTargetsCb;
    PFND3D10DDI_STATE_OM_BLENDSTATE_CB                           pfnStateOmBlendStateCb;
    PFND3D10DDI_STATE_OM_DEPTHSTATE_CB                           pfnStateOmDepthStateCb;
    PFND3D10DDI_STATE_RS_RASTSTATE_CB                            pfnStateRsRastStateCb;
    PFND3D10DDI_STATE_SO_TARGETS_CB                              pfnStateSoTargetsCb;
    PFND3D10DDI_STATE_RS_VIEWPORTS_CB                            pfnStateRsViewportsCb;
    PFND3D10DDI_STATE_RS_SCISSOR_CB                              pfnStateRsScissorCb;
    PFND3D10DDI_DISABLE_DEFERRED_STAGING_RESOURCE_DESTRUCTION_CB pfnDisableDeferredStagingResourceDestruction;
    PFND3D10DDI_STATE_TEXTFILTERSIZE_CB                          pfnStateTextFilterSizeCb;
} D3D10DDI_CORELAYER_DEVICECALLBACKS;

/* ns-d3d10umddi-d3d11ddi_corelayer_devicecallbacks: 11: the same, and more. */
typedef struct D3D11DDI_CORELAYER_DEVICECALLBACKS {
    PFND3D10DDI_SETERROR_CB                                      pfnSetErrorCb;
    PFND3D10DDI_STATE_VS_CONSTBUF_CB                             pfnStateVsConstBufCb;
    PFND3D10DDI_STATE_PS_SRV_CB                                  pfnStatePsSrvCb;
    PFND3D10DDI_STATE_PS_SHADER_CB                               pfnStatePsShaderCb;
    PFND3D10DDI_STATE_PS_SAMPLER_CB                              pfnStatePsSamplerCb;
    PFND3D10DDI_STATE_VS_SHADER_CB                               pfnStateVsShaderCb;
    PFND3D10DDI_STATE_PS_CONSTBUF_CB                             pfnStatePsConstBufCb;
    PFND3D10DDI_STATE_IA_INPUTLAYOUT_CB                          pfnStateIaInputLayoutCb;
    PFND3D10DDI_STATE_IA_VERTEXBUF_CB                            pfnStateIaVertexBufCb;
    PFND3D10DDI_STATE_IA_INDEXBUF_CB                             pfnStateIaIndexBufCb;
    PFND3D10DDI_STATE_GS_CONSTBUF_CB                             pfnStateGsConstBufCb;
    PFND3D10DDI_STATE_GS_SHADER_CB                               pfnStateGsShaderCb;
    PFND3D10DDI_STATE_IA_PRIMITIVE_TOPOLOGY_CB                   pfnStateIaPrimitiveTopologyCb;
    PFND3D10DDI_STATE_VS_SRV_CB                                  pfnStateVsSrvCb;
    PFND3D10DDI_STATE_VS_SAMPLER_CB                              pfnStateVsSamplerCb;
    PFND3D10DDI_STATE_GS_SRV_CB                                  pfnStateGsSrvCb;
    PFND3D10DDI_STATE_GS_SAMPLER_CB                              pfnStateGsSamplerCb;
    PFND3D10DDI_STATE_OM_RENDERTARGETS_CB                        pfnStateOmRenderTargetsCb;
    PFND3D10DDI_STATE_OM_BLENDSTATE_CB                           pfnStateOmBlendStateCb;
    PFND3D10DDI_STATE_OM_DEPTHSTATE_CB                           pfnStateOmDepthStateCb;
    PFND3D10DDI_STATE_RS_RASTSTATE_CB                            pfnStateRsRastStateCb;
    PFND3D10DDI_STATE_SO_TARGETS_CB                              pfnStateSoTargetsCb;
    PFND3D10DDI_STATE_RS_VIEWPORTS_CB                            pfnStateRsViewportsCb;
    PFND3D10DDI_STATE_RS_SCISSOR_CB                              pfnStateRsScissorCb;
    PFND3D10DDI_DISABLE_DEFERRED_STAGING_RESOURCE_DESTRUCTION_CB pfnDisableDeferredStagingResourceDestruction;
    PFND3D10DDI_STATE_TEXTFILTERSIZE_CB                          pfnStateTextFilterSizeCb;
    /* Since 11. */
    PFND3D11DDI_STATE_HS_SRV_CB                                  pfnStateHsSrvCb;
    PFND3D11DDI_STATE_HS_SHADER_CB                               pfnStateHsShaderCb;
    PFND3D11DDI_STATE_HS_SAMPLER_CB                              pfnStateHsSamplerCb;
    PFND3D11DDI_STATE_HS_CONSTBUF_CB                             pfnStateHsConstBufCb;
    PFND3D11DDI_STATE_DS_SRV_CB                                  pfnStateDsSrvCb;
    PFND3D11DDI_STATE_DS_SHADER_CB                               pfnStateDsShaderCb;
    PFND3D11DDI_STATE_DS_SAMPLER_CB                              pfnStateDsSamplerCb;
    PFND3D11DDI_STATE_DS_CONSTBUF_CB                             pfnStateDsConstBufCb;
    PFND3D11DDI_PERFORM_AMORTIZED_PROCESSING_CB                  pfnPerformAmortizedProcessingCb;
    PFND3D11DDI_STATE_CS_SRV_CB                                  pfnStateCsSrvCb;
    PFND3D11DDI_STATE_CS_UAV_CB                                  pfnStateCsUavCb;
    PFND3D11DDI_STATE_CS_SHADER_CB                               pfnStateCsShaderCb;
    PFND3D11DDI_STATE_CS_SAMPLER_CB                              pfnStateCsSamplerCb;
    PFND3D11DDI_STATE_CS_CONSTBUF_CB                             pfnStateCsConstBufCb;
} D3D11DDI_CORELAYER_DEVICECALLBACKS;

#endif
