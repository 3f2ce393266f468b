// SPDX-License-Identifier: MIT
// D3D9 draws: coverage, order of updates, topologies, indices, instancing, vertex element types. Expected
// values follow from the Direct3D 9 documentation as noted.
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

// DRAW-1
TEST_F(DrawTest, QuadCoversExactlyItsPixels) {
  CommandWriter w;
  drawVertices(w, quad(2, 1, 6, 5, 0x80FF4020));
  run(w);
  const Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      const bool in = x >= 2 && x < 6 && y >= 1 && y < 5;
      EXPECT_EQ(pixel(got, kSize, x, y), (in ? Pixel{0x20, 0x40, 0xFF, 0x80} : Pixel{0, 0, 0, 0}))
          << x << "," << y;
    }
}

// DRAW-1
TEST_F(DrawTest, WithoutOffsetEdgesRunThroughCentres) {
  // Corners on pixel centres: the top-left rule takes the left and top pixels and leaves the right and bottom
  // ones.
  CommandWriter w;
  const uint32_t c = 0xFFFFFFFF;
  drawVertices(w, {at(2, 1, c), at(6, 1, c), at(2, 5, c), at(2, 5, c), at(6, 1, c), at(6, 5, c)});
  run(w);
  const Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      const bool in = x >= 2 && x < 6 && y >= 1 && y < 5;
      EXPECT_EQ(pixel(got, kSize, x, y)[0], in ? 255 : 0) << x << "," << y;
    }
}

