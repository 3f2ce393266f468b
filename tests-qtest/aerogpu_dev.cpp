// SPDX-License-Identifier: MIT
#include "tests-qtest/aerogpu_dev.h"

#include <poll.h>

#include <chrono>
#include <cstring>

namespace aerogpu::qtest {

namespace {

template <class T>
std::span<const uint8_t> bytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

template <class T>
T fromBytes(const std::vector<uint8_t>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Returns the value of port CF8h that selects a register: mechanism #1 (PCI Local Bus Specification 3.0,
/// 3.2.2.3.2).
uint32_t configAddress(uint32_t device, uint32_t offset, uint32_t bus = 0) {
  return 0x80000000u | bus << 16 | device << 11 | (offset & 0xFC);
}
constexpr uint32_t kGpu = 4, kIsaBridge = 1;

}  // namespace

std::vector<uint8_t> pattern(size_t size, uint32_t seed) {
  std::vector<uint8_t> bytes(size);
  for (auto& byte : bytes) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes, 7.1
    byte = static_cast<uint8_t>(seed >> 24);
  }
  return bytes;
}

void usePlainPipeline(CommandWriter& w, uint32_t first) {
  const uint32_t buffer = first, vertex = first + 1, pixel = first + 2, layout = first + 3;
  packets::createBuffer(w, buffer, 36, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  // vs_2_0: dcl_position v0; mov oPos, v0. ps_2_0: mov oC0, c0.
  const uint32_t vs[] = {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000,
                         0x02000001, 0xC00F0000, 0x90E40000, 0x0000FFFF};
  const uint32_t ps[] = {0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF};
  packets::createShader(w, vertex, AEROGPU_SHADER_STAGE_VERTEX, vs);
  packets::createShader(w, pixel, AEROGPU_SHADER_STAGE_PIXEL, ps);
  packets::bindShaders(w, vertex, pixel);
  // D3DVERTEXELEMENT9: stream 0, FLOAT3 POSITION; D3DDECL_END.
  const uint8_t elements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
  packets::useInputLayout(w, layout, elements);
  packets::setVertexBuffer(w, 0, buffer, 12);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
}

uint32_t AeroGpuDev::configAddress(uint32_t offset) const {
  return m_behind ? qtest::configAddress(m_behind->slot, offset, 1) : qtest::configAddress(kGpu, offset);
}

uint32_t AeroGpuDev::config(uint32_t offset) {
  qemu.outl(0xCF8, configAddress(offset));
  return qemu.inl(0xCFC);
}

void AeroGpuDev::setConfig(uint32_t offset, uint32_t value) {
  qemu.outl(0xCF8, configAddress(offset));
  qemu.outl(0xCFC, value);
}

void AeroGpuDev::setUpPci() {
  if (m_behind) {
    // PCI-to-PCI Bridge Architecture Specification 1.2, 3.2: bus numbers, windows (I/O ports up to FFFh,
    // where those of VBE are), command, VGA enable.
    const std::pair<uint32_t, uint32_t> bridge[] = {{0x18, 0x00010100}, {0x1C, 0x00000000},
                                                    {0x20, 0xFEF0FE00}, {0x24, 0xEFF0E000},
                                                    {0x04, 0x0007},     {0x3C, 0x00080000}};
    for (const auto& [offset, value] : bridge) {
      qemu.outl(0xCF8, qtest::configAddress(m_behind->bridge, offset));
      qemu.outl(0xCFC, value);
    }
  }
  setConfig(0x10, kBar0);
  setConfig(0x14, kBar1);
  setConfig(0x04, 0x0007);  // I/O, memory, bus master
}

void AeroGpuDev::interceptIntx() {
  // PIIX3: PIRQA..D route control at 60h, one byte each; all to IRQ 11.
  qemu.outl(0xCF8, qtest::configAddress(kIsaBridge, 0x60));
  qemu.outl(0xCFC, 0x0B0B0B0B);
  qemu.interceptIrqs("ioapic");
}

void AeroGpuDev::enableMsi(uint64_t address, uint16_t data, bool enable) {
  for (uint32_t at = config(0x34) & 0xFC; at != 0; at = config(at) >> 8 & 0xFC) {
    const uint32_t head = config(at);
    if ((head & 0xFF) != 5) continue;  // PCI_CAP_ID_MSI
    const bool wide = head >> 23 & 1;
    setConfig(at + 4, static_cast<uint32_t>(address));
    if (wide) setConfig(at + 8, static_cast<uint32_t>(address >> 32));
    setConfig(at + (wide ? 12 : 8), data);
    setConfig(at, enable ? head | 1u << 16 : head & ~(1u << 16));
    return;
  }
  throw QemuError("the function has no MSI capability");
}

void AeroGpuDev::startRing(const Ring& ring) {
  m_ring = ring;
  m_tail = ring.first;
  aerogpu_ring_header header{};
  header.magic = AEROGPU_RING_MAGIC;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.size_bytes = static_cast<uint32_t>(sizeof header) + ring.entries * ring.stride;
  header.entry_count = ring.entries;
  header.entry_stride_bytes = ring.stride;
  header.head = header.tail = ring.first;
  qemu.write(kRingGpa, bytesOf(header));
  setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, kRingGpa);
  setReg(AEROGPU_MMIO_REG_RING_SIZE_BYTES, header.size_bytes);
  setReg(AEROGPU_MMIO_REG_RING_CONTROL, ring.enable ? AEROGPU_RING_CONTROL_ENABLE : 0);
}

aerogpu_ring_header AeroGpuDev::ringHeader() {
  return fromBytes<aerogpu_ring_header>(qemu.read(kRingGpa, sizeof(aerogpu_ring_header)));
}

void AeroGpuDev::useFencePage() {
  setReg64(AEROGPU_MMIO_REG_FENCE_GPA_LO, kFenceGpa);
}

aerogpu_fence_page AeroGpuDev::fencePage() {
  return fromBytes<aerogpu_fence_page>(qemu.read(kFenceGpa, sizeof(aerogpu_fence_page)));
}

void AeroGpuDev::push(aerogpu_submit_desc desc, bool ring, std::optional<aerogpu_submit_space> space) {
  const uint64_t slot =
      kRingGpa + sizeof(aerogpu_ring_header) + uint64_t{m_tail % m_ring.entries} * m_ring.stride;
  qemu.write(slot, bytesOf(desc));
  if (space) qemu.write(slot + sizeof desc, bytesOf(*space));
  ++m_tail;
  qemu.writel(kRingGpa + offsetof(aerogpu_ring_header, tail), m_tail);
  if (ring) ringBell();
}

uint64_t AeroGpuDev::submit(const CommandWriter& writer, const Submit& how) {
  qemu.write(how.commandGpa, {writer.data(), writer.size()});
  aerogpu_submit_desc desc{};
  desc.desc_size_bytes = sizeof desc;
  desc.flags = how.flags;
  desc.context_id = how.context;
  desc.cmd_gpa = how.commandGpa;
  desc.cmd_size_bytes = static_cast<uint32_t>(writer.size());
  if (!how.table.empty()) {
    qemu.write(kTableGpa, how.table);
    desc.alloc_table_gpa = kTableGpa;
    desc.alloc_table_size_bytes = static_cast<uint32_t>(how.table.size());
  }
  if (how.space) desc.desc_size_bytes += sizeof *how.space;
  desc.signal_fence = m_nextFence++;
  push(desc, how.ring, how.space);
  return desc.signal_fence;
}

uint64_t AeroGpuDev::submitEmpty(uint32_t flags, bool ring) {
  aerogpu_submit_desc desc{};
  desc.desc_size_bytes = sizeof desc;
  desc.flags = flags;
  desc.signal_fence = m_nextFence++;
  push(desc, ring);
  return desc.signal_fence;
}

std::vector<uint8_t> AeroGpuDev::allocTable(std::span<const aerogpu_alloc_entry> entries) {
  aerogpu_alloc_table_header header{};
  header.magic = AEROGPU_ALLOC_TABLE_MAGIC;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.entry_count = static_cast<uint32_t>(entries.size());
  header.entry_stride_bytes = sizeof(aerogpu_alloc_entry);
  header.size_bytes = static_cast<uint32_t>(sizeof header + entries.size_bytes());
  std::vector<uint8_t> table(header.size_bytes);
  std::memcpy(table.data(), &header, sizeof header);
  std::memcpy(table.data() + sizeof header, entries.data(), entries.size_bytes());
  return table;
}

void AeroGpuDev::waitUntil(const std::function<bool()>& done, const char* what) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kDeadlineMs);
  constexpr int kFastPolls = 200;
  for (int polls = 0; !done(); ++polls) {
    if (std::chrono::steady_clock::now() > deadline)
      throw QemuError(std::string("deadline passed: ") + what + "\n" + qemu.output());
    if (polls >= kFastPolls) poll(nullptr, 0, 1);
  }
}

