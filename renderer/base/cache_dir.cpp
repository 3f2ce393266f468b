// SPDX-License-Identifier: MIT
#include "renderer/base/cache_dir.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace aerogpu {
namespace {

/// Returns $XDG_CACHE_HOME/aerogpu, else ~/.cache/aerogpu (XDG Base Directory Specification); empty without a
/// home.
std::string defaultCacheDir() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return std::string(cache) + "/aerogpu";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/aerogpu";
  return "";
}

}  // namespace

std::string cacheDirOf(const char* vmUuid) {
  const std::string base = defaultCacheDir(), uuid = vmUuid ? vmUuid : "";
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  const bool nil = uuid.find_first_not_of("0-") == std::string::npos;  // RFC 4122: the nil UUID
  if (base.empty() || nil || uuid.size() > 64 || !std::all_of(uuid.begin(), uuid.end(), fits)) return "";
  return base + "/" + uuid;
}

}  // namespace aerogpu
