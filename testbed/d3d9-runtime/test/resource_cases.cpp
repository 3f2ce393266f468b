// SPDX-License-Identifier: MIT
// Tests resources: the arguments of CreateResource, locks, pools, transfers, shared handles.
#include <cstdio>
#include <cstring>

#include "testbed/d3d9-runtime/test/harness.h"

using namespace aerogpu::test;

// d3d9ddi 3.5; flags by bit of D3DDDI_RESOURCEFLAGS. Samples 4, levels 3 and FVF 112 stand where the page
// "PFND3DDDI_CREATERESOURCE" reserves these members.
TEST_CASE(textures) {
  const TestDevice device(true);
  IDirect3DTexture9 *texture = nullptr;
  EXPECT(device->CreateTexture(16, 8, 0, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr) == D3D_OK);
  EXPECT_CALLS("CreateResource format 21 pool 2 16x8x0 last 1x1 surfaces 5 levels 5 samples 4 fvf 112 flags 00010080");
  EXPECT(texture->GetLevelCount() == 5);
  D3DLOCKED_RECT locked{};
  EXPECT(texture->LockRect(0, &locked, nullptr, 0) == D3DERR_INVALIDCALL);  // not dynamic
  texture->Release();
  device->CreateTexture(16, 16, 0, D3DUSAGE_AUTOGENMIPMAP, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr);
  fake().clear();
  EXPECT(texture->GetLevelCount() == 1);
  texture->GenerateMipSubLevels();
  EXPECT_CALLS("GenerateMipSubLevels filter 2");
  texture->Release();
  IDirect3DCubeTexture9 *cube = nullptr;
  fake().clear();
  EXPECT(device->CreateCubeTexture(8, 0, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &cube, nullptr) ==
         D3D_OK);
  EXPECT_CALLS("CreateResource format 21 pool 2 8x8x0 last 1x1 surfaces 24 levels 4 samples 0 fvf 112 flags 00030081");
  IDirect3DSurface9 *face = nullptr;
  cube->GetCubeMapSurface(D3DCUBEMAP_FACE_NEGATIVE_Y, 2, &face);
  device->SetRenderTarget(0, face);
  EXPECT_CALLS("SetRenderTarget 0 1 sub 14", "SetViewport 0,0 2x2", "SetZRange 0 1", "SetScissorRect 0,0-2,2");
  face->Release();
  cube->Release();
  IDirect3DVolumeTexture9 *volume = nullptr;
  device->CreateVolumeTexture(8, 4, 2, 2, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &volume, nullptr);
  EXPECT_CALLS(
      "CreateResource format 21 pool 1 8x4x2 last 4x2 surfaces 2 levels 2 samples 4 fvf 112 flags 00050000 pitch 32");
  volume->Release();
  EXPECT(device->CreateTexture(16, 8, 6, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr) == D3DERR_INVALIDCALL);
  EXPECT(device->CreateTexture(8192, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr) ==
         D3DERR_INVALIDCALL);
  EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_L8, D3DPOOL_DEFAULT, &texture, nullptr) == D3DERR_INVALIDCALL);
  EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, nullptr) ==
         D3DERR_INVALIDCALL);  // Ex
  IDirect3DSurface9 *surface = nullptr;
  fake().clear();
  EXPECT(device->CreateRenderTarget(32, 16, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_4_SAMPLES, 1, FALSE, &surface, nullptr) ==
         D3D_OK);
  EXPECT_CALLS(
      "GetCaps 5 size 16",
      "CreateResource format 21 pool 2 32x16x0 last 32x16 surfaces 1 levels 3 samples 4 fvf 112 flags 00000081");
  surface->Release();
  fake().misbehave("no memory");
  EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, nullptr) == E_OUTOFMEMORY &&
         !texture);
}

