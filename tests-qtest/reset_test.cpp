// SPDX-License-Identifier: MIT
// Resets while the GPU is busy with a submission that takes long, as a driver's watchdog does them.
#include <gtest/gtest.h>

#include <cstring>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kWatchdogNs = 2'000'000'000;  // TdrDelay's default: 2 seconds

/// Target 1, cleared and shown; `draws` draws of 2^20 vertices into it.
CommandWriter job(uint32_t draws) {
  CommandWriter w;
  aerogpu_cmd_create_texture2d target{};
  target.texture_handle = 1;
  target.usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT;
  target.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  target.width = kWidth;
  target.height = kHeight;
  target.mip_levels = target.array_layers = 1;
  target.row_pitch_bytes = kPitch;
  target.backing_alloc_id = 1;
  w.packet(AEROGPU_CMD_CREATE_TEXTURE2D, target);
  aerogpu_cmd_set_render_targets targets{};
  targets.color_count = 1;
  targets.colors[0] = 1;
  w.packet(AEROGPU_CMD_SET_RENDER_TARGETS, targets);
  aerogpu_cmd_clear clear{};
  clear.flags = AEROGPU_CLEAR_COLOR;
  const float color[4] = {0, 1, 0, 1};
  std::memcpy(clear.color_rgba_f32, color, sizeof color);
  w.packet(AEROGPU_CMD_CLEAR, clear);
  aerogpu_cmd_create_buffer vertices{};
  vertices.buffer_handle = 2;
  vertices.size_bytes = 36;
  vertices.usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
  w.packet(AEROGPU_CMD_CREATE_BUFFER, vertices);
  // vs_2_0: dcl_position v0; mov oPos, v0. ps_2_0: mov oC0, c0.
  const uint32_t vs[] = {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000,
                         0x02000001, 0xC00F0000, 0x90E40000, 0x0000FFFF};
  const uint32_t ps[] = {0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF};
  aerogpu_cmd_create_shader_dxbc shader{};
  shader.shader_handle = 3;
  shader.stage = AEROGPU_SHADER_STAGE_VERTEX;
  shader.dxbc_size_bytes = sizeof vs;
  w.packetWithTail(AEROGPU_CMD_CREATE_SHADER_DXBC, shader, vs, sizeof vs);
  shader.shader_handle = 4;
  shader.stage = AEROGPU_SHADER_STAGE_PIXEL;
  shader.dxbc_size_bytes = sizeof ps;
  w.packetWithTail(AEROGPU_CMD_CREATE_SHADER_DXBC, shader, ps, sizeof ps);
  aerogpu_cmd_bind_shaders bind{};
  bind.vs = 3;
  bind.ps = 4;
  w.packet(AEROGPU_CMD_BIND_SHADERS, bind);
  // D3DVERTEXELEMENT9: stream 0, FLOAT3 POSITION; D3DDECL_END.
  const uint8_t elements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
  aerogpu_cmd_create_input_layout layout{};
  layout.input_layout_handle = 5;
  layout.blob_size_bytes = sizeof elements;
  w.packetWithTail(AEROGPU_CMD_CREATE_INPUT_LAYOUT, layout, elements, sizeof elements);
  aerogpu_cmd_set_input_layout use{};
  use.input_layout_handle = 5;
  w.packet(AEROGPU_CMD_SET_INPUT_LAYOUT, use);
  const aerogpu_vertex_buffer_binding binding{2, 12, 0, 0};
  aerogpu_cmd_set_vertex_buffers stream{};
  stream.buffer_count = 1;
  w.packetWithTail(AEROGPU_CMD_SET_VERTEX_BUFFERS, stream, &binding, sizeof binding);
  aerogpu_cmd_set_primitive_topology topology{};
  topology.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
  w.packet(AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, topology);
  aerogpu_cmd_draw draw{};
  draw.vertex_count = 1u << 20;
  draw.instance_count = 1;
  for (uint32_t i = 0; i < draws; ++i) w.packet(AEROGPU_CMD_DRAW, draw);
  w.packet(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
  return w;
}

void resetsALongJob(bool deviceReset) {
  AeroGpuDev dev("renderer=vulkan");
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  constexpr uint32_t kDraws = 1023;  // under the limit of 2^30 vertices
  dev.startRing();
  const uint64_t fence = dev.submit(job(kDraws), {.table = table});
  dev.waitUntil([&] { return dev.qemu.property("draws") >= 4; }, "the job never began");
  dev.qemu.clockStep(kWatchdogNs);
  ASSERT_LT(dev.completedFence(), fence) << "the job is too short for this test";
  if (deviceReset) {
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    dev.startRing();
  } else {
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  }
  EXPECT_LT(dev.qemu.property("draws"), kDraws / 2) << "it was not interrupted between its packets";
  // The device works on. Behind a ring reset the objects are still there, behind a device reset they are not.
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  if (!deviceReset) {
    CommandWriter drop;
    for (const uint32_t handle : {1, 2}) {
      aerogpu_cmd_destroy_resource destroy{};
      destroy.resource_handle = handle;
      drop.packet(AEROGPU_CMD_DESTROY_RESOURCE, destroy);
    }
    for (const uint32_t handle : {3, 4}) {
      aerogpu_cmd_destroy_shader destroy{};
      destroy.shader_handle = handle;
      drop.packet(AEROGPU_CMD_DESTROY_SHADER, destroy);
    }
    aerogpu_cmd_destroy_input_layout destroy{};
    destroy.input_layout_handle = 5;
    drop.packet(AEROGPU_CMD_DESTROY_INPUT_LAYOUT, destroy);
    dev.waitFence(dev.submit(drop, {.table = table}));
  }
  dev.waitFence(dev.submit(job(1), {.table = table}));
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u) << dev.qemu.output();
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0x00FF00u);
}

TEST(Reset, ARingResetInterruptsALongSubmission) {
  resetsALongJob(false);
}
TEST(Reset, ADeviceResetInterruptsALongSubmission) {
  resetsALongJob(true);
}

}  // namespace
