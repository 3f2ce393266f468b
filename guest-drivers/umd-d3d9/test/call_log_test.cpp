// SPDX-License-Identifier: MIT
// Tests the log of calls (docs/d3d9/testbed.md, "The log of calls"): that nothing is logged while it is off, its
// content at each level, its ring, several devices and threads at once, and the notes to the host.
#include <algorithm>
#include <regex>
#include <thread>

#include "aerogpu/aerogpu_umd_private_extension.h"
#include "guest-drivers/umd-common/linux/linux_log.h"
#include "guest-drivers/umd-common/log/call_log.h"
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

struct Line {
  uint64_t number = 0;
  bool stays = false;  // it is in front of the ring
  uint32_t device = 0;
  std::string thread, text;
};

/** Returns the lines in order, those that stay before those of the ring that have their number, and checks the form of
 * each. */
std::vector<Line> readAll() {
  const std::vector<char> file = takeLogFile();
  static const std::regex kForm(R"((\d{10}) (\d{5,}\.\d{6}) ([0-9A-F]{4,}) (\d+) (.*?) *)");
  std::vector<Line> lines;
  EXPECT_EQ(file.size() % 4096, 0u);
  for (size_t at = CallText::kBytes; at + CallText::kBytes <= file.size(); at += CallText::kBytes) {
    EXPECT_EQ(file[at + CallText::kBytes - 1], '\n') << at;
    const std::string line(&file[at], CallText::kBytes - 1);
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    std::smatch found;
    if (!std::regex_match(line, found, kForm)) {
      ADD_FAILURE() << "'" << line << "'";
      continue;
    }
    const bool stays = at < size_t{1 + CallLog::kFirstLines} * CallText::kBytes;
    lines.push_back({std::stoull(found[1]), stays, static_cast<uint32_t>(std::stoul(found[4])), found[3], found[5]});
  }
  std::ranges::stable_sort(lines, {}, &Line::number);
  return lines;
}

/** Returns the lines of the ring in order. */
std::vector<Line> readLog() {
  std::vector<Line> lines = readAll();
  std::erase_if(lines, [](const Line &line) { return line.stays; });
  return lines;
}

/** Returns the texts of the lines that stay, in the order of their file. */
std::vector<std::string> readFirsts() {
  std::vector<std::string> texts;
  for (const Line &line : readAll())
    if (line.stays) texts.push_back(line.text);
  return texts;
}

class UmdCallLog : public ::testing::Test {
protected:
  void TearDown() override {
    rt.errors.clear();
    refuseLogFiles(false);
    if (rt.device) rt.close();
    takeLogFile();
    takeDebugOutput();
    EXPECT_EQ(heapBlocks(), 0u);
  }
  void open(uint32_t level) {
    kernel.log = level;
    rt.open();
    ASSERT_NE(rt.device, nullptr);
  }
  /** Returns the texts that begin with `start`. */
  static std::vector<std::string> with(const std::vector<Line> &lines, const std::string &start) {
    std::vector<std::string> out;
    for (const Line &line : lines)
      if (line.text.starts_with(start)) out.push_back(line.text);
    return out;
  }

  FakeKernel kernel;
  FakeRuntime rt{kernel};
  Program p{rt};
};

TEST_F(UmdCallLog, OffItIsNotThere) {
  open(0);
  EXPECT_TRUE(takeLogFile().empty());
  // The functions themselves are in the table, so a call costs the same as without a log.
#define AERO_SAME_Done(NAME) EXPECT_EQ(rt.driver.pfn##NAME, &ddi::NAME) << #NAME;
#define AERO_SAME_Missing(NAME)
#define AERO_SAME_Stub(NAME)
#define AERO_SAME_Overlay(NAME)
#define AERO_SAME_Crypto(NAME)
#define AERO_SAME_NotAvailable(NAME)
#define AERO_SAME_Null(NAME) EXPECT_EQ(rt.driver.pfn##NAME, nullptr);
#define AERO_SAME(NAME, ANSWER) AERO_SAME_##ANSWER(NAME)
  AERO_DEVICE_FUNCTIONS(AERO_SAME)
#undef AERO_SAME
  rt.errors["Render"] = kFailed;
  p.bindTarget(16, 16);
  EXPECT_TRUE(takeLogFile().empty());
  EXPECT_TRUE(takeDebugOutput().empty());
}

