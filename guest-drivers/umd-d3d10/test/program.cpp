// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/test/program.h"