// The managed pool: a copy over system memory, and TexBlt, VolBlt or BufBlt before a draw uses it (1.4, 3.7).
TEST_CASE(managedPool) {
  const TestDevice device;
  IDirect3DTexture9 *texture = nullptr;
  device->CreateTexture(32, 32, 2, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, nullptr);
  EXPECT_CALLS(
      "CreateResource format 21 pool 1 32x32x0 last 16x16 surfaces 2 levels 2 samples 4 fvf 112 flags 00010000 pitch "
      "128",
      "CreateResource format 21 pool 2 32x32x0 last 16x16 surfaces 2 levels 2 samples 4 fvf 112 flags 00010000");
  D3DLOCKED_RECT locked{};
  const RECT part{4, 2, 8, 8};
  EXPECT(texture->LockRect(0, &locked, nullptr, 0) == D3D_OK);
  const BYTE *base = static_cast<BYTE *>(locked.pBits);
  EXPECT(locked.Pitch == 128);
  EXPECT(texture->LockRect(0, &locked, nullptr, 0) == D3DERR_INVALIDCALL);
  texture->UnlockRect(0);
  EXPECT(texture->UnlockRect(0) == D3D_OK);  // an extra Unlock is tolerated
  EXPECT(texture->LockRect(0, &locked, &part, D3DLOCK_READONLY) == D3D_OK);
  EXPECT(static_cast<BYTE *>(locked.pBits) == base + size_t{2 * 128 + 4 * 4});
  texture->UnlockRect(0);
  EXPECT(texture->LockRect(1, &locked, nullptr, D3DLOCK_READONLY) == D3D_OK && texture->UnlockRect(1) == D3D_OK);
  // Locks without a pointer: the driver waits for its own reads only, and is not told the level.
  EXPECT_CALLS("Lock sub 0 flags 080", "Unlock sub 0 flags 1", "Lock sub 0 flags 081", "Unlock sub 0 flags 1",
               "Lock sub 0 flags 081", "Unlock sub 0 flags 1");
  device->SetTexture(0, texture);
  IDirect3DVertexBuffer9 *buffer = nullptr;
  device->CreateVertexBuffer(256, 0, D3DFVF_XYZRHW, D3DPOOL_MANAGED, &buffer, nullptr);
  device->SetStreamSource(0, buffer, 16, 16);
  IDirect3DPixelShader9 *shader = nullptr;
  device->CreatePixelShader(kPixelShader, &shader);
  device->SetPixelShader(shader);
  device->SetFVF(D3DFVF_XYZRHW);
  device->BeginScene();
  fake().clear();
  device->DrawPrimitive(D3DPT_TRIANGLELIST, 3, 2);
  EXPECT_CALLS("SetVertexShaderDecl 1", "TexBlt from 1 face 0 rect 32x32", "BufBlt to 0 from 0+256",
               "DrawPrimitive type 4 start 3 count 2 flags 0");
  void *bytes = nullptr;
  buffer->Lock(32, 16, &bytes, 0);
  buffer->Unlock();
  fake().clear();
  device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1);
  EXPECT_CALLS("BufBlt to 32 from 32+16", "DrawPrimitive");
  // After the first time only the parts marked as changed are sent again, and all of it after an eviction.
  EXPECT(texture->LockRect(0, &locked, nullptr, D3DLOCK_NO_DIRTY_UPDATE) == D3D_OK);
  texture->UnlockRect(0);
  const RECT other{20, 20, 24, 32}, outside{20, 20, 33, 32};
  EXPECT(texture->AddDirtyRect(&part) == D3D_OK && texture->AddDirtyRect(&other) == D3D_OK &&
         texture->AddDirtyRect(&outside) == D3DERR_INVALIDCALL);
  fake().clear();
  device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1);
  EXPECT_CALLS("TexBlt from 1 face 0 rect 8x8", "TexBlt from 1 face 0 rect 24x32", "DrawPrimitive");  // right, bottom
  EXPECT(device->EvictManagedResources() == D3D_OK);
  device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1);
  EXPECT_CALLS("TexBlt from 1 face 0 rect 32x32", "BufBlt to 0 from 0+256", "DrawPrimitive");
  device->EndScene();
  shader->Release();
  buffer->Release();
  texture->Release();
}

