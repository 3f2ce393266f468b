// SPDX-License-Identifier: MIT
// Tests shaders, declarations, draws, clears, queries, state blocks.
#include <cstring>

#include "testbed/d3d9-runtime/test/harness.h"

using namespace aerogpu::test;

namespace {

struct Shaders {
  explicit Shaders(const TestDevice &device) {
    device->CreateVertexShader(kVertexShader, &vertex);
    device->CreatePixelShader(kPixelShader, &pixel);
    device->SetVertexShader(vertex);
    device->SetPixelShader(pixel);
  }
  ~Shaders() {
    vertex->Release();
    pixel->Release();
  }
  Shaders(const Shaders &) = delete;
  Shaders &operator=(const Shaders &) = delete;
  IDirect3DVertexShader9 *vertex = nullptr;
  IDirect3DPixelShader9 *pixel = nullptr;
};

}  // namespace

// d3d9ddi 3.2: streams with the end token, size in bytes.
TEST_CASE(shaderStreams) {
  const TestDevice device;
  {
    const Shaders shaders(device);
    EXPECT_CALLS("CreateVertexShaderFunc 32 bytes fffe0200 .. 0000ffff",
                 "CreatePixelShader 20 bytes ffff0200 .. 0000ffff", "SetPixelShader 1");
    UINT size = 0;
    EXPECT(shaders.vertex->GetFunction(nullptr, &size) == D3D_OK && size == 32);
    DWORD code[8]{};
    EXPECT(shaders.vertex->GetFunction(code, &size) == D3D_OK && std::memcmp(code, kVertexShader, 32) == 0);
  }
  device->SetVertexShader(nullptr);
  device->SetPixelShader(nullptr);
  EXPECT(countOf(calls(), "Delete") == 2);
  // Model 1 has no lengths: DEF's numbers are not instructions (0xffff is the end only as an instruction).
  const DWORD model1[] = {D3DPS_VERSION(1, 1), 0x00000051, 0xA00F0000, 0x0000FFFF, 0, 0, 0,
                          0x00000001,          0x800F0000, 0xA0E40000, 0xFFFF};
  IDirect3DPixelShader9 *pixel = nullptr;
  EXPECT(device->CreatePixelShader(model1, &pixel) == D3D_OK);
  EXPECT_CALLS("CreatePixelShader 44 bytes ffff0101 .. 0000ffff");
  pixel->Release();
  IDirect3DVertexShader9 *vertex = nullptr;
  EXPECT(device->CreateVertexShader(kPixelShader, &vertex) == D3DERR_INVALIDCALL);
  fake().clear();
}

