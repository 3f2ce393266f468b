// SPDX-License-Identifier: MIT
// Compares every number of the tables with mingw-w64's d3d9types.h. Compiling it for Windows is the test.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// after windows.h
#include <d3d9types.h>

#include "aerogpu/d3d9/declaration.h"
#include "aerogpu/d3d9/fixed_constants.h"
#include "aerogpu/d3d9/formats.h"
#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"

namespace {
using namespace aerogpu::d3d9;

#define CHECK_RS(ENUMERATOR, NAME, NUMBER, ...) static_assert(D3DRS_##NAME == NUMBER);
#define CHECK_SAMP(ENUMERATOR, NAME, NUMBER, ...) static_assert(D3DSAMP_##NAME == NUMBER);
#define CHECK_TSS(ENUMERATOR, NAME, NUMBER, ...) static_assert(D3DTSS_##NAME == NUMBER);
#define CHECK_FORMAT(NAME, NUMBER, ...) static_assert(static_cast<uint32_t>(D3DFMT_##NAME) == NUMBER);
AEROGPU_D3D9_RENDER_STATES(CHECK_RS)
AEROGPU_D3D9_SAMPLER_STATES(CHECK_SAMP)
AEROGPU_D3D9_TEXTURE_STAGE_STATES(CHECK_TSS)
AEROGPU_D3D9_FORMATS(CHECK_FORMAT)

#define SAME(OURS, THEIRS) static_assert(static_cast<uint32_t>(OURS) == static_cast<uint32_t>(THEIRS))
SAME(ZBufferType::UseW, D3DZB_USEW);
SAME(FillMode::Point, D3DFILL_POINT);
SAME(FillMode::Solid, D3DFILL_SOLID);
SAME(ShadeMode::Flat, D3DSHADE_FLAT);
SAME(ShadeMode::Phong, D3DSHADE_PHONG);
SAME(CullMode::None, D3DCULL_NONE);
SAME(CullMode::Cw, D3DCULL_CW);
SAME(CullMode::Ccw, D3DCULL_CCW);
SAME(CompareFunc::Never, D3DCMP_NEVER);
SAME(CompareFunc::LessEqual, D3DCMP_LESSEQUAL);
SAME(CompareFunc::NotEqual, D3DCMP_NOTEQUAL);
SAME(CompareFunc::Always, D3DCMP_ALWAYS);
SAME(StencilOp::Keep, D3DSTENCILOP_KEEP);
SAME(StencilOp::IncrSat, D3DSTENCILOP_INCRSAT);
SAME(StencilOp::Invert, D3DSTENCILOP_INVERT);
SAME(StencilOp::Decr, D3DSTENCILOP_DECR);
SAME(FogMode::None, D3DFOG_NONE);
SAME(FogMode::Linear, D3DFOG_LINEAR);
SAME(Blend::Zero, D3DBLEND_ZERO);
SAME(Blend::SrcColor, D3DBLEND_SRCCOLOR);
SAME(Blend::SrcAlpha, D3DBLEND_SRCALPHA);
SAME(Blend::DestAlpha, D3DBLEND_DESTALPHA);
SAME(Blend::DestColor, D3DBLEND_DESTCOLOR);
SAME(Blend::SrcAlphaSat, D3DBLEND_SRCALPHASAT);
SAME(Blend::BothInvSrcAlpha, D3DBLEND_BOTHINVSRCALPHA);
SAME(Blend::BlendFactor, D3DBLEND_BLENDFACTOR);
SAME(Blend::InvSrcColor2, D3DBLEND_INVSRCCOLOR2);
SAME(BlendOp::Add, D3DBLENDOP_ADD);
SAME(BlendOp::RevSubtract, D3DBLENDOP_REVSUBTRACT);
SAME(BlendOp::Max, D3DBLENDOP_MAX);
SAME(TextureAddress::Wrap, D3DTADDRESS_WRAP);
SAME(TextureAddress::Clamp, D3DTADDRESS_CLAMP);
SAME(TextureAddress::MirrorOnce, D3DTADDRESS_MIRRORONCE);
SAME(TextureFilter::Point, D3DTEXF_POINT);
SAME(TextureFilter::Anisotropic, D3DTEXF_ANISOTROPIC);
SAME(TextureFilter::PyramidalQuad, D3DTEXF_PYRAMIDALQUAD);
SAME(TextureFilter::ConvolutionMono, D3DTEXF_CONVOLUTIONMONO);

// First, last and default values of states whose values are enumerations.
SAME(info(TextureStageStateType::ColorOp).first, D3DTOP_DISABLE);
SAME(info(TextureStageStateType::AlphaOp).last, D3DTOP_LERP);
SAME(info(TextureStageStateType::ColorArg1).defaultValue, D3DTA_TEXTURE);
SAME(info(TextureStageStateType::ResultArg).defaultValue, D3DTA_CURRENT);
SAME(textureStageDefault(TextureStageStateType::ColorOp, 0), D3DTOP_MODULATE);
SAME(textureStageDefault(TextureStageStateType::AlphaOp, 0), D3DTOP_SELECTARG1);
SAME(info(RenderStateType::DiffuseMaterialSource).defaultValue, D3DMCS_COLOR1);
SAME(info(RenderStateType::SpecularMaterialSource).last, D3DMCS_COLOR2);
SAME(info(RenderStateType::VertexBlend).last, D3DVBF_0WEIGHTS);
SAME(info(RenderStateType::PositionDegree).defaultValue, D3DDEGREE_CUBIC);
SAME(info(RenderStateType::NormalDegree).last, D3DDEGREE_QUINTIC);
SAME(info(RenderStateType::PatchEdgeStyle).last, D3DPATCHEDGE_CONTINUOUS);
SAME(info(RenderStateType::DebugMonitorToken).last, D3DDMT_DISABLE);

SAME(DeclType::D3dColor, D3DDECLTYPE_D3DCOLOR);
SAME(DeclType::Short4, D3DDECLTYPE_SHORT4);
SAME(DeclType::UShort4N, D3DDECLTYPE_USHORT4N);
SAME(DeclType::Dec3N, D3DDECLTYPE_DEC3N);
SAME(DeclType::Float16x4, D3DDECLTYPE_FLOAT16_4);
SAME(DeclType::Unused, D3DDECLTYPE_UNUSED);
SAME(DeclMethod::LookupPresampled, D3DDECLMETHOD_LOOKUPPRESAMPLED);
SAME(Usage::PointSize, D3DDECLUSAGE_PSIZE);
SAME(Usage::PositionT, D3DDECLUSAGE_POSITIONT);
SAME(Usage::Sample, D3DDECLUSAGE_SAMPLE);
SAME(kMaxDeclElements, MAXD3DDECLLENGTH);
SAME(TextureOp::BlendTextureAlphaPm, D3DTOP_BLENDTEXTUREALPHAPM);
SAME(TextureOp::ModulateInvColorAddAlpha, D3DTOP_MODULATEINVCOLOR_ADDALPHA);
SAME(TextureOp::BumpEnvMapLuminance, D3DTOP_BUMPENVMAPLUMINANCE);
SAME(TextureOp::Lerp, D3DTOP_LERP);
SAME(TextureArg::Specular, D3DTA_SPECULAR);
SAME(TextureArg::Constant, D3DTA_CONSTANT);
SAME(kTextureArgMask, D3DTA_SELECTMASK);
SAME(kTextureArgComplement, D3DTA_COMPLEMENT);
SAME(kTextureArgReplicate, D3DTA_ALPHAREPLICATE);
SAME(static_cast<uint32_t>(TexCoordGen::CameraSpaceReflectionVector) << 16,
     D3DTSS_TCI_CAMERASPACEREFLECTIONVECTOR);
SAME(static_cast<uint32_t>(TexCoordGen::SphereMap) << 16, D3DTSS_TCI_SPHEREMAP);
SAME(kTextureTransformProjected, D3DTTFF_PROJECTED);
SAME(4, D3DTTFF_COUNT4);
SAME(kVertexBlendTweening, D3DVBF_TWEENING);
SAME(kVertexBlend0Weights, D3DVBF_0WEIGHTS);
SAME(3, D3DVBF_3WEIGHTS);
SAME(MaterialSource::Color2, D3DMCS_COLOR2);
SAME(LightType::Point, D3DLIGHT_POINT);
SAME(LightType::Spot, D3DLIGHT_SPOT);
SAME(LightType::Directional, D3DLIGHT_DIRECTIONAL);
#define SAME_PLACE(OURS, MEMBER, THEIRS, NAME) static_assert(offsetof(OURS, MEMBER) == offsetof(THEIRS, NAME))
static_assert(sizeof(FixedLight) == sizeof(D3DLIGHT9) && sizeof(FixedMaterial) == sizeof(D3DMATERIAL9));
SAME_PLACE(FixedLight, diffuse, D3DLIGHT9, Diffuse);
SAME_PLACE(FixedLight, specular, D3DLIGHT9, Specular);
SAME_PLACE(FixedLight, ambient, D3DLIGHT9, Ambient);
SAME_PLACE(FixedLight, position, D3DLIGHT9, Position);
SAME_PLACE(FixedLight, direction, D3DLIGHT9, Direction);
SAME_PLACE(FixedLight, range, D3DLIGHT9, Range);
SAME_PLACE(FixedLight, falloff, D3DLIGHT9, Falloff);
SAME_PLACE(FixedLight, attenuation0, D3DLIGHT9, Attenuation0);
SAME_PLACE(FixedLight, attenuation2, D3DLIGHT9, Attenuation2);
SAME_PLACE(FixedLight, theta, D3DLIGHT9, Theta);
SAME_PLACE(FixedLight, phi, D3DLIGHT9, Phi);
SAME_PLACE(FixedMaterial, ambient, D3DMATERIAL9, Ambient);
SAME_PLACE(FixedMaterial, specular, D3DMATERIAL9, Specular);
SAME_PLACE(FixedMaterial, emissive, D3DMATERIAL9, Emissive);
SAME_PLACE(FixedMaterial, power, D3DMATERIAL9, Power);
static_assert(sizeof(VertexElement) == sizeof(D3DVERTEXELEMENT9) &&
              offsetof(VertexElement, usage) == offsetof(D3DVERTEXELEMENT9, Usage));
}  // namespace
