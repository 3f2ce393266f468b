/* SPDX-License-Identifier: MIT
 * shaders.h: shaders: code, signatures, creation, stream output. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_SHADERS_H
#define AEROGPU_DDI_D3D10UMDDI_SHADERS_H

#include "d3d10umddi/tokens.h"
#include "d3d10umddi/handles.h"

/* Code is bare tokens: pCode[0] is the version, pCode[1] the length in DWORDs. No container comes with it, hence
 * no names of semantics and no component types. Code, signatures and declarations are to be copied: they live as
 * long as the call. */

typedef enum D3D10DDI_SHADERUNITTYPE {
    D3D10DDISHADERUNITTYPE_UNDEFINED = 0,
    D3D10DDISHADERUNITTYPE_GEOMETRY  = 1,
    D3D10DDISHADERUNITTYPE_VERTEX    = 2,
    D3D10DDISHADERUNITTYPE_PIXEL     = 3,
    D3D11DDISHADERUNITTYPE_HULL      = 4,
    D3D11DDISHADERUNITTYPE_DOMAIN    = 5,
    D3D11DDISHADERUNITTYPE_COMPUTE   = 6
} D3D10DDI_SHADERUNITTYPE;

/* ns-d3d10umddi-d3d10ddiarg_signature_entry: a register, or some components of it: several entries may have one
 * register. A pixel shader's output has its target as register, depth has 0xFFFFFFFF. */
typedef struct D3D10DDIARG_SIGNATURE_ENTRY {
    D3D10_SB_NAME SystemValue;
    UINT Register;
    BYTE Mask; /* D3D10_SB_COMPONENT_MASK */
} D3D10DDIARG_SIGNATURE_ENTRY;

/* ns-d3d10umddi-d3d10ddiarg_stage_io_signatures: may list more than the shader uses: its declarations tell. */
typedef struct D3D10DDIARG_STAGE_IO_SIGNATURES {
    D3D10DDIARG_SIGNATURE_ENTRY *pInputSignature;
    UINT NumInputSignatureEntries;
    D3D10DDIARG_SIGNATURE_ENTRY *pOutputSignature;
    UINT NumOutputSignatureEntries;
} D3D10DDIARG_STAGE_IO_SIGNATURES;

/* ns-d3d10umddi-d3d11ddiarg_tessellation_io_signatures: hull and domain shaders. */
typedef struct D3D11DDIARG_TESSELLATION_IO_SIGNATURES {
    D3D10DDIARG_SIGNATURE_ENTRY *pInputSignature;
    UINT NumInputSignatureEntries;
    D3D10DDIARG_SIGNATURE_ENTRY *pOutputSignature;
    UINT NumOutputSignatureEntries;
    D3D10DDIARG_SIGNATURE_ENTRY *pPatchConstantSignature;
    UINT NumPatchConstantSignatureEntries;
} D3D11DDIARG_TESSELLATION_IO_SIGNATURES;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivateshadersize, pfnd3d11ddi_calcprivatetessellationshadersize: the driver's
 * size for a shader: a compute shader is asked for without signatures. */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATESHADERSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATETESSELLATIONSHADERSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ const D3D11DDIARG_TESSELLATION_IO_SIGNATURES *pSignatures);

/* nc-d3d10umddi-pfnd3d10ddi_createvertexshader, pfnd3d10ddi_creategeometryshader, pfnd3d10ddi_createpixelshader,
 * pfnd3d11ddi_createhullshader, pfnd3d11ddi_createdomainshader, pfnd3d11ddi_createcomputeshader */
typedef VOID(APIENTRY *PFND3D10DDI_CREATEVERTEXSHADER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEGEOMETRYSHADER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEPIXELSHADER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D11DDI_CREATEHULLSHADER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D11DDIARG_TESSELLATION_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D11DDI_CREATEDOMAINSHADER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D11DDIARG_TESSELLATION_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D11DDI_CREATECOMPUTESHADER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const UINT *pCode,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader);

/* ns-d3d10umddi-d3d10ddiarg_stream_output_declaration_entry: entries are in the order of writing. A RegisterIndex
 * of D3D10_SO_DDI_REGISTER_INDEX_DENOTING_GAP skips as many components as RegisterMask has bits. */
typedef struct D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY {
    UINT OutputSlot;
    UINT RegisterIndex;
    BYTE RegisterMask;
} D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY;

/* ns-d3d10umddi-d3d11ddiarg_stream_output_declaration_entry */
typedef struct D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY {
    UINT Stream; /* 0 to 3 */
    UINT OutputSlot;
    UINT RegisterIndex;
    BYTE RegisterMask;
} D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY;

/* ns-d3d10umddi-d3d10ddiarg_creategeometryshaderwithstreamoutput: pShaderCode may be null, or a vertex or domain
 * shader: then what it puts out is what streams. */
typedef struct D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT {
    const UINT *pShaderCode;
    const D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY *pOutputStreamDecl;
    UINT NumEntries;
    UINT StreamOutputStrideInBytes; /* of every buffer */
} D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT;

/* ns-d3d10umddi-d3d11ddiarg_creategeometryshaderwithstreamoutput: 11: a stride per buffer, and up to four streams,
 * of which RasterizedStream is drawn; 0xFFFFFFFF is none. */
typedef struct D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT {
    const UINT *pShaderCode;
    const D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY *pOutputStreamDecl;
    UINT NumEntries;
    const UINT *BufferStridesInBytes;
    UINT NumStrides;
    UINT RasterizedStream;
} D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivategeometryshaderwithstreamoutput,
 * pfnd3d10ddi_creategeometryshaderwithstreamoutput, pfnd3d11ddi_calcprivategeometryshaderwithstreamoutput,
 * pfnd3d11ddi_creategeometryshaderwithstreamoutput */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEGEOMETRYSHADERWITHSTREAMOUTPUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *pCreateGeometryShaderWithStreamOutput,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *pCreateGeometryWithShaderOutput,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef SIZE_T(APIENTRY *PFND3D11DDI_CALCPRIVATEGEOMETRYSHADERWITHSTREAMOUTPUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *pCreateGeometryShaderWithStreamOutput,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);
typedef VOID(APIENTRY *PFND3D11DDI_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *pCreateGeometryWithShaderOutput,
    _In_ D3D10DDI_HSHADER hShader,
    _In_ D3D10DDI_HRTSHADER hRTShader,
    _In_ const D3D10DDIARG_STAGE_IO_SIGNATURES *pSignatures);

/* nc-d3d10umddi-pfnd3d10ddi_destroyshader: of every stage. */
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYSHADER)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HSHADER hShader);

#endif
