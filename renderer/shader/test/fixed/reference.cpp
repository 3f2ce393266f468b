// SPDX-License-Identifier: MIT
// State and vertices (reference.h). Each function is one page of the Direct3D 9 reference.
#include "renderer/shader/test/fixed/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace aerogpu::shader::fixed {

using d3d9::RenderStateType;
using d3d9::TextureStageStateType;
using d3d9::Usage;

State::State() : view{}, projection{}, texture{} {
  for (uint32_t& value : render) value = 0;
  for (const d3d9::StateInfo& info : d3d9::kRenderStates) render[info.number] = info.defaultValue;
  for (uint32_t n = 0; n < d3d9::kFixedStages; ++n) {
    for (uint32_t& value : stage[n]) value = 0;
    for (const d3d9::StateInfo& info : d3d9::kTextureStageStates)
      stage[n][info.number] = d3d9::textureStageDefault(static_cast<TextureStageStateType>(info.number), n);
    textures[n] = d3d9::SamplerType::Unknown;
  }
  const FloatMatrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  world = {identity};
  view = projection = identity;
  texture.fill(identity);
}

float State::real(RenderStateType type) const {
  return std::bit_cast<float>(rs(type));
}
void State::setReal(RenderStateType type, float value) {
  rs(type) = std::bit_cast<uint32_t>(value);
}

d3d9::FixedStates State::states() const {
  d3d9::FixedStates s;
  s.render = render;
  s.stage = stage;
  std::copy(std::begin(textures), std::end(textures), s.textures);
  return s;
}

namespace {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};
Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
double length(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
Vec3 norm(const Vec3& a) {
  const double size = length(a);
  return size > 0 ? (1 / size) * a : a;
}
Vec3 vec3(const Vec& v) {
  return {v[0], v[1], v[2]};
}
Vec3 vec3(const float* v) {
  return {v[0], v[1], v[2]};
}

using Matrix = std::array<std::array<double, 4>, 4>;

Matrix matrix(const FloatMatrix& m) {
  Matrix out{};
  for (size_t i = 0; i < 16; ++i) out[i / 4][i % 4] = m[i];
  return out;
}
/// Returns a row times a matrix, as Direct3D multiplies.
Vec times(const Vec& v, const Matrix& m) {
  Vec out{};
  for (size_t j = 0; j < 4; ++j)
    for (size_t i = 0; i < 4; ++i) out[j] += v[i] * m[i][j];
  return out;
}
Vec3 timesPoint(const Vec3& v, const Matrix& m) {
  return vec3(times({v.x, v.y, v.z, 1}, m));
}
Vec3 timesDirection(const Vec3& v, const Matrix& m) {
  return vec3(times({v.x, v.y, v.z, 0}, m));
}
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (size_t i = 0; i < 4; ++i) out[i] = times(a[i], b);
  return out;
}

/// Returns the determinant of the matrix without one row and one column.
double minorOf(const Matrix& m, size_t row, size_t column) {
  double a[3][3];
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) a[i][j] = m[i + (i >= row)][j + (j >= column)];
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/// Transforms a normal by the transposed inverse of the 4 x 4 matrix ("Camera Space Transformations"), which
/// is the matrix of cofactors over the determinant. A matrix without an inverse is used unchanged (Wine's
/// d3d9 tests, lighting_test).
Vec3 timesInverseTransposed(const Vec3& n, const Matrix& m) {
  Matrix cofactors{};
  double determinant = 0;
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 4; ++j) {
      cofactors[i][j] = minorOf(m, i, j) * ((i + j) % 2 ? -1 : 1);
      if (i == 0) determinant += m[0][j] * cofactors[0][j];
    }
  const double in[3] = {n.x, n.y, n.z};
  double out[3] = {};
  for (size_t j = 0; j < 3; ++j)
    for (size_t i = 0; i < 3; ++i)
      out[j] += in[i] * (determinant == 0 ? m[j][i] : cofactors[i][j] / determinant);
  return {out[0], out[1], out[2]};
}

