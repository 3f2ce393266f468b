// SPDX-License-Identifier: MIT
// cursor_plane.h: the hardware pointer (docs/abi/present.md, "Cursor"). PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {

struct Features;
struct PointerShape;

class CursorPlane {
public:
  /** Largest pointer, pixels each way: DXGK_DRIVERCAPS.MaxPointerWidth and MaxPointerHeight. */
  static constexpr UINT kMaxEdge = 128;

  /** Both outlive it; `features` is filled in before start(). */
  CursorPlane(const Registers &registers, const Features &features) : m_registers(registers), m_features(features) {}
  NTSTATUS start();
  void stop();
  /** After a power-up: writes the registers again. */
  void restore();

  /** DxgkDdiSetPointerShape, DxgkDdiSetPointerPosition (while a path is active). Positions are those of
   * the shape's top left corner. */
  NTSTATUS setShape(const DXGKARG_SETPOINTERSHAPE &args);
  NTSTATUS setPosition(const DXGKARG_SETPOINTERPOSITION &args);
  /** Serve the escapes of the ABI: a 32-bit BGRA shape, an absolute position, visibility. */
  NTSTATUS setShapeBgra(uint32_t width, uint32_t height, uint32_t hotX, uint32_t hotY, uint32_t pitch,
                        const void *pixels);
  /** Moves the hot spot to (x, y). */
  void move(int32_t x, int32_t y);
  void show(bool visible);

  /** The values last written to the registers, as enum aerogpu_format and in pixels; x and y are of the
   * hot spot. All are 0 without a pointer plane. */
  struct State {
    bool shown;
    int32_t x, y;
    uint32_t hotX, hotY, width, height, format, pitch;
  };
  State state();

  /** For the self test. */
  enum class Check {
    Good,
    OutOfRange,  // the registers hold what this driver never writes
    Mismatch,    // the registers do not hold what the driver wrote last
  };
  /** Compares the registers with the values written. While the pointer is hidden its position is written
   * and read back as well; a visible pointer stays as it is. Returns Good if there is no pointer plane. */
  Check check();

private:
  NTSTATUS writePicture(const PointerShape &shape, uint32_t hotX, uint32_t hotY);
  bool ready() const { return m_pictures.data() != nullptr; }
  void writeShape();
  void writePosition();
  void writeVisible();
  bool positionHolds();

  const Registers &m_registers;
  const Features &m_features;
  FAST_MUTEX m_mutex = {};  // the OS serialises its two calls, but escapes come at any time
  /** Two pictures: the device may read one while the next is written. */
  Contiguous m_pictures;
  uint32_t m_current = 0;
  uint32_t m_width = 0;  // 0 = no shape yet
  uint32_t m_height = 0;
  uint32_t m_hotX = 0;
  uint32_t m_hotY = 0;
  int32_t m_x = 0;  // position of the top left corner
  int32_t m_y = 0;
  bool m_visible = false;
};

}  // namespace aero