// COPY-7
TEST_F(DrawTest, ManyUpdatesOfOneBufferKeepTheirOrder) {
  CommandWriter w;
  const uint32_t vb = gpu().handle();
  packets::createBuffer(w, vb, 6 * sizeof(Vertex), AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  stream(w, 0, vb, sizeof(Vertex));
  for (uint32_t i = 0; i < kSize; ++i) {
    const auto left = static_cast<float>(i);
    const auto v = quad(left, 0, left + 1, kSize, 0xFF000000 | (i + 1) * 0x10);
    packets::upload(w, vb, 0, {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(Vertex)});
    draw(w, 6);
  }
  run(w);
  const Bytes got = result();
  for (uint32_t x = 0; x < kSize; ++x) EXPECT_EQ(pixel(got, kSize, x, 3)[0], (x + 1) * 0x10) << x;
}

uint32_t covered(const Bytes& got) {
  uint32_t count = 0;
  for (size_t i = 3; i < got.size(); i += 4) count += got[i] != 0;
  return count;
}

// DRAW-22
TEST_F(DrawTest, Topologies) {
  const uint32_t c = 0xFFFFFFFF;
  const auto corner = [&](float x, float y) { return at(x - 0.5f, y - 0.5f, c); };
  struct {
    uint32_t topology;
    std::vector<Vertex> vertices;
    uint64_t pixels;
  } const cases[] = {
      {AEROGPU_TOPOLOGY_POINTLIST, {at(1, 1, c), at(3, 2, c), at(7, 7, c)}, 3},
      {AEROGPU_TOPOLOGY_TRIANGLELIST,
       {corner(0, 0), corner(4, 0), corner(0, 4), corner(4, 0), corner(4, 4), corner(0, 4)},
       16},
      {AEROGPU_TOPOLOGY_TRIANGLESTRIP, {corner(0, 0), corner(4, 0), corner(0, 4), corner(4, 4)}, 16},
      {AEROGPU_TOPOLOGY_TRIANGLEFAN, {corner(0, 0), corner(4, 0), corner(4, 4), corner(0, 4)}, 16},
      // A line's last pixel is not drawn ("Rasterization Rules (Direct3D 9)", diamond exit).
      {AEROGPU_TOPOLOGY_LINELIST, {at(1, 1, c), at(5, 1, c), at(1, 3, c), at(1, 6, c)}, 4 + 3},
      {AEROGPU_TOPOLOGY_LINESTRIP, {at(1, 1, c), at(5, 1, c), at(5, 4, c)}, 4 + 3},
      {AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ,
       {corner(0, 0), corner(0, 0), corner(8, 0), corner(8, 0), corner(0, 8), corner(0, 8)},
       28},
      {AEROGPU_TOPOLOGY_LINELIST_ADJ, {at(0, 0, c), at(1, 1, c), at(5, 1, c), at(7, 7, c)}, 4},
  };
  for (const auto& t : cases)
    for (const bool indexed : {false, true}) {
      CommandWriter w;
      clearColor(w, 0, 0, 0, 0);
      if (indexed) {
        // Without indices, or from the first vertex on, the picture would differ.
        std::vector<Vertex> vertices = {at(6, 0, c)};
        vertices.insert(vertices.end(), t.vertices.rbegin(), t.vertices.rend());
        std::vector<uint16_t> indices;
        for (size_t i = t.vertices.size(); i > 0; --i) indices.push_back(static_cast<uint16_t>(i));
        stream(w, 0, vertexBuffer(w, vertices), sizeof(Vertex));
        packets::setIndexBuffer(
            w, buffer(w, indices.data(), indices.size() * 2, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER));
        topology(w, t.topology);
        drawIndexed(w, static_cast<uint32_t>(indices.size()));
      } else {
        drawVertices(w, t.vertices, t.topology);
      }
      run(w);
      // A triangle's diagonal runs through centres of 8 pixels: half of the square plus or minus these.
      if (t.topology == AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ)
        EXPECT_NEAR(covered(result()), 32, 4) << indexed;
      else
        EXPECT_EQ(covered(result()), t.pixels) << t.topology << ", indexed " << indexed;
    }
}

// DRAW-19
TEST_F(DrawTest, IndexedWithBaseVertexAndBothSizes) {
  for (const bool wide : {false, true}) {
    CommandWriter w;
    clearColor(w, 0, 0, 0, 0);
    std::vector<Vertex> v = quad(0, 0, 8, 8, 0xFFFF0000);
    const auto second = quad(2, 2, 4, 4, 0xFF00FF00);
    v.insert(v.end(), second.begin(), second.end());
    stream(w, 0, vertexBuffer(w, v), sizeof(Vertex));
    const std::vector<uint16_t> small = {99, 99, 0, 1, 2, 3, 4, 5};
    const std::vector<uint32_t> big(small.begin(), small.end());
    aerogpu_cmd_set_index_buffer c{};
    c.buffer = wide ? buffer(w, big.data(), big.size() * 4, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER)
                    : buffer(w, small.data(), small.size() * 2, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER);
    c.format = wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
    c.offset_bytes = wide ? 4 : 2;
    w.packet(c);
    drawIndexed(w, 6, 1, 6);  // indices 0..5 of the second quad
    run(w);
    EXPECT_EQ(covered(result()), 4u);
    EXPECT_EQ(result(2, 3), (Pixel{0, 255, 0, 255}));
  }
}

// INPUT-5, INPUT-8, INPUT-9
TEST_F(DrawTest, InstancingThroughAnIlayLayout) {
  if (deviceIsBare()) GTEST_SKIP() << "needs VK_EXT_vertex_attribute_divisor";
  CommandWriter w;
  const uint32_t vs =
      shader(w,
             "vs_3_0\ndcl_position v0\ndcl_texcoord3 v1\ndcl_color v2\ndcl_position o0\ndcl_color o1\n"
             "mov r0, v0\nadd r0.xy, r0, v1\nmov o0, r0\nmov o1, v2\n");
  const uint32_t ps = shader(w, "ps_3_0\ndcl_color v0\nmov oC0, v0\n");
  bindShaders(w, vs, ps);
  const auto hash = [](const char* name) {
    uint32_t h = 2166136261u;
    for (; *name; ++name) h = (h ^ static_cast<uint8_t>(*name)) * 16777619u;
    return h;
  };
  struct {
    aerogpu_input_layout_blob_header header{AEROGPU_INPUT_LAYOUT_BLOB_MAGIC,
                                            AEROGPU_INPUT_LAYOUT_BLOB_VERSION, 3, 0};
    aerogpu_input_layout_element_dxgi elements[3];
  } blob;
  blob.elements[0] = {hash("POSITION"), 0, 16, 0, 0, 0, 0};         // R32G32_FLOAT
  blob.elements[1] = {hash("TEXCOORD"), 3, 16, 1, 0, 1, 1};         // per instance
  blob.elements[2] = {hash("COLOR"), 0, 28, 1, 0xFFFFFFFFu, 1, 2};  // R8G8B8A8_UNORM, every second instance
  aerogpu_cmd_create_input_layout c{};
  c.input_layout_handle = gpu().handle();
  w.packet(c, &blob, sizeof blob);
  aerogpu_cmd_set_input_layout s{};
  s.input_layout_handle = c.input_layout_handle;
  w.packet(s);
  const float px = 2.0f / kSize;
  // One pixel at the left top, moved by two pixels an instance.
  const float x0 = -1 - px / 2, y0 = 1 + px / 2;
  stream(w, 0,
         vertexBuffer<std::array<float, 2>>(
             w, {{x0, y0}, {x0 + px, y0}, {x0, y0 - px}, {x0, y0 - px}, {x0 + px, y0}, {x0 + px, y0 - px}}),
         8);
  struct Instance {
    float x, y;
    uint32_t rgba;
  };
  std::vector<Instance> instances;
  for (uint32_t i = 0; i < 4; ++i)
    instances.push_back({static_cast<float>(i) * 2 * px, 0, 0xFF000000u | (i + 1) * 0x20});
  stream(w, 1, vertexBuffer(w, instances), sizeof(Instance));
  draw(w, 6, 4);
  run(w);
  const Bytes got = result();
  for (uint32_t i = 0; i < 4; ++i) {
    // Red is byte 2 of BGRA; instances 0 and 1 share element 0, instances 2 and 3 element 1.
    EXPECT_EQ(pixel(got, kSize, i * 2, 0), (Pixel{0, 0, static_cast<uint8_t>((i / 2 + 1) * 0x20), 255})) << i;
    EXPECT_EQ(pixel(got, kSize, i * 2 + 1, 0), (Pixel{0, 0, 0, 0})) << i;
  }
}

// INPUT-3
TEST_F(DrawTest, VertexElementTypes) {
  // D3DDECLTYPE, bytes of one element, expected (x, y, z, w).
  struct {
    uint8_t type;
    Bytes bytes;
    std::array<float, 4> want;
  } const cases[] = {
      {0, {0, 0, 0, 0x3F}, {0.5f, 0, 0, 1}},
      {1, {0, 0, 0, 0x3F, 0, 0, 0x80, 0x3E}, {0.5f, 0.25f, 0, 1}},
      {3, {0, 0, 0, 0x3F, 0, 0, 0x80, 0x3E, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x3F}, {0.5f, 0.25f, 1, 0.5f}},
      {4, {0x33, 0x66, 0x99, 0xCC}, {0.6f, 0.4f, 0.2f, 0.8f}},
      {5, {1, 0, 1, 0}, {1, 0, 1, 0}},
      {6, {1, 0, 0, 0}, {1, 0, 0, 1}},
      {7, {0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, 0, 1}},
      {8, {0x33, 0x66, 0x99, 0xCC}, {0.2f, 0.4f, 0.6f, 0.8f}},
      {9, {0xFF, 0x3F, 0xFF, 0x7F}, {0.5f, 1, 0, 1}},
      {10, {0xFF, 0x3F, 0xFF, 0x7F, 0, 0, 0xFF, 0x3F}, {0.5f, 1, 0, 0.5f}},
      {11, {0xFF, 0x7F, 0xFF, 0xFF}, {0.5f, 1, 0, 1}},
      {12, {0xFF, 0x7F, 0xFF, 0xFF, 0, 0, 0xFF, 0x7F}, {0.5f, 1, 0, 0.5f}},
      {15, {0, 0x38, 0, 0x34}, {0.5f, 0.25f, 0, 1}},
      {16, {0, 0x38, 0, 0x34, 0, 0x3C, 0, 0x38}, {0.5f, 0.25f, 1, 0.5f}},
      {2, {0, 0, 0, 0x3F, 0, 0, 0x80, 0x3E, 0, 0, 0x80, 0x3F}, {0.5f, 0.25f, 1, 1}},
  };
  CommandWriter w;
  const uint32_t vs = shader(w, "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n");
  const uint32_t ps = shader(w, "ps_2_0\ndcl t0\nmov oC0, t0\n");
  bindShaders(w, vs, ps);
  const uint32_t positions = vertexBuffer(w, quad(0, 0, 8, 8, 0));
  stream(w, 0, positions, sizeof(Vertex));
  for (const auto& c : cases) {
    layout(w, {{0, 0, 2, 0, 0, 0}, {1, 0, c.type, 0, 5, 0}});
    stream(w, 1, vertexBuffer(w, c.bytes), 0);  // stride 0: the same element for every vertex
    draw(w, 6);
    run(w);
    const Pixel want = {unorm8(c.want[2]), unorm8(c.want[1]), unorm8(c.want[0]), unorm8(c.want[3])};
    expectNear(result(4, 4), want, 1, "type " + std::to_string(c.type));
  }
  // A stream that is not bound reads zero.
  stream(w, 1, 0, 0);
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(4, 4)[2], 0);
}