// Page "D3DFVF": position, blend weights, normal, point size, two colours, then coordinates of 1 to 4 floats.
// Rows are stream:offset/D3DDECLTYPE/D3DDECLUSAGE.index.
TEST_CASE(fvfDeclarations) {
  const TestDevice device;
  device->SetFVF(D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1);
  device->SetFVF(D3DFVF_XYZB3 | D3DFVF_LASTBETA_UBYTE4 | D3DFVF_NORMAL | D3DFVF_PSIZE | D3DFVF_SPECULAR | D3DFVF_TEX3 |
                 D3DFVF_TEXCOORDSIZE3(0) | D3DFVF_TEXCOORDSIZE1(1) | D3DFVF_TEXCOORDSIZE4(2));
  device->SetFVF(D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1);  // known
  EXPECT_CALLS("CreateVertexShaderDecl 0:0/3/9.0 0:16/4/10.0 0:20/1/5.0",
               "CreateVertexShaderDecl 0:0/2/0.0 0:12/1/1.0 0:20/5/2.0 0:24/2/3.0 0:36/0/4.0 0:40/4/10.1 0:44/2/5.0 "
               "0:56/0/5.1 0:60/3/5.2");
  DWORD fvf = 0;
  EXPECT(device->GetFVF(&fvf) == D3D_OK && fvf == (D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1));
  // A declaration made from a code has that code; one without a position has none.
  const D3DVERTEXELEMENT9 made[] = {{0, 0, D3DDECLTYPE_FLOAT3, 0, D3DDECLUSAGE_POSITION, 0},
                                    {0, 12, D3DDECLTYPE_FLOAT1, 0, D3DDECLUSAGE_TEXCOORD, 0},
                                    D3DDECL_END()};
  IDirect3DVertexDeclaration9 *coded = nullptr, *plain = nullptr;
  EXPECT(device->CreateVertexDeclaration(made, &coded) == D3D_OK && device->SetVertexDeclaration(coded) == D3D_OK);
  EXPECT(device->GetFVF(&fvf) == D3D_OK && fvf == (D3DFVF_XYZ | D3DFVF_TEX1 | D3DFVF_TEXCOORDSIZE1(0)));
  EXPECT(device->CreateVertexDeclaration(made + 1, &plain) == D3D_OK && device->SetVertexDeclaration(plain) == D3D_OK);
  EXPECT(device->GetFVF(&fvf) == D3D_OK && fvf == 0);
  device->SetVertexDeclaration(nullptr);
  coded->Release();
  plain->Release();
  fake().clear();
  const D3DVERTEXELEMENT9 elements[] = {{1, 8, D3DDECLTYPE_FLOAT16_2, 0, D3DDECLUSAGE_TEXCOORD, 7}, D3DDECL_END()};
  IDirect3DVertexDeclaration9 *declaration = nullptr;
  EXPECT(device->CreateVertexDeclaration(elements, &declaration) == D3D_OK);
  EXPECT_CALLS("CreateVertexShaderDecl 1:8/15/5.7");
  UINT count = 0;
  EXPECT(declaration->GetDeclaration(nullptr, &count) == D3D_OK && count == 2);
  declaration->Release();
  const D3DVERTEXELEMENT9 odd[] = {{0, 2, D3DDECLTYPE_FLOAT1, 0, 0, 0}, D3DDECL_END()};
  EXPECT(device->CreateVertexDeclaration(odd, &declaration) == E_FAIL);
  fake().clear();
}

TEST_CASE(drawsNeedState) {
  const TestDevice device;
  const Shaders shaders(device);
  fake().clear();
  const float vertices[12] = {};
  EXPECT(device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 16) == D3DERR_INVALIDCALL);  // no scene
  device->BeginScene();
  EXPECT(device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 16) == D3DERR_INVALIDCALL);  // no declaration
  EXPECT(countOf(calls(), "Draw") == 0);
  device->EndScene();
  fake().clear();
}

