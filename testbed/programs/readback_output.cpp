// SPDX-License-Identifier: MIT
// Cases of readback.exe: the steps after a pixel's shader: depth, stencil, alpha test, blending, queries.
#include <algorithm>

#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

bool clearDepth(Canvas &canvas, float z, DWORD stencil = 0) {
  return ok(canvas.device()->Clear(0, nullptr, D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, 0, z, stencil),
            "Clear(ZBUFFER | STENCIL)");
}

/** Evaluates D3DCMPFUNC for two values. */
template <typename T> bool compare(DWORD function, T a, T b) {
  switch (function) {
  case D3DCMP_NEVER:
    return false;
  case D3DCMP_LESS:
    return a < b;
  case D3DCMP_EQUAL:
    return a == b;
  case D3DCMP_LESSEQUAL:
    return a <= b;
  case D3DCMP_GREATER:
    return a > b;
  case D3DCMP_NOTEQUAL:
    return a != b;
  case D3DCMP_GREATEREQUAL:
    return a >= b;
  default:
    return true;
  }
}

/** Returns one channel's factor; `component` 0..3 is red, green, blue, alpha. */
double factor(DWORD kind, const double *source, const double *target, const double *constant, int component) {
  switch (kind) {
  case D3DBLEND_ZERO:
    return 0;
  case D3DBLEND_ONE:
    return 1;
  case D3DBLEND_SRCCOLOR:
    return source[component];
  case D3DBLEND_INVSRCCOLOR:
    return 1 - source[component];
  case D3DBLEND_SRCALPHA:
    return source[3];
  case D3DBLEND_INVSRCALPHA:
    return 1 - source[3];
  case D3DBLEND_DESTALPHA:
    return target[3];
  case D3DBLEND_INVDESTALPHA:
    return 1 - target[3];
  case D3DBLEND_DESTCOLOR:
    return target[component];
  case D3DBLEND_INVDESTCOLOR:
    return 1 - target[component];
  case D3DBLEND_SRCALPHASAT:
    return component == 3 ? 1 : std::min(source[3], 1 - target[3]);
  case D3DBLEND_BLENDFACTOR:
    return constant[component];
  default:
    return 1 - constant[component];  // D3DBLEND_INVBLENDFACTOR
  }
}

struct BlendMode {
  DWORD source, target, operation;
};

void channels(uint32_t colour, double *out) {
  const int shift[4] = {16, 8, 0, 24};
  for (int i = 0; i < 4; ++i) out[i] = (colour >> shift[i] & 255) / 255.0;
}

uint32_t blend(const BlendMode &mode, uint32_t sourceColour, uint32_t targetColour, uint32_t constantColour) {
  double source[4], target[4], constant[4], result[4];
  channels(sourceColour, source);
  channels(targetColour, target);
  channels(constantColour, constant);
  for (int i = 0; i < 4; ++i) {
    const double s = source[i] * factor(mode.source, source, target, constant, i);
    const double t = target[i] * factor(mode.target, source, target, constant, i);
    switch (mode.operation) {
    case D3DBLENDOP_ADD:
      result[i] = s + t;
      break;
    case D3DBLENDOP_SUBTRACT:
      result[i] = s - t;
      break;
    case D3DBLENDOP_REVSUBTRACT:
      result[i] = t - s;
      break;
    case D3DBLENDOP_MIN:
      result[i] = std::min(source[i], target[i]);
      break;  // ignores the factors
    default:
      result[i] = std::max(source[i], target[i]);
      break;
    }
  }
  return argb(unorm8(result[3]), unorm8(result[0]), unorm8(result[1]), unorm8(result[2]));
}

