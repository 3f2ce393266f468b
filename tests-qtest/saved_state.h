// SPDX-License-Identifier: MIT
// Saved states of a machine in files, and what a guest can see of the device before and after.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests-qtest/aerogpu_dev.h"

namespace aerogpu::qtest {

using Bytes = std::vector<uint8_t>;

Bytes readBytes(const std::filesystem::path& path);
void writeBytes(const std::filesystem::path& path, std::span<const uint8_t> bytes);

/// Returns where the name of the device's section begins in a state.
Bytes::const_iterator sectionName(const Bytes& stream);
/// Returns where that section ends, before its footer. `from`: a place in its data.
Bytes::const_iterator sectionEnd(const Bytes& stream, Bytes::const_iterator from);

/// Returns what QEMU said, or "(accepted)".
std::string errorOf(const std::function<void()>& command);

/// Returns the arguments of `migrate` that give the state to a command of the shell.
std::string exec(const std::string& shell);
/// Asks for a migration and waits for its end; returns the answer of query-migrate.
std::string migrate(AeroGpuDev& dev, const std::string& arguments);
/// Waits until QEMU's log has the text: it logs why a migration failed once it has cleaned up.
void waitSaid(AeroGpuDev& dev, const std::string& text);
/// Writes RAM and devices to a file; QEMU stops the VM for it. Throws if that fails.
void migrateTo(AeroGpuDev& dev, const std::filesystem::path& path);

/// All that a guest can poll without side effects.
struct Seen {
  std::vector<uint32_t> registers;  ///< of 1.4, then those of the extension space
  std::vector<uint8_t> caps;
  uint64_t fence, sequence, time;
  aerogpu_ring_header ring;
  aerogpu_fence_page page;
  bool operator==(const Seen& other) const;
};
Seen look(AeroGpuDev& dev);

/// A snapshot in a qcow2 file, where QEMU keeps it as it was written, so that it can be changed there.
class StateOnDisk {
public:
  /// `extra`: further arguments of QEMU.
  explicit StateOnDisk(const std::string& deviceOptions, std::vector<std::string> extra = {});
  ~StateOnDisk();
  StateOnDisk(const StateOnDisk&) = delete;
  StateOnDisk& operator=(const StateOnDisk&) = delete;

  /// Saves the machine, which is stopped.
  void save();
  /// Puts bytes into the snapshot, loads it, restores them; returns true if it was accepted. `said` is what
  /// QEMU said meanwhile.
  bool loadWith(size_t at, const Bytes& bytes);
  bool loadGood() { return loadWith(versionAt, {good[versionAt]}); }
  /// Lets the machine continue and draw, whatever was loaded, and expects that it answers.
  void useIt();

private:
  const std::string m_disk;
  void patch(size_t at, const Bytes& bytes);

public:
  AeroGpuDev dev;
  Bytes good;            ///< the file with the original snapshot
  size_t versionAt = 0;  ///< of the device's section
  std::string said;
};

}  // namespace aerogpu::qtest