// Page "Converting the Direct3D Fixed-Function State": without the program's shaders the driver gets generated ones.
TEST_CASE(fixedFunction) {
  const TestDevice device;
  const float vertices[12] = {};
  const auto draw = [&] {
    EXPECT(device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 12) == D3D_OK);
    return calls();
  };
  device->BeginScene();
  device->SetFVF(D3DFVF_XYZ);
  calls();
  std::vector<std::string> lines = draw();
  EXPECT(countOf(lines, "CreateVertexShaderFunc") == 1 && countOf(lines, "CreatePixelShader") == 1);
  EXPECT(countOf(lines, "SetVertexShaderFunc 1") == 1 && countOf(lines, "SetPixelShader 1") == 1);
  EXPECT(countOf(lines, "SetVertexShaderConst 0+256 1") == 1 && countOf(lines, "SetVertexShaderConstI 0+2 0") == 1);
  EXPECT(countOf(lines, "SetPixelShaderConst 0+25 1") == 1 && countOf(lines, "DrawPrimitive ") == 1);
  // Draws again unchanged, then with states that change neither a shader nor its registers.
  const std::vector<std::string> again = draw();
  device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE);
  device->SetTextureStageState(1, D3DTSS_COLORARG1, D3DTA_TEMP);  // that stage is disabled
  calls();
  EXPECT(draw() == again && countOf(again, "Create") == 0);
  EXPECT(countOf(again, "SetVertexShader") == 0 && countOf(again, "SetPixelShader") == 0);
  // Values go to registers: the clip matrix to c0..c3, world and view to c100..c102.
  const D3DMATRIX twice{{{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}}};
  device->SetTransform(D3DTS_WORLD, &twice);
  lines = draw();
  EXPECT(countOf(lines, "Create") == 0 && countOf(lines, "SetVertexShaderConst 0+3 2") == 1);
  EXPECT(countOf(lines, "SetVertexShaderConst 100+3 2") == 1 && countOf(lines, "SetVertexShaderConst") == 2);
  // Any other change needs a shader, which is made once.
  device->SetRenderState(D3DRS_LIGHTING, FALSE);
  EXPECT(countOf(draw(), "CreateVertexShaderFunc") == 1);
  device->SetRenderState(D3DRS_LIGHTING, TRUE);
  lines = draw();
  EXPECT(countOf(lines, "Create") == 0 && countOf(lines, "SetVertexShaderFunc 1") == 1);

  // Registers belong to the program whenever one of its shaders runs.
  const float constants[8] = {7.5f};
  device->SetVertexShaderConstantF(3, constants, 1);
  device->SetPixelShaderConstantF(0, constants, 1);
  EXPECT_CALLS();
  {
    const Shaders shaders(device);
    device->SetVertexShaderConstantF(0, constants, 1);
    calls();
    lines = draw();
    EXPECT(countOf(lines, "SetVertexShaderConst 0+256 7.5") == 1 && countOf(lines, "SetVertexShaderConstI 0+16") == 1);
    EXPECT(countOf(lines, "SetPixelShaderConst 0+224 7.5") == 1);
    EXPECT(countOf(draw(), "SetVertexShaderConst") == 0);
    device->SetVertexShaderConstantF(0, constants, 1);
    EXPECT_CALLS("SetVertexShaderConst 0+1 7.5");
    // Each stage independently.
    device->SetPixelShader(nullptr);
    lines = draw();
    EXPECT(countOf(lines, "SetPixelShaderConst 0+25") == 1 && countOf(lines, "SetVertexShader") == 0);
    // Transformed vertices use stages, but no vertex shader.
    device->SetFVF(D3DFVF_XYZRHW);
    device->SetVertexShader(nullptr);
    calls();
    const float transformed[12] = {};
    EXPECT(device->DrawPrimitiveUP(D3DPT_POINTLIST, 1, transformed, 16) == D3D_OK);
    EXPECT(countOf(calls(), "SetVertexShaderFunc 0") == 1);
  }

  // Clip planes are in world space without a vertex shader, and in clip space with one.
  const float plane[4] = {1, 0, 0, 4};
  const D3DMATRIX view{{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1}}};
  device->SetFVF(D3DFVF_XYZ);
  device->SetTransform(D3DTS_VIEW, &view);
  device->SetClipPlane(2, plane);
  draw();
  device->SetRenderState(D3DRS_CLIPPLANEENABLE, 4);
  calls();
  EXPECT(countOf(draw(), "SetClipPlane 2 1 0 0 1") == 1);
  EXPECT(countOf(draw(), "SetClipPlane") == 0);
  device->EndScene();
  calls();
}

TEST_CASE(draws) {
  const TestDevice device;
  const Shaders shaders(device);
  IDirect3DVertexBuffer9 *vertices = nullptr;
  IDirect3DIndexBuffer9 *indices = nullptr;
  device->CreateVertexBuffer(1024, 0, 0, D3DPOOL_DEFAULT, &vertices, nullptr);
  device->CreateIndexBuffer(1024, 0, D3DFMT_INDEX32, D3DPOOL_DEFAULT, &indices, nullptr);
  device->SetFVF(D3DFVF_XYZ);
  device->BeginScene();
  fake().clear();
  device->SetStreamSource(1, vertices, 8, 12);
  device->SetStreamSourceFreq(1, D3DSTREAMSOURCE_INSTANCEDATA | 1);
  device->SetIndices(indices);
  EXPECT(device->DrawIndexedPrimitive(D3DPT_TRIANGLESTRIP, -3, 4, 20, 6, 10) == D3D_OK);
  EXPECT(device->DrawPrimitive(D3DPT_TRIANGLEFAN, 2, 5) == D3D_OK);
  EXPECT_CALLS("SetStreamSource 1 1 offset 8 stride 12", "SetStreamSourceFreq 1 80000001", "SetIndices 1 stride 4",
               "SetVertexShaderDecl 1", "SetVertexShaderFunc 1",
               "DrawIndexedPrimitive type 5 base -3 min 4 vertices 20 start 6 count 10",
               "DrawPrimitive type 6 start 2 count 5");
  EXPECT(device->SetStreamSource(0, vertices, 2, 12) == D3DERR_INVALIDCALL);
  EXPECT(device->SetStreamSourceFreq(0, D3DSTREAMSOURCE_INSTANCEDATA | 1) == D3DERR_INVALIDCALL);
  // Transformed vertices use no vertex shader.
  device->SetFVF(D3DFVF_XYZRHW);
  fake().clear();
  device->DrawPrimitive(D3DPT_POINTLIST, 0, 1);
  EXPECT_CALLS("SetVertexShaderDecl 1", "SetVertexShaderFunc 0", "DrawPrimitive type 1");
  device->EndScene();
  vertices->Release();
  indices->Release();
}

