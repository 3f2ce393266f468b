// SPDX-License-Identifier: MIT
#include "renderer/core/made_frames.h"

#include <cstring>
#include <utility>

#include "renderer/core/format.h"
#include "renderer/core/frame_memory.h"
#include "renderer/core/texture_layout.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kMostPixels = 16384;  ///< each way, as the largest scanout has

}  // namespace

uint64_t frameRowBytes(const aerogpu_frame& frame) {
  TextureDesc desc;
  desc.width = frame.width;
  desc.height = frame.height;
  const FormatInfo* format = findFormat(frame.format);  // any number
  if (!format) return 0;
  desc.format = format->format;
  if (frame.width == 0 || frame.height == 0 || frame.width > kMostPixels || frame.height > kMostPixels ||
      (!canBeShown(desc) && !holdsIndices(desc)))
    return 0;
  const uint64_t bytes = uint64_t{frame.width} * format->blockBytes;
  return frame.pixels && frame.stride_bytes < bytes ? 0 : bytes;
}

aerogpu_frame* MadeFrames::make(const aerogpu_frame& from) {
  const uint64_t rowBytes = frameRowBytes(from);
  if (rowBytes == 0) return nullptr;
  auto frame = std::make_unique<Made>();
  const uint64_t bytes = rowBytes * from.height;
  frame->charge = chargeFrame(m_account, m_reserve, bytes);
  if (!frame->charge.ok()) return nullptr;
  frame->bytes.resize(bytes);
  for (uint32_t row = 0; from.pixels && row < from.height; ++row)
    std::memcpy(frame->bytes.data() + row * rowBytes,
                static_cast<const uint8_t*>(from.pixels) + uint64_t{row} * from.stride_bytes, rowBytes);
  static_cast<aerogpu_frame&>(*frame) = {};
  frame->struct_size = sizeof(aerogpu_frame);
  frame->width = from.width;
  frame->height = from.height;
  frame->stride_bytes = static_cast<uint32_t>(rowBytes);
  frame->format = from.format;
  frame->pixels = frame->bytes.data();
  aerogpu_frame* const made = frame.get();
  Lock lock(m_mutex);
  m_frames.emplace(made, std::move(frame));
  return made;
}

bool MadeFrames::release(const aerogpu_frame* frame) {
  std::unique_ptr<Made> released;  // freed without the lock
  Lock lock(m_mutex);
  const auto found = m_frames.find(frame);
  if (found == m_frames.end()) return false;
  released = std::move(found->second);
  m_frames.erase(found);
  return true;
}

}  // namespace aerogpu::core