void AeroGpuDev::loadFrom(const std::filesystem::path& file, const char* status) {
  qemu.qmp("migrate-incoming", R"({"uri": "exec:cat )" + file.string() + "\"}");
  // "running" alone would also be the name of the answer's other member.
  const std::string wanted = R"("status": ")" + std::string(status) + '"';
  waitUntil([&] { return qemu.qmp("query-status").find(wanted) != std::string::npos; }, "the loaded machine");
}

void AeroGpuDev::waitFence(uint64_t fence) {
  waitUntil([&] { return completedFence() >= fence; }, "fence");
  // The fence page, the head and the errors follow the register, under one lock, which reading ERROR_COUNT
  // takes.
  (void)errorCount();
}

void AeroGpuDev::setScanout(const Scanout& s, bool enable) {
  setReg(AEROGPU_MMIO_REG_SCANOUT0_WIDTH, s.width);
  setReg(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, s.height);
  setReg(AEROGPU_MMIO_REG_SCANOUT0_FORMAT, s.format);
  setReg(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, s.pitch);
  setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, s.gpa);
  setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, enable ? 1 : 0);
}

void waitStatus(AeroGpuDev& dev, const std::string& wanted) {
  const std::string field = R"("status": ")" + wanted + '"';
  dev.waitUntil([&] { return dev.qemu.qmp("query-status").find(field) != std::string::npos; },
                wanted.c_str());
}

// ACPI's PM1a_CNT of the PIIX4, with SLP_EN and QEMU's SLP_TYP of S3.
void suspend(AeroGpuDev& dev) {
  constexpr uint32_t kPm = 0x80000000u | 1u << 11 | 3u << 8, kBase = 0x600;
  dev.qemu.outl(0xCF8, kPm | 0x40);
  dev.qemu.outl(0xCFC, kBase | 1);
  dev.qemu.outl(0xCF8, kPm | 0x80);
  dev.qemu.outl(0xCFC, 1);
  dev.qemu.outw(kBase + 4, 1u << 13 | 1u << 10);
  waitStatus(dev, "suspended");
}

void wakeUp(AeroGpuDev& dev) {
  dev.qemu.qmp("system_wakeup");
  dev.waitUntil([&] { return (dev.config(0x10) & ~0xFu) == 0; }, "the reset of the wake-up");
  dev.setUpPci();
  dev.setNextFence(1);
}

}  // namespace aerogpu::qtest
