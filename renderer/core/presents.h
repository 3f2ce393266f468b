// SPDX-License-Identifier: MIT
// Presents take frames of the scanout, and say where a frame differs from an earlier one. A present copies
// the texture that is shown, or the part of it that changed, for the device to show later. Render thread
// only.
#pragma once

#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/renderer.h"
#include "renderer/core/backend.h"
#include "renderer/core/execution_report.h"
#include "renderer/core/frame_damage.h"
#include "renderer/core/stats.h"
#include "renderer/core/texture_backings.h"
#include "renderer/core/work_meter.h"

namespace aerogpu::core {

class Presents {
public:
  /// References that outlive the object.
  struct Environment {
    Backend& backend;
    Stats& stats;
    WorkMeter& work;
    const TextureBackings& backings;
    bool colorTarget;  ///< presents show colour target 0, not the scanout (trace files)
  };
  explicit Presents(const Environment& env) : m_env(env) {}

  void beginSubmission() { m_frameTaken = false; }
  void setScanout(const aerogpu_scanout_config& config) { m_scanout = config; }
  /// Returns the allocation whose texture is shown; 0 = none, or the texture is found by its address.
  uint32_t scanoutAllocation() const {
    return m_scanout.enable && m_scanout.by_allocation ? m_scanout.alloc_id : 0;
  }
  const aerogpu_scanout_config& scanout() const { return m_scanout; }
  /// Returns the texture that is shown; null if memory or nothing is shown.
  Texture* scanoutTexture() const;
  /// What is shown: a texture, and whether that may have changed since the newest frame.
  struct Shown {
    bool isTexture = false, hasChanged = false;
  };
  Shown shown() const;

  /// Takes a frame if what is shown has changed. `state`: of the context that presents. `rects`: what differs
  /// from the last present; none: anything may. Counts the present in the report.
  Result<void> present(uint32_t flags, std::span<const aerogpu_ext_rect> rects, const DrawState& state,
                       ExecutionReport& report);
  /// Takes a frame of the scanout's texture, if there is one, outside of any submission.
  Result<void> snapshot();
  /// Makes the next present take a frame even without changes: the last frame may be gone.
  void forgetFrame() { m_framed = {}; }

private:
  Result<void> captureFrame(Texture& texture, const FrameDamage& damage);

  const Environment m_env;
  aerogpu_scanout_config m_scanout{};
  /// The texture of the newest frame that went out, and when that had been written.
  struct Framed {
    uint64_t serial = 0, written = 0;  ///< Texture::backingSerial; 0 = none
    bool operator==(const Framed&) const = default;
  };
  Framed m_framed;
  uint64_t m_framedSequence = 0;  ///< of that frame
  FrameDamage m_damage;           ///< of the frame that was taken in this submission
  bool m_frameTaken = false;      ///< this submission has taken a frame
};

}  // namespace aerogpu::core