// A device context over a surface's memory, as GDI sees it.
TEST_CASE(deviceContexts) {
  const TestDevice device;
  IDirect3DSurface9 *surface = nullptr;
  device->CreateOffscreenPlainSurface(8, 8, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &surface, nullptr);
  HDC dc = nullptr, second = nullptr;
  D3DLOCKED_RECT locked{};
  EXPECT(surface->GetDC(&dc) == D3D_OK && dc);
  EXPECT(surface->GetDC(&second) == D3DERR_INVALIDCALL);
  EXPECT(surface->LockRect(&locked, nullptr, 0) == D3DERR_INVALIDCALL);
  SetPixel(dc, 3, 2, RGB(1, 2, 3));
  EXPECT(surface->ReleaseDC(nullptr) == D3DERR_INVALIDCALL && surface->ReleaseDC(dc) == D3D_OK);
  EXPECT(surface->LockRect(&locked, nullptr, D3DLOCK_READONLY) == D3D_OK);
  const DWORD *row =
      reinterpret_cast<const DWORD *>(static_cast<const BYTE *>(locked.pBits) + ptrdiff_t{2} * locked.Pitch);
  EXPECT((row[3] & 0xFFFFFF) == 0x010203);
  surface->UnlockRect();
  surface->Release();
}

// d3d9ddi 3.6: bits of D3DDDI_LOCKFLAGS: ReadOnly 1, WriteOnly 2, NoOverwrite 4, Discard 8, RangeValid 10, AreaValid
// 20, BoxValid 40, NotifyOnly 80, MightDrawFromLocked 100, DoNotWait 200.
TEST_CASE(locks) {
  const TestDevice device;
  IDirect3DVertexBuffer9 *buffer = nullptr;
  device->CreateVertexBuffer(4096, D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, D3DFVF_XYZ, D3DPOOL_DEFAULT, &buffer,
                             nullptr);
  // Dynamic, WriteOnly, VertexBuffer.
  EXPECT_CALLS(
      "CreateResource format 100 pool 2 4096x1x0 last 4096x1 surfaces 1 levels 3 samples 4 fvf 2 flags 00080044");
  void *bytes = nullptr;
  const auto lock = [&](UINT offset, UINT size, DWORD flags) {
    EXPECT(buffer->Lock(offset, size, &bytes, flags) == D3D_OK && bytes);
    buffer->Unlock();
  };
  lock(0, 0, D3DLOCK_DISCARD);
  lock(64, 32, D3DLOCK_NOOVERWRITE);
  lock(64, 32, D3DLOCK_DISCARD);
  lock(0, 4096, D3DLOCK_NOOVERWRITE | D3DLOCK_DISCARD);
  lock(4000, 500, 0);
  lock(0, 0, D3DLOCK_READONLY);
  EXPECT_CALLS("Lock sub 0 flags 00a", "Unlock", "Lock sub 0 flags 016 range 64+32", "Unlock",
               "Lock sub 0 flags 01a range 64+32", "Unlock", "Lock sub 0 flags 00e", "Unlock",
               "Lock sub 0 flags 012 range 4000+96", "Unlock", "Lock sub 0 flags 001", "Unlock");
  fake().misbehave("busy");
  EXPECT(buffer->Lock(0, 0, &bytes, D3DLOCK_DONOTWAIT) == D3DERR_WASSTILLDRAWING);
  fake().misbehave(nullptr);
  buffer->Release();
  IDirect3DTexture9 *texture = nullptr;
  device->CreateTexture(32, 32, 2, D3DUSAGE_DYNAMIC, D3DFMT_DXT1, D3DPOOL_DEFAULT, &texture, nullptr);
  fake().clear();
  D3DLOCKED_RECT locked{};
  const RECT blocks{4, 8, 16, 32}, cut{4, 8, 15, 32}, beyond{0, 0, 36, 4}, negative{-4, 0, 4, 4};
  EXPECT(texture->LockRect(0, &locked, &blocks, D3DLOCK_DISCARD) == D3D_OK);
  texture->UnlockRect(0);
  EXPECT(texture->LockRect(0, &locked, nullptr, D3DLOCK_DISCARD) == D3D_OK);
  texture->UnlockRect(0);
  EXPECT(texture->LockRect(1, &locked, nullptr, D3DLOCK_DISCARD) == D3D_OK);
  texture->UnlockRect(1);
  EXPECT_CALLS("Lock sub 0 flags 020 area 4,8-16,32", "Unlock", "Lock sub 0 flags 00a", "Unlock",
               "Lock sub 1 flags 000", "Unlock");
  EXPECT(texture->LockRect(0, &locked, &cut, 0) == D3DERR_INVALIDCALL);
  EXPECT(texture->LockRect(0, &locked, &beyond, 0) == D3DERR_INVALIDCALL);
  EXPECT(texture->LockRect(0, &locked, &negative, 0) == D3DERR_INVALIDCALL);
  EXPECT_CALLS();
  texture->Release();
  // Only the program knows scratch memory.
  device->CreateTexture(8, 8, 1, 0, D3DFMT_L8, D3DPOOL_SCRATCH, &texture, nullptr);
  EXPECT(texture->LockRect(0, &locked, nullptr, 0) == D3D_OK && locked.Pitch == 8);
  std::memset(locked.pBits, 1, 64);
  texture->UnlockRect(0);
  fake().clear();
  EXPECT(device->SetTexture(0, texture) == D3D_OK);  // and the driver does not see it
  EXPECT_CALLS("SetTexture 0 0");
  device->SetTexture(0, nullptr);
  texture->Release();
  fake().clear();
}

