// SPDX-License-Identifier: MIT
// Tests the table that the shipped x64 aerogpu.sys registers: its DriverEntry runs here, with just enough of
// a kernel around it to take DRIVER_INITIALIZATION_DATA (dispmprt page of that name), and the linker's map
// names every slot. Arguments: the driver, its map. Slots and offsets come from the recorded layouts
// (guest-drivers/ddi/test).
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "testbed/kernel/core/pe_image.h"

namespace aerogpu::host {
namespace {

#define MS __attribute__((ms_abi))

struct Slot {
  const char* name;
  size_t offset;
};
constexpr Slot kSlots[] = {
#include "testbed/kernel/entry_table_slots.inc"
};
constexpr size_t kTableBytes = ENTRY_TABLE_BYTES;

// Empty on purpose: there are no linked adapters, and the others belong to virtual addresses, which WDDM 1.1
// does not have (its members' pages; "Reserved"). Swizzling ranges and overlays are not announced in
// DXGK_DRIVERCAPS, but no page says that their entries are not called then.
const std::set<std::string> kEmpty = {
    "DxgkDdiLinkDevice",        "DxgkDdiDescribePageTable",
    "DxgkDdiUpdatePageTable",   "DxgkDdiUpdatePageDirectory",
    "DxgkDdiMovePageDirectory", "DxgkDdiSubmitRender",
    "DxgkDdiCreateAllocation2", "Reserved",
};

std::string s_driver, s_map;
uint8_t s_table[kTableBytes];
unsigned s_registrations;
void** s_registerOut;

MS int32_t registerMiniport(void*, void*, const void* table) {
  std::memcpy(s_table, table, sizeof s_table);
  ++s_registrations;
  return 0;
}

struct String {
  uint16_t length, maximum;
  const char16_t* text;
};
MS void rtlInitUnicodeString(String* string, const char16_t* text) {
  const auto bytes = static_cast<uint16_t>(std::char_traits<char16_t>::length(text) * 2);
  *string = {bytes, static_cast<uint16_t>(bytes + 2), text};
}
MS int32_t zwLoadDriver(const String*) {
  return 0;
}
MS int32_t ioGetDeviceObjectPointer(const String*, uint32_t, void** file, void** device) {
  *file = *device = &s_registrations;
  return 0;
}
MS void keInitializeEvent(void*, int, uint8_t) {}
MS void* ioBuildDeviceIoControlRequest(uint32_t code, void*, void*, uint32_t, void* out, uint32_t bytes,
                                       uint8_t internal, void*, void*) {
  // IOCTL_VIDEO_DDI_FUNC_REGISTER, as an internal device control (guest-drivers/ddi/displib).
  if (code != 0x23003F || bytes != sizeof(void*) || !internal) return nullptr;
  s_registerOut = static_cast<void**>(out);
  return &s_registerOut;
}
MS int32_t iofCallDriver(void*, void*) {
  *s_registerOut = reinterpret_cast<void*>(registerMiniport);
  return 0;
}
MS void obfDereferenceObject(void*) {}
MS int32_t etwRegister(const void*, void*, void*, uint64_t* handle) {
  *handle = 1;
  return 0;
}
MS void* copyBytes(void* to, const void* from, size_t bytes) {
  return std::memcpy(to, from, bytes);
}
MS void* setBytes(void* at, int value, size_t bytes) {
  return std::memset(at, value, bytes);
}
MS void unexpected() {
  ADD_FAILURE() << "DriverEntry calls an import that registration has no use for";
  std::abort();
}

void* resolve(const char*, const char* name) {
  static const std::map<std::string, void*> known = {
      {"RtlInitUnicodeString", reinterpret_cast<void*>(rtlInitUnicodeString)},
      {"ZwLoadDriver", reinterpret_cast<void*>(zwLoadDriver)},
      {"IoGetDeviceObjectPointer", reinterpret_cast<void*>(ioGetDeviceObjectPointer)},
      {"KeInitializeEvent", reinterpret_cast<void*>(keInitializeEvent)},
      {"IoBuildDeviceIoControlRequest", reinterpret_cast<void*>(ioBuildDeviceIoControlRequest)},
      {"IofCallDriver", reinterpret_cast<void*>(iofCallDriver)},
      {"ObfDereferenceObject", reinterpret_cast<void*>(obfDereferenceObject)},
      {"EtwRegister", reinterpret_cast<void*>(etwRegister)},
      {"memcpy", reinterpret_cast<void*>(copyBytes)},
      {"memset", reinterpret_cast<void*>(setBytes)},
  };
  const auto found = known.find(name);
  return found == known.end() ? reinterpret_cast<void*>(unexpected) : found->second;
}

/// Returns functions of the image by their offset from its base; the map has lines "0xADDRESS  name", with
/// C++ names.
std::map<uint64_t, std::string> readMap() {
  std::map<uint64_t, std::string> symbols;
  std::ifstream file(s_map);
  uint64_t base = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string address, symbol;
    words >> address >> std::ws;
    if (address.rfind("0x", 0) != 0 || !std::getline(words, symbol)) continue;
    const uint64_t value = std::strtoull(address.c_str(), nullptr, 16);
    if (symbol.rfind("__image_base__", 0) == 0) base = value;
    if (symbol.rfind("aero::AeroDdi", 0) == 0) symbols[value] = symbol;
  }
  EXPECT_NE(base, 0u) << "no __image_base__ in the map";
  std::map<uint64_t, std::string> relative;
  for (const auto& [address, name] : symbols) relative[address - base] = name;
  return relative;
}

TEST(EntryTable, EverySlotHoldsItsFunction) {
  PeImage image;
  const Status status = image.loadFile(s_driver, resolve);
  ASSERT_TRUE(status.ok()) << status.text();
  char driverObject[512] = {};
  String registryPath = {2, 4, u"R"};
  using Entry = MS int32_t (*)(void*, void*);
  ASSERT_EQ(reinterpret_cast<Entry>(image.entry())(driverObject, &registryPath), 0);
  ASSERT_EQ(s_registrations, 1u);

  uint32_t version;
  std::memcpy(&version, s_table, sizeof version);
  EXPECT_EQ(version, 0x2005u);  // DXGKDDI_INTERFACE_VERSION_WIN7

  const auto symbols = readMap();
  unsigned filled = 0;
  for (const Slot& slot : kSlots) {
    if (std::strcmp(slot.name, "Version") == 0) continue;
    uint64_t function;
    ASSERT_LE(slot.offset + sizeof function, sizeof s_table);
    std::memcpy(&function, s_table + slot.offset, sizeof function);
    if (kEmpty.count(slot.name)) {
      EXPECT_EQ(function, 0u) << slot.name;
      continue;
    }
    ASSERT_NE(function, 0u) << slot.name << " is empty";
    EXPECT_TRUE(image.containsCode(function)) << slot.name << " points to no code";
    const auto symbol = symbols.find(function - reinterpret_cast<uintptr_t>(image.base()));
    ASSERT_NE(symbol, symbols.end()) << slot.name << " points to no entry point";
    const std::string expected =
        "aero::AeroDdi" + std::string(slot.name).substr(std::strlen("DxgkDdi")) + "(";
    EXPECT_EQ(symbol->second.rfind(expected, 0), 0u) << slot.name << " is " << symbol->second;
    ++filled;
  }
  EXPECT_EQ(filled + kEmpty.size() + 1, std::size(kSlots));  // every name of kEmpty is a slot
  std::printf("%u slots hold their function, %zu are empty\n", filled, kEmpty.size());
}

}  // namespace
}  // namespace aerogpu::host

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) return 2;
  aerogpu::host::s_driver = argv[1];
  aerogpu::host::s_map = argv[2];
  return RUN_ALL_TESTS();
}
