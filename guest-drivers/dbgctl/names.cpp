// SPDX-License-Identifier: MIT
#include "guest-drivers/dbgctl/names.h"

#include <stdio.h>
#include <string.h>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring_extension.h"

namespace dbgctl {

namespace {

struct Name {
  uint64_t value;
  const char* name;
};

template <size_t n>
const char* find(const Name (&names)[n], uint64_t value) {
  for (const Name& row : names)
    if (row.value == value) return row.name;
  return "?";
}

constexpr Name kOperations[] = {
    {AEROGPU_ESCAPE_OP_QUERY_DEVICE, "QUERY_DEVICE"},
    {AEROGPU_ESCAPE_OP_QUERY_FENCE, "QUERY_FENCE"},
    {AEROGPU_ESCAPE_OP_DUMP_RING, "DUMP_RING"},
    {AEROGPU_ESCAPE_OP_SELFTEST, "SELFTEST"},
    {AEROGPU_ESCAPE_OP_QUERY_VBLANK, "QUERY_VBLANK"},
    {AEROGPU_ESCAPE_OP_DUMP_RING_V2, "DUMP_RING_V2"},
    {AEROGPU_ESCAPE_OP_QUERY_DEVICE_V2, "QUERY_DEVICE_V2"},
    {AEROGPU_ESCAPE_OP_MAP_SHARED_HANDLE, "MAP_SHARED_HANDLE"},
    {AEROGPU_ESCAPE_OP_DUMP_CREATEALLOCATION, "DUMP_CREATEALLOCATION"},
    {AEROGPU_ESCAPE_OP_QUERY_SCANOUT, "QUERY_SCANOUT"},
    {AEROGPU_ESCAPE_OP_QUERY_CURSOR, "QUERY_CURSOR"},
    {AEROGPU_ESCAPE_OP_QUERY_PERF, "QUERY_PERF"},
    {AEROGPU_ESCAPE_OP_READ_GPA, "READ_GPA"},
    {AEROGPU_ESCAPE_OP_QUERY_ERROR, "QUERY_ERROR"},
    {AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, "SET_CURSOR_SHAPE"},
    {AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, "SET_CURSOR_POSITION"},
    {AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, "SET_CURSOR_VISIBILITY"},
    {AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES, "RESERVE_HANDLES"},
    {AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION, "QUERY_OPERATION"},
    {AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS, "QUERY_SETTINGS"},
};

constexpr Name kErrors[] = {
    {AEROGPU_ERROR_NONE, "NONE"},
    {AEROGPU_ERROR_CMD_DECODE, "CMD_DECODE: a packet is malformed"},
    {AEROGPU_ERROR_OOB, "OOB: a range or an address is outside"},
    {AEROGPU_ERROR_BACKEND, "BACKEND: the host's GPU failed"},
    {AEROGPU_ERROR_INTERNAL, "INTERNAL: the device itself failed"},
};

struct SelfTestName {
  uint32_t error;
  const char *name, *advice;
};
constexpr SelfTestName kSelfTest[] = {
    {AEROGPU_DBGCTL_SELFTEST_OK, "OK", "everything that it looks at works"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_INVALID_STATE, "INVALID_STATE",
     "the adapter is asleep: wake the machine up"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_RING_NOT_READY, "RING_NOT_READY",
     "the driver submits nothing now, as in a reset: try again, then look at \"dbgctl errors\""},
    {AEROGPU_DBGCTL_SELFTEST_ERR_GPU_BUSY, "GPU_BUSY",
     "earlier work is not done in time: try again when less is drawn, then look at \"dbgctl ring\""},
    {AEROGPU_DBGCTL_SELFTEST_ERR_NO_RESOURCES, "NO_RESOURCES",
     "the driver's own buffers wait in the ring: it stands still, look at \"dbgctl ring\""},
    {AEROGPU_DBGCTL_SELFTEST_ERR_TIMEOUT, "TIMEOUT",
     "the device does not take what is in the ring: look at QEMU's log on the host"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_REGS_OUT_OF_RANGE, "VBLANK_REGS_OUT_OF_RANGE",
     "the device names an impossible refresh rate: look at \"dbgctl vblank\""},
    {AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_SEQ_STUCK, "VBLANK_SEQ_STUCK",
     "the scanout is on but the vblank counter stands: look at \"dbgctl scanout\""},
    {AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_REGS_OUT_OF_RANGE, "VBLANK_IRQ_REGS_OUT_OF_RANGE",
     "the interrupt registers are not what the driver wrote: something else drives the device"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_LATCHED, "VBLANK_IRQ_NOT_LATCHED",
     "vblanks are counted but set no interrupt bit: a defect of the device"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_CLEARED, "VBLANK_IRQ_NOT_CLEARED",
     "the vblank interrupt stays when it is acknowledged: a defect of the device"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_REGS_OUT_OF_RANGE, "CURSOR_REGS_OUT_OF_RANGE",
     "the pointer's registers hold what the driver never writes: something else drives the device"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_CURSOR_RW_MISMATCH, "CURSOR_RW_MISMATCH",
     "the pointer's registers are not what the driver wrote: look at \"dbgctl cursor\""},
    {AEROGPU_DBGCTL_SELFTEST_ERR_VBLANK_IRQ_NOT_DELIVERED, "VBLANK_IRQ_NOT_DELIVERED",
     "vblanks set the interrupt bit but no interrupt arrives: set MSISupported to 0 or 1, the other one, and "
     "restart"},
    {AEROGPU_DBGCTL_SELFTEST_ERR_TIME_BUDGET_EXHAUSTED, "TIME_BUDGET_EXHAUSTED",
     "the time was too short for all of it: give it more, up to 500 ms"},
};

constexpr Name kFormats[] = {
    {AEROGPU_FORMAT_INVALID, "none"},
    {AEROGPU_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8"},
    {AEROGPU_FORMAT_B8G8R8X8_UNORM, "B8G8R8X8"},
    {AEROGPU_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8"},
    {AEROGPU_FORMAT_R8G8B8X8_UNORM, "R8G8B8X8"},
    {AEROGPU_FORMAT_B5G6R5_UNORM, "B5G6R5"},
    {AEROGPU_FORMAT_B5G5R5A1_UNORM, "B5G5R5A1"},
    {AEROGPU_EXT_SCANOUT_P8, "P8"},
};

constexpr uint64_t high(uint32_t bits) {
  return uint64_t{bits} << 32;
}
constexpr Name kFeatures[] = {
    {AEROGPU_FEATURE_FENCE_PAGE, "FENCE_PAGE"},
    {AEROGPU_FEATURE_CURSOR, "CURSOR"},
    {AEROGPU_FEATURE_SCANOUT, "SCANOUT"},
    {AEROGPU_FEATURE_VBLANK, "VBLANK"},
    {AEROGPU_FEATURE_TRANSFER, "TRANSFER"},
    {AEROGPU_FEATURE_ERROR_INFO, "ERROR_INFO"},
    {high(AEROGPU_EXT_FEATURE_HI_EDID), "EDID"},
    {high(AEROGPU_EXT_FEATURE_HI_SCATTER), "SCATTER"},
    {high(AEROGPU_EXT_FEATURE_HI_VGA), "VGA"},
    {high(AEROGPU_EXT_FEATURE_HI_RESET_CONTEXT), "RESET_CONTEXT"},
    {high(AEROGPU_EXT_FEATURE_HI_WRITE_VALUE), "WRITE_VALUE"},
    {high(AEROGPU_EXT_FEATURE_HI_POLICY), "POLICY"},
    {high(AEROGPU_EXT_FEATURE_HI_CAPS), "CAPS"},
    {high(AEROGPU_EXT_FEATURE_HI_FORMATS), "FORMATS"},
    {high(AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE), "CREATE_TEXTURE"},
    {high(AEROGPU_EXT_FEATURE_HI_UPDATES), "UPDATES"},
    {high(AEROGPU_EXT_FEATURE_HI_BLIT), "BLIT"},
    {high(AEROGPU_EXT_FEATURE_HI_QUERIES), "QUERIES"},
    {high(AEROGPU_EXT_FEATURE_HI_TIMESTAMP), "TIMESTAMP"},
    {high(AEROGPU_EXT_FEATURE_HI_STATES), "STATES"},
    {high(AEROGPU_EXT_FEATURE_HI_DRAW_INLINE), "DRAW_INLINE"},
    {high(AEROGPU_EXT_FEATURE_HI_D3D10_SHADERS), "D3D10_SHADERS"},
    {high(AEROGPU_EXT_FEATURE_HI_D3D10), "D3D10"},
    {high(AEROGPU_EXT_FEATURE_HI_PRESENT_RECTS), "PRESENT_RECTS"},
    {high(AEROGPU_EXT_FEATURE_HI_SPACES), "SPACES"},
    {high(AEROGPU_EXT_FEATURE_HI_ATTACH_BACKING), "ATTACH_BACKING"},
    {high(AEROGPU_EXT_FEATURE_HI_GPU_LOSS), "GPU_LOSS"},
    {high(AEROGPU_EXT_FEATURE_HI_KEEP_OBJECTS), "KEEP_OBJECTS"},
    {high(AEROGPU_EXT_FEATURE_HI_AGAIN), "AGAIN"},
    {high(AEROGPU_EXT_FEATURE_HI_CHARGES), "CHARGES"},
    {high(AEROGPU_EXT_FEATURE_HI_MEMORY), "MEMORY"},
    {high(AEROGPU_EXT_FEATURE_HI_PROCESSES), "PROCESSES"},
    {high(AEROGPU_EXT_FEATURE_HI_RING_BUSY), "RING_BUSY"},
    {high(AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS), "ERROR_RECORDS"},
    {high(AEROGPU_EXT_FEATURE_HI_FOLLOW), "FOLLOW"},
    {high(AEROGPU_EXT_FEATURE_HI_PALETTE), "PALETTE"},
    {high(AEROGPU_EXT_FEATURE_HI_GAMMA), "GAMMA"},
};
constexpr Name kSubmitFlags[] = {
    {AEROGPU_SUBMIT_FLAG_PRESENT, "PRESENT"},
    {AEROGPU_SUBMIT_FLAG_NO_IRQ, "NO_IRQ"},
    {AEROGPU_SUBMIT_FLAG_EXT_AGAIN, "AGAIN"},
    {AEROGPU_SUBMIT_FLAG_EXT_HOLD, "HOLD"},
};
constexpr Name kInterrupts[] = {
    {AEROGPU_IRQ_FENCE, "FENCE"},
    {AEROGPU_IRQ_SCANOUT_VBLANK, "VBLANK"},
    {AEROGPU_IRQ_ERROR, "ERROR"},
};

template <size_t n>
const char* join(const Name (&names)[n], uint64_t bits, char* text, size_t bytes) {
  text[0] = 0;
  for (unsigned bit = 0; bit < 64; bit++) {
    const uint64_t one = uint64_t{1} << bit;
    if (!(bits & one)) continue;
    char unknown[16];
    snprintf(unknown, sizeof unknown, "bit %u", bit);
    const char* name = find(names, one);
    if (strcmp(name, "?") == 0) name = unknown;
    const size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s%s", used ? " " : "", name);
  }
  return text[0] ? text : "none";
}

const SelfTestName* selfTest(uint32_t error) {
  for (const SelfTestName& row : kSelfTest)
    if (row.error == error) return &row;
  return nullptr;
}

}  // namespace

const char* operationName(uint32_t operation) {
  return find(kOperations, operation);
}
const char* errorName(uint32_t code) {
  return find(kErrors, code);
}
const char* selfTestName(uint32_t error) {
  return selfTest(error) ? selfTest(error)->name : "?";
}
const char* selfTestAdvice(uint32_t error) {
  return selfTest(error) ? selfTest(error)->advice
                         : "dbgctl is older than the driver: take it from the driver's disc";
}
const char* formatName(uint32_t format) {
  return find(kFormats, format);
}
const char* featureNames(uint64_t bits, char* text, size_t bytes) {
  return join(kFeatures, bits, text, bytes);
}
const char* submitFlagNames(uint32_t flags, char* text, size_t bytes) {
  return join(kSubmitFlags, flags, text, bytes);
}
const char* interruptNames(uint32_t bits, char* text, size_t bytes) {
  return join(kInterrupts, bits, text, bytes);
}

}  // namespace dbgctl