Vec color(uint32_t argb) {
  return {(argb >> 16 & 0xFF) / 255.0, (argb >> 8 & 0xFF) / 255.0, (argb & 0xFF) / 255.0,
          (argb >> 24) / 255.0};
}
Vec color(const float* c) {
  return {c[0], c[1], c[2], c[3]};
}

struct ViewSpace {
  Vec3 position, normal;
  Vec clip;
};

class VertexProcessor {
public:
  VertexProcessor(const State& s, const Vertex& v) : s(s), v(v) {}

  VertexResult run() {
    VertexResult out;
    const ViewSpace at = transform();
    out.position = at.clip;
    if (s.rs(RenderStateType::Lighting)) {
      light(at, out);
    } else {
      // "Diffuse and specular colors of vertices": white and black for vertices without them.
      out.diffuse = get(Usage::Color, 0, {1, 1, 1, 1});
      out.specular = get(Usage::Color, 1, {0, 0, 0, 0});
    }
    for (Vec* c : {&out.diffuse, &out.specular})
      for (double& x : *c) x = std::clamp(x, 0.0, 1.0);
    out.fog = std::clamp(fog(at), 0.0, 1.0);
    out.pointSize = pointSize(at);
    for (uint32_t i = 0; i < d3d9::kFixedStages; ++i) out.coordinates[i] = coordinates(i, at);
    return out;
  }

private:
  bool has(Usage usage, uint32_t index) const { return v.contains({usage, index}); }
  Vec get(Usage usage, uint32_t index, const Vec& otherwise) const {
    const auto found = v.find({usage, index});
    return found == v.end() ? otherwise : found->second;
  }
  uint32_t components(Usage usage, uint32_t index) const {
    for (const d3d9::VertexElement& e : s.declaration)
      if (e.usage == usage && e.usageIndex == index)
        return d3d9::findDeclType(static_cast<uint32_t>(e.type))->components;
    return 0;
  }

  ViewSpace transform() const {
    const Matrix view = matrix(s.view), projection = matrix(s.projection);
    Vec position = get(Usage::Position, 0, {});
    Vec3 normal = vec3(get(Usage::Normal, 0, {}));
    const uint32_t blend = s.rs(RenderStateType::VertexBlend);
    if (blend == 255 && has(Usage::Position, 1)) {  // D3DVBF_TWEENING: "Vertex Tweening"
      const double t = s.real(RenderStateType::TweenFactor);
      const Vec other = get(Usage::Position, 1, {});
      for (size_t i = 0; i < 4; ++i) position[i] = position[i] * (1 - t) + other[i] * t;
      if (has(Usage::Normal, 1)) normal = (1 - t) * normal + t * vec3(get(Usage::Normal, 1, {}));
    }
    ViewSpace out;
    const bool indexed = s.rs(RenderStateType::IndexedVertexBlendEnable) && has(Usage::BlendIndices, 0);
    if ((blend >= 1 && blend <= 3) || (blend == 256 && indexed)) {
      // "Geometry Blending": the last weight is 1 minus the sum of the others.
      const uint32_t weights = blend == 256 ? 0 : blend;
      const uint32_t stored = components(Usage::BlendWeight, 0);
      const Vec given = get(Usage::BlendWeight, 0, {});
      double rest = 1;
      for (uint32_t i = 0; i <= weights; ++i) {
        const double weight = i == weights ? rest : i < stored ? given[i] : 0;
        rest -= weight;
        const size_t number = indexed ? index(i) : i;
        const Matrix m = product(matrix(s.world[number]), view);
        out.position = out.position + weight * vec3(times(position, m));
        out.normal = out.normal + weight * timesDirection(normal, m);
      }
      out.clip = times({out.position.x, out.position.y, out.position.z, 1}, projection);
    } else {
      const Matrix m = product(matrix(s.world[0]), view);
      out.position = vec3(times(position, m));
      out.normal = timesInverseTransposed(normal, m);
      out.clip = times(position, product(m, projection));
    }
    if (!has(Usage::Normal, 0)) out.normal = {};
    if (s.rs(RenderStateType::NormalizeNormals)) out.normal = norm(out.normal);
    return out;
  }

