// SPDX-License-Identifier: MIT
// Cases of readback.exe: the fixed function. World and view are identities and the projection transforms pixels to clip
// space, so view space is in pixels, z from 0 to 1. Formulas: the pages "Mathematics of Lighting", "D3DTEXTUREOP",
// "Texture Coordinate Transformations" and "Fog Formulas" of the Direct3D 9 reference.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "guest-drivers/programs/raster.h"
#include "guest-drivers/programs/scene.h"
#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

struct Vec3 {
  double x, y, z;
};
Vec3 operator-(const Vec3 &a, const Vec3 &b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec3 operator+(const Vec3 &a, const Vec3 &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
double dot(const Vec3 &a, const Vec3 &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec3 normalized(const Vec3 &a) {
  const double size = std::sqrt(dot(a, a));
  return {a.x / size, a.y / size, a.z / size};
}
Vec3 vec3(const D3DVECTOR &v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

struct FixedVertex {
  float x, y, z, nx, ny, nz;
  DWORD diffuse, specular;
  float u, v;
};
constexpr DWORD kFvf = D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_SPECULAR | D3DFVF_TEX1;
static_assert(sizeof(FixedVertex) == 40);

struct Colour {
  double c[4];  // red, green, blue, alpha
};
Colour colour(DWORD argb) {
  return {{(argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0, (argb & 255) / 255.0, (argb >> 24) / 255.0}};
}
uint32_t packed(const double *c) {
  return argb(unorm8(c[3]), unorm8(c[0]), unorm8(c[1]), unorm8(c[2]));
}

bool transform(IDirect3DDevice9 *device, D3DTRANSFORMSTATETYPE state, const D3DMATRIX &matrix) {
  return ok(device->SetTransform(state, &matrix), "SetTransform");
}
bool stage(IDirect3DDevice9 *device, DWORD n, D3DTEXTURESTAGESTATETYPE type, DWORD value) {
  return ok(device->SetTextureStageState(n, type, value), "SetTextureStageState");
}

constexpr D3DMATRIX kIdentity{{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};

/** Sets no shaders, no lights, one stage that passes on the diffuse colour. */
bool withoutShaders(Canvas &canvas) {
  IDirect3DDevice9 *device = canvas.device();
  float toClip[4];
  pixelsToClip(kCanvasSize, kCanvasSize, toClip);
  D3DMATRIX projection = kIdentity;
  projection._11 = toClip[0];
  projection._22 = toClip[1];
  projection._41 = toClip[2];
  projection._42 = toClip[3];
  for (DWORD light = 0; light < 4; ++light)
    if (!ok(device->LightEnable(light, FALSE), "LightEnable")) return false;
  return ok(device->SetVertexShader(nullptr), "SetVertexShader(null)") &&
         ok(device->SetPixelShader(nullptr), "SetPixelShader(null)") && ok(device->SetFVF(kFvf), "SetFVF") &&
         transform(device, D3DTS_WORLD, kIdentity) && transform(device, D3DTS_VIEW, kIdentity) &&
         transform(device, D3DTS_PROJECTION, projection) && canvas.state(D3DRS_LIGHTING, FALSE) &&
         canvas.state(D3DRS_FOGENABLE, FALSE) && canvas.state(D3DRS_SPECULARENABLE, FALSE) &&
         canvas.state(D3DRS_NORMALIZENORMALS, FALSE) && stage(device, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG2) &&
         stage(device, 0, D3DTSS_ALPHAOP, D3DTOP_SELECTARG2) && stage(device, 0, D3DTSS_COLORARG1, D3DTA_TEXTURE) &&
         stage(device, 0, D3DTSS_COLORARG2, D3DTA_DIFFUSE) && stage(device, 0, D3DTSS_ALPHAARG1, D3DTA_TEXTURE) &&
         stage(device, 0, D3DTSS_ALPHAARG2, D3DTA_DIFFUSE) && stage(device, 0, D3DTSS_TEXCOORDINDEX, 0) &&
         stage(device, 0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_DISABLE) &&
         stage(device, 1, D3DTSS_COLOROP, D3DTOP_DISABLE);
}

/** Writes the corners of an area: upper left, upper right, lower left, lower right. */
void corners(const Area &area, FixedVertex out[4]) {
  const float left = static_cast<float>(area.x) - 0.5f, top = static_cast<float>(area.y) - 0.5f;
  for (int i = 0; i < 4; ++i) {
    out[i] = {left, top, 0.5f, 0, 0, -1, 0xFFFFFFFF, 0, 0, 0};
    if (i & 1) out[i].x += static_cast<float>(area.width), out[i].u = 1;
    if (i & 2) out[i].y += static_cast<float>(area.height), out[i].v = 1;
  }
}

bool draw(Canvas &canvas, const FixedVertex corner[4]) {
  const FixedVertex vertices[6] = {corner[0], corner[1], corner[2], corner[2], corner[1], corner[3]};
  IDirect3DDevice9 *device = canvas.device();
  return ok(device->BeginScene(), "BeginScene") &&
         ok(device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 2, vertices, sizeof vertices[0]), "DrawPrimitiveUP") &&
         ok(device->EndScene(), "EndScene");
}

/** Computes the result of colours at the corners over both triangles. */
void expect(Picture *expected, const FixedVertex corner[4], const Colour colours[4]) {
  for (const int *t : {(const int[3]){0, 1, 2}, (const int[3]){2, 1, 3}}) {
    Corner triangle[3];
    for (int i = 0; i < 3; ++i) {
      triangle[i] = {static_cast<double>(corner[t[i]].x), static_cast<double>(corner[t[i]].y), {}};
      std::memcpy(triangle[i].value, colours[t[i]].c, sizeof triangle[i].value);
    }
    rasterize(kCanvasSize, kCanvasSize, triangle,
              [&](uint32_t x, uint32_t y, const double *value) { expected->at(x, y) = packed(value); });
  }
}

/** The lights and the material of a vertex. */
struct Lighting {
  D3DLIGHT9 lights[2];
  int count;
  D3DMATERIAL9 material;
  bool localViewer, normalizes, vertexColours;
};

Colour material(const D3DCOLORVALUE &c) {
  return {{static_cast<double>(c.r), static_cast<double>(c.g), static_cast<double>(c.b), static_cast<double>(c.a)}};
}

/** Returns the diffuse colour plus the specular one. D3DRS_SPECULARENABLE adds them at each pixel; the corners are
 * dark enough for the same result. */
Colour lit(const Lighting &scene, DWORD globalAmbient, const FixedVertex &v) {
  const Vec3 at{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
  Vec3 n{static_cast<double>(v.nx), static_cast<double>(v.ny), static_cast<double>(v.nz)};
  if (scene.normalizes) n = normalized(n);
  const Colour diffuseColour = scene.vertexColours ? colour(v.diffuse) : material(scene.material.Diffuse);
  const Colour ambientColour = material(scene.material.Ambient), specularColour = material(scene.material.Specular);
  Colour ambient = colour(globalAmbient), diffuse{}, specular{};
  for (int i = 0; i < scene.count; ++i) {
    const D3DLIGHT9 &light = scene.lights[i];
    Vec3 towards = Vec3{0, 0, 0} - vec3(light.Direction);
    double factor = 1;
    if (light.Type != D3DLIGHT_DIRECTIONAL) {
      towards = vec3(light.Position) - at;
      const double d = std::sqrt(dot(towards, towards));
      factor = d > static_cast<double>(light.Range)
                   ? 0
                   : 1 / (static_cast<double>(light.Attenuation0) + static_cast<double>(light.Attenuation1) * d +
                          static_cast<double>(light.Attenuation2) * d * d);
    }
    towards = normalized(towards);
    if (light.Type == D3DLIGHT_SPOT) {
      const double rho = dot(normalized(vec3(light.Direction)), Vec3{0, 0, 0} - towards);
      const double inner = std::cos(static_cast<double>(light.Theta) / 2),
                   outer = std::cos(static_cast<double>(light.Phi) / 2);
      factor *= rho > inner    ? 1
                : rho <= outer ? 0
                               : std::pow((rho - outer) / (inner - outer), static_cast<double>(light.Falloff));
    }
    const Vec3 eye = scene.localViewer ? normalized(Vec3{0, 0, 0} - at) : Vec3{0, 0, -1};
    const double facing = dot(n, towards), highlight = dot(n, normalized(eye + towards));
    const Colour a = material(light.Ambient), d = material(light.Diffuse), s = material(light.Specular);
    for (int k = 0; k < 3; ++k) {
      ambient.c[k] += factor * a.c[k];
      diffuse.c[k] += factor * d.c[k] * std::max(facing, 0.0);
      if (facing > 0 && highlight > 0)
        specular.c[k] += factor * s.c[k] * std::pow(highlight, static_cast<double>(scene.material.Power));
    }
  }
  const Colour emissive = material(scene.material.Emissive);
  Colour out = diffuseColour;
  for (int k = 0; k < 3; ++k)
    out.c[k] = ambientColour.c[k] * ambient.c[k] + diffuseColour.c[k] * diffuse.c[k] + emissive.c[k] +
               specularColour.c[k] * specular.c[k];
  return out;
}

D3DLIGHT9 lightOf(D3DLIGHTTYPE type, D3DVECTOR position, D3DVECTOR direction) {
  D3DLIGHT9 light{};
  light.Type = type;
  light.Diffuse = {0.5f, 0.4f, 0.3f, 1};
  light.Specular = {0.2f, 0.3f, 0.4f, 1};
  light.Ambient = {0.05f, 0.1f, 0.05f, 1};
  light.Position = position;
  light.Direction = direction;
  light.Range = 1000;
  light.Attenuation0 = 1;
  light.Falloff = 1;
  light.Theta = 0.5f;
  light.Phi = 1;
  return light;
}

}  // namespace

bool fixedLighting(Canvas &canvas, Picture *expected) {
  constexpr DWORD kAmbient = argb(0, 40, 20, 60);
  D3DMATERIAL9 material{};
  material.Diffuse = {0.8f, 0.7f, 0.6f, 0.5f};
  material.Ambient = {0.5f, 1, 0.75f, 1};
  material.Specular = {1, 0.5f, 0.5f, 1};
  material.Emissive = {0, 0.05f, 0.1f, 1};
  material.Power = 8;
  D3DLIGHT9 point = lightOf(D3DLIGHT_POINT, {128, 64, -90}, {});
  point.Attenuation1 = 0.004f;
  const D3DLIGHT9 sun = lightOf(D3DLIGHT_DIRECTIONAL, {}, {0.5f, -0.25f, 1});
  const D3DLIGHT9 spot = lightOf(D3DLIGHT_SPOT, {128, 160, -300}, {0, 0, 2});
  const Lighting scenes[4] = {{{sun, {}}, 1, material, false, false, false},
                              {{point, {}}, 1, material, false, false, true},
                              {{spot, {}}, 1, material, false, false, false},
                              {{point, sun}, 2, material, true, true, false}};
  IDirect3DDevice9 *device = canvas.device();
  if (!withoutShaders(canvas) || !canvas.state(D3DRS_LIGHTING, TRUE) || !canvas.state(D3DRS_SPECULARENABLE, TRUE) ||
      !canvas.state(D3DRS_AMBIENT, kAmbient) || !canvas.state(D3DRS_SPECULARMATERIALSOURCE, D3DMCS_MATERIAL))
    return false;
  for (uint32_t strip = 0; strip < 4; ++strip) {
    const Lighting &scene = scenes[strip];
    FixedVertex corner[4];
    corners({0, strip * 64, 256, 64}, corner);
    for (int i = 0; i < 4; ++i) {
      corner[i].nx = i & 1 ? 0.3f : -0.4f;
      corner[i].ny = i & 2 ? 0.2f : 0;
      corner[i].nz = strip == 3 ? -2.0f : -0.9f;
      corner[i].diffuse = argb(255 - 32 * i, 60 * i, 200, 255 - 80 * i);
    }
    if (!ok(device->SetMaterial(&scene.material), "SetMaterial") ||
        !canvas.state(D3DRS_LOCALVIEWER, scene.localViewer) ||
        !canvas.state(D3DRS_NORMALIZENORMALS, scene.normalizes) ||
        !canvas.state(D3DRS_DIFFUSEMATERIALSOURCE, scene.vertexColours ? D3DMCS_COLOR1 : D3DMCS_MATERIAL))
      return false;
    for (DWORD i = 0; i < 2; ++i)
      if (!ok(device->SetLight(i, &scene.lights[static_cast<int>(i) < scene.count ? i : 0]), "SetLight") ||
          !ok(device->LightEnable(i, static_cast<int>(i) < scene.count), "LightEnable"))
        return false;
    Colour colours[4];
    for (int i = 0; i < 4; ++i) colours[i] = lit(scene, kAmbient, corner[i]);
    if (!draw(canvas, corner)) return false;
    expect(expected, corner, colours);
  }
  return true;
}

namespace {

/** Returns a texel of the texture that the stages use, 4 texels wide. */
DWORD stageTexel(uint32_t x, uint32_t y) {
  return argb(255 - 60 * x, 40 + 70 * y, 30 + 60 * x, 200 - 50 * ((x + y) % 4));
}

bool makeTexture(Canvas &canvas, uint32_t size, DWORD (*texel)(uint32_t, uint32_t),
                 ComPtr<IDirect3DTexture9> *texture) {
  D3DLOCKED_RECT locked{};
  if (!ok(canvas.device()->CreateTexture(size, size, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, texture->put(), nullptr),
          "CreateTexture(MANAGED)") ||
      !ok((*texture)->LockRect(0, &locked, nullptr, 0), "LockRect"))
    return false;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      const DWORD value = texel(x, y);
      std::memcpy(static_cast<char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y + size_t{x} * 4, &value, 4);
    }
  return ok((*texture)->UnlockRect(0), "UnlockRect") &&
         ok(canvas.device()->SetTexture(0, texture->get()), "SetTexture");
}

constexpr DWORD kFactor = argb(96, 200, 100, 50);

/** Computes an operation of page "D3DTEXTUREOP", on texture and diffuse colour; argument 0 is the texture factor. */
double operation(DWORD op, const Colour &a, const Colour &b, int k) {
  const Colour factor = colour(kFactor);
  const double x = a.c[k], y = b.c[k];
  const auto mix = [&](double f) { return x * f + y * (1 - f); };
  switch (op) {
  case D3DTOP_SELECTARG2:
    return y;
  case D3DTOP_MODULATE:
    return x * y;
  case D3DTOP_MODULATE2X:
    return x * y * 2;
  case D3DTOP_MODULATE4X:
    return x * y * 4;
  case D3DTOP_ADD:
    return x + y;
  case D3DTOP_ADDSIGNED:
    return x + y - 0.5;
  case D3DTOP_ADDSIGNED2X:
    return (x + y - 0.5) * 2;
  case D3DTOP_SUBTRACT:
    return x - y;
  case D3DTOP_ADDSMOOTH:
    return x + y - x * y;
  case D3DTOP_BLENDDIFFUSEALPHA:
    return mix(b.c[3]);
  case D3DTOP_BLENDTEXTUREALPHA:
    return mix(a.c[3]);
  case D3DTOP_BLENDFACTORALPHA:
    return mix(factor.c[3]);
  case D3DTOP_MODULATEALPHA_ADDCOLOR:
    return x + a.c[3] * y;
  case D3DTOP_MODULATEINVCOLOR_ADDALPHA:
    return (1 - x) * y + a.c[3];
  case D3DTOP_DOTPRODUCT3: {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += (a.c[i] - 0.5) * (b.c[i] - 0.5);
    return 4 * sum;
  }
  case D3DTOP_MULTIPLYADD:
    return factor.c[k] + x * y;
  default:
    return factor.c[k] * x + (1 - factor.c[k]) * y;  // D3DTOP_LERP
  }
}

}  // namespace

bool fixedStages(Canvas &canvas, Picture *expected) {
  // An area for each operation. The second row complements the texture, the third the diffuse colour.
  constexpr DWORD kOps[16] = {D3DTOP_MODULATE,
                              D3DTOP_MODULATE2X,
                              D3DTOP_MODULATE4X,
                              D3DTOP_ADD,
                              D3DTOP_ADDSIGNED,
                              D3DTOP_ADDSIGNED2X,
                              D3DTOP_SUBTRACT,
                              D3DTOP_ADDSMOOTH,
                              D3DTOP_BLENDDIFFUSEALPHA,
                              D3DTOP_BLENDTEXTUREALPHA,
                              D3DTOP_BLENDFACTORALPHA,
                              D3DTOP_MODULATEALPHA_ADDCOLOR,
                              D3DTOP_MODULATEINVCOLOR_ADDALPHA,
                              D3DTOP_DOTPRODUCT3,
                              D3DTOP_MULTIPLYADD,
                              D3DTOP_LERP};
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DTexture9> texture;
  if (!withoutShaders(canvas) || !makeTexture(canvas, 4, stageTexel, &texture) ||
      !canvas.state(D3DRS_TEXTUREFACTOR, kFactor) || !stage(device, 0, D3DTSS_COLORARG0, D3DTA_TFACTOR))
    return false;
  for (uint32_t n = 0; n < 16; ++n) {
    const bool invertsTexture = n / 4 == 1, invertsDiffuse = n / 4 == 2;
    const Area area{n % 4 * 64, n / 4 * 64, 64, 64};
    const DWORD diffuse = argb(100 + 8 * n, 250 - 12 * n, 60 + 10 * n, 128);
    FixedVertex corner[4];
    corners(area, corner);
    for (FixedVertex &v : corner) v.diffuse = diffuse;
    if (!stage(device, 0, D3DTSS_COLOROP, kOps[n]) ||
        !stage(device, 0, D3DTSS_COLORARG1, D3DTA_TEXTURE | (invertsTexture ? D3DTA_COMPLEMENT : 0)) ||
        !stage(device, 0, D3DTSS_COLORARG2, D3DTA_DIFFUSE | (invertsDiffuse ? D3DTA_COMPLEMENT : 0)) ||
        !draw(canvas, corner))
      return false;
    for (uint32_t y = 0; y < 64; ++y)
      for (uint32_t x = 0; x < 64; ++x) {
        const Colour texel = colour(stageTexel(x / 16, y / 16)), plain = colour(diffuse);
        Colour a = texel, b = plain;
        for (int k = 0; k < 4; ++k) {
          if (invertsTexture) a.c[k] = 1 - a.c[k];
          if (invertsDiffuse) b.c[k] = 1 - b.c[k];
        }
        // The weights are the alphas of texture and diffuse colour themselves.
        double result[4];
        for (int k = 0; k < 3; ++k) {
          Colour first = a, second = b;
          if (kOps[n] == D3DTOP_BLENDDIFFUSEALPHA) second.c[3] = plain.c[3];
          if (kOps[n] == D3DTOP_BLENDTEXTUREALPHA) first.c[3] = texel.c[3];
          result[k] = operation(kOps[n], first, second, k);
        }
        result[3] = kOps[n] == D3DTOP_DOTPRODUCT3 ? result[0] : plain.c[3];
        expected->at(area.x + x, area.y + y) = packed(result);
      }
  }
  return true;
}

namespace {

DWORD coordinateTexel(uint32_t x, uint32_t y) {
  return argb(255, 16 * x, 16 * y, (x * 5 + y * 11) % 16 * 16);
}

/** Returns the texel at a position inside one. */
uint32_t texelAt(double u, double v) {
  const auto index = [](double x) { return static_cast<uint32_t>(static_cast<int>(std::floor(x * 16)) & 15); };
  return coordinateTexel(index(u), index(v));
}

}  // namespace

bool fixedCoordinates(Canvas &canvas, Picture *expected) {
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DTexture9> texture;
  if (!withoutShaders(canvas) || !makeTexture(canvas, 16, coordinateTexel, &texture) ||
      !stage(device, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1) || !stage(device, 0, D3DTSS_ALPHAOP, D3DTOP_SELECTARG1))
    return false;
  D3DMATRIX matrix = kIdentity;
  FixedVertex corner[4];

  // The vertices' coordinates, scaled and moved by a matrix: for two coordinates the third row is the translation.
  matrix._11 = 0.5f;
  matrix._22 = 0.25f;
  matrix._31 = 0.25f;
  matrix._32 = 0.5f;
  corners({0, 0, 256, 64}, corner);
  if (!stage(device, 0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_COUNT2) || !transform(device, D3DTS_TEXTURE0, matrix) ||
      !draw(canvas, corner))
    return false;
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 256; ++x)
      expected->at(x, y) = texelAt((x + 0.5) / 256 * 0.5 + 0.25, (y + 0.5) / 64 * 0.25 + 0.5);

  // Coordinates from the position in view space.
  matrix = kIdentity;
  matrix._11 = 1.0f / 128;
  matrix._22 = 1.0f / 64;
  matrix._41 = 1.0f / 256;
  matrix._42 = 1.0f / 128;
  corners({0, 64, 256, 64}, corner);
  if (!stage(device, 0, D3DTSS_TEXCOORDINDEX, D3DTSS_TCI_CAMERASPACEPOSITION) ||
      !transform(device, D3DTS_TEXTURE0, matrix) || !draw(canvas, corner))
    return false;
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 256; ++x)
      expected->at(x, 64 + y) = texelAt(x / 128.0 + 1.0 / 256, (y + 64) / 64.0 + 1.0 / 128);

  // Projected: the third coordinate, 4 everywhere, divides the two others.
  matrix._33 = 0;
  matrix._43 = 4;
  corners({0, 128, 256, 64}, corner);
  if (!stage(device, 0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_COUNT3 | D3DTTFF_PROJECTED) ||
      !transform(device, D3DTS_TEXTURE0, matrix) || !draw(canvas, corner))
    return false;
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 256; ++x)
      expected->at(x, 128 + y) = texelAt((x / 128.0 + 1.0 / 256) / 4, ((y + 128) / 64.0 + 1.0 / 128) / 4);

  // Transformed vertices, whose coordinates stay unchanged.
  struct Transformed {
    float x, y, z, rhw, u, v;
  } transformed[4];
  corners({0, 192, 256, 64}, corner);
  for (int i = 0; i < 4; ++i) transformed[i] = {corner[i].x, corner[i].y, 0.5f, 1, corner[i].u * 2, corner[i].v};
  if (!ok(device->SetFVF(D3DFVF_XYZRHW | D3DFVF_TEX1), "SetFVF(XYZRHW)") ||
      !stage(device, 0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_DISABLE) || !stage(device, 0, D3DTSS_TEXCOORDINDEX, 0) ||
      !ok(device->BeginScene(), "BeginScene") ||
      !ok(device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, transformed, sizeof transformed[0]), "DrawPrimitiveUP") ||
      !ok(device->EndScene(), "EndScene"))
    return false;
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 256; ++x) expected->at(x, 192 + y) = texelAt((x + 0.5) / 128, (y + 0.5) / 64);
  return true;
}