// A driver that does not allocate buffers (D3DDEVCAPS_HWVERTEXBUFFER, HWINDEXBUFFER) gets them in the runtime's memory:
// pool 1, Dynamic 4, WriteOnly 40, VertexBuffer 80000, IndexBuffer 100000, MightDrawFromLocked 2000000.
TEST_CASE(buffersOfTheRuntime) {
  D3DCAPS9 caps{};
  {
    const TestDevice device;
    EXPECT(device->GetDeviceCaps(&caps) == D3D_OK);
    EXPECT(!(caps.DevCaps & (D3DDEVCAPS_HWVERTEXBUFFER | D3DDEVCAPS_HWINDEXBUFFER)));  // not for programs
  }
  fake().misbehave("no buffers");
  const TestDevice device;
  IDirect3DVertexBuffer9 *vertices = nullptr, *managed = nullptr;
  IDirect3DIndexBuffer9 *indices = nullptr;
  EXPECT(device->CreateVertexBuffer(256, D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, D3DFVF_XYZ, D3DPOOL_DEFAULT, &vertices,
                                    nullptr) == D3D_OK);
  EXPECT(device->CreateIndexBuffer(128, D3DUSAGE_WRITEONLY, D3DFMT_INDEX16, D3DPOOL_DEFAULT, &indices, nullptr) ==
         D3D_OK);
  EXPECT(device->CreateVertexBuffer(64, 0, D3DFVF_XYZ, D3DPOOL_MANAGED, &managed, nullptr) == D3D_OK);
  EXPECT_CALLS("CreateResource format 100 pool 1 256x1x0 last 256x1 surfaces 1 levels 3 samples 4 fvf 2 flags 02080044",
               "CreateResource format 101 pool 1 128x1x0 last 128x1 surfaces 1 levels 3 samples 4 fvf 112 flags "
               "02100040",
               "CreateResource format 100 pool 1 64x1x0 last 64x1 surfaces 1 levels 3 samples 4 fvf 2 flags 02080000");
  void *bytes = nullptr;
  EXPECT(vertices->Lock(64, 32, &bytes, D3DLOCK_DISCARD) == D3D_OK && bytes);
  vertices->Unlock();
  EXPECT_CALLS("Lock sub 0 flags 080", "Unlock sub 0 flags 1");
  // A managed buffer has no second copy to bring up to date.
  device->SetStreamSource(0, managed, 0, 16);
  IDirect3DPixelShader9 *shader = nullptr;
  device->CreatePixelShader(kPixelShader, &shader);
  device->SetPixelShader(shader);
  device->SetFVF(D3DFVF_XYZRHW);
  device->BeginScene();
  fake().clear();
  device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1);
  EXPECT(countOf(calls(), "BufBlt") == 0);
  device->EndScene();
  // Pool DEFAULT is what Reset counts, wherever the bytes are.
  D3DPRESENT_PARAMETERS parameters = presentParameters(device.window);
  EXPECT(device->Reset(&parameters) == D3DERR_INVALIDCALL);
  vertices->Release();
  indices->Release();
  EXPECT(device->Reset(&parameters) == D3D_OK);
  shader->Release();
  managed->Release();
  fake().clear();
}