// PRIV-26: two bits of ext_flags are the level.
TEST_F(UmdCallLog, AllCallsAreThereWithArgumentsAndResults) {
  static_assert(AEROGPU_UMDPRIV_EXT_LOG_UNIT == 0x100 && AEROGPU_UMDPRIV_EXT_LOG_MASK == 0x300);
  open(3);
  D3DCAPS9 caps = {};
  D3DDDIARG_GETCAPS ask = {D3DDDICAPS_GETD3D9CAPS, nullptr, &caps, sizeof caps};
  ASSERT_EQ(rt.adapterFunctions.pfnGetCaps(rt.adapter, &ask), 0);
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 256, 128, Program::texture());
  D3DDDIARG_LOCK lock = {};
  lock.hResource = texture;
  lock.Area = {4, 5, 20, 21};
  lock.Flags.Value = 0x80;
  lock.Flags.AreaValid = 1;
  ASSERT_EQ(rt.driver.pfnLock(rt.device, &lock), 0);
  D3DDDIARG_UNLOCK unlock = {};
  unlock.hResource = texture;
  EXPECT_EQ(rt.driver.pfnUnlock(rt.device, &unlock), 0);
  p.state(7, 1);
  EXPECT_EQ(rt.driver.pfnCaptureToSysMem(rt.device, nullptr), kNotImplemented);
  EXPECT_EQ(rt.driver.pfnSetMaterial(rt.device, nullptr), 0);
  p.flush();
  const std::vector<Line> lines = readLog();
  for (size_t i = 0; i < lines.size(); i++) EXPECT_EQ(lines[i].number, i);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].text.starts_with("OpenAdapter(interface 9, version 0x2003), ABI 0x10004, features 0x"))
      << lines[0].text;
  EXPECT_EQ(lines[0].device, 0u);
  EXPECT_EQ(with(lines, "CreateDevice(").at(0), "CreateDevice(interface 9, version 0x2003, flags 0x0) = 0x00000000");
  // The answer is 304 bytes: 76 words in lines of 12.
  EXPECT_EQ(with(lines, "GetCaps(").at(0), "GetCaps(13 GETD3D9CAPS, 304 bytes) = 0x00000000");
  const auto dump = with(lines, "  +");
  ASSERT_EQ(dump.size(), 7u);
  uint32_t words[2];
  memcpy(words, &caps, sizeof words);
  char start[32];
  snprintf(start, sizeof start, "  +000: %08X %08X ", words[0], words[1]);
  EXPECT_TRUE(dump[0].starts_with(start)) << dump[0];

  const auto address = [](const void *pointer) {
    char text[24];
    snprintf(text, sizeof text, "0x%zX", reinterpret_cast<size_t>(pointer));
    return std::string(text);
  };
  const auto created = with(lines, "CreateResource(");
  ASSERT_EQ(created.size(), 1u);
  EXPECT_TRUE(created[0].starts_with("CreateResource(format 21, pool 2, samples 0, 1 of 256x128x0, levels 1, flags 0x"))
      << created[0];
  EXPECT_TRUE(created[0].ends_with(") = 0x00000000 -> " + address(texture))) << created[0];
  const auto locked = with(lines, "Lock(");
  ASSERT_EQ(locked.size(), 1u);
  char expected[160];
  snprintf(expected, sizeof expected,
           "Lock(resource %s, flags 0x%X, [4 5 20 21]) = 0x00000000 -> %s, pitch %u, slice %u",
           address(texture).c_str(), lock.Flags.Value, address(lock.pSurfData).c_str(), lock.Pitch, lock.SlicePitch);
  EXPECT_EQ(locked[0], expected);
  EXPECT_EQ(with(lines, "Unlock(").at(0), "Unlock(resource " + address(texture) + ", flags 0x0) = 0x00000000");
  EXPECT_EQ(with(lines, "SetRenderState(").at(0), "SetRenderState(state 7, 0x1) = 0x00000000");
  EXPECT_EQ(with(lines, "CaptureToSysMem(").at(0), "CaptureToSysMem(null) = 0x80004001 E_NOTIMPL");
  EXPECT_EQ(with(lines, "SetMaterial(").size(), 1u);
  EXPECT_EQ(with(lines, "  AllocateCb(0x1) = 0x00000000").size(), 1u);
  EXPECT_EQ(with(lines, "  LockCb(").size(), 1u);
  rt.close();
  const std::vector<Line> whole = readLog();
  ASSERT_GE(whole.size(), 2u);
  EXPECT_EQ(whole.back().text, "CloseAdapter() = 0x00000000");
  EXPECT_EQ(with(whole, "DestroyDevice(").at(0), "DestroyDevice() = 0x00000000");
}

