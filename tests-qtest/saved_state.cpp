// SPDX-License-Identifier: MIT
#include "tests-qtest/saved_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "aerogpu/aerogpu_ring_extension.h"

namespace aerogpu::qtest {

Bytes readBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void writeBytes(const std::filesystem::path& path, std::span<const uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// The search includes the byte of the name's length, because the video BIOS has a longer name that ends with
// the same text.
Bytes::const_iterator sectionName(const Bytes& stream) {
  const std::string name =
      "\x14"
      "0000:00:04.0/aerogpu";
  const auto at = std::search(stream.begin(), stream.end(), name.begin(), name.end());
  if (at == stream.end()) throw QemuError("no section of the device");
  return at + 1;
}

// A section: type, id, length of the name, name, instance, version, data; then 0x7E and the id again.
Bytes::const_iterator sectionEnd(const Bytes& stream, Bytes::const_iterator from) {
  const auto name = sectionName(stream);
  Bytes footer = {0x7E};
  footer.insert(footer.end(), name - 5, name - 1);
  const auto end = std::search(from, stream.end(), footer.begin(), footer.end());
  if (end == stream.end()) throw QemuError("the section of the device has no end");
  return end;
}

std::string errorOf(const std::function<void()>& command) {
  try {
    command();
  } catch (const QemuError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string exec(const std::string& shell) {
  return "{\"uri\": \"exec:" + shell + "\"}";
}

std::string migrate(AeroGpuDev& dev, const std::string& arguments) {
  dev.qemu.qmp("migrate", arguments);
  std::string state;
  dev.waitUntil(
      [&] {
        state = dev.qemu.qmp("query-migrate");
        return state.find("\"completed\"") != std::string::npos ||
               state.find("\"failed\"") != std::string::npos;
      },
      "the end of the migration");
  return state;
}

void waitSaid(AeroGpuDev& dev, const std::string& text) {
  dev.waitUntil([&] { return dev.qemu.output().find(text) != std::string::npos; }, text.c_str());
}

void migrateTo(AeroGpuDev& dev, const std::filesystem::path& path) {
  const std::string state = migrate(dev, exec("cat >" + path.string()));
  if (state.find("\"completed\"") == std::string::npos)
    throw QemuError("the machine was not saved: " + state + dev.qemu.output());
}

bool Seen::operator==(const Seen& other) const {
  return registers == other.registers && caps == other.caps && fence == other.fence &&
         sequence == other.sequence && time == other.time &&
         std::memcmp(&ring, &other.ring, sizeof ring) == 0 &&
         std::memcmp(&page, &other.page, sizeof page) == 0;
}

Seen look(AeroGpuDev& dev) {
  Seen seen{{},
            {},
            dev.completedFence(),
            dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO),
            dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO),
            dev.ringHeader(),
            dev.fencePage()};
  for (uint32_t offset = 0; offset <= AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES; offset += 4)
    seen.registers.push_back(dev.reg(offset));
  for (const uint32_t offset :
       {AEROGPU_EXT_REG_GPU_STATE, AEROGPU_EXT_REG_GPU_ENABLE, AEROGPU_EXT_REG_GPU_GENERATION,
        AEROGPU_EXT_REG_KEEP, AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_REG_SCANOUT0_ALLOC,
        AEROGPU_EXT_REG_SCANOUT0_FOLLOW, AEROGPU_EXT_REG_GAMMA_ENABLE, AEROGPU_EXT_REG_ERROR_TAKEN,
        AEROGPU_EXT_REG_RING_BUSY})
    seen.registers.push_back(dev.reg(offset));
  const uint32_t size = dev.reg(AEROGPU_EXT_REG_CAPS_SIZE);
  for (uint32_t at = 0; at < size; at += 4) {
    const uint32_t word = dev.reg(AEROGPU_EXT_REG_CAPS + at);
    for (int byte = 0; byte < 4; ++byte) seen.caps.push_back(static_cast<uint8_t>(word >> (8 * byte)));
  }
  return seen;
}

namespace {

std::vector<std::string> together(std::vector<std::string> all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string makeDisk() {
  std::string name = (std::filesystem::temp_directory_path() / "aerogpu-state-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) throw QemuError("cannot make a file in " + std::filesystem::temp_directory_path().string());
  close(fd);
  if (std::system(("qemu-img create -q -f qcow2 " + name + " 1M").c_str()) != 0)
    throw QemuError("qemu-img failed");
  return name;
}

}  // namespace

StateOnDisk::StateOnDisk(const std::string& deviceOptions, std::vector<std::string> extra)
    : m_disk(makeDisk()),
      dev(deviceOptions,
          together(std::move(extra), {"-drive", "if=none,id=disk,format=qcow2,file=" + m_disk})) {}

StateOnDisk::~StateOnDisk() {
  std::filesystem::remove(m_disk);
}

void StateOnDisk::save() {
  const std::string answer = dev.qemu.monitor("savevm one");
  if (answer.find("rror") != std::string::npos) throw QemuError(answer);
  good = readBytes(m_disk);
  constexpr ptrdiff_t kNameBytes = 20, kInstanceBytes = 4;
  versionAt = static_cast<size_t>(sectionName(good) - good.begin() + kNameBytes + kInstanceBytes);
}

bool StateOnDisk::loadWith(size_t at, const Bytes& bytes) {
  patch(at, bytes);
  const size_t seen = dev.qemu.output().size();
  const std::string answer = dev.qemu.monitor("loadvm one");
  said = answer + dev.qemu.output().substr(seen);
  patch(at, {good.begin() + static_cast<std::ptrdiff_t>(at),
             good.begin() + static_cast<std::ptrdiff_t>(at + bytes.size())});
  return answer.find("rror") == std::string::npos;
}

void StateOnDisk::patch(size_t at, const Bytes& bytes) {
  std::fstream file(m_disk, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw QemuError("cannot write " + m_disk);
}

void StateOnDisk::useIt() {
  dev.qemu.qmp("cont");
  dev.qemu.clockStep(16'666'667);
  dev.ringBell();
  dev.qemu.screendump();
  dev.qemu.qmp("stop");
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
}

}  // namespace aerogpu::qtest