// Sizes and offsets in memory as in Windows' runtime (Wine's d3d9 tests, test_volume_blocks, test_miptree_layout).
TEST_CASE(memoryLayout) {
  const TestDevice device;
  IDirect3DVolumeTexture9 *volume = nullptr;
  D3DLOCKED_BOX box{};
  EXPECT(device->CreateVolumeTexture(3, 1, 2, 1, 0, D3DFMT_YUY2, D3DPOOL_SCRATCH, &volume, nullptr) == D3D_OK);
  EXPECT(volume->LockBox(0, &box, nullptr, 0) == D3D_OK && box.RowPitch == 8 && box.SlicePitch == 8);
  volume->Release();
  EXPECT(device->CreateVolumeTexture(3, 4, 1, 1, 0, D3DFMT_DXT1, D3DPOOL_SCRATCH, &volume, nullptr) ==
         D3DERR_INVALIDCALL);
  EXPECT(device->CreateVolumeTexture(8, 8, 8, 0, D3DUSAGE_AUTOGENMIPMAP, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT, &volume,
                                     nullptr) == D3DERR_INVALIDCALL);
  // Faces of 3x3 and 1x1 texels of 4 bytes: 40 bytes, and the next begins at a multiple of 16.
  for (const D3DPOOL pool : {D3DPOOL_SCRATCH, D3DPOOL_SYSTEMMEM, D3DPOOL_MANAGED}) {
    IDirect3DCubeTexture9 *cube = nullptr;
    EXPECT(device->CreateCubeTexture(3, 0, 0, D3DFMT_A8R8G8B8, pool, &cube, nullptr) == D3D_OK);
    const BYTE *base = nullptr;
    for (UINT face = 0; face < 6; ++face) {
      for (UINT level = 0; level < 2; ++level) {
        D3DLOCKED_RECT locked{};
        EXPECT(cube->LockRect(static_cast<D3DCUBEMAP_FACES>(face), level, &locked, nullptr, 0) == D3D_OK);
        const BYTE *bytes = static_cast<BYTE *>(locked.pBits);
        if (!base) {
          base = bytes;
        }
        EXPECT(bytes == base + size_t{48} * face + size_t{36} * level);
        cube->UnlockRect(static_cast<D3DCUBEMAP_FACES>(face), level);
      }
    }
    cube->Release();
  }
  fake().clear();
}

// A texture is recognised by its address, not by methods that a program may have replaced.
TEST_CASE(replacedMethods) {
  const TestDevice device;
  const TestDevice other;
  IDirect3DTexture9 *texture = nullptr;
  device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, nullptr);
  void **methods = reinterpret_cast<void **>(texture), *own = *methods;
  *methods = nullptr;
  EXPECT(device->SetTexture(0, texture) == D3D_OK && device->SetTexture(0, nullptr) == D3D_OK);
  EXPECT(other->SetTexture(0, texture) == D3DERR_INVALIDCALL);
  *methods = own;
  texture->Release();
  fake().clear();
}

TEST_CASE(plainSurfaceUsages) {
  const TestDevice device(true);
  IDirect3DSurface9 *surface = nullptr;
  EXPECT(device->CreateOffscreenPlainSurfaceEx(8, 8, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT, &surface, nullptr,
                                               D3DUSAGE_DYNAMIC) == D3DERR_INVALIDCALL);
  // The driver announces FORMATOP_OFFSCREENPLAIN for X8R8G8B8 and not for D24S8, so there are no plain surfaces of
  // D24S8, not even in system memory.
  EXPECT(device->CreateOffscreenPlainSurface(8, 8, D3DFMT_D24S8, D3DPOOL_SYSTEMMEM, &surface, nullptr) ==
         D3DERR_INVALIDCALL);
  EXPECT(device->CreateOffscreenPlainSurface(8, 8, D3DFMT_D24S8, D3DPOOL_SCRATCH, &surface, nullptr) ==
         D3DERR_INVALIDCALL);
  EXPECT(device->CreateOffscreenPlainSurface(8, 8, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &surface, nullptr) == D3D_OK);
  surface->Release();
  EXPECT(device->CreateOffscreenPlainSurface(8, 8, D3DFMT_L8, D3DPOOL_SCRATCH, &surface, nullptr) == D3D_OK);
  surface->Release();
  fake().clear();
}