// d3d9ddi 3.2: user memory is valid until the draw returns. The runtime's copy is overwritten then.
TEST_CASE(userMemory) {
  const TestDevice device;
  const Shaders shaders(device);
  device->SetFVF(D3DFVF_XYZ);
  device->BeginScene();
  fake().clear();
  const float vertices[] = {2.5f, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1};
  const WORD indices[] = {3, 2, 1};
  EXPECT(device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, vertices, 12) == D3D_OK);
  EXPECT_CALLS("SetVertexShaderDecl 1", "SetVertexShaderFunc 1", "SetStreamSourceUm 0 stride 12 first 2.5",
               "DrawPrimitive type 5 start 0 count 2", "SetStreamSource 0 0 offset 0 stride 0");
  EXPECT(device->DrawIndexedPrimitiveUP(D3DPT_TRIANGLELIST, 0, 4, 1, indices, D3DFMT_INDEX16, vertices, 12) == D3D_OK);
  EXPECT_CALLS("SetStreamSourceUm 0 stride 12", "SetIndicesUm 2 first 3",
               "DrawIndexedPrimitive type 4 base 0 min 0 vertices 4 start 0 count 1",
               "SetStreamSource 0 0 offset 0 stride 0", "SetIndices 0", "user memory now dbdbdbdb");
  device->EndScene();
}

// d3d9ddi 3.4: the runtime clips rectangles to viewport and scissor, or sets COMPUTERECTS (8) on pure devices.
TEST_CASE(clears) {
  const TestDevice device;
  const D3DVIEWPORT9 viewport{10, 20, 100, 50, 0, 1};
  device->SetViewport(&viewport);
  const RECT scissor{0, 0, 60, 480};
  device->SetScissorRect(&scissor);
  fake().clear();
  device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_STENCIL, 0x11223344, 1, 0);
  device->SetRenderState(D3DRS_SCISSORTESTENABLE, TRUE);
  const D3DRECT rects[] = {{0, 0, 30, 30}, {70, 30, 90, 40}};
  device->Clear(2, rects, D3DCLEAR_TARGET, 0, 1, 0);
  device->Clear(1, rects + 1, D3DCLEAR_TARGET, 0, 1, 0);
  EXPECT_CALLS("Clear flags 5 color 11223344 rects 1 10,20-110,70", "SetRenderState 174 00000001",
               "Clear flags 1 color 00000000 rects 1 10,20-30,30");
  // A count of 0 clears nothing; without rectangles the count is ignored.
  device->SetRenderState(D3DRS_SCISSORTESTENABLE, FALSE);
  fake().clear();
  EXPECT(device->Clear(0, rects, D3DCLEAR_TARGET, 0, 1, 0) == D3D_OK);
  EXPECT(device->Clear(1, nullptr, D3DCLEAR_TARGET, 0, 1, 0) == D3D_OK);
  EXPECT_CALLS("Clear flags 1 color 00000000 rects 1 10,20-110,70");
  device->SetDepthStencilSurface(nullptr);
  EXPECT(device->Clear(0, nullptr, D3DCLEAR_ZBUFFER, 0, 1, 0) == D3DERR_INVALIDCALL);
  const TestDevice pure(false, D3DCREATE_HARDWARE_VERTEXPROCESSING | D3DCREATE_PUREDEVICE);
  pure->Clear(2, rects, D3DCLEAR_TARGET, 5, 1, 0);
  pure->Clear(0, nullptr, D3DCLEAR_TARGET, 5, 1, 0);
  EXPECT_CALLS("Clear flags 9 color 00000005 rects 2 0,0-30,30", "Clear flags 9 color 00000005 rects 0");
}

