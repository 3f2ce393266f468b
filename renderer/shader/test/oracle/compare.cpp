// SPDX-License-Identifier: MIT
// Runs a case with the interpreter and on the GPU, and compares (cases.h).
#include <cmath>
#include <sstream>

#include "aerogpu/d3d9/disassembler.h"
#include "renderer/shader/test/oracle/cases.h"
#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::oracle {

using d3d9::SamplerType;
using d3d9::Usage;

namespace {

constexpr float kNobody = -9;  ///< content of a pixel that was not drawn (Draw::clear)

/// Returns the texels that a coordinate may hit in a row of `size`; near a border both.
std::pair<int, int> texels(const Range& at, int size) {
  const auto index = [&](double x) {
    return static_cast<int>(std::min(std::max(std::floor(x), 0.0), size - 1.0));
  };
  return {index(at.lo * size - 1e-4), index(at.hi * size + 1e-4)};
}
Range between(const std::pair<int, int>& texel) {
  return {static_cast<double>(texel.first), static_cast<double>(texel.second)};
}

/// Samples the textures of shader_gpu.h.
Vector sample(SamplerType type, const Vector& at, const Range& lod) {
  const uint32_t dimensions = type == SamplerType::TextureVolume || type == SamplerType::TextureCube ? 3 : 2;
  for (uint32_t i = 0; i < dimensions; ++i)
    if (at[i].unknown() || at[i].magnitude() > 2048) return anyVector();  // D3DCAPS9::MaxTextureRepeat
  if (type == SamplerType::TextureVolume)
    return {between(texels(at[0], 4)), between(texels(at[1], 4)), between(texels(at[2], 4)), 1};
  if (type == SamplerType::TextureCube) {
    Range face = {kInf, -kInf};
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const Range size = absolute(at[axis]);
      const double slack = 1e-5 * size.hi;
      if (size.hi + slack < absolute(at[(axis + 1) % 3]).lo ||
          size.hi + slack < absolute(at[(axis + 2) % 3]).lo)
        continue;
      if (at[axis].hi + slack >= 0) face = {std::min(face.lo, axis * 2.0), std::max(face.hi, axis * 2.0)};
      if (at[axis].lo - slack <= 0)
        face = {std::min(face.lo, axis * 2 + 1.0), std::max(face.hi, axis * 2 + 1.0)};
    }
    return {face, 0, 0, 1};
  }
  if (std::isnan(lod.lo) || std::isnan(lod.hi)) return anyVector();
  const auto level = [](double x) { return static_cast<int>(std::min(std::max(x, 0.0), 2.0)); };
  const int first = level(std::ceil(lod.lo + 0.5 - 0.01) - 1), last = level(std::floor(lod.hi + 0.5 + 0.01));
  Vector out;
  for (int mip = first; mip <= last; ++mip) {
    const Range x = between(texels(at[0], 4 >> mip)), y = between(texels(at[1], 4 >> mip));
    out =
        mip == first ? Vector{x, y, mip, 1} : Vector{hull(out[0], x), hull(out[1], y), Range(first, mip), 1};
  }
  return out;
}

/// Returns the range of the level by "Scale Factor Operation, LOD Operation" of Vulkan: the scale factor lies
/// between the larger component and the sum of both.
Range levelOf(SamplerType type, const Vector& dx, const Vector& dy) {
  if (type != SamplerType::Texture2D) return 0;
  Range longest(0);
  for (const Vector* d : {&dx, &dy}) {
    const Range x = absolute((*d)[0]), y = absolute((*d)[1]);
    if (x.unknown() || y.unknown()) return Range::any();
    longest = {std::max({longest.lo, x.lo * 4, y.lo * 4}), std::max(longest.hi, (x.hi + y.hi) * 4)};
  }
  return {longest.lo > 0 ? std::log2(longest.lo) - 0.01 : -kInf,
          longest.hi > 0 ? std::log2(longest.hi) + 0.01 : -kInf};
}

Constants constantsOf(const std::vector<test::Vec4>& floats, const std::vector<test::Int4>& ints,
                      uint32_t bools) {
  Constants c;
  for (size_t i = 0; i < floats.size() && i < c.f.size(); ++i) c.f[i] = floats[i];
  for (size_t i = 0; i < ints.size() && i < c.i.size(); ++i) c.i[i] = ints[i];
  c.b = bools;
  return c;
}

/// Vertex outputs by semantic, as pixel shaders ask for them.
struct Link {
  Usage usage;
  uint32_t index;
  uint8_t mask;
  Vector value;
};

