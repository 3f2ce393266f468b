// SPDX-License-Identifier: MIT
// hardware_information.h: the adapter's details that the control panel, dxdiag and installers show: values of
// the driver's software key (page "Registering Hardware Information").
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class CapabilityBlock;

/**
 * Writes the five values. `path` is DXGK_DEVICE_INFO.DeviceRegistryPath, `vramBytes` all of BAR1, `abiVersion` the
 * device's register; `capabilities` has the host GPU's name. A value that cannot be written is missing; the others are
 * not affected. PASSIVE_LEVEL.
 */
void writeHardwareInformation(const UNICODE_STRING &path, uint64_t vramBytes, uint32_t abiVersion,
                              const CapabilityBlock &capabilities);

}  // namespace aero
