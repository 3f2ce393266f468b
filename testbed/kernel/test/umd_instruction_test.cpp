// SPDX-License-Identifier: MIT
// Measures the cost of a draw: instructions of the shipped library, counted by single-stepping, and bytes of
// packets. docs/develop/performance.md.
#include <ucontext.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "guest-drivers/umd-d3d9/test/umd_test.h"
#include "testbed/kernel/core/pe_image.h"

namespace {

using aerogpu::host::PeImage;

PeImage* s_driver;
volatile sig_atomic_t s_isCounting;
volatile uint32_t s_steps;
volatile uint64_t s_lastStep;

/** Called after each instruction of this thread; counts only the driver's. */
void onStep(int, siginfo_t*, void* opaque) {
  auto& registers = static_cast<ucontext_t*>(opaque)->uc_mcontext.gregs;
  if (!s_isCounting) {
    registers[REG_EFL] &= ~0x100;
    return;
  }
  const auto at = static_cast<uint64_t>(registers[REG_RIP]);
  // A repeated string instruction traps before each of its steps; it counts once.
  if (s_driver->contains(at) && at != s_lastStep) s_steps = s_steps + 1;
  s_lastStep = at;
}

/** Returns the driver's instructions in a call. */
template <class Call>
uint32_t stepsOf(const Call& call) {
  s_steps = 0;
  s_isCounting = 1;
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  call();
  s_isCounting = 0;
  return s_steps;
}

// The library's imports.
APIENTRY void* windowsHeap() {
  static int heap;
  return &heap;
}
APIENTRY void* windowsHeapAlloc(void*, DWORD, size_t bytes) {
  return std::calloc(1, bytes);
}
APIENTRY BOOL windowsHeapFree(void*, DWORD, void* memory) {
  std::free(memory);
  return 1;
}
APIENTRY int windowsMemcmp(const void* a, const void* b, size_t bytes) {
  return memcmp(a, b, bytes);
}
APIENTRY BOOL windowsModuleHandle(DWORD, const void*, void**) {
  return 1;
}
APIENTRY void* windowsMemcpy(void* to, const void* from, size_t bytes) {
  return memcpy(to, from, bytes);
}
APIENTRY void* windowsMemmove(void* to, const void* from, size_t bytes) {
  return memmove(to, from, bytes);
}
APIENTRY void* windowsMemset(void* to, int value, size_t bytes) {
  return memset(to, value, bytes);
}
/** Takes the place of the functions that resolve() does not know: only the log of calls, which is off, needs
 *  them. */
APIENTRY void unexpected() {
  std::fprintf(stderr, "the driver calls a function of Windows that this test has not\n");
  std::abort();
}

void* resolve(const char*, const char* name) {
  const struct {
    const char* name;
    void* function;
  } known[] = {
      {"GetModuleHandleExW", reinterpret_cast<void*>(windowsModuleHandle)},
      {"GetProcessHeap", reinterpret_cast<void*>(windowsHeap)},
      {"HeapAlloc", reinterpret_cast<void*>(windowsHeapAlloc)},
      {"HeapFree", reinterpret_cast<void*>(windowsHeapFree)},
      {"memcmp", reinterpret_cast<void*>(windowsMemcmp)},
      {"memcpy", reinterpret_cast<void*>(windowsMemcpy)},
      {"memmove", reinterpret_cast<void*>(windowsMemmove)},
      {"memset", reinterpret_cast<void*>(windowsMemset)},
  };
  for (const auto& row : known)
    if (!strcmp(row.name, name)) return row.function;
  return reinterpret_cast<void*>(unexpected);
}

}  // namespace

/** Opens the shipped library's adapter, not that of the files compiled for Linux. */
extern "C" HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* args) {
  return reinterpret_cast<decltype(&OpenAdapter)>(s_driver->exported("OpenAdapter"))(args);
}

namespace aero::test {
namespace {

class UmdShipped : public Umd {
protected:
  void SetUp() override {
    kernel.spaces = true;
    rt.commandBytes = 65536;  // no batch ends within a draw
    rt.listEntries = 64;
    Umd::SetUp();
    prepare();
    for (HANDLE& texture : textures) texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture());
    change();
    draw();
    p.flush();
    rt.takePackets();
  }
  /** Changes to another texture and four other constants. */
  void change() {
    p.fn.pfnSetTexture(p.dev(), 0, textures[++m_changes % 2]);
    float constants[4][4];
    for (auto& constant : constants)
      for (float& value : constant) value = static_cast<float>(m_changes);
    const D3DDDIARG_SETVERTEXSHADERCONST args = {8, 4};
    p.fn.pfnSetVertexShaderConst(p.dev(), &args, constants);
  }
  void draw() {
    const D3DDDIARG_DRAWPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 2};
    p.fn.pfnDrawPrimitive(p.dev(), &args, nullptr);
  }