// Depth formats, of which the driver makes textures, are in none of the pools that programs can access.
TEST_CASE(depthTextures) {
  const TestDevice device;
  IDirect3DTexture9 *texture = nullptr;
  EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_D24S8, D3DPOOL_DEFAULT, &texture, nullptr) == D3D_OK);
  texture->Release();
  for (const D3DPOOL pool : {D3DPOOL_MANAGED, D3DPOOL_SYSTEMMEM, D3DPOOL_SCRATCH}) {
    IDirect3DCubeTexture9 *cube = nullptr;
    EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_D24S8, pool, &texture, nullptr) == D3DERR_INVALIDCALL);
    EXPECT(device->CreateCubeTexture(8, 1, 0, D3DFMT_D24S8, pool, &cube, nullptr) == D3DERR_INVALIDCALL);
    EXPECT(device->CreateTexture(8, 8, 1, 0, D3DFMT_A8R8G8B8, pool, &texture, nullptr) == D3D_OK);
    texture->Release();
  }
  fake().clear();
}

// Page "FORMATOP": the runtime has memory for a format of the driver's only if it knows the size of a pixel.
TEST_CASE(driverFormats) {
  const TestDevice device;
  const auto make = [&](char last, D3DPOOL pool) {
    const auto format = static_cast<D3DFORMAT>(MAKEFOURCC('A', 'T', 'I', last));
    IDirect3DTexture9 *texture = nullptr;
    IDirect3DSurface9 *surface = nullptr;
    const HRESULT result = device->CreateTexture(8, 8, 1, 0, format, pool, &texture, nullptr);
    if (texture) texture->Release();
    if (pool == D3DPOOL_MANAGED) return result;
    EXPECT(device->CreateOffscreenPlainSurface(8, 8, format, pool, &surface, nullptr) == result);
    if (surface) surface->Release();
    return result;
  };
  for (const D3DPOOL pool : {D3DPOOL_DEFAULT, D3DPOOL_MANAGED, D3DPOOL_SYSTEMMEM, D3DPOOL_SCRATCH}) {
    EXPECT(make('1', pool) == D3D_OK);
    EXPECT(make('2', pool) == (pool == D3DPOOL_DEFAULT ? D3D_OK : D3DERR_INVALIDCALL));
  }
  IDirect3DSurface9 *surface = nullptr;
  D3DLOCKED_RECT locked{};
  EXPECT(device->CreateOffscreenPlainSurface(16, 4, static_cast<D3DFORMAT>(MAKEFOURCC('N', 'V', '1', '2')),
                                             D3DPOOL_SYSTEMMEM, &surface, nullptr) == D3D_OK);
  EXPECT(surface->LockRect(&locked, nullptr, 0) == D3D_OK && locked.Pitch == 24);  // 12 bits a pixel
  surface->UnlockRect();
  surface->Release();
  fake().clear();
}

