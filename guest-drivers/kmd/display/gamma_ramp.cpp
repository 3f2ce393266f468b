// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/display/gamma_ramp.h"

#include "aerogpu/aerogpu_gamma.h"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/device/registers.h"

namespace aero {

static_assert(sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16) == AEROGPU_EXT_REG_GAMMA_RAMP_BYTES);

bool GammaRamp::isThere() const {
  return m_features.high & AEROGPU_EXT_FEATURE_HI_GAMMA;
}

void GammaRamp::start() {
  m_isOn = false;
  if (isThere()) m_registers.write(AEROGPU_EXT_REG_GAMMA_ENABLE, 0);
}

void GammaRamp::set(const D3DKMDT_GAMMA_RAMP &ramp) {
  if (!isThere()) return;
  const bool wasOn = m_isOn;
  m_isOn = ramp.Type == D3DDDI_GAMMARAMP_RGB256x3x16 && !isLinear(*ramp.Data.pRgb256x3x16);
  if (m_isOn) {
    m_ramp = *ramp.Data.pRgb256x3x16;
    program();
  } else if (wasOn) {
    m_registers.write(AEROGPU_EXT_REG_GAMMA_ENABLE, 0);
  }
}

void GammaRamp::restore() const {
  if (m_isOn) program();
}

/** Writes the ramp in the device's layout, which is that of the DDI's structure. */
void GammaRamp::program() const {
  const auto *numbers = reinterpret_cast<const USHORT *>(&m_ramp);
  for (uint32_t at = 0; at < AEROGPU_EXT_REG_GAMMA_RAMP_BYTES; at += 4, numbers += 2)
    m_registers.write(AEROGPU_EXT_REG_GAMMA_RAMP + at, numbers[0] | uint32_t{numbers[1]} << 16);
  m_registers.write(AEROGPU_EXT_REG_GAMMA_ENABLE, 1);
}

}  // namespace aero