std::vector<Link> outputsOf(const Code& vs, const Lane& lane) {
  std::vector<Link> out;
  if (vs.version.major == 3) {
    for (const Declaration& d : vs.declarations)
      if (d.type == d3d9::RegisterType::Output)
        out.push_back({d.usage, d.usageIndex, d.mask, lane.o[d.number & 15]});
    return out;
  }
  for (uint32_t i = 0; i < 8; ++i) out.push_back({Usage::TexCoord, i, 0xF, lane.o[i]});
  for (uint32_t i = 0; i < 2; ++i) {
    Vector clampedColor = lane.d[i];
    for (Range& x : clampedColor) x = clamped(x, 0, 1);
    out.push_back({Usage::Color, i, 0xF, clampedColor});
  }
  out.push_back({Usage::Fog, 0, 1, splat(lane.oFog[0])});
  return out;
}

void feed(const Code& ps, const std::vector<Link>& links, Lane& lane) {
  const auto find = [&](Usage usage, uint32_t index, Vector& to, uint8_t mask) {
    for (const Link& link : links)
      if (link.usage == usage && link.index == index)
        for (uint32_t i = 0; i < 4; ++i)
          if (mask & link.mask & 1u << i) to[i] = link.value[i];
  };
  if (ps.version.major < 3) {
    for (uint32_t i = 0; i < 8; ++i) find(Usage::TexCoord, i, lane.t[i], 0xF);
    for (uint32_t i = 0; i < 2; ++i) find(Usage::Color, i, lane.v[i], 0xF);
    return;
  }
  for (const Declaration& d : ps.declarations)
    if (d.type == d3d9::RegisterType::Input) find(d.usage, d.usageIndex, lane.v[d.number & 15], d.mask);
}

class Runner {
public:
  explicit Runner(const Case& c) : m_case(c) {
    m_tokens[0] = test::assembled(c.draw.vs, m_error);
    m_tokens[1] = test::assembled(c.draw.ps, m_error);
    m_vs = decode(m_tokens[0]);
    m_ps = decode(m_tokens[1]);
  }

  Comparison run() {
    if (!m_error.empty()) return failed(m_error);
    if (!m_vs.error.empty() || !m_ps.error.empty()) return failed(m_vs.error + m_ps.error);
    if (!test::gpu()) return failed("no GPU");
    m_vsConstants =
        m_vs.with(constantsOf(m_case.draw.vsFloats, m_case.draw.vsInts, m_case.draw.push.vsBools));
    Constants ps = constantsOf(m_case.draw.psFloats, m_case.draw.psInts, m_case.draw.push.psBools);
    for (size_t i = 0; i < m_case.draw.stages.size() && i < ps.stages.size(); ++i)
      ps.stages[i] = m_case.draw.stages[i];
    ps.projectedBy = m_case.draw.projectedBy;
    m_psConstants = m_ps.with(ps);
    m_picture = test::gpu()->draw(m_case.draw);
    if (!m_picture.error.empty()) return failed(m_picture.error + m_case.draw.vs + m_case.draw.ps);
    if (m_case.quad)
      quads();
    else
      points();
    return std::move(m_result);
  }

private:
  Comparison failed(std::string why) {
    m_result.mismatch = std::move(why);
    return std::move(m_result);
  }

  std::vector<Link> vertex(const std::vector<Vector>& inputs, bool& gaveUp) {
    Lane lane(m_vs, m_vsConstants, sample, levelOf);
    for (size_t i = 0; i < inputs.size(); ++i) lane.v[i] = inputs[i];
    runAlone(lane);
    gaveUp = lane.gaveUp;
    return outputsOf(m_vs, lane);
  }

  Lane pixelLane(const std::vector<Link>& links, uint32_t x, uint32_t y) {
    Lane lane(m_ps, m_psConstants, sample, levelOf);
    feed(m_ps, links, lane);
    lane.position = {static_cast<double>(x), static_cast<double>(y), Range::any(), Range::any()};
    lane.face = {1e-6, kFloatMax};  // only its sign counts
    return lane;
  }

  static Vector exactly(const test::Vec4& value) { return {value[0], value[1], value[2], value[3]}; }

