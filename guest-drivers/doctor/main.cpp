// SPDX-License-Identifier: MIT
// aerogpu-doctor: finds out why Aero is off. It walks from the device to the compositor and prints, at each
// step, what is and what should be. docs/windows/doctor.md.
#include <stdio.h>
#include <string.h>

#include "guest-drivers/doctor/checks.h"
#include "guest-drivers/doctor/composition.h"
#include "guest-drivers/doctor/direct3d.h"
#include "guest-drivers/doctor/driver.h"

namespace {

constexpr char kHelp[] =
    "usage: aerogpu-doctor\n"
    "\n"
    "Says why Aero is off: a line for each step from the device to the compositor, with what is and what "
    "should\n"
    "be. The last line is for programs. Run the one of tools\\x64 on 64-bit Windows; that of tools\\x86 "
    "there looks\n"
    "at what 32-bit programs get.\n"
    "--d3dkmt FILE takes the D3DKMT functions from FILE instead of gdi32.dll (for tests).\n"
    "Exit status: 0 all is well, 1 something is off, 2 not understood\n";

}  // namespace

int main(int count, char** argument) {
  const char* library = nullptr;
  for (int i = 1; i < count; i++) {
    if (!strcmp(argument[i], "--help") || !strcmp(argument[i], "/?")) {
      fputs(kHelp, stdout);
      return 0;
    }
    if (strcmp(argument[i], "--d3dkmt") != 0 || i + 1 >= count) {
      fprintf(stderr, "aerogpu-doctor: what is '%s'? --help explains\n", argument[i]);
      return 2;
    }
    library = argument[++i];
  }
  doctor::Checks checks;
  doctor::Display display = {};
  int level = 0;
  if (doctor::checkDriver(checks, library, display)) level = doctor::checkDirect3D(checks, display);
  doctor::checkComposition(checks);
  return checks.finish(level);
}