constexpr BlendMode kBlends[] = {
    {D3DBLEND_ONE, D3DBLEND_ZERO, D3DBLENDOP_ADD},
    {D3DBLEND_ONE, D3DBLEND_ONE, D3DBLENDOP_ADD},
    {D3DBLEND_SRCALPHA, D3DBLEND_INVSRCALPHA, D3DBLENDOP_ADD},
    {D3DBLEND_SRCCOLOR, D3DBLEND_INVSRCCOLOR, D3DBLENDOP_ADD},
    {D3DBLEND_DESTCOLOR, D3DBLEND_ZERO, D3DBLENDOP_ADD},
    {D3DBLEND_ZERO, D3DBLEND_INVDESTCOLOR, D3DBLENDOP_ADD},
    {D3DBLEND_DESTALPHA, D3DBLEND_INVDESTALPHA, D3DBLENDOP_ADD},
    {D3DBLEND_SRCALPHASAT, D3DBLEND_ONE, D3DBLENDOP_ADD},
    {D3DBLEND_BLENDFACTOR, D3DBLEND_INVBLENDFACTOR, D3DBLENDOP_ADD},
    {D3DBLEND_ONE, D3DBLEND_ONE, D3DBLENDOP_SUBTRACT},
    {D3DBLEND_ONE, D3DBLEND_ONE, D3DBLENDOP_REVSUBTRACT},
    {D3DBLEND_SRCALPHA, D3DBLEND_DESTALPHA, D3DBLENDOP_SUBTRACT},
    {D3DBLEND_ONE, D3DBLEND_ONE, D3DBLENDOP_MIN},
    {D3DBLEND_ONE, D3DBLEND_ONE, D3DBLENDOP_MAX},
};
constexpr uint32_t kBlendColours[] = {argb(0, 255, 0, 100), argb(51, 255, 100, 0), argb(128, 40, 80, 160),
                                      argb(255, 12, 200, 255)};

}  // namespace

bool depthFunctions(Canvas &canvas, Picture *expected) {
  // A column for each function; three quads nearer than, as far as and farther than the present depth.
  constexpr float kDepths[3] = {0.25f, 0.5f, 0.75f};
  if (!clearDepth(canvas, 0.5f) || !canvas.state(D3DRS_ZENABLE, D3DZB_TRUE) || !canvas.state(D3DRS_ZWRITEENABLE, FALSE))
    return false;
  for (uint32_t function = D3DCMP_NEVER; function <= D3DCMP_ALWAYS; ++function) {
    if (!canvas.state(D3DRS_ZFUNC, function)) return false;
    for (uint32_t row = 0; row < 3; ++row) {
      const Area area{(function - 1) * 32, row * 80, 30, 70};
      const uint32_t colour = argb(255, function * 30, row * 100, 255);
      if (!canvas.quad(area, flat(colour), kDepths[row])) return false;
      if (compare(function, kDepths[row], 0.5f)) fill(expected, area, colour);
    }
  }
  return true;
}

bool depthGradient(Canvas &canvas, Picture *expected) {
  // The first quad's depth is (x + 0.5) / 256 at pixel x; the second's decreases. They meet in the middle.
  if (!clearDepth(canvas, 1) || !canvas.state(D3DRS_ZENABLE, D3DZB_TRUE) ||
      !canvas.quad(kWholeCanvas, flat(argb(255, 200, 0, 0)), 0, 1) ||
      !canvas.quad(kWholeCanvas, flat(argb(255, 0, 200, 0)), 1, 0))
    return false;
  for (uint32_t y = 0; y < kCanvasSize; ++y)
    for (uint32_t x = 0; x < kCanvasSize; ++x)
      expected->at(x, y) = x < 128 ? argb(255, 200, 0, 0) : argb(255, 0, 200, 0);
  return true;
}

bool stencilCount(Canvas &canvas, Picture *expected) {
  // Three overlapping quads count up; then each count gets its colour.
  constexpr Area kQuads[3] = {{10, 10, 150, 150}, {60, 40, 150, 100}, {100, 90, 100, 150}};
  constexpr uint32_t kFirst = 250;  // saturates at 252
  if (!clearDepth(canvas, 1, kFirst) || !canvas.state(D3DRS_STENCILENABLE, TRUE) ||
      !canvas.state(D3DRS_STENCILFUNC, D3DCMP_ALWAYS) || !canvas.state(D3DRS_STENCILPASS, D3DSTENCILOP_INCR) ||
      !canvas.state(D3DRS_STENCILMASK, 0xFF) || !canvas.state(D3DRS_STENCILWRITEMASK, 0xFF) ||
      !canvas.state(D3DRS_COLORWRITEENABLE, 0))
    return false;
  Picture counts(kCanvasSize, kCanvasSize, kFirst);
  for (const Area &area : kQuads) {
    if (!canvas.quad(area, flat(0))) return false;
    for (uint32_t y = 0; y < area.height; ++y)
      for (uint32_t x = 0; x < area.width; ++x) ++counts.at(area.x + x, area.y + y);
  }
  if (!canvas.state(D3DRS_COLORWRITEENABLE, 0xF) || !canvas.state(D3DRS_STENCILFUNC, D3DCMP_EQUAL) ||
      !canvas.state(D3DRS_STENCILPASS, D3DSTENCILOP_KEEP))
    return false;
  for (uint32_t count = kFirst; count <= kFirst + 3; ++count) {
    const uint32_t colour = argb(255, count, (count - kFirst) * 80, 99);
    if (!canvas.state(D3DRS_STENCILREF, count) || !canvas.quad(kWholeCanvas, flat(colour))) return false;
    for (size_t i = 0; i < counts.pixels.size(); ++i)
      if (counts.pixels[i] == count) expected->pixels[i] = colour;
  }
  return canvas.state(D3DRS_STENCILENABLE, FALSE);
}