TEST_F(UmdCallLog, FunctionsThatAreMissingStayMissing) {
  open(3);
  EXPECT_EQ(rt.driver.pfnLockAsync, nullptr);
  EXPECT_EQ(rt.driver.pfnUnlockAsync, nullptr);
  EXPECT_EQ(rt.driver.pfnRename, nullptr);
}

TEST_F(UmdCallLog, WhatFailsSaysWhereItDid) {
  open(1);
  HANDLE none;
  p.state(7, 1);
  EXPECT_EQ(rt.driver.pfnCaptureToSysMem(rt.device, nullptr), kNotImplemented);
  rt.errors["Allocate"] = kOutOfVideoMemory;
  EXPECT_EQ(p.tryResource(D3DDDIFMT_A8R8G8B8, 64, 64, Program::target(), none), kOutOfVideoMemory);
  rt.errors.clear();
  const std::vector<Line> lines = readLog();
  EXPECT_EQ(with(lines, "SetRenderState").size() + with(lines, "CaptureToSysMem").size(), 0u);
  const auto callback = with(lines, "  AllocateCb(0x1) = 0x8876017C D3DERR_OUTOFVIDEOMEMORY");
  EXPECT_GE(callback.size(), 1u);
  const auto call = with(lines, "CreateResource(");
  ASSERT_EQ(call.size(), 1u);
  EXPECT_TRUE(call[0].ends_with("= 0x8876017C D3DERR_OUTOFVIDEOMEMORY")) << call[0];
  EXPECT_TRUE(lines.back().text == call[0]) << "the call ends after what failed in it";
}

TEST_F(UmdCallLog, RefusalsAreTheSecondLevel) {
  open(2);
  p.state(7, 1);
  EXPECT_EQ(rt.driver.pfnCaptureToSysMem(rt.device, nullptr), kNotImplemented);
  EXPECT_EQ(rt.driver.pfnCreateOverlay(rt.device, nullptr), kUnsupportedOverlay);
  const std::vector<Line> lines = readLog();
  EXPECT_EQ(with(lines, "SetRenderState").size(), 0u);
  EXPECT_EQ(with(lines, "CaptureToSysMem(null) = 0x80004001 E_NOTIMPL").size(), 1u);
  EXPECT_EQ(with(lines, "CreateOverlay(null) = 0x8876087B D3DDDIERR_UNSUPPORTEDOVERLAY").size(), 1u);
}

TEST_F(UmdCallLog, ACallIsThereWhileItRuns) {
  open(3);
  p.bindTarget(16, 16);
  D3DDDIARG_CLEAR clear = {};
  clear.Flags = 1;
  RECT nothing = {};  // an array of none is not read
  EXPECT_EQ(rt.driver.pfnClear(rt.device, &clear, 0, &nothing), 0);
  std::vector<Line> within;
  rt.onRender = [&within] { within = readLog(); };
  p.flush();
  rt.onRender = {};
  ASSERT_FALSE(within.empty());
  EXPECT_EQ(within.back().text, "Flush()") << "its result is not known yet";
  const std::vector<Line> lines = readLog();
  EXPECT_EQ(with(lines, "Flush()").back(), "Flush() = 0x00000000");
  EXPECT_EQ(with(lines, "Flush()").size(), 1u);
  EXPECT_EQ(with(lines, "Clear(flags 0x1, color 0x0, depth bits 0x0, stencil 0, 0, 0x").size(), 1u);
}

