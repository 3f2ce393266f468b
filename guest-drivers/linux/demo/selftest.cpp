// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/selftest.h"

#include <cstdio>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_writer.hpp"

namespace aerogpu::guest {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

Status submitBytes(Device& device, const uint8_t* bytes, size_t size, WaitMode mode) {
  uint64_t fence = 0;
  const AllocTable none;
  Status status = device.submit({bytes, size}, none, 0, fence);
  return status.ok() ? device.waitFence(fence, 5 * kSecond, mode) : status;
}

Status fences(Device& device, WaitMode mode) {
  const CommandWriter empty;
  // More submissions than the ring has slots, so that it wraps.
  for (uint32_t i = 0; i < device.ring().entries() * 2 + 1; ++i) {
    Status status = submitBytes(device, empty.data(), empty.size(), mode);
    if (!status.ok()) return status;
  }
  const uint64_t completed = device.registers().read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
  if (completed != device.lastFence())
    return Status::failure("COMPLETED_FENCE is %llu, not %llu", static_cast<unsigned long long>(completed),
                           static_cast<unsigned long long>(device.lastFence()));
  return device.checkError();
}

// Sends a stream with a wrong magic: the fence still comes, with an error.
Status errors(Device& device) {
  const uint32_t before = device.error().count;
  const CommandWriter empty;
  uint8_t bytes[sizeof(aerogpu_cmd_stream_header)];
  std::memcpy(bytes, empty.data(), sizeof bytes);
  bytes[0] ^= 0xFF;
  Status status = submitBytes(device, bytes, sizeof bytes, WaitMode::PollOnly);
  if (!status.ok()) return status;
  // The device sets the latch after the fence.
  for (const int64_t end = nowNs() + kSecond; device.error().count == before && nowNs() < end;) {
  }
  const DeviceError e = device.error();
  device.acceptErrors();
  if (e.count != before + 1 || e.code != AEROGPU_ERROR_CMD_DECODE || e.fence != device.lastFence())
    return Status::failure("a bad stream latched code 0x%x fence %llu count %u", e.code,
                           static_cast<unsigned long long>(e.fence), e.count);
  return {};
}

Status vblank(Device& device, Mode mode) {
  Block frame;
  Status status = device.memory().allocate(uint64_t{mode.width} * mode.height * 4, frame);
  if (!status.ok()) return status;
  Scanout scanout(device.registers());
  scanout.enable(mode, AEROGPU_FORMAT_B8G8R8X8_UNORM, mode.width * 4, frame.gpa);
  uint64_t first = 0, last = 0;
  status = device.waitVblank(kSecond, first);
  const uint64_t begin = scanout.vblankTimeNs();
  for (int i = 0; status.ok() && i < 10; ++i) status = device.waitVblank(kSecond, last);
  const uint64_t elapsed = scanout.vblankTimeNs() - begin, period = scanout.vblankPeriodNs();
  scanout.disable();
  device.memory().release(frame);
  if (!status.ok()) return status;
  if (last < first + 10)
    return Status::failure("the vblank sequence went from %llu to %llu",
                           static_cast<unsigned long long>(first), static_cast<unsigned long long>(last));
  if (elapsed % period != 0 || elapsed < 10 * period)
    return Status::failure("10 vblanks took %llu ns, the period is %llu",
                           static_cast<unsigned long long>(elapsed), static_cast<unsigned long long>(period));
  return {};
}

}  // namespace

Status runSelfTest(Device& device, Mode mode) {
  const auto report = [](const char* name, const Status& status) {
    if (status.ok()) std::printf("aerogpu-demo: selftest %s ok\n", name);
    return status.ok() ? Status() : Status::failure("selftest %s: %s", name, status.text().c_str());
  };
  Status status = report("fence-polled", fences(device, WaitMode::PollOnly));
  if (status.ok()) status = report("fence-interrupt", fences(device, WaitMode::InterruptOnly));
  if (status.ok()) status = report("error", errors(device));
  if (status.ok()) status = report("vblank", vblank(device, mode));
  if (status.ok())
    std::printf("aerogpu-demo: selftest passed, %llu interrupts\n",
                static_cast<unsigned long long>(device.interrupts().count()));
  return status;
}

}  // namespace aerogpu::guest