  /// Returns index `i` of "Indexed Vertex Blending": four bytes, the first in the lowest one. In a D3DCOLOR
  /// the first is blue.
  size_t index(uint32_t i) const {
    const Vec indices = get(Usage::BlendIndices, 0, {});
    for (const d3d9::VertexElement& e : s.declaration)
      if (e.usage == Usage::BlendIndices && e.type == d3d9::DeclType::D3dColor) {
        const size_t channel[4] = {2, 1, 0, 3};
        return static_cast<size_t>(std::lround(indices[channel[i]] * 255));
      }
    return static_cast<size_t>(std::lround(indices[i]));
  }

  Vec source(RenderStateType state, const float* material) const {
    const uint32_t from = s.rs(state);
    if (s.rs(RenderStateType::ColorVertex) && (from == 1 || from == 2) && has(Usage::Color, from - 1))
      return get(Usage::Color, from - 1, {});
    return color(material);
  }

  /// Computes the colours of a vertex ("Mathematics of Lighting").
  void light(const ViewSpace& at, VertexResult& out) const {
    const Matrix view = matrix(s.view);
    const Vec ambientColor = source(RenderStateType::AmbientMaterialSource, s.material.ambient),
              diffuseColor = source(RenderStateType::DiffuseMaterialSource, s.material.diffuse),
              specularColor = source(RenderStateType::SpecularMaterialSource, s.material.specular),
              emissive = source(RenderStateType::EmissiveMaterialSource, s.material.emissive);
    const Vec global = color(s.rs(RenderStateType::Ambient));
    Vec ambient = global, diffuse{}, specular{};
    for (const d3d9::FixedLight& light : s.lights) {
      Vec3 towards;
      double attenuation = 1, spot = 1;
      if (light.type == d3d9::LightType::Directional) {
        towards = -1.0 * norm(timesDirection(vec3(light.direction), view));
      } else {
        // "Attenuation and Spotlight Factor"
        const Vec3 way = timesPoint(vec3(light.position), view) - at.position;
        const double d = length(way);
        towards = norm(way);
        attenuation = d > light.range
                          ? 0
                          : 1 / (light.attenuation0 + light.attenuation1 * d + light.attenuation2 * d * d);
        if (light.type == d3d9::LightType::Spot) {
          const double rho = dot(norm(timesDirection(vec3(light.direction), view)), -1.0 * towards);
          const double inner = std::cos(light.theta / 2.0), outer = std::cos(light.phi / 2.0);
          if (rho > inner)
            spot = 1;
          else if (rho <= outer)
            spot = 0;
          else
            spot = std::pow((rho - outer) / (inner - outer), light.falloff);
        }
      }
      const double factor = attenuation * spot;
      const double facing = dot(at.normal, towards);
      const Vec3 toEye = s.rs(RenderStateType::LocalViewer) ? norm(-1.0 * at.position) : Vec3{0, 0, -1};
      const Vec3 halfway = norm(toEye + towards);
      const double highlight = dot(at.normal, halfway);
      for (size_t i = 0; i < 4; ++i) {
        ambient[i] += factor * light.ambient[i];
        diffuse[i] += factor * light.diffuse[i] * std::max(facing, 0.0);
        if (facing > 0 && highlight > 0 && has(Usage::Normal, 0))
          specular[i] += factor * light.specular[i] * std::pow(highlight, s.material.power);
      }
    }
    for (size_t i = 0; i < 4; ++i) {
      out.diffuse[i] = ambientColor[i] * ambient[i] + diffuseColor[i] * diffuse[i] + emissive[i];
      out.specular[i] = specularColor[i] * specular[i];
    }
    out.diffuse[3] = diffuseColor[3];
  }