// SHADER-11
TEST_F(DrawTest, ConstantsOfAllKinds) {
  CommandWriter w;
  const uint32_t vs = shader(w,
                             "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_color o1\nmov o0, v0\n"
                             "if b3\nmov r0, c7\nelse\nmov r0, c8\nendif\n"
                             "rep i2\nadd r0, r0, c9\nendrep\nmov o1, r0\n");
  const uint32_t ps = shader(w, "ps_3_0\ndcl_color v0\nadd r0, v0, c31\nmov oC0, r0\n");
  bindShaders(w, vs, ps);
  stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, 0)), sizeof(Vertex));
  constantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 7, {{0.2f, 0, 0, 0}, {0, 0.2f, 0, 0}, {0.1f, 0.1f, 0.1f, 0.1f}});
  constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 31, {{0, 0, 0.4f, 0.5f}});
  aerogpu_cmd_set_shader_constants_i i{};
  i.stage = AEROGPU_SHADER_STAGE_VERTEX;
  i.start_register = 2;
  i.vec4_count = 1;
  const int32_t three[4] = {3, 0, 0, 0};
  w.packetWithTail(AEROGPU_CMD_SET_SHADER_CONSTANTS_I, i, three, 16);
  for (const uint32_t on : {0u, 1u}) {
    aerogpu_cmd_set_shader_constants_b b{};
    b.stage = AEROGPU_SHADER_STAGE_VERTEX;
    b.start_register = 3;
    b.bool_count = 1;
    const uint32_t value[4] = {0, 0, on, 0};
    w.packetWithTail(AEROGPU_CMD_SET_SHADER_CONSTANTS_B, b, value, 16);
    draw(w, 6);
    run(w);
    // base + 3 * 0.1 + (0, 0, 0.4, 0.5)
    const float r = (on ? 0.2f : 0) + 0.3f, g = (on ? 0 : 0.2f) + 0.3f;
    expectNear(result(4, 4), {unorm8(0.7f), unorm8(g), unorm8(r), unorm8(0.8f)}, 1);
  }
}

