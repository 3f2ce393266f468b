// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/escapes.h"

#include "aerogpu/aerogpu_escape_extension.h"

#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

constexpr EscapeOperation kOperations[] = {
    {AEROGPU_ESCAPE_OP_QUERY_DEVICE, sizeof(aerogpu_escape_query_device_out), false, true},
    {AEROGPU_ESCAPE_OP_QUERY_DEVICE_V2, sizeof(aerogpu_escape_query_device_v2_out), false, true},
    {AEROGPU_ESCAPE_OP_QUERY_FENCE, sizeof(aerogpu_escape_query_fence_out), false, true},
    {AEROGPU_ESCAPE_OP_QUERY_VBLANK, sizeof(aerogpu_escape_query_vblank_out), false},
    {AEROGPU_ESCAPE_OP_QUERY_SCANOUT, sizeof(aerogpu_escape_query_scanout_out), false},
    {AEROGPU_ESCAPE_OP_QUERY_CURSOR, sizeof(aerogpu_escape_query_cursor_out), false},
    {AEROGPU_ESCAPE_OP_QUERY_PERF, sizeof(aerogpu_escape_query_perf_out), false},
    {AEROGPU_ESCAPE_OP_QUERY_ERROR, sizeof(aerogpu_escape_query_error_out), false},
    {AEROGPU_ESCAPE_OP_DUMP_RING, sizeof(aerogpu_escape_dump_ring_inout), true},
    {AEROGPU_ESCAPE_OP_DUMP_RING_V2, sizeof(aerogpu_escape_dump_ring_v2_inout), true},
    {AEROGPU_ESCAPE_OP_SELFTEST, sizeof(aerogpu_escape_selftest_inout), true},
    {AEROGPU_ESCAPE_OP_DUMP_CREATEALLOCATION, sizeof(aerogpu_escape_dump_createallocation_inout), true},
    {AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, sizeof(aerogpu_escape_set_cursor_shape_in), true},
    {AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, sizeof(aerogpu_escape_set_cursor_position_in), true},
    {AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, sizeof(aerogpu_escape_set_cursor_visibility_in), true},
    {AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES, sizeof(aerogpu_escape_ext_reserve_handles_inout), false, true},
    {AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION, sizeof(aerogpu_escape_ext_query_operation_inout), false, true},
    {AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS, sizeof(aerogpu_escape_ext_query_settings_out), false, true},
};

}  // namespace

std::span<const EscapeOperation> escapeOperations() {
  return kOperations;
}

NTSTATUS Escapes::raw(void* data, UINT bytes) {
  DXGKARG_ESCAPE args{};
  args.hDevice = m_client.device();
  args.pPrivateDriverData = data;
  args.PrivateDriverDataSize = bytes;
  ProcessScope process(m_client.processId());
  std::shared_lock exclusion(m_adapter.exclusion());
  return callDdi("DxgkDdiEscape", kPassiveLevel, m_adapter.ddi.DxgkDdiEscape, m_adapter.context(), &args);
}

namespace {
constexpr uint32_t kSharedRegisters[] = {
    AEROGPU_MMIO_REG_SCANOUT0_ENABLE,
    AEROGPU_MMIO_REG_SCANOUT0_WIDTH,
    AEROGPU_MMIO_REG_SCANOUT0_HEIGHT,
    AEROGPU_MMIO_REG_SCANOUT0_FORMAT,
    AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES,
    AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
    AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI,
    AEROGPU_MMIO_REG_CURSOR_ENABLE,
    AEROGPU_MMIO_REG_CURSOR_X,
    AEROGPU_MMIO_REG_CURSOR_Y,
    AEROGPU_MMIO_REG_CURSOR_HOT_X,
    AEROGPU_MMIO_REG_CURSOR_HOT_Y,
    AEROGPU_MMIO_REG_CURSOR_WIDTH,
    AEROGPU_MMIO_REG_CURSOR_HEIGHT,
    AEROGPU_MMIO_REG_CURSOR_FORMAT,
    AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES,
    AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO,
    AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI,
    AEROGPU_MMIO_REG_IRQ_ENABLE,
    AEROGPU_MMIO_REG_RING_CONTROL,
    AEROGPU_MMIO_REG_RING_GPA_LO,
    AEROGPU_MMIO_REG_RING_GPA_HI,
    AEROGPU_MMIO_REG_FENCE_GPA_LO,
    AEROGPU_MMIO_REG_FENCE_GPA_HI,
};
}  // namespace

SharedRegisters::SharedRegisters(Adapter& adapter) : m_adapter(adapter), m_values(look()) {}

std::vector<uint32_t> SharedRegisters::look() const {
  std::vector<uint32_t> values;
  for (const uint32_t offset : kSharedRegisters) values.push_back(m_adapter.registers().read(offset));
  return values;
}

void SharedRegisters::expectSame(const char* when) const {
  const auto now = look();
  for (size_t i = 0; i < now.size(); ++i)
    expect(now[i] == m_values[i], "%s: register 0x%04x is 0x%x as before (0x%x)", when, kSharedRegisters[i],
           m_values[i], now[i]);
}

uint64_t submitErrors(Adapter& adapter, Context& context) {
  Stream bad;
  bad.destroy(newHandle()).destroy(newHandle());
  uint64_t number = 0;
  expect(ntSuccess(context.render(bad.bytes(), {}, &number)), "the driver takes it");
  expect(adapter.scheduler().waitIdle(number), "it completes");
  return adapter.registers().read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

}  // namespace aerogpu::host