TEST_CASE(transfers) {
  const TestDevice device;
  IDirect3DSurface9 *back = nullptr, *copy = nullptr, *plain = nullptr, *target = nullptr;
  device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, &back);
  device->CreateOffscreenPlainSurface(640, 480, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &copy, nullptr);
  device->CreateOffscreenPlainSurface(64, 64, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT, &plain, nullptr);
  device->CreateRenderTarget(64, 64, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, &target, nullptr);
  fake().clear();
  EXPECT(device->GetRenderTargetData(back, copy) == D3D_OK);
  EXPECT_CALLS("Blt 0:0 0,0-640,480 to 1:0 0,0-640,480 flags 0");
  EXPECT(device->GetRenderTargetData(target, copy) == D3DERR_INVALIDCALL);
  const RECT from{1, 2, 11, 22};
  const POINT at{5, 6};
  EXPECT(device->UpdateSurface(copy, &from, plain, &at) == D3D_OK);
  EXPECT_CALLS("Blt 1:0 1,2-11,22 to 0:0 5,6-15,26 flags 0");
  EXPECT(device->UpdateSurface(copy, nullptr, plain, nullptr) == D3DERR_INVALIDCALL);
  EXPECT(device->StretchRect(back, &from, target, nullptr, D3DTEXF_LINEAR) == D3D_OK);
  EXPECT(device->StretchRect(plain, nullptr, target, nullptr, D3DTEXF_POINT) == D3D_OK);
  EXPECT_CALLS("Blt 0:0 1,2-11,22 to 0:0 0,0-64,64 flags 2", "Blt 0:0 0,0-64,64 to 0:0 0,0-64,64 flags 1");
  EXPECT(device->StretchRect(target, nullptr, plain, nullptr, D3DTEXF_NONE) ==
         D3DERR_INVALIDCALL);  // to a plain surface
  EXPECT(device->ColorFill(plain, &from, 0xFF112233) == D3D_OK);
  EXPECT_CALLS("ColorFill sub 0 1,2-11,22 ff112233");
  IDirect3DTexture9 *source = nullptr, *destination = nullptr;
  device->CreateTexture(64, 64, 3, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &source, nullptr);
  device->CreateTexture(32, 32, 2, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &destination, nullptr);
  fake().clear();
  EXPECT(device->UpdateTexture(source, destination) == D3D_OK);
  EXPECT_CALLS("TexBlt from 1 face 0 rect 64x64");
  EXPECT(device->UpdateTexture(destination, source) == D3DERR_INVALIDCALL);
  source->Release();
  // A texture of one level updates a texture of two.
  device->CreateTexture(32, 32, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &source, nullptr);
  fake().clear();
  EXPECT(device->UpdateTexture(source, destination) == D3D_OK);
  EXPECT_CALLS("TexBlt from 1 face 0 rect 32x32");
  source->Release();
  destination->Release();
  back->Release();
  copy->Release();
  plain->Release();
  target->Release();
  fake().clear();
}

// EX-40, EX-45: the handle names the resource anywhere; one allocation, whose description is returned when it is
// opened.
TEST_CASE(sharedHandles) {
  const TestDevice maker(true), opener(true);
  fake().clear();
  IDirect3DTexture9 *made = nullptr, *opened = nullptr;
  HANDLE handle = nullptr;
  EXPECT(maker->CreateTexture(64, 32, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &made, &handle) ==
         D3D_OK);
  EXPECT(handle != nullptr);
  EXPECT_ALL_CALLS(
      "CreateResource format 21 pool 2 64x32x0 last 64x32 surfaces 1 levels 1 samples 0 fvf 112 flags 00010881",
      "kmt CreateAllocation count 1 resource 1 shared 1 runtime data 52");
  EXPECT(opener->CreateTexture(64, 32, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &opened, &handle) ==
         D3D_OK);
  EXPECT_ALL_CALLS("kmt OpenResource", "OpenResource allocations 1 private data 4 resource data 0");
  IDirect3DTexture9 *wrong = nullptr;
  EXPECT(opener->CreateTexture(32, 32, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &wrong, &handle) ==
         D3DERR_INVALIDCALL);
  HANDLE bad = reinterpret_cast<HANDLE>(UINT_PTR{0x1234});
  EXPECT(FAILED(opener->CreateTexture(64, 32, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &wrong, &bad)) && !wrong);
  HANDLE none = nullptr;
  EXPECT(maker->CreateTexture(64, 32, 2, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &wrong, &none) == D3DERR_INVALIDCALL);
  opened->Release();
  made->Release();
  fake().clear();
}

TEST_CASE(sharedHandlesNeedEx) {
  const TestDevice device;
  IDirect3DTexture9 *texture = nullptr;
  HANDLE handle = nullptr;
  EXPECT(device->CreateTexture(64, 32, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &texture, &handle) == E_NOTIMPL);
}
