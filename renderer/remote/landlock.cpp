// SPDX-License-Identifier: MIT
#include "renderer/remote/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "renderer/remote/shared_memory.h"

namespace aerogpu::remote {
namespace {

// Numbers and layout of Linux' include/uapi/linux/landlock.h; headers of a distribution are often older than
// its kernels. System calls have these numbers on all architectures.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1u << 0;
constexpr int kPathBeneath = 1;

enum Access : uint64_t {
  WriteFile = uint64_t{1} << 1,
  ReadFile = uint64_t{1} << 2,
  ReadDir = uint64_t{1} << 3,
  RemoveDir = uint64_t{1} << 4,
  RemoveFile = uint64_t{1} << 5,
  MakeDir = uint64_t{1} << 7,
  MakeReg = uint64_t{1} << 8,
  Truncate = uint64_t{1} << 14,
  IoctlDev = uint64_t{1} << 15,
};
constexpr uint64_t kBindAndConnect = 3;      // LANDLOCK_ACCESS_NET_*_TCP
constexpr uint64_t kAbstractAndSignals = 3;  // LANDLOCK_SCOPE_*
constexpr uint64_t kOfFiles = WriteFile | ReadFile | Truncate | IoctlDev;

struct Ruleset {
  uint64_t files, network, scopes;
};
struct [[gnu::packed]] PathRule {
  uint64_t allowed;
  int32_t parent;
};

/// All rights that a version knows: those that are not refused by a rule's lack are not limited at all.
uint64_t allOf(uint32_t version) {
  if (version >= 5) return (uint64_t{1} << 16) - 1;
  if (version >= 3) return (uint64_t{1} << 15) - 1;
  return version == 2 ? (uint64_t{1} << 14) - 1 : (uint64_t{1} << 13) - 1;
}

/// The first version had the first word only, and a kernel takes no words that it does not know.
size_t sizeFor(uint32_t version) {
  if (version >= 6) return sizeof(Ruleset);
  return version >= 4 ? offsetof(Ruleset, scopes) : offsetof(Ruleset, network);
}

bool allow(int ruleset, const std::vector<std::string>& paths, uint64_t rights) {
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    const Descriptor at(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat about {};
    if (!at || fstat(at.get(), &about) != 0) return true;
    const PathRule rule{S_ISDIR(about.st_mode) ? rights : rights & kOfFiles, at.get()};
    return rule.allowed == 0 || syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) == 0;
  });
}

}  // namespace

std::optional<uint32_t> limitFiles(const FileRules& rules, uint32_t most) {
  const long known = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (known <= 0) return 0;  // built without it, or not started with it
  const uint32_t version = std::min(static_cast<uint32_t>(std::min(known, 1000l)), most);
  if (version == 0) return 0;
  const uint64_t all = allOf(version);
  Ruleset about{all, kBindAndConnect, kAbstractAndSignals};
  const Descriptor ruleset(static_cast<int>(syscall(kCreateRuleset, &about, sizeFor(version), 0)));
  if (!ruleset) return std::nullopt;
  constexpr uint64_t kReads = ReadFile | ReadDir;
  constexpr uint64_t kWrites = kReads | WriteFile | RemoveDir | RemoveFile | MakeDir | MakeReg | Truncate;
  if (!allow(ruleset.get(), rules.reads, kReads) ||
      !allow(ruleset.get(), rules.devices, (kReads | WriteFile | Truncate | IoctlDev) & all) ||
      !allow(ruleset.get(), rules.writes, kWrites & all) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(kRestrictSelf, ruleset.get(), 0) != 0)
    return std::nullopt;
  return version;
}

}  // namespace aerogpu::remote