  void points() {
    for (uint32_t x = 0; x < m_case.draw.width && m_result.mismatch.empty(); ++x) {
      std::vector<Vector> inputs;
      for (const test::Vec4& value : m_case.draw.vertices[x]) inputs.push_back(exactly(value));
      bool gaveUp = false;
      const std::vector<Link> links = vertex(inputs, gaveUp);
      Lane lane = pixelLane(links, x, 0);
      if (!gaveUp) runAlone(lane);
      lane.gaveUp |= gaveUp;
      check(lane, links, x, 0);
      if (!m_result.mismatch.empty()) {
        std::ostringstream s;
        for (const test::Vec4& value : m_case.draw.vertices[x])
          s << "  (" << value[0] << ", " << value[1] << ", " << value[2] << ", " << value[3] << ")\n";
        m_result.mismatch += "vertex inputs:\n" + s.str();
      }
    }
  }

  /// Draws both triangles, each with the plane of its own corners: a vertex shader's clamped colours need not
  /// lie in one plane.
  void quads() {
    const auto& draw = m_case.draw;
    std::vector<std::vector<Link>> corners;  // upper left, upper right, lower left, lower right
    for (const size_t n : {0, 1, 2, 5}) {
      std::vector<Vector> inputs;
      for (const test::Vec4& value : draw.vertices[n]) inputs.push_back(exactly(value));
      bool gaveUp = false;
      corners.push_back(vertex(inputs, gaveUp));
      if (gaveUp) return;
    }
    for (uint32_t y = 0; y < draw.height; y += 2)
      for (uint32_t x = 0; x < draw.width; x += 2)
        for (const bool second : {false, true}) quad(corners, x, y, second);
  }