// d3d9ddi 3.8: the driver's Begin is bit 0 and End bit 1, not the API's values; D3DGETDATA_FLUSH becomes Flush.
TEST_CASE(queries) {
  const TestDevice device;
  IDirect3DQuery9 *query = nullptr;
  EXPECT(device->CreateQuery(D3DQUERYTYPE_TIMESTAMP, nullptr) == D3DERR_NOTAVAILABLE);
  EXPECT(device->CreateQuery(D3DQUERYTYPE_EVENT, nullptr) == D3D_OK);
  EXPECT(device->CreateQuery(D3DQUERYTYPE_OCCLUSION, &query) == D3D_OK);
  DWORD pixels = 0;
  // Not issued yet: a pattern, and no call of the driver.
  EXPECT(query->GetDataSize() == 4 && query->GetData(&pixels, 4, 0) == S_OK && pixels == 0xDDDDDDDD);
  query->Issue(D3DISSUE_BEGIN);
  query->Issue(D3DISSUE_END);
  EXPECT_CALLS("CreateQuery 9", "IssueQuery flags 1", "IssueQuery flags 2");
  EXPECT(query->GetData(&pixels, 4, 0) == S_FALSE);
  EXPECT_CALLS("GetQueryData");
  query->Issue(D3DISSUE_BEGIN);
  query->Issue(D3DISSUE_END);
  fake().clear();
  EXPECT(query->GetData(&pixels, 4, D3DGETDATA_FLUSH) == S_OK && pixels == 1);
  EXPECT_CALLS("GetQueryData", "Flush", "callback Render", "GetQueryData");
  EXPECT(query->GetData(&pixels, 4, 0) == S_OK);  // known by now
  EXPECT_CALLS();
  query->Release();
  EXPECT(device->CreateQuery(D3DQUERYTYPE_EVENT, &query) == D3D_OK);
  EXPECT(query->Issue(D3DISSUE_BEGIN) == D3DERR_INVALIDCALL);
  query->Issue(D3DISSUE_END);
  BOOL done = FALSE;
  EXPECT(query->GetData(&done, sizeof done, 0) == S_FALSE);
  EXPECT(query->GetData(&done, sizeof done, 0) == S_OK && done == TRUE);
  query->Release();
  fake().clear();
}

TEST_CASE(stateBlocks) {
  const TestDevice device;
  IDirect3DStateBlock9 *block = nullptr, *all = nullptr;
  EXPECT(device->CreateStateBlock(D3DSBT_PIXELSTATE, &block) == D3D_OK && device->BeginStateBlock() == D3D_OK);
  EXPECT(block->Apply() == D3DERR_INVALIDCALL &&
         block->Capture() == D3DERR_INVALIDCALL);  // while another one is recorded
  EXPECT(device->EndStateBlock(&all) == D3D_OK);
  block->Release();
  all->Release();
  all = nullptr;
  fake().clear();
  EXPECT(device->BeginStateBlock() == D3D_OK);
  device->SetRenderState(D3DRS_ALPHABLENDENABLE, TRUE);
  device->SetSamplerState(1, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR);
  EXPECT(device->EndStateBlock(&block) == D3D_OK);
  EXPECT_CALLS();  // recorded, not set
  DWORD value = 9;
  device->GetRenderState(D3DRS_ALPHABLENDENABLE, &value);
  EXPECT(value == FALSE);
  EXPECT(device->CreateStateBlock(D3DSBT_ALL, &all) == D3D_OK);
  EXPECT(block->Apply() == D3D_OK);
  EXPECT_CALLS("SetRenderState 27 00000001", "SetTextureStageState 1 16 00000002");
  device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE);
  device->SetRenderState(D3DRS_FILLMODE, D3DFILL_POINT);
  EXPECT(block->Capture() == D3D_OK);
  device->SetRenderState(D3DRS_ALPHABLENDENABLE, TRUE);
  fake().clear();
  block->Apply();
  EXPECT_CALLS("SetRenderState 27 00000000");
  all->Apply();
  device->GetRenderState(D3DRS_FILLMODE, &value);
  EXPECT(value == D3DFILL_SOLID);
  EXPECT(countOf(calls(), "SetTextureStageState 1 16 00000001") == 1);
  EXPECT(device->BeginStateBlock() == D3D_OK && device->BeginStateBlock() == D3DERR_INVALIDCALL);
  IDirect3DStateBlock9 *empty = nullptr;
  device->EndStateBlock(&empty);
  EXPECT(device->EndStateBlock(&empty) == D3DERR_INVALIDCALL);
  block->Release();
  all->Release();
  empty->Release();
  device->GetRenderState(D3DRS_POINTSIZE_MAX, &value);
  EXPECT(value == 0x43000000);  // 128, the driver's largest size
  // A block of all states keeps the stream offsets from when it was made.
  IDirect3DVertexBuffer9 *buffer = nullptr, *bound = nullptr;
  device->CreateVertexBuffer(256, 0, D3DFVF_XYZ, D3DPOOL_DEFAULT, &buffer, nullptr);
  device->CreateStateBlock(D3DSBT_ALL, &all);
  device->SetStreamSource(0, buffer, 16, 12);
  device->SetRenderState(D3DRS_MULTISAMPLEMASK, 3);
  EXPECT(all->Capture() == D3D_OK && all->Apply() == D3D_OK);
  UINT offset = 9, stride = 0;
  device->GetStreamSource(0, &bound, &offset, &stride);
  EXPECT(bound == buffer && offset == 0 && stride == 12);
  bound->Release();
  // The mask belongs to the vertex states.
  device->CreateStateBlock(D3DSBT_PIXELSTATE, &block);
  device->SetRenderState(D3DRS_MULTISAMPLEMASK, 1);
  block->Apply();
  device->GetRenderState(D3DRS_MULTISAMPLEMASK, &value);
  EXPECT(value == 1);
  device->SetStreamSource(0, nullptr, 0, 0);
  block->Release();
  all->Release();
  buffer->Release();
  fake().clear();
}

