// SPDX-License-Identifier: MIT
// Tests errors of callbacks and memory that runs out: the results, and that nothing is lost.
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

TEST_F(Umd, ErrorsOfCallbacksArePassedOn) {
  prepare();
  p.flush();
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 256, 256, Program::texture());
  p.flush();
  for (const HRESULT error : {kDeviceRemoved, kInvalidArgument, kOutOfMemory, kOutOfVideoMemory}) {
    HANDLE out;
    rt.errors["Allocate"] = error;
    EXPECT_EQ(p.tryResource(D3DDDIFMT_A8R8G8B8, 256, 256, Program::texture(), out), error);
    rt.errors.clear();
    D3DDDIARG_LOCK lock = {};
    lock.hResource = texture;
    rt.errors["Lock"] = error;
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), error);
    rt.errors.clear();
    if (error == kDeviceRemoved) continue;
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    rt.errors["Render"] = error;
    EXPECT_EQ(p.fn.pfnFlush(p.dev()), error);
    rt.errors.clear();
    EXPECT_EQ(p.fn.pfnFlush(p.dev()), 0) << "told once";
    // The state that was lost with the batch is sent again.
    rt.takePackets();
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    const auto again = flushed();
    EXPECT_EQ(count(again, AEROGPU_CMD_SET_RENDER_TARGETS), 1u);
    EXPECT_EQ(count(again, AEROGPU_CMD_BIND_SHADERS), 1u);
    EXPECT_GT(count(again, AEROGPU_CMD_SET_RENDER_STATE), 30u);
    EXPECT_EQ(count(again, AEROGPU_CMD_SET_VERTEX_BUFFERS), 1u);
  }
  EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
  rt.errors["Render"] = kDeviceRemoved;
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kDeviceRemoved);
  rt.errors.clear();
  EXPECT_EQ(p.fn.pfnFlush(p.dev()), kDeviceRemoved) << "gone is gone";
}

TEST(UmdMemory, RunningOutIsAnErrorAndNothingIsLost) {
  int failures = 0;
  for (long n = 0; n < 60; n++) {
    FakeKernel kernel;
    FakeRuntime rt(kernel);
    failHeapAfter(n);
    D3DDDIARG_OPENADAPTER args = rt.adapterArgs();
    HRESULT result = OpenAdapter(&args);
    if (result >= 0) {
      rt.adapter = args.hAdapter;
      D3DDDIARG_CREATEDEVICE create = {};
      const D3DDDI_DEVICECALLBACKS table = rt.callbacks();
      create.hDevice = &rt;
      create.pCallbacks = &table;
      create.pDeviceFuncs = &rt.driver;
      result = rt.adapterFunctions.pfnCreateDevice(rt.adapter, &create);
      if (result < 0) {
        rt.adapterFunctions.pfnCloseAdapter(rt.adapter);
      } else {
        rt.device = create.hDevice;
        Program p(rt);
        const auto note = [&](HRESULT now) {
          EXPECT_TRUE(now == 0 || now == kOutOfMemory || now == kOutOfVideoMemory) << std::hex << now;
          if (now < 0) result = now;
        };
        HANDLE texture, small, buffer, target;
        note(p.tryResource(D3DDDIFMT_A8R8G8B8, 256, 256, Program::texture(), texture));
        note(p.tryResource(D3DDDIFMT_A8R8G8B8, 64, 64, Program::texture(), small));
        note(p.tryResource(D3DDDIFMT_VERTEXDATA, 4000, 1, Program::vertices(), buffer));
        note(p.tryResource(D3DDDIFMT_A8R8G8B8, 64, 64, Program::target(), target));
        const auto code = assemble("ps_2_0\nmov oC0, c0\n").tokens;
        D3DDDIARG_CREATEPIXELSHADER shader = {};
        shader.CodeSize = static_cast<UINT>(code.size() * 4);
        note(rt.driver.pfnCreatePixelShader(rt.device, &shader, code.data()));
        D3DDDIARG_CREATEVERTEXSHADERDECL decl = {};
        note(rt.driver.pfnCreateVertexShaderDecl(rt.device, &decl, nullptr));
        if (target && texture) note(p.blt(target, {0, 0, 10, 10}, texture, {0, 0, 64, 64}));
        D3DDDIARG_LOCK lock = {};
        for (HANDLE each : {target, small}) {
          lock.hResource = each;
          if (each) note(rt.driver.pfnLock(rt.device, &lock));
        }
        for (HANDLE each : {texture, small, buffer, target}) {
          if (each) {
            EXPECT_EQ(rt.driver.pfnDestroyResource(rt.device, each), 0);
          }
        }
        note(rt.driver.pfnFlush(rt.device));
        rt.close();
      }
    }
    failHeapAfter(-1);
    failures += result < 0;
    EXPECT_EQ(heapBlocks(), 0u) << n;
    EXPECT_TRUE(kernel.allocations.empty()) << n;
  }
  EXPECT_GT(failures, 5);
  EXPECT_LT(failures, 60);
}

}  // namespace
}  // namespace aero::test