TEST_F(UmdCallLog, TheRingKeepsTheLast) {
  open(3);
  constexpr uint32_t kCalls = CallLog::kAllLines + 1000;
  for (uint32_t i = 0; i < kCalls; i++) p.state(7, i);
  const std::vector<Line> lines = readLog();
  ASSERT_EQ(lines.size(), CallLog::kAllLines);
  char last[64];
  for (uint32_t i = 0; i < lines.size(); i++) {
    if (i) {
      ASSERT_EQ(lines[i].number, lines[i - 1].number + 1);
    }
    snprintf(last, sizeof last, "SetRenderState(state 7, 0x%X) = 0x00000000", kCalls - CallLog::kAllLines + i);
    ASSERT_EQ(lines[i].text, last);
  }
}

TEST_F(UmdCallLog, ACallThatTheRingHasPassedHasALineMore) {
  CallLog log;
  log.open(LogLevel::Calls, {"Direct3D 9", "d3d9"});
  CallText text;
  text.text("slow");
  const uint32_t slow = log.write(1, text);
  CallText other;
  other.text("quick");
  for (uint32_t i = 0; i < CallLog::kAllLines; i++) log.write(2, other);
  log.rewrite(slow, 1, text.text(" = 0"));
  log.close();
  const std::vector<Line> lines = readLog();
  ASSERT_EQ(lines.size(), CallLog::kAllLines);
  EXPECT_EQ(lines.back().text, "slow = 0");
  EXPECT_EQ(lines.back().number, CallLog::kAllLines + 1u);
  EXPECT_EQ(with(lines, "quick").size(), CallLog::kAllLines - 1u);
}

TEST_F(UmdCallLog, DevicesOfSeveralThreadsShareIt) {
  kernel.spaces = true;  // no handles are asked for
  open(3);
  constexpr uint32_t kDevices = 3, kCalls = 4000;
  struct Other {
    explicit Other(FakeKernel &kernel) : runtime(kernel) {}
    FakeRuntime runtime;
    D3DDDI_DEVICECALLBACKS table = {};
    HANDLE device = nullptr;
  };
  std::vector<std::unique_ptr<Other>> others;
  for (uint32_t i = 0; i < kDevices; i++) {
    auto &other = *others.emplace_back(std::make_unique<Other>(kernel));
    other.table = other.runtime.callbacks();
    D3DDDIARG_CREATEDEVICE create = {};
    create.hDevice = &other.runtime;
    create.pCallbacks = &other.table;
    create.pDeviceFuncs = &other.runtime.driver;
    ASSERT_EQ(rt.adapterFunctions.pfnCreateDevice(rt.adapter, &create), 0);
    other.device = create.hDevice;
  }
  std::vector<std::thread> threads;
  threads.reserve(kDevices);
  for (const auto &other : others)
    threads.emplace_back([&other] {
      for (uint32_t i = 0; i < kCalls; i++) {
        D3DDDIARG_RENDERSTATE args = {};
        args.State = static_cast<decltype(args.State)>(7);
        args.Value = i;
        other->runtime.driver.pfnSetRenderState(other->device, &args);
      }
    });
  for (std::thread &thread : threads) thread.join();
  const std::vector<Line> lines = readLog();
  uint32_t next[kDevices + 2] = {};
  std::string thread[kDevices + 2];
  for (size_t i = 0; i < lines.size(); i++) {
    ASSERT_EQ(lines[i].number, i);
    if (!lines[i].text.starts_with("SetRenderState")) continue;
    ASSERT_LT(lines[i].device, std::size(next));
    char expected[64];
    snprintf(expected, sizeof expected, "SetRenderState(state 7, 0x%X) = 0x00000000", next[lines[i].device]++);
    ASSERT_EQ(lines[i].text, expected);
    if (thread[lines[i].device].empty()) thread[lines[i].device] = lines[i].thread;
    ASSERT_EQ(thread[lines[i].device], lines[i].thread);
  }
  for (uint32_t device = 2; device < std::size(next); device++) EXPECT_EQ(next[device], kCalls) << device;
  for (const auto &other : others) EXPECT_EQ(other->runtime.driver.pfnDestroyDevice(other->device), 0);
}