bool fixedFog(Canvas &canvas, Picture *expected) {
  // Linear in depth, exponential, and by the specular colour's alpha. The fog is blue, alpha stays as it is.
  constexpr DWORD kFog = argb(0, 20, 40, 200), kDiffuse = argb(128, 250, 180, 90);
  IDirect3DDevice9 *device = canvas.device();
  const auto bits = [](float f) {
    DWORD value = 0;
    std::memcpy(&value, &f, sizeof value);
    return value;
  };
  if (!withoutShaders(canvas) || !canvas.state(D3DRS_FOGENABLE, TRUE) || !canvas.state(D3DRS_FOGCOLOR, kFog) ||
      !canvas.state(D3DRS_FOGTABLEMODE, D3DFOG_NONE) || !canvas.state(D3DRS_RANGEFOGENABLE, FALSE) ||
      !canvas.state(D3DRS_FOGSTART, bits(0.125f)) || !canvas.state(D3DRS_FOGEND, bits(0.875f)) ||
      !canvas.state(D3DRS_FOGDENSITY, bits(1.5f)))
    return false;
  constexpr DWORD kModes[4] = {D3DFOG_LINEAR, D3DFOG_EXP, D3DFOG_EXP2, D3DFOG_NONE};
  bool right = true;
  for (uint32_t strip = 0; strip < 4 && right; ++strip) {
    FixedVertex corner[4];
    Colour colours[4];
    corners({0, strip * 64, 256, 64}, corner);
    for (int i = 0; i < 4; ++i) {
      FixedVertex &v = corner[i];
      v.diffuse = kDiffuse;
      v.specular = argb(i & 1 ? 255 : 51, 0, 0, 0);
      if (strip == 0) v.z = i & 1 ? 0.75f : 0.25f;
      const double z = static_cast<double>(v.z);
      const double factor = strip == 0   ? (0.875 - z) / 0.75
                            : strip == 1 ? std::exp(-z * 1.5)
                            : strip == 2 ? std::exp(-(z * 1.5) * (z * 1.5))
                                         : (v.specular >> 24) / 255.0;
      colours[i] = colour(kDiffuse);
      for (int k = 0; k < 3; ++k) colours[i].c[k] = colours[i].c[k] * factor + colour(kFog).c[k] * (1 - factor);
    }
    right = canvas.state(D3DRS_FOGVERTEXMODE, kModes[strip]) && draw(canvas, corner);
    expect(expected, corner, colours);
  }
  // Other cases draw without fog.
  return canvas.state(D3DRS_FOGENABLE, FALSE) && ok(device->SetTexture(0, nullptr), "SetTexture(null)") && right;
}

}  // namespace programs