// STATE-9
TEST_F(DrawTest, EightRenderTargets) {
  CommandWriter w;
  // D3D9 has four; each has its own colour and its own write mask.
  std::array<uint32_t, 4> targets;
  for (uint32_t& t : targets) t = texture(w, kBgra, kSize, kSize);
  packets::setTargets(w, targets);
  clearColor(w, 0, 0, 0, 0);
  const uint32_t ps =
      shader(w,
             "ps_2_0\ndef c0, 1, 0, 0, 1\ndef c1, 0, 1, 0, 1\ndef c2, 0, 0, 1, 1\ndef c3, 1, 1, 1, 1\n"
             "mov oC0, c0\nmov oC1, c1\nmov oC2, c2\nmov oC3, c3\n");
  bindShaders(w, m_vs, ps);
  renderState(w, kColorWriteEnable1, 0x8u);  // target 1: alpha only
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
  run(w);
  const Pixel want[4] = {{0, 0, 255, 255}, {0, 0, 0, 255}, {255, 0, 0, 255}, {255, 255, 255, 255}};
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(pixel(read(targets[i], kBgra, kSize, kSize), kSize, 5, 5), want[i]) << i;
  if (deviceIsBare()) return;  // Vulkan requires four
  renderState(w, kColorWriteEnable1, 0xFu);
  // Eight targets, one of them missing: targets that the shader does not write keep their clear colour.
  std::array<uint32_t, 8> eight{};
  for (uint32_t i = 0; i < 8; ++i) eight[i] = i == 2 ? 0 : texture(w, kBgra, kSize, kSize);
  packets::setTargets(w, eight);
  clearColor(w, 0, 0, 0, 0.4f);
  draw(w, 6);
  run(w);
  for (uint32_t i = 0; i < 8; ++i) {
    if (i == 2) continue;
    const Pixel expected = i == 0   ? want[0]
                           : i == 1 ? Pixel{0, 255, 0, 255}
                           : i == 3 ? want[3]
                                    : Pixel{0, 0, 0, 102};
    EXPECT_EQ(pixel(read(eight[i], kBgra, kSize, kSize), kSize, 5, 5), expected) << i;
  }
}