// Vertices that the processor transforms: from clip space to the 640x480 of the back buffer, y downwards (page
// "IDirect3DDevice9::ProcessVertices").
TEST_CASE(processVertices) {
  const TestDevice device;
  struct In {
    float x, y, z;
    DWORD color;
  };
  struct Out {
    float x, y, z, rhw;
    DWORD color;
  };
  constexpr In kIn[] = {{9, 9, 9, 9}, {-0.5f, 0.5f, 0.25f, 0xFF102030}, {0.5f, -0.5f, 0, 0x80FFFFFF}};
  IDirect3DVertexBuffer9 *in = nullptr, *out = nullptr;
  device->CreateVertexBuffer(sizeof kIn, 0, 0, D3DPOOL_SYSTEMMEM, &in, nullptr);
  device->CreateVertexBuffer(4 * sizeof(Out), 0, D3DFVF_XYZRHW | D3DFVF_DIFFUSE, D3DPOOL_SYSTEMMEM, &out, nullptr);
  void *bytes = nullptr;
  in->Lock(0, 0, &bytes, 0);
  std::memcpy(bytes, kIn, sizeof kIn);
  in->Unlock();
  device->SetFVF(D3DFVF_XYZ | D3DFVF_DIFFUSE);
  device->SetStreamSource(0, in, 0, sizeof(In));
  device->SetRenderState(D3DRS_LIGHTING, FALSE);
  const auto check = [&](float scale) {
    EXPECT(device->ProcessVertices(1, 2, 2, out, nullptr, 0) == D3D_OK);
    EXPECT(device->ProcessVertices(1, 3, 2, out, nullptr, 0) == D3DERR_INVALIDCALL);  // does not fit
    EXPECT(out->Lock(0, 0, &bytes, D3DLOCK_READONLY) == D3D_OK);
    const Out *made = static_cast<const Out *>(bytes) + 2;
    for (UINT i = 0; i < 2; ++i) {
      const In &from = kIn[i + 1];
      const bool right = made[i].x == 320 + 320 * scale * from.x && made[i].y == 240 - 240 * scale * from.y &&
                         made[i].z == from.z && made[i].rhw == 1 && made[i].color == from.color;
      EXPECT(right);
    }
    out->Unlock();
  };
  check(1);
  // A program's shader with a loop: doubles the position by adding it to itself once (i0: one turn).
  constexpr DWORD kDoubling[] = {
      D3DVS_VERSION(2, 0),                                                              //
      0x0200001F,          0x80000000, 0x900F0000, 0x0200001F, 0x8000000A, 0x900F0001,  // dcl
      0x05000030,          0xF00F0000, 1,          0,          0,          0,           // defi i0
      0x02000001,          0x800F0000, 0x90E40000,                                      // mov r0, v0
      0x01000026,          0xF0E40000,                                                  // rep i0
      0x03000002,          0x80030000, 0x80E40000, 0x90E40000,                          // add r0.xy, r0, v0
      0x00000027,                                                                       // endrep
      0x02000001,          0xC00F0000, 0x80E40000, 0x02000001, 0xD00F0000, 0x90E40001, 0xFFFF};
  IDirect3DVertexShader9 *shader = nullptr;
  EXPECT(device->CreateVertexShader(kDoubling, &shader) == D3D_OK);
  device->SetVertexShader(shader);
  check(2);
  device->SetVertexShader(nullptr);
  device->SetStreamSource(0, nullptr, 0, 0);
  shader->Release();
  in->Release();
  out->Release();
  fake().clear();
}