  /// Returns the fog factor ("Fog Formulas", "Vertex Fog"). With table fog the vertices' factor is not used.
  double fog(const ViewSpace& at) const {
    if (!s.rs(RenderStateType::FogEnable) || s.rs(RenderStateType::FogTableMode)) return 1;
    const double d = s.rs(RenderStateType::RangeFogEnable) ? length(at.position) : std::fabs(at.position.z);
    const double start = s.real(RenderStateType::FogStart), end = s.real(RenderStateType::FogEnd),
                 density = s.real(RenderStateType::FogDensity);
    switch (s.rs(RenderStateType::FogVertexMode)) {
      case 1:  // D3DFOG_EXP
        return std::exp(-d * density);
      case 2:  // D3DFOG_EXP2
        return std::exp(-(d * density) * (d * density));
      case 3:  // D3DFOG_LINEAR
        return (end - d) / (end - start);
      default:  // the program's factor: alpha of the specular colour
        return get(Usage::Color, 1, {0, 0, 0, 0})[3];
    }
  }

  /// Returns the size of a point ("Point Sprites").
  double pointSize(const ViewSpace& at) const {
    const double size = get(Usage::PointSize, 0, {s.real(RenderStateType::PointSize), 0, 0, 0})[0];
    if (!s.rs(RenderStateType::PointScaleEnable)) return size;
    const double d = length(at.position);
    const double a = s.real(RenderStateType::PointScaleA), b = s.real(RenderStateType::PointScaleB),
                 c = s.real(RenderStateType::PointScaleC);
    const double scaled = s.viewportHeight * size * std::sqrt(1 / (a + b * d + c * d * d));
    return std::min(std::max(scaled, double{s.real(RenderStateType::PointSizeMin)}),
                    double{s.real(RenderStateType::PointSizeMax)});
  }

  /// Returns the coordinates of a stage ("Automatically Generated Texture Coordinates", "Texture Coordinate
  /// Transformations").
  Vec coordinates(uint32_t stage, const ViewSpace& at) const {
    const uint32_t index = s.tss(stage, TextureStageStateType::TexCoordIndex);
    const uint32_t flags = s.tss(stage, TextureStageStateType::TextureTransformFlags);
    uint32_t count = flags & 0xFF;
    if (count < 2 || count > 4 || flags & ~0x1FFu) count = 0;
    const Vec3 reflected = [&] {  // the way from the eye, mirrored at the surface
      const Vec3 e = norm(at.position);
      return e - (2 * dot(e, at.normal)) * at.normal;
    }();
    Vec c{};
    uint32_t size = 3;
    bool generated = true;
    switch (index >> 16) {
      case 1:  // D3DTSS_TCI_CAMERASPACENORMAL
        c = {at.normal.x, at.normal.y, at.normal.z, 1};
        break;
      case 2:  // D3DTSS_TCI_CAMERASPACEPOSITION
        c = {at.position.x, at.position.y, at.position.z, 1};
        break;
      case 3:  // D3DTSS_TCI_CAMERASPACEREFLECTIONVECTOR
        c = {reflected.x, reflected.y, reflected.z, 1};
        break;
      case 4: {  // D3DTSS_TCI_SPHEREMAP: where the normal of a sphere is half way between it and the way to
                 // the eye
        const Vec3 n = norm(reflected + Vec3{0, 0, -1});
        c = {n.x / 2 + 0.5, n.y / 2 + 0.5, 0, 1};
        size = 2;
        break;
      }
      default: {
        generated = false;
        const uint32_t set = index & 0xFFFF;
        size = set < d3d9::kFixedStages ? components(Usage::TexCoord, set) : 0;
        if (!size) return {};
        const Vec stored = get(Usage::TexCoord, set, {});
        for (uint32_t i = 0; i < size; ++i) c[i] = stored[i];
        if (count && size < 4) c[size] = 1;
        break;
      }
    }
    if (count) {
      c = times(c, matrix(s.texture[stage]));
      size = count;
    }
    for (uint32_t i = size; i < 4; ++i) c[i] = 0;
    // D3DTTFF_PROJECTED: divided by the last component, which is passed on as w.
    if (flags & 0x100 && (count || !generated)) c[3] = c[size - 1];
    return c;
  }

  const State& s;
  const Vertex& v;
};

}  // namespace

VertexResult processVertex(const State& state, const Vertex& vertex) {
  return VertexProcessor(state, vertex).run();
}

}  // namespace aerogpu::shader::fixed