/// Two programs with the same handles and context numbers, each with its own colour, take turns at the GPU.
// SPACE-7, SPACE-8, SPACE-16
TEST_F(DrawTest, TwoSpacesTakeTurns) {
  constexpr uint32_t kTarget = 1, kShaderV = 2, kShaderP = 3, kLayout = 4, kVertices = 5;
  const uint32_t colors[] = {0xFF0000FF, 0xFF00FF00};
  const auto enter = [&](uint32_t space) { gpu().space = Harness::InSpace{space}; };
  const auto tokens = [](const char* source) { return d3d9::assemble(source).tokens; };
  const auto set = [&](uint32_t space) {
    enter(space);
    CommandWriter w;
    Harness::createTexture(w, kTarget, kBgra, kSize, kSize, AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
    packets::createShader(w, kShaderV, AEROGPU_SHADER_STAGE_VERTEX, tokens(kVs));
    packets::createShader(w, kShaderP, AEROGPU_SHADER_STAGE_PIXEL, tokens(kPs));
    bindShaders(w, kShaderV, kShaderP);
    const Element elements[] = {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}, {0xFF, 0, 17, 0, 0, 0}};
    packets::useInputLayout(w, kLayout, {reinterpret_cast<const uint8_t*>(elements), sizeof elements});
    renderState(w, kCullMode, 1u);
    renderState(w, kZEnable, 0u);
    target(w, kTarget);
    viewport(w, 0, 0, kSize, kSize);
    clearColor(w, 0, 0, 0, 0);
    const auto vertices = quad(0, 0, 4, kSize, colors[space - 1]);
    packets::createBuffer(w, kVertices, sizeof(Vertex) * vertices.size());
    packets::upload(w, kVertices, 0,
                    {reinterpret_cast<const uint8_t*>(vertices.data()), sizeof(Vertex) * vertices.size()});
    stream(w, 0, kVertices, sizeof(Vertex));
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    run(w);
  };
  const auto drawIn = [&](uint32_t space, uint32_t times) {
    enter(space);
    CommandWriter w;
    for (uint32_t i = 0; i < times; ++i) draw(w, 6);
    run(w);
  };
  const auto expectOwn = [&](uint32_t space) {
    enter(space);
    const Bytes bytes = read(kTarget, kBgra, kSize, kSize);
    Pixel color;
    std::memcpy(color.data(), &colors[space - 1], 4);
    EXPECT_EQ(pixel(bytes, kSize, 1, 5), color) << "space " << space;
    EXPECT_EQ(pixel(bytes, kSize, 6, 5), (Pixel{0, 0, 0, 0})) << "space " << space;
  };
  while (gpu().handle() < 100) {  // the harness's own handles differ
  }
  set(1);
  set(2);
  for (int i = 0; i < 3; ++i)
    for (const uint32_t space : {1u, 2u}) drawIn(space, 5);
  expectOwn(1);
  expectOwn(2);
  // One space ends while its work may be under way; the other goes on.
  drawIn(1, 50);
  gpu().space = Harness::kKernel;
  CommandWriter w;
  aerogpu_cmd_ext_destroy_space end{};
  end.space = 1;
  w.packet(end);
  run(w);
  drawIn(2, 5);
  expectOwn(2);
  set(1);
  drawIn(1, 1);
  expectOwn(1);
  gpu().space = Harness::kKernel;
  for (const uint32_t space : {1u, 2u}) {
    end.space = space;
    w.packet(end);
  }
  run(w);
  gpu().space.reset();
}

}  // namespace
}  // namespace aerogpu::test
