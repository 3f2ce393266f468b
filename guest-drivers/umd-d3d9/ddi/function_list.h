// SPDX-License-Identifier: MIT
// function_list.h: the 121 functions of D3DDDI_DEVICEFUNCS in order, and how each is answered. docs/d3d9/driver.md has
// the same list; a test compares them.
#pragma once

#include <stdint.h>

namespace aero {

enum class Answer : uint8_t {
  Done,          // works, as far as that page says
  Missing,       // E_NOTIMPL: not written yet, or needed only by caps that are not announced
  Stub,          // S_OK and nothing else: the runtime does it itself, or the call does not matter here
  Overlay,       // D3DDDIERR_UNSUPPORTEDOVERLAY: the documented refusal
  Crypto,        // D3DDDIERR_UNSUPPORTEDCRYPTO: the documented refusal
  NotAvailable,  // D3DDDIERR_NOTAVAILABLE: the documented refusal
  Null,          // no function: its absence means that only one thread at a time may call the driver
};

// clang-format off
// X(name without pfn, answer)
#define AERO_DEVICE_FUNCTIONS(X)                                                                                   \
  X(SetRenderState, Done)                                                                                            \
  X(UpdateWInfo, Done)                                                                                               \
  X(ValidateDevice, Done)                                                                                            \
  X(SetTextureStageState, Done)                                                                                      \
  X(SetTexture, Done)                                                                                                \
  X(SetPixelShader, Done)                                                                                            \
  X(SetPixelShaderConst, Done)                                                                                       \
  X(SetStreamSourceUm, Done)                                                                                         \
  X(SetIndices, Done)                                                                                                \
  X(SetIndicesUm, Done)                                                                                              \
  X(DrawPrimitive, Done)                                                                                             \
  X(DrawIndexedPrimitive, Done)                                                                                      \
  X(DrawRectPatch, Missing)           /* no caps announce patches */                                                 \
  X(DrawTriPatch, Missing)            /* no caps announce patches */                                                 \
  X(DrawPrimitive2, Done)                                                                                            \
  X(DrawIndexedPrimitive2, Done)                                                                                     \
  X(VolBlt, Done)                                                                                                    \
  X(BufBlt, Done)                                                                                                    \
  X(TexBlt, Done)                                                                                                    \
  X(StateSet, Stub)                   /* state blocks are the runtime's */                                           \
  X(SetPriority, Stub)                /* only for resources that a driver manages; this one manages none */                   \
  X(Clear, Done)                                                                                                     \
  X(UpdatePalette, Done)                                                                                             \
  X(SetPalette, Done)                                                                                                \
  X(SetVertexShaderConst, Done)                                                                                      \
  X(MultiplyTransform, Stub)          /* the fixed function is the runtime's, which makes shaders of it */           \
  X(SetTransform, Stub)                                                                                              \
  X(SetViewport, Done)                                                                                               \
  X(SetZRange, Done)                                                                                                 \
  X(SetMaterial, Stub)                                                                                               \
  X(SetLight, Stub)                                                                                                  \
  X(CreateLight, Stub)                                                                                               \
  X(DestroyLight, Stub)                                                                                              \
  X(SetClipPlane, Done)                                                                                              \
  X(GetInfo, Done)                                                                                                    \
  X(Lock, Done)                                                                                                      \
  X(Unlock, Done)                                                                                                    \
  X(CreateResource, Done)                                                                                            \
  X(DestroyResource, Done)                                                                                           \
  X(SetDisplayMode, Done)                                                                                            \
  X(Present, Done)                                                                                                   \
  X(Flush, Done)                                                                                                     \
  X(CreateVertexShaderFunc, Done)                                                                                    \
  X(DeleteVertexShaderFunc, Done)                                                                                    \
  X(SetVertexShaderFunc, Done)                                                                                       \
  X(CreateVertexShaderDecl, Done)                                                                                    \
  X(DeleteVertexShaderDecl, Done)                                                                                    \
  X(SetVertexShaderDecl, Done)                                                                                       \
  X(SetVertexShaderConstI, Done)                                                                                     \
  X(SetVertexShaderConstB, Done)                                                                                     \
  X(SetScissorRect, Done)                                                                                            \
  X(SetStreamSource, Done)                                                                                           \
  X(SetStreamSourceFreq, Done)                                                                                       \
  X(SetConvolutionKernelMono, Stub)   /* for A1 surfaces, which are not offered */                                   \
  X(ComposeRects, Done)               /* Windows does not ask: A1 is not offered */                                  \
  X(Blt, Done)                                                                                                       \
  X(ColorFill, Done)                                                                                                 \
  X(DepthFill, Done)                                                                                                 \
  X(CreateQuery, Done)                                                                                               \
  X(DestroyQuery, Done)                                                                                              \
  X(IssueQuery, Done)                                                                                                \
  X(GetQueryData, Done)                                                                                              \
  X(SetRenderTarget, Done)                                                                                           \
  X(SetDepthStencil, Done)                                                                                           \
  X(GenerateMipSubLevels, Done)                                                                                      \
  X(SetPixelShaderConstI, Done)                                                                                      \
  X(SetPixelShaderConstB, Done)                                                                                      \
  X(CreatePixelShader, Done)                                                                                         \
  X(DeletePixelShader, Done)                                                                                         \
  X(CreateDecodeDevice, Missing)      /* no caps announce it */                                                      \
  X(DestroyDecodeDevice, Missing)     /* no caps announce it */                                                      \
  X(SetDecodeRenderTarget, Missing)   /* no caps announce it */                                                      \
  X(DecodeBeginFrame, Missing)        /* no caps announce it */                                                      \
  X(DecodeEndFrame, Missing)          /* no caps announce it */                                                      \
  X(DecodeExecute, Missing)           /* no caps announce it */                                                      \
  X(DecodeExtensionExecute, Missing)  /* no caps announce it */                                                      \
  X(CreateVideoProcessDevice, Missing)/* no caps announce it */                                                      \
  X(DestroyVideoProcessDevice, Missing)/* no caps announce it */                                                     \
  X(VideoProcessBeginFrame, Missing)  /* no caps announce it */                                                      \
  X(VideoProcessEndFrame, Missing)    /* no caps announce it */                                                      \
  X(SetVideoProcessRenderTarget, Missing)/* no caps announce it */                                                   \
  X(VideoProcessBlt, Missing)         /* no caps announce it */                                                      \
  X(CreateExtensionDevice, Missing)   /* no caps announce it */                                                      \
  X(DestroyExtensionDevice, Missing)  /* no caps announce it */                                                      \
  X(ExtensionExecute, Missing)        /* no caps announce it */                                                      \
  X(CreateOverlay, Overlay)                                                                                          \
  X(UpdateOverlay, Overlay)                                                                                          \
  X(FlipOverlay, Overlay)                                                                                            \
  X(GetOverlayColorControls, Overlay)                                                                                \
  X(SetOverlayColorControls, Overlay)                                                                                \
  X(DestroyOverlay, Overlay)                                                                                         \
  X(DestroyDevice, Done)                                                                                             \
  X(QueryResourceResidency, Stub)     /* every resource is on the host at all times */                             \
  X(OpenResource, Done)                                                                                              \
  X(GetCaptureAllocationHandle, Missing)/* no caps announce capture */                                               \
  X(CaptureToSysMem, Missing)         /* no caps announce capture */                                                 \
  X(LockAsync, Null)                                                                                                 \
  X(UnlockAsync, Null)                                                                                               \
  X(Rename, Null)                                                                                                    \
  X(CreateVideoProcessor, Missing)    /* no caps announce it */                                                      \
  X(SetVideoProcessBltState, Missing) /* no caps announce it */                                                      \
  X(GetVideoProcessBltStatePrivate, Missing)/* no caps announce it */                                                \
  X(SetVideoProcessStreamState, Missing)/* no caps announce it */                                                    \
  X(GetVideoProcessStreamStatePrivate, Missing)/* no caps announce it */                                             \
  X(VideoProcessBltHD, Missing)       /* no caps announce it */                                                      \
  X(DestroyVideoProcessor, Missing)   /* no caps announce it */                                                      \
  X(CreateAuthenticatedChannel, Crypto)                                                                              \
  X(AuthenticatedChannelKeyExchange, Crypto)                                                                         \
  X(QueryAuthenticatedChannel, Crypto)                                                                               \
  X(ConfigureAuthenticatedChannel, Crypto)                                                                           \
  X(DestroyAuthenticatedChannel, Crypto)                                                                             \
  X(CreateCryptoSession, Crypto)                                                                                     \
  X(CryptoSessionKeyExchange, Crypto)                                                                                \
  X(DestroyCryptoSession, Crypto)                                                                                    \
  X(EncryptionBlt, Crypto)                                                                                           \
  X(GetPitch, NotAvailable)           /* for surfaces that are protected */                                          \
  X(StartSessionKeyRefresh, Crypto)                                                                                  \
  X(FinishSessionKeyRefresh, Crypto)                                                                                 \
  X(GetEncryptionBltKey, Crypto)                                                                                     \
  X(DecryptionBlt, Crypto)                                                                                           \
  X(ResolveSharedResource, Done)
// clang-format on

}  // namespace aero