bool blendModes(Canvas &canvas, Picture *expected) {
  constexpr uint32_t kConstant = argb(64, 51, 102, 204);
  if (!canvas.state(D3DRS_BLENDFACTOR, kConstant)) return false;
  uint32_t row = 0;
  for (const BlendMode &mode : kBlends) {
    uint32_t column = 0;
    for (const uint32_t target : kBlendColours) {
      for (const uint32_t source : kBlendColours) {
        const Area area{column++ * 16, row * 16, 16, 16};
        if (!canvas.state(D3DRS_ALPHABLENDENABLE, FALSE) || !canvas.quad(area, flat(target)) ||
            !canvas.state(D3DRS_ALPHABLENDENABLE, TRUE) || !canvas.state(D3DRS_SRCBLEND, mode.source) ||
            !canvas.state(D3DRS_DESTBLEND, mode.target) || !canvas.state(D3DRS_BLENDOP, mode.operation) ||
            !canvas.quad(area, flat(source)))
          return false;
        fill(expected, area, blend(mode, source, target, kConstant));
      }
    }
    ++row;
  }
  return true;
}

bool alphaTest(Canvas &canvas, Picture *expected) {
  constexpr uint32_t kReference = 128;
  if (!canvas.state(D3DRS_ALPHATESTENABLE, TRUE) || !canvas.state(D3DRS_ALPHAREF, kReference)) return false;
  for (uint32_t function = D3DCMP_NEVER; function <= D3DCMP_ALWAYS; ++function) {
    if (!canvas.state(D3DRS_ALPHAFUNC, function)) return false;
    for (uint32_t row = 0; row < 3; ++row) {
      const Area area{(function - 1) * 32, row * 80, 30, 70};
      const uint32_t alpha = kReference - 1 + row, colour = argb(alpha, function * 30, row * 100, 255);
      if (!canvas.quad(area, flat(colour))) return false;
      if (compare(function, alpha, kReference)) fill(expected, area, colour);
    }
  }
  return true;
}

bool occlusion(Canvas &canvas, Picture *expected) {
  // Half of the quad is hidden; the query counts the pixels of the other half.
  ComPtr<IDirect3DQuery9> query;
  if (!ok(canvas.device()->CreateQuery(D3DQUERYTYPE_OCCLUSION, query.put()), "CreateQuery(OCCLUSION)") ||
      !clearDepth(canvas, 1) || !canvas.state(D3DRS_ZENABLE, D3DZB_TRUE) ||
      !canvas.quad({0, 0, 128, 256}, flat(argb(255, 9, 9, 9)), 0.25f) ||
      !ok(query->Issue(D3DISSUE_BEGIN), "Issue(BEGIN)") ||
      !canvas.quad({100, 50, 100, 60}, flat(argb(255, 90, 90, 90)), 0.5f) ||
      !ok(query->Issue(D3DISSUE_END), "Issue(END)"))
    return false;
  fill(expected, {0, 0, 128, 256}, argb(255, 9, 9, 9));
  fill(expected, {128, 50, 72, 60}, argb(255, 90, 90, 90));
  DWORD pixels = 0;
  HRESULT result = S_FALSE;
  while ((result = query->GetData(&pixels, sizeof pixels, D3DGETDATA_FLUSH)) == S_FALSE) SwitchToThread();
  return ok(result, "GetData(OCCLUSION)") && (pixels == 72 * 60 || fail("%lu pixels counted, not %d", pixels, 72 * 60));
}

}  // namespace programs