// A shader with a register that the hardware does not have (Wine's test_mvp_software_vertex_shaders).
TEST_CASE(softwareConstants) {
  const TestDevice device(false, D3DCREATE_SOFTWARE_VERTEXPROCESSING);
  D3DCAPS9 caps{};
  EXPECT(device->GetDeviceCaps(&caps) == D3D_OK && caps.MaxVertexShaderConst == 8192);
  constexpr float kZero[4]{};
  EXPECT(device->SetVertexShaderConstantF(8191, kZero, 1) == D3D_OK);
  EXPECT(device->SetVertexShaderConstantF(8192, kZero, 1) == D3DERR_INVALIDCALL);
  fake().clear();
}

TEST_CASE(softwareShaders) {
  const TestDevice device(false, D3DCREATE_MIXED_VERTEXPROCESSING);
  constexpr DWORD kCode[] = {D3DVS_VERSION(2, 0), 0x0200001F, 0x80000000,       0x900F0000,  // dcl_position v0
                             0x02000001,          0xD00F0000, 0xA0E40000 | 256,              // mov oD0, c256
                             0x02000001,          0xC00F0000, 0x90E40000,       0xFFFF};     // mov oPos, v0
  IDirect3DVertexShader9 *shader = nullptr;
  EXPECT(device->CreateVertexShader(kCode, &shader) == D3D_OK);
  EXPECT_CALLS();  // the driver does not get it
  IDirect3DPixelShader9 *pixel = nullptr;
  device->CreatePixelShader(kPixelShader, &pixel);
  device->SetPixelShader(pixel);
  device->SetVertexShader(shader);
  device->SetFVF(D3DFVF_XYZ);
  constexpr float kTriangle[3][3]{};
  const auto draw = [&] { return device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, kTriangle, sizeof kTriangle[0]); };
  device->BeginScene();
  EXPECT(draw() == D3DERR_INVALIDCALL);
  EXPECT(draw() == D3D_OK);  // draws as without it
  EXPECT(countOf(calls(), "SetStreamSourceUm 0 stride 12") == 1);
  device->SetSoftwareVertexProcessing(TRUE);
  constexpr float kColor[4] = {1, 0, 0, 1};
  EXPECT(device->SetVertexShaderConstantF(256, kColor, 1) == D3D_OK);
  EXPECT(device->SetVertexShaderConstantF(8192, kColor, 1) == D3DERR_INVALIDCALL);
  D3DCAPS9 caps{};
  EXPECT(device->GetDeviceCaps(&caps) == D3D_OK && caps.MaxVertexShaderConst == 256);  // the hardware's limit
  EXPECT(draw() == D3D_OK);
  EXPECT(countOf(calls(), "SetStreamSourceUm 0 stride 176") == 1);  // eleven registers of four floats
  device->EndScene();
  IDirect3DVertexShader9 *bound = nullptr;
  device->GetVertexShader(&bound);
  EXPECT(bound == shader);
  bound->Release();
  device->SetVertexShader(nullptr);
  device->SetPixelShader(nullptr);
  pixel->Release();
  shader->Release();
  fake().clear();
}
