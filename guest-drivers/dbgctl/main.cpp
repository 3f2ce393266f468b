// SPDX-License-Identifier: MIT
// dbgctl: shows the state of the AeroGPU kernel driver, on the command line of Windows 7.
// docs/windows/dbgctl.md.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-drivers/dbgctl/actions.h"
#include "guest-drivers/dbgctl/kernel.h"
#include "guest-drivers/dbgctl/reports.h"

using namespace dbgctl;

namespace {

enum Exit { kDone = 0, kFailed = 1, kUsage = 2 };

constexpr char kHelp[] =
    "usage: dbgctl WORD [ARGUMENT...]\n"
    "\n"
    "What the driver knows:\n"
    "  status                   all that matters, on one page\n"
    "  device                   the device's version and features\n"
    "  fences                   what was submitted, and what is done\n"
    "  ring                  *  the last 32 submissions\n"
    "  errors                   what the device complained about\n"
    "  counters                 what the driver has counted since it started\n"
    "  vblank                   the vertical blank's clock, and the interrupts\n"
    "  scanout                  what is shown, by the driver and by the device\n"
    "  cursor                   the pointer\n"
    "  allocations           *  the last 32 allocations\n"
    "  settings                 the registry values that count\n"
    "  operations               what this driver can be asked, and by whom\n"
    "\n"
    "What does something:\n"
    "  selftest [MS]         *  tries ring, pointer and vblank, within 1 to 500 ms (500)\n"
    "  capture FILE [SECONDS]   all of the above into FILE, and a line a second for 0 to 3600 seconds (10)\n"
    "  pointer show|hide     *  the pointer, until Windows changes it\n"
    "  pointer move X Y      *\n"
    "  pointer shape         *  a cross\n"
    "  handles COUNT            tries to reserve 1 to 262144 handles\n"
    "  memory ADDRESS BYTES  *  video memory in hexadecimal, 1 to 1048576 bytes (checked drivers only)\n"
    "  help                     this\n"
    "\n"
    "* takes a command prompt that was opened with \"Run as administrator\"\n"
    "--d3dkmt FILE before WORD takes the D3DKMT functions from FILE instead of gdi32.dll (for tests).\n"
    "Exit status: 0 done, 1 it failed and one line says why, 2 not understood\n";

int misuse(const char* what, const char* which) {
  complain("%s '%s': \"dbgctl help\" lists what there is", what, which);
  return kUsage;
}

/// Parses a number, decimal or with 0x. Returns false if the text is no number or the number is out of range.
bool number(const char* text, long long least, long long most, long long& out) {
  char* end;
  errno = 0;
  out = strtoll(text, &end, 0);
  return *text && !*end && !errno && out >= least && out <= most;
}

struct Words {
  const char* word;
  int count;  // number of arguments
  char** argument;
};

/// Runs the command. Too many or too few arguments, or arguments out of range, are misuse.
int run(Kernel& kernel, const Words& w, bool checkOnly) {
  const struct {
    const char* word;
    Report* report;
  } reports[] = {
      {"status", reportStatus},     {"device", reportDevice},
      {"fences", reportFences},     {"ring", reportRing},
      {"errors", reportErrors},     {"counters", reportCounters},
      {"vblank", reportVblank},     {"scanout", reportScanout},
      {"cursor", reportCursor},     {"allocations", reportAllocations},
      {"settings", reportSettings}, {"operations", reportOperations},
  };
  const auto end = [checkOnly](auto&& action) { return checkOnly || action() ? kDone : kFailed; };
  const auto is = [&w](const char* word) { return strcmp(w.word, word) == 0; };
  const auto sub = [&w](const char* word, int count) {
    return w.count == count && strcmp(w.argument[0], word) == 0;
  };
  long long a = 0, b = 0;
  for (const auto& row : reports) {
    if (!is(row.word)) continue;
    if (w.count) return misuse("there is an argument too many:", w.argument[0]);
    return end([&] { return row.report(kernel, stdout); });
  }
  if (is("selftest")) {
    if (w.count > 1) return misuse("there is an argument too many:", w.argument[1]);
    if (w.count == 1 && !number(w.argument[0], 1, 500, a))
      return misuse("selftest takes 1 to 500 ms, not", w.argument[0]);
    return end([&] { return reportSelfTest(kernel, stdout, static_cast<uint32_t>(a)); });
  }
  if (is("capture")) {
    b = 10;
    if (!w.count) return misuse("a file's name is missing after", "capture");
    if (w.count > 2) return misuse("there is an argument too many:", w.argument[2]);
    if (w.count == 2 && !number(w.argument[1], 0, 3600, b))
      return misuse("capture takes 0 to 3600 seconds, not", w.argument[1]);
    return end([&] { return capture(kernel, w.argument[0], static_cast<uint32_t>(b)); });
  }
  if (is("pointer")) {
    if (sub("show", 1)) return end([&] { return showPointer(kernel, true); });
    if (sub("hide", 1)) return end([&] { return showPointer(kernel, false); });
    if (sub("shape", 1)) return end([&] { return setPointerShape(kernel); });
    if (sub("move", 3) && number(w.argument[1], -32768, 32767, a) && number(w.argument[2], -32768, 32767, b))
      return end([&] { return movePointer(kernel, static_cast<int32_t>(a), static_cast<int32_t>(b)); });
    return misuse("pointer takes show, hide, shape, or move X Y with numbers from -32768 to 32767, not",
                  w.count ? w.argument[0] : "");
  }
  if (is("handles")) {
    if (w.count != 1 || !number(w.argument[0], 1, 262144, a))
      return misuse("handles takes one number from 1 to 262144, not", w.count ? w.argument[0] : "");
    return end([&] { return reserveHandles(kernel, static_cast<uint32_t>(a)); });
  }
  if (is("memory")) {
    if (w.count != 2 || !number(w.argument[0], 0, INT64_MAX, a) || !number(w.argument[1], 1, 1 << 20, b))
      return misuse("memory takes an address and 1 to 1048576 bytes, not",
                    w.count ? w.argument[w.count - 1] : "");
    return end([&] { return dumpMemory(kernel, static_cast<uint64_t>(a), static_cast<uint32_t>(b)); });
  }
  return misuse("there is no", w.word);
}

}  // namespace

int main(int count, char** argument) {
  const char* library = nullptr;
  int at = 1;
  if (at < count && strcmp(argument[at], "--d3dkmt") == 0) {
    if (at + 1 >= count) return misuse("a file's name is missing after", argument[at]);
    library = argument[at + 1];
    at += 2;
  }
  if (at >= count) {
    complain("what shall it be? \"dbgctl status\" is a beginning, \"dbgctl help\" lists all");
    return kUsage;
  }
  const char* const helps[] = {"help", "/?", "-h", "--help"};
  for (const char* help : helps)
    if (strcmp(argument[at], help) == 0) {
      fputs(kHelp, stdout);
      return kDone;
    }
  Kernel kernel;
  const Words words = {argument[at], count - at - 1, argument + at + 1};
  // Reports misuse before anything is opened.
  if (const int wrong = run(kernel, words, true)) return wrong;
  return kernel.open(library) ? run(kernel, words, false) : kFailed;
}