// What only a newer, older or different runtime says is noted once with its value, at every level, and stays however
// long the program runs.
TEST_F(UmdCallLog, WhatTheDriverDoesNotKnowIsNotedOnce) {
  for (const uint32_t level : {1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    open(level);
    EXPECT_EQ(readFirsts().size(), 1u) << "level 9";
    for (uint32_t round = 0; round < 3; round++) {
      p.state(47, round + 1);                                               // ZBIAS, of Direct3D 8 and older
      p.state(250, 0x12345678);                                             // no version has it
      p.state(23, 99);                                                      // ZFUNC has no such value
      p.stage(0, static_cast<D3DDDITEXTURESTAGESTATETYPE>(12), round + 1);  // ADDRESS, of Direct3D 7
      p.stage(2, D3DDDITSS_TEXCOORDINDEX, 2);
      p.stage(3, D3DDDITSS_TEXCOORDINDEX, 0x10001);
      p.stage(77, D3DDDITSS_ADDRESSU, 1);
      p.stage(1, D3DDDITSS_MAGFILTER, 33);
      p.state(7, 1);  // known
      HANDLE out = nullptr;
      p.tryKind(static_cast<D3DDDIFORMAT>(78), {4, 4, 0, 1, 1, 3, 1}, Program::texture(), out);  // X4S4D24
      D3DDDIARG_LOCK lock = {};
      lock.Flags.Value = 0x80000400;
      p.fn.pfnLock(p.dev(), &lock);
      const uint32_t type = 1234;
      D3DDDIARG_GETCAPS caps = {{}, nullptr, nullptr, 8};
      memcpy(&caps.Type, &type, sizeof type);
      rt.adapterFunctions.pfnGetCaps(rt.adapter, &caps);
      D3DDDIARG_CREATEQUERY query = {D3DDDIQUERYTYPE_BANDWIDTHTIMINGS, nullptr};
      p.fn.pfnCreateQuery(p.dev(), &query);
    }
    for (uint32_t i = 0; i < CallLog::kAllLines; i++) p.state(7, i % 2);  // the ring turns
    const std::string flags = [] {
      char text[24];
      snprintf(text, sizeof text, "0x%X", Program::texture());
      return std::string(text);
    }();
    std::vector<std::string> firsts = readFirsts();
    ASSERT_FALSE(firsts.empty());
    firsts.erase(firsts.begin());
    std::ranges::sort(firsts);
    std::vector<std::string> wanted = {
        "first seen: render state 47, which Direct3D 9 does not have, 0x1",
        "first seen: render state 250, which Direct3D 9 does not have, 0x12345678",
        "first seen: render state 23, which has no such value, 0x63",
        "first seen: stage 0, state 12, which Direct3D 9 does not have, 0x1",
        "first seen: stage 3, state 11, not its own coordinates, 0x10001",
        "first seen: stage 77, state 13, which is none, 0x1",
        "first seen: stage 1, state 16, which has no such value, 0x21",
        "first seen: CreateResource format 78, pool 2, flags " + flags,
        "first seen: CreateResource samples 3, quality 1 of no target, flags " + flags,
        "first seen: Lock flag 0x400 of 0x80000400",
        "first seen: Lock flag 0x80000000 of 0x80000400",
        "first seen: GetCaps type 1234, 8 bytes, answered with zeros",
        "first seen: CreateQuery type 17",
    };
    std::ranges::sort(wanted);
    EXPECT_EQ(firsts, wanted);
    rt.close();
    takeLogFile();
  }
}

TEST_F(UmdCallLog, MoreThanFitIsDropped) {
  open(1);
  for (uint32_t i = 0; i < 2 * CallLog::kFirstLines; i++) p.state(10000 + i, i);
  const std::vector<std::string> firsts = readFirsts();
  ASSERT_EQ(firsts.size(), CallLog::kFirstLines);
  EXPECT_EQ(firsts.back(), "first seen: render state 10253, which Direct3D 9 does not have, 0xFD");
  EXPECT_EQ(readLog().size(), 1u) << "OpenAdapter";
}

// Pages "Required Direct3D 9 capabilities" and "Required DXGI formats": a device without extensions has neither the
// gamma ramp nor volumes of level 9_1.
TEST_F(UmdCallLog, TheLogSaysWhatLevel9Lacks) {
  kernel.featuresHigh = 0;
  open(1);
  const std::vector<std::string> firsts = readFirsts();
  ASSERT_EQ(firsts.size(), 1u);
  EXPECT_TRUE(std::regex_match(
      firsts[0], std::regex("level 9_1 is not met, [0-9]+ missing: Caps2 D3DCAPS2_FULLSCREENGAMMA; MaxVolumeExtent "
                            "of 256; A8R8G8B8 as a volume texture; X8R8G8B8 as.*")))
      << firsts[0];
}

TEST_F(UmdCallLog, WithoutAFileItIsInMemory) {
  refuseLogFiles(true);
  open(3);
  p.state(7, 1);
  EXPECT_TRUE(takeLogFile().empty());
  const auto said = takeDebugOutput();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "aerogpu: no file for the log of Direct3D 9 calls, error 5; it is in memory");
}

