// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/display/cursor_plane.h"

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/logic/pointer.h"

namespace aero {
namespace {

/** All shapes have the same pitch: if the device reads the registers between two of our writes, it still
 * reads whole lines of one picture. */
constexpr uint32_t kPitch = CursorPlane::kMaxEdge * 4;
constexpr SIZE_T kPictureBytes = SIZE_T{kPitch} * CursorPlane::kMaxEdge;

class MutexLock {
public:
  explicit MutexLock(FAST_MUTEX &mutex) : m_mutex(mutex) { ExAcquireFastMutex(&m_mutex); }
  ~MutexLock() { ExReleaseFastMutex(&m_mutex); }
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

private:
  FAST_MUTEX &m_mutex;
};

}  // namespace

NTSTATUS CursorPlane::start() {
  ExInitializeFastMutex(&m_mutex);
  m_width = m_height = 0;
  m_visible = false;
  if (!(m_features.low & AEROGPU_FEATURE_CURSOR)) return STATUS_SUCCESS;  // Windows then draws the pointer
  return m_pictures.allocate(2 * kPictureBytes) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

void CursorPlane::stop() {
  if (!ready()) return;
  // The device reads the picture when it next draws, unless the pointer is off by then.
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
  m_pictures.free();
}

void CursorPlane::restore() {
  if (!ready()) return;
  MutexLock lock(m_mutex);
  if (!m_width) return;
  writeShape();
  writePosition();
  writeVisible();
}

NTSTATUS CursorPlane::setShape(const DXGKARG_SETPOINTERSHAPE &args) {
  PointerShape shape = {};
  switch (args.Flags.Value) {
  case 1:
    shape.kind = PointerKind::Monochrome;
    break;
  case 2:
    shape.kind = PointerKind::Color;
    break;
  case 4:
    shape.kind = PointerKind::MaskedColor;
    break;
  default:
    return STATUS_INVALID_PARAMETER;
  }
  shape.width = args.Width;
  shape.height = args.Height;
  shape.pitch = args.Pitch;
  shape.pixels = static_cast<const uint8_t *>(args.pPixels);
  return writePicture(shape, args.XHot, args.YHot);
}

NTSTATUS CursorPlane::setShapeBgra(uint32_t width, uint32_t height, uint32_t hotX, uint32_t hotY, uint32_t pitch,
                                   const void *pixels) {
  return writePicture({PointerKind::Color, width, height, pitch, static_cast<const uint8_t *>(pixels)}, hotX, hotY);
}

NTSTATUS CursorPlane::writePicture(const PointerShape &shape, uint32_t hotX, uint32_t hotY) {
  if (!ready()) return STATUS_NOT_SUPPORTED;
  if (!shape.pixels || !shape.width || shape.width > kMaxEdge || !shape.height || shape.height > kMaxEdge ||
      shape.pitch < (shape.kind == PointerKind::Monochrome ? (shape.width + 7) / 8 : shape.width * 4))
    return STATUS_INVALID_PARAMETER;
  MutexLock lock(m_mutex);
  m_current ^= 1;
  convertPointer(shape, m_pictures.as<uint8_t>() + m_current * kPictureBytes, kPitch);
  m_width = shape.width;
  m_height = shape.height;
  m_hotX = hotX < shape.width ? hotX : shape.width - 1;
  m_hotY = hotY < shape.height ? hotY : shape.height - 1;
  writeShape();
  writePosition();
  writeVisible();
  return STATUS_SUCCESS;
}

NTSTATUS CursorPlane::setPosition(const DXGKARG_SETPOINTERPOSITION &args) {
  if (!ready()) return STATUS_SUCCESS;
  MutexLock lock(m_mutex);
  if (args.Flags.Visible) {  // else X and Y mean nothing
    m_x = args.X;
    m_y = args.Y;
    if (m_width) writePosition();
  }
  if (m_visible == (args.Flags.Visible != 0)) return STATUS_SUCCESS;
  m_visible = args.Flags.Visible != 0;
  writeVisible();
  return STATUS_SUCCESS;
}

void CursorPlane::move(int32_t x, int32_t y) {
  if (!ready()) return;
  MutexLock lock(m_mutex);
  m_x = static_cast<int32_t>(static_cast<uint32_t>(x) - m_hotX);
  m_y = static_cast<int32_t>(static_cast<uint32_t>(y) - m_hotY);
  writePosition();
}

void CursorPlane::show(bool visible) {
  if (!ready()) return;
  MutexLock lock(m_mutex);
  m_visible = visible;
  writeVisible();
}

CursorPlane::State CursorPlane::state() {
  State state = {};
  if (!ready()) return state;
  MutexLock lock(m_mutex);
  state.x = static_cast<int32_t>(static_cast<uint32_t>(m_x) + m_hotX);
  state.y = static_cast<int32_t>(static_cast<uint32_t>(m_y) + m_hotY);
  if (!m_width) return state;
  state.shown = m_visible;
  state.hotX = m_hotX;
  state.hotY = m_hotY;
  state.width = m_width;
  state.height = m_height;
  state.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  state.pitch = kPitch;
  return state;
}

CursorPlane::Check CursorPlane::check() {
  if (!ready()) return Check::Good;
  MutexLock lock(m_mutex);
  const bool shown = m_visible && m_width;
  const uint32_t enable = m_registers.read(AEROGPU_MMIO_REG_CURSOR_ENABLE);
  if (enable > 1) return Check::OutOfRange;
  if (m_width) {
    const uint32_t width = m_registers.read(AEROGPU_MMIO_REG_CURSOR_WIDTH);
    const uint32_t height = m_registers.read(AEROGPU_MMIO_REG_CURSOR_HEIGHT);
    const uint32_t hotX = m_registers.read(AEROGPU_MMIO_REG_CURSOR_HOT_X);
    const uint32_t hotY = m_registers.read(AEROGPU_MMIO_REG_CURSOR_HOT_Y);
    const uint32_t format = m_registers.read(AEROGPU_MMIO_REG_CURSOR_FORMAT);
    if (!width || width > kMaxEdge || !height || height > kMaxEdge || hotX >= width || hotY >= height ||
        format != AEROGPU_FORMAT_B8G8R8A8_UNORM)
      return Check::OutOfRange;
    if (width != m_width || height != m_height || hotX != m_hotX || hotY != m_hotY ||
        m_registers.read(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES) != kPitch ||
        m_registers.read64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO) != m_pictures.gpa() + m_current * kPictureBytes ||
        m_registers.read(AEROGPU_MMIO_REG_CURSOR_X) != static_cast<uint32_t>(m_x) + m_hotX ||
        m_registers.read(AEROGPU_MMIO_REG_CURSOR_Y) != static_cast<uint32_t>(m_y) + m_hotY)
      return Check::Mismatch;
  }
  if ((enable != 0) != shown) return Check::Mismatch;
  return shown || positionHolds() ? Check::Good : Check::Mismatch;
}

/** The pointer is not shown, so the position is invisible. */
bool CursorPlane::positionHolds() {
  const uint32_t x = m_registers.read(AEROGPU_MMIO_REG_CURSOR_X);
  const uint32_t y = m_registers.read(AEROGPU_MMIO_REG_CURSOR_Y);
  bool holds = true;
  constexpr uint32_t values[] = {0x55555555, 0xAAAAAAAA};
  for (const uint32_t value : values) {
    m_registers.write(AEROGPU_MMIO_REG_CURSOR_X, value);
    m_registers.write(AEROGPU_MMIO_REG_CURSOR_Y, ~value);
    holds = holds && m_registers.read(AEROGPU_MMIO_REG_CURSOR_X) == value &&
            m_registers.read(AEROGPU_MMIO_REG_CURSOR_Y) == ~value;
  }
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_X, x);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_Y, y);
  return holds;
}

void CursorPlane::writeShape() {
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, kPitch);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_WIDTH, m_width);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_HEIGHT, m_height);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_HOT_X, m_hotX);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_HOT_Y, m_hotY);
  m_registers.write64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, m_pictures.gpa() + m_current * kPictureBytes);
}

/** The registers hold the place of the hot spot; the sum may wrap as the registers do. */
void CursorPlane::writePosition() {
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_X, static_cast<uint32_t>(m_x) + m_hotX);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_Y, static_cast<uint32_t>(m_y) + m_hotY);
}

void CursorPlane::writeVisible() {
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_ENABLE, m_visible && m_width);
}

}  // namespace aero
