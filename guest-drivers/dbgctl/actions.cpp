// SPDX-License-Identifier: MIT
#include "guest-drivers/dbgctl/actions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/dbgctl/kernel.h"
#include "guest-drivers/dbgctl/reports.h"

namespace dbgctl {

namespace {

constexpr uint32_t kEdge = 32;

unsigned long long ull(uint64_t value) {
  return value;
}

void frame(Kernel& kernel, FILE* out, uint32_t second) {
  aerogpu_escape_query_perf_out perf = {};
  if (kernel.tryToAsk(AEROGPU_ESCAPE_OP_QUERY_PERF, perf) < 0) return;
  LARGE_INTEGER ticks, frequency;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&frequency);
  // The machine's clock next to Windows' clock: with both, a reader can align the host's log with this one.
  fprintf(out, "%6u %20.6f %20llu %20llu %20llu %12llu %12llu %8llu %8llu\n", second,
          static_cast<double>(ticks.QuadPart) / static_cast<double>(frequency.QuadPart),
          ull(perf.last_vblank_time_ns), ull(perf.last_submitted_fence), ull(perf.last_completed_fence),
          ull(perf.total_submissions), ull(perf.total_presents), ull(perf.error_irq_count),
          ull(perf.reset_from_timeout_count));
}

}  // namespace

bool setPointerShape(Kernel& kernel) {
  struct {
    aerogpu_escape_set_cursor_shape_in in;
    uint8_t rest[kEdge * kEdge * 4 - 1];
  } __attribute__((packed)) shape = {};
  shape.in.width = shape.in.height = kEdge;
  shape.in.hot_x = shape.in.hot_y = kEdge / 2;
  shape.in.pitch_bytes = kEdge * 4;
  shape.in.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  // A cross, white with a black edge.
  for (uint32_t y = 0; y < kEdge; y++)
    for (uint32_t x = 0; x < kEdge; x++) {
      const uint32_t fromX = x < kEdge / 2 ? kEdge / 2 - x : x - kEdge / 2;
      const uint32_t fromY = y < kEdge / 2 ? kEdge / 2 - y : y - kEdge / 2;
      const uint32_t away = fromX < fromY ? fromX : fromY;
      const uint32_t pixel = away > 2 ? 0 : away == 2 ? 0xFF000000 : 0xFFFFFFFF;
      memcpy(shape.in.pixels + (size_t{y} * kEdge + x) * 4, &pixel, sizeof pixel);
    }
  return kernel.ask("pointer shape", AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, shape);
}

bool movePointer(Kernel& kernel, int32_t x, int32_t y) {
  aerogpu_escape_set_cursor_position_in in = {};
  in.x = x;
  in.y = y;
  return kernel.ask("pointer move", AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, in);
}

bool showPointer(Kernel& kernel, bool visible) {
  aerogpu_escape_set_cursor_visibility_in in = {};
  in.visible = visible;
  return kernel.ask(visible ? "pointer show" : "pointer hide", AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, in);
}

bool reserveHandles(Kernel& kernel, uint32_t count) {
  aerogpu_escape_ext_reserve_handles_inout inout = {};
  inout.count = count;
  if (!kernel.ask("handles", AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES, inout, true)) return false;
  line(stdout, "handles", "%#x to %#x, %u of them, were free; they are given back", inout.first,
       inout.first + inout.count - 1, inout.count);
  return true;
}

bool dumpMemory(Kernel& kernel, uint64_t address, uint32_t bytes) {
  while (bytes) {
    aerogpu_escape_read_gpa_inout inout = {};
    inout.gpa = address;
    inout.size_bytes = bytes < AEROGPU_DBGCTL_READ_GPA_MAX_BYTES ? bytes : AEROGPU_DBGCTL_READ_GPA_MAX_BYTES;
    if (!kernel.ask("memory", AEROGPU_ESCAPE_OP_READ_GPA, inout)) return false;
    if (inout.bytes_copied != inout.size_bytes)
      return complain("memory: %#llx is not in video memory: \"dbgctl scanout\" has an address that is",
                      ull(address));
    for (uint32_t i = 0; i < inout.bytes_copied; i += 16) {
      printf("%012llx ", ull(address + i));
      for (uint32_t k = i; k < i + 16 && k < inout.bytes_copied; k++) printf(" %02x", inout.data[k]);
      putchar('\n');
    }
    address += inout.bytes_copied;
    bytes -= inout.bytes_copied;
  }
  return true;
}

bool capture(Kernel& kernel, const char* path, uint32_t seconds) {
  FILE* out = fopen(path, "w");
  if (!out) return complain("capture: cannot write %s: %s", path, strerror(errno));
  const struct {
    const char* title;
    Report* report;
  } reports[] = {
      {"device", reportDevice},
      {"settings", reportSettings},
      {"operations", reportOperations},
      {"fences", reportFences},
      {"ring", reportRing},
      {"errors", reportErrors},
      {"counters", reportCounters},
      {"vblank", reportVblank},
      {"scanout", reportScanout},
      {"cursor", reportCursor},
      {"allocations", reportAllocations},
  };
  unsigned missing = 0;
  for (const auto& row : reports) {
    fprintf(out, "[%s]\n", row.title);
    if (!row.report(kernel, out)) {
      fputs("not told\n", out);
      missing++;
    }
    fputc('\n', out);
  }
  fprintf(out, "[time]\n%6s %20s %20s %20s %20s %12s %12s %8s %8s\n", "second", "Windows' clock, s",
          "last vblank, ns", "submitted", "completed", "submissions", "presents", "errors", "resets");
  for (uint32_t second = 0; second <= seconds; second++) {
    if (second) Sleep(1000);
    frame(kernel, out, second);
  }
  const bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed) return complain("capture: cannot write %s: %s", path, strerror(errno));
  printf("%s: %u reports", path, static_cast<unsigned>(sizeof reports / sizeof reports[0]) - missing);
  if (missing) printf(", %u more were refused", missing);
  printf(", %u seconds\n", seconds);
  return true;
}

}  // namespace dbgctl