TEST_F(UmdCallLog, OpenAdapterSaysWhatItRefuses) {
  const auto refused = [this](void (*spoil)(aerogpu_umd_private_v1 &)) {
    aerogpu_umd_private_v1 answer = {};
    answer.size_bytes = sizeof answer;
    answer.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1;
    answer.device_mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU;
    answer.device_abi_version_u32 = AEROGPU_ABI_VERSION_U32;
    spoil(answer);
    FakeRuntime other(kernel);
    other.info = &answer;
    D3DDDIARG_OPENADAPTER args = other.adapterArgs();
    EXPECT_LT(OpenAdapter(&args), 0);
    const auto said = takeDebugOutput();
    return said.size() == 1 ? said[0] : std::string();
  };
  const std::string start = "aerogpu: OpenAdapter: the kernel driver's answer has ";
  const std::string end = ", which this driver does not know";
  EXPECT_EQ(refused([](auto &answer) { answer.device_mmio_magic = 0x41524750; }), start + "magic 0x41524750" + end);
  EXPECT_EQ(refused([](auto &answer) { answer.device_abi_version_u32 = 0x20000; }),
            start + "ABI version 0x20000" + end);
  EXPECT_EQ(refused([](auto &answer) { answer.size_bytes = 63; }), start + "size 0x3F" + end);
}

TEST_F(UmdCallLog, TheHostSeesCallsBesideTheirPackets) {
  rt.commandBytes = 65536;
  rt.listEntries = 16;
  const auto draws = [this] {
    const size_t before = rt.submissions.size();
    p.bindTarget(16, 16);
    D3DDDIARG_CLEAR clear = {};
    clear.Flags = 1;
    for (uint32_t i = 0; i < 3; i++) {
      clear.FillColor = i;
      EXPECT_EQ(rt.driver.pfnClear(rt.device, &clear, 0, nullptr), 0);
    }
    p.flush();
    p.flush();  // nothing is pending: a note alone does not count
    return rt.submissions.size() - before;
  };
  open(0);
  const size_t submissions = draws();
  EXPECT_TRUE(rt.takePackets(AEROGPU_CMD_DEBUG_MARKER).empty());
  rt.close();
  rt.takePackets();
  open(3);
  EXPECT_EQ(draws(), submissions);
  std::vector<std::string> notes;
  for (const Packet &packet : rt.takePackets()) {
    if (packet.opcode == AEROGPU_CMD_DEBUG_MARKER)
      notes.emplace_back(packet.bytes.begin() + sizeof(aerogpu_cmd_hdr), packet.bytes.end());
    if (packet.opcode == AEROGPU_CMD_CLEAR && packet.as<aerogpu_cmd_clear>().color_rgba_f32[2] != 0) {
      // Blue is 1 or 2 of 255.
      ASSERT_FALSE(notes.empty());
      const bool second = packet.as<aerogpu_cmd_clear>().color_rgba_f32[2] == std::bit_cast<uint32_t>(2 / 255.f);
      EXPECT_TRUE(notes.back().starts_with(second ? "Clear(flags 0x1, color 0x2," : "Clear(flags 0x1, color 0x1,"))
          << notes.back();
    }
  }
  EXPECT_GE(notes.size(), 2u);
}

}  // namespace
}  // namespace aero::test
