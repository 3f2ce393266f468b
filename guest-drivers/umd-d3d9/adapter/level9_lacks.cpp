// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/level9_lacks.h"

#include "guest-drivers/common/level9.h"
#include "guest-drivers/umd-d3d9/adapter/device_caps.h"

namespace aero {
namespace {

/** Answers as IDirect3D9::CheckDeviceFormat does, from FORMATOP_* (page "FORMATOP"). */
class TableFormats final : public level9::Formats {
public:
  explicit TableFormats(const FormatTable &table) : m_table(table) {}
  bool has(DWORD usage, D3DRESOURCETYPE type, D3DFORMAT format) override {
    const FormatRow *row = m_table.find(static_cast<uint32_t>(format));
    if (!row) return false;
    uint32_t needs = 0, lacks = 0;
    if (type == D3DRTYPE_TEXTURE) needs |= FORMATOP_TEXTURE;
    if (type == D3DRTYPE_VOLUMETEXTURE) needs |= FORMATOP_VOLUMETEXTURE;
    if (type == D3DRTYPE_CUBETEXTURE) needs |= FORMATOP_CUBETEXTURE;
    if (usage & D3DUSAGE_RENDERTARGET) needs |= FORMATOP_OFFSCREEN_RENDERTARGET;
    if (usage & D3DUSAGE_DEPTHSTENCIL) needs |= FORMATOP_ZSTENCIL;
    if (usage & D3DUSAGE_QUERY_SRGBREAD) needs |= FORMATOP_SRGBREAD;
    if (usage & D3DUSAGE_QUERY_SRGBWRITE) needs |= FORMATOP_SRGBWRITE;
    if (usage & D3DUSAGE_QUERY_FILTER) lacks |= FORMATOP_NOFILTER;
    if (usage & D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING) lacks |= FORMATOP_NOALPHABLEND;
    if (usage & D3DUSAGE_QUERY_WRAPANDMIP) lacks |= FORMATOP_NOTEXCOORDWRAPNORMIP;
    return (row->operations & needs) == needs && !(row->operations & lacks);
  }

private:
  const FormatTable &m_table;
};

/** Counts the rows of each level. */
class Counted final : public level9::Lacks {
public:
  void lack(int level, const char *, const char *) override { m_counts[level]++; }
  /** Returns the highest level without a gap at or below it. */
  int level() const {
    int level = 0;
    while (level < level9::kLevels && !m_counts[level + 1]) level++;
    return level;
  }
  uint32_t count(int level) const { return m_counts[level]; }

private:
  uint32_t m_counts[level9::kLevels + 1] = {};
};

/** Writes the rows of one level. */
class Listed final : public level9::Lacks {
public:
  Listed(CallText &out, int level) : m_out(out), m_level(level) {}
  void lack(int level, const char *what, const char *use) override {
    if (level != m_level) return;
    m_out.text(m_count++ ? "; " : ": ").text(what).text(use);
  }

private:
  CallText &m_out;
  int m_level;
  uint32_t m_count = 0;
};

void check(const Adapter &adapter, level9::Lacks &lacks) {
  TableFormats formats(adapter.formats());
  level9::checkCaps(deviceCaps(adapter), lacks);
  level9::checkFormats(formats, lacks);
}

}  // namespace

void describeLevel9(CallText &out, const Adapter &adapter) {
  Counted counted;
  check(adapter, counted);
  const int level = counted.level();
  if (level == level9::kLevels) {
    out.text("level 9_3: all rows of the tables are met");
    return;
  }
  out.text("level 9_").number(static_cast<uint32_t>(level + 1)).text(" is not met, ");
  Listed listed(out.number(counted.count(level + 1)).text(" missing"), level + 1);
  check(adapter, listed);
}

}  // namespace aero