  HANDLE textures[2] = {};

private:
  uint32_t m_changes = 0;
};

TEST_F(UmdShipped, ADrawThatChangesNothing) {
  const uint32_t steps = stepsOf([this] { draw(); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw that changes nothing: %u instructions, %zu bytes\n", steps, bytes);
  EXPECT_GT(steps, 20u);
  EXPECT_LT(steps, 200u);
  EXPECT_LT(bytes, 40u);
}

TEST_F(UmdShipped, ADrawBehindAnotherTextureAndFourConstants) {
  const uint32_t setters = stepsOf([this] { change(); }), drawn = stepsOf([this] { draw(); });
  const auto packets = flushed();
  EXPECT_EQ(count(packets, AEROGPU_CMD_SET_TEXTURE), 1u);
  EXPECT_EQ(count(packets, AEROGPU_CMD_SET_SHADER_CONSTANTS_F), 1u);
  EXPECT_EQ(count(packets, AEROGPU_CMD_DRAW), 1u);
  std::printf(
      "a draw behind another texture and four constants: %u instructions, %u of them of the setters, %zu "
      "bytes\n",
      setters + drawn, setters, bytesOf(packets));
  EXPECT_LT(setters + drawn, 500u);
  EXPECT_LT(bytesOf(packets), 150u);
}

// Like games draw moving objects: a range of a dynamic buffer that no draw has read yet.
TEST_F(UmdShipped, ADrawBehindALockedRange) {
  constexpr uint32_t kBytes = 6 * sizeof(Vertex);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = vertices;
  lock.Flags.RangeValid = 1;
  lock.Flags.NoOverwrite = 1;
  lock.Range = {2 * kBytes, kBytes};
  const uint32_t locked = stepsOf([&] { p.fn.pfnLock(p.dev(), &lock); });
  memset(lock.pSurfData, 1, kBytes);
  D3DDDIARG_UNLOCK unlock = {};
  unlock.hResource = vertices;
  const uint32_t unlocked = stepsOf([&] { p.fn.pfnUnlock(p.dev(), &unlock); });
  const D3DDDIARG_DRAWPRIMITIVE args = {D3DPT_TRIANGLELIST, 12, 2};
  const uint32_t drawn = stepsOf([&] { p.fn.pfnDrawPrimitive(p.dev(), &args, nullptr); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw behind a locked range: %u instructions, %u of them of Lock, %u of Unlock; %zu bytes\n",
              locked + unlocked + drawn, locked, unlocked, bytes);
  EXPECT_LT(locked + unlocked + drawn, 550u);
  EXPECT_LT(bytes, kBytes + 64);
}

// Programs have thousands of these: a small texture that is made, written once and destroyed.
TEST_F(UmdShipped, ASmallTextureFromItsBeginToItsEnd) {
  constexpr uint32_t kEdge =
      16;  // so that no copy is a repeated instruction, which traps at each of its steps
  const std::vector<uint32_t> pixels(size_t{kEdge} * kEdge, 0xFF123456);
  rt.calls.clear();
  HANDLE texture = nullptr;
  const uint32_t made =
      stepsOf([&] { texture = p.resource(D3DDDIFMT_A8R8G8B8, kEdge, kEdge, Program::texture()); });
  const uint32_t written = stepsOf([&] { p.write(texture, 0, kEdge, kEdge, pixels); });
  const uint32_t ended = stepsOf([&] { p.destroy(texture); });
  p.flush();
  const int asked = rt.calls["Allocate"] + rt.calls["Deallocate"] + rt.calls["Lock"] + rt.calls["Unlock"];
  std::printf("a small texture: %u instructions to make, %u to write, %u to end; %d calls of the kernel\n",
              made, written, ended, asked);
  EXPECT_EQ(asked, 0);
  EXPECT_LT(made + written + ended, 2600u);
}

}  // namespace
}  // namespace aero::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s AEROGPU_D3D9_X64.DLL\n", argv[0]);
    return 2;
  }
  PeImage driver;
  const auto loaded = driver.loadFile(argv[1], resolve, PeImage::Use::Library);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.text().c_str());
    return 2;
  }
  s_driver = &driver;
  struct sigaction action = {};
  action.sa_sigaction = onStep;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  return RUN_ALL_TESTS();
}