  void quad(const std::vector<std::vector<Link>>& corners, uint32_t x, uint32_t y, bool second) {
    const auto& draw = m_case.draw;
    std::vector<Lane> lanes;
    std::vector<std::vector<Link>> links;
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t column = x + k % 2, row = y + k / 2;
      double fx = (column + 0.5) / draw.width, fy = (row + 0.5) / draw.height;
      if (second) fx = 1 - fx, fy = 1 - fy;
      links.push_back(corners[0]);
      for (size_t i = 0; i < corners[0].size(); ++i)
        for (size_t n = 0; n < 4; ++n) {
          const Range &a = corners[second ? 3 : 0][i].value[n], &b = corners[second ? 2 : 1][i].value[n],
                      &c = corners[second ? 1 : 2][i].value[n];
          const Range value =
              exactSum(exactSum(exactProduct(1 - fx - fy, a), exactProduct(fx, b)), exactProduct(fy, c));
          const double error = 4e-6 * (a.magnitude() + b.magnitude() + c.magnitude());
          links.back()[i].value[n] =
              value.unknown() || !(error > 0) ? value : Range(value.lo - error, value.hi + error);
        }
      lanes.push_back(pixelLane(links.back(), x + k % 2, y + k / 2));
    }
    std::array<Lane, 4> pixels = {lanes[0], lanes[1], lanes[2], lanes[3]};
    runQuad(pixels);
    for (uint32_t k = 0; k < 4 && m_result.mismatch.empty(); ++k) {
      const uint32_t px = x + k % 2, py = y + k / 2;
      // Pixels on the diagonal may belong to either.
      if (second ? px + py >= draw.width : px + py + 1 < draw.width) check(pixels[k], links[k], px, py);
    }
  }

  /// Applies alpha test and fog, which follow the shader.
  void after(Lane& lane, const std::vector<Link>& links) {
    const auto& draw = m_case.draw;
    if (draw.alphaTest && lane.colorsWritten & 1) {
      // Eight bits each.
      const auto eightBits = [](const Range& x, double slack) {
        return x.unknown() ? x
                           : Range(std::nearbyint(x.lo * 255 - slack), std::nearbyint(x.hi * 255 + slack));
      };
      const Range alpha = eightBits(lane.color[0][3], 1e-4), ref = eightBits(Range(draw.push.alphaRef), 0);
      std::optional<bool> passes = draw.push.alphaFunc == 8;
      if (draw.push.alphaFunc > 1 && draw.push.alphaFunc < 8) {
        // D3DCMP: 2 less, 3 equal, 4 less or equal, 5 greater, 6 not equal, 7 greater or equal.
        constexpr uint32_t kComparison[] = {4, 2, 6, 1, 5, 3};
        passes = compare(kComparison[draw.push.alphaFunc - 2], alpha, ref);
      }
      if (!passes)
        lane.killed = lane.killed && *lane.killed ? lane.killed : std::nullopt;
      else if (!*passes)
        lane.killed = true;
    }
    if (!draw.fog || m_ps.version.major >= 3) return;
    Range factor = Range::any();
    for (const Link& link : links)
      if (link.usage == Usage::Fog) factor = clamped(link.value[0], 0, 1);
    for (size_t i = 0; i < 3; ++i) {
      const Range c = lane.color[0][i], fog(draw.push.fogColor[i]);
      const Range mixed = exactSum(exactProduct(factor, exactSum(c, negated(fog))), fog);
      lane.color[0][i] = widened(mixed, 1e-6, (c.magnitude() + 1) * 1e-6);
    }
  }

  void check(Lane& lane, const std::vector<Link>& links, uint32_t x, uint32_t y) {
    ++m_result.pixels;
    if (m_ps.pixel1()) {
      lane.color[0] = lane.temp(0);
      lane.colorsWritten = 1;
    }
    if (!lane.gaveUp) after(lane, links);
    if (lane.gaveUp || !lane.killed) {
      ++m_result.gaveUp;
      return;
    }
    const size_t at = size_t{y} * m_case.draw.width + x;
    for (uint32_t target = 0; target < 4; ++target) {
      if (!(lane.colorsWritten >> target & 1)) continue;
      for (uint32_t i = 0; i < 4; ++i)
        value("oC" + std::to_string(target) + "." + "xyzw"[i],
              *lane.killed ? Range(kNobody) : lane.color[target][i], m_picture.color[target][at][i], x, y);
    }
    if (lane.depth)
      value("oDepth", *lane.killed ? Range(1) : clamped(*lane.depth, 0, 1), m_picture.depth[at], x, y);
  }

  void value(const std::string& name, const Range& expected, float got, uint32_t x, uint32_t y) {
    ++m_result.components;
    if (expected.hi - expected.lo <= 1e-3 * std::max(1.0, expected.magnitude())) ++m_result.compared;
    // Adds a margin: compilers may regroup sums of constants, which then are no longer exact.
    const double slack = 1e-6 * std::max(1.0, std::min(expected.magnitude(), 1e6));
    const bool within = expected.contains(got) || (expected.lo - slack <= got && got <= expected.hi + slack);
    if (within || !m_result.mismatch.empty()) return;
    std::ostringstream s;
    s.precision(9);
    s << name << " of pixel " << x << "," << y << " is " << got << ", expected " << expected.lo << " to "
      << expected.hi << "\n"
      << d3d9::disassemble(m_tokens[0]).text << d3d9::disassemble(m_tokens[1]).text;
    const auto file = [&](const char* stage, const Constants& c) {
      s << stage << " constants:\n";
      for (size_t i = 0; i < 32; ++i)
        s << "  c" << i << " " << c.f[i][0] << ", " << c.f[i][1] << ", " << c.f[i][2] << ", " << c.f[i][3]
          << "\n";
      for (size_t i = 0; i < 4; ++i)
        s << "  i" << i << " " << c.i[i][0] << ", " << c.i[i][1] << ", " << c.i[i][2] << "\n";
      s << "  bools " << c.b << "\n";
    };
    file("vs", m_vsConstants);
    file("ps", m_psConstants);
    m_result.mismatch = s.str();
  }

  const Case& m_case;
  std::vector<uint32_t> m_tokens[2];
  Code m_vs, m_ps;
  Constants m_vsConstants, m_psConstants;
  test::Picture m_picture;
  std::string m_error;
  Comparison m_result;
};

}  // namespace

Comparison compareCase(const Case& c) {
  return Runner(c).run();
}

Case shrunk(Case c) {
  const auto differs = [](const Case& tried) {
    const Comparison result = compareCase(tried);
    const std::string_view m = result.mismatch;
    return m.substr(0, 2) == "oC" || m.substr(0, 6) == "oDepth";
  };
  for (std::string test::Draw::*source : {&test::Draw::ps, &test::Draw::vs})
    for (size_t chunk = 16; chunk; chunk /= 2)
      for (size_t from = 1;;) {
        std::vector<std::string> lines;
        std::istringstream in(c.draw.*source);
        for (std::string s; std::getline(in, s);) lines.push_back(s);
        if (from >= lines.size()) break;
        Case less = c;
        (less.draw.*source).clear();
        for (size_t i = 0; i < lines.size(); ++i)
          if (i < from || i >= from + chunk || lines[i].find("oPos") != std::string::npos ||
              lines[i].find(" o0") != std::string::npos)
            less.draw.*source += lines[i] + "\n";
        if (differs(less))
          c = less;
        else
          from += chunk;
      }
  return c;
}

}  // namespace aerogpu::shader::oracle
