// SPDX-License-Identifier: MIT
// deferred11.exe: Direct3D 11: two devices in one process, each with a deferred context that a thread of its own
// records on: the 1 000 draws of buffers11 with maps that discard and that promise, and updates. The lists are played
// twice, in between and after calls of the immediate contexts, whose state is left alone or is gone, as asked for.
//
//   deferred11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include <cstdint>
#include <cstring>

#include "guest-drivers/programs/fail.h"
#include "testbed/programs/buffers11_cases.h"

namespace programs::buffers11 {
namespace {

/// A device with a list of its own.
struct Recorder {
  ID3D11Device *device = nullptr;
  ID3D11DeviceContext *immediate = nullptr;
  bool append = false;  ///< how drawStream maps
  ComPtr<ID3D11DeviceContext> deferred;
  Tools tools{};  ///< lives as long as the list: Wine's Direct3D loses shaders that lists alone hold
  ComPtr<ID3D11CommandList> list;
  ComPtr<ID3D11Texture2D> target, patched;
  ComPtr<ID3D11RenderTargetView> view, patchedView;
  bool recorded = false;

  bool create() {
    return ok(device->CreateDeferredContext(0, deferred.put()), "CreateDeferredContext") &&
           makeTarget(device, kWidth, kHeight, target, view) &&
           makeTarget(device, kPatched, kPatched, patched, patchedView);
  }

  bool record() {
    if (deferred->GetType() != D3D11_DEVICE_CONTEXT_DEFERRED) return fail("the context is not deferred");
    tools.device = device, tools.context = deferred.get();
    if (!tools.create() || !drawStream(tools, view.get(), append)) return false;
    clearTarget(deferred.get(), patchedView.get(), kUnder);
    updatePatch();
    return ok(deferred->FinishCommandList(FALSE, list.put()), "FinishCommandList");
  }

  bool holds(const char *what) const {
    Picture got, patch, expected(kPatched, kPatched, kUnder);
    for (uint32_t y = kBox.top; y < kBox.bottom; ++y)
      for (uint32_t x = kBox.left; x < kBox.right; ++x) expected.at(x, y) = kOver;
    return readTexture(device, immediate, target.get(), 0, got) &&
           samePicture(what, got, streamExpectation(), 0, true) &&
           readTexture(device, immediate, patched.get(), 0, patch) && samePicture(what, patch, expected, 0, true);
  }

private:
  /// Where the runtime records, it looks for a box' bytes at the box' place in the data (API page
  /// ID3D11DeviceContext::UpdateSubresource, "Calling UpdateSubresource on a Deferred Context", whose remedy this is).
  void updatePatch() const {
    constexpr uint32_t kWidthOfBox = kBox.right - kBox.left, kPitch = kWidthOfBox * 4;
    std::vector<uint32_t> texels(size_t{kBox.bottom - kBox.top} * kWidthOfBox, 0xFF0000FF);  // kOver
    D3D11_FEATURE_DATA_THREADING threading{};
    device->CheckFeatureSupport(D3D11_FEATURE_THREADING, &threading, sizeof threading);
    const uintptr_t shift = threading.DriverCommandLists ? 0 : uintptr_t{kBox.top} * kPitch + uintptr_t{kBox.left} * 4;
    const auto data = reinterpret_cast<uintptr_t>(texels.data()) - shift;
    deferred->UpdateSubresource(patched.get(), 0, &kBox, reinterpret_cast<const void *>(data), kPitch, 0);
  }

  static constexpr uint32_t kPatched = 16, kUnder = argb(255, 0, 255, 0), kOver = argb(255, 255, 0, 0);
  static constexpr D3D11_BOX kBox = {3, 4, 0, 9, 13, 1};
};

DWORD WINAPI recordOnThread(void *parameter) {
  auto *recorder = static_cast<Recorder *>(parameter);
  recorder->recorded = recorder->record();
  return 0;
}

/// Records on both devices at once.
bool recordAll(Recorder (&recorders)[2]) {
  HANDLE threads[2];
  for (int i = 0; i < 2; ++i) {
    threads[i] = CreateThread(nullptr, 0, recordOnThread, &recorders[i], 0, nullptr);
    if (!threads[i]) return fail("CreateThread failed: error %lu", GetLastError());
  }
  WaitForMultipleObjects(2, threads, TRUE, INFINITE);
  for (const HANDLE thread : threads) CloseHandle(thread);
  return recorders[0].recorded && recorders[1].recorded;
}

/// Plays a list and checks what is bound before and after.
bool play(const Recorder &recorder, bool restore) {
  ID3D11DeviceContext *context = recorder.immediate;
  ID3D11RenderTargetView *view = recorder.patchedView.get();
  context->OMSetRenderTargets(1, &view, nullptr);
  context->ExecuteCommandList(recorder.list.get(), restore);
  ComPtr<ID3D11RenderTargetView> bound;
  context->OMGetRenderTargets(1, bound.put(), nullptr);
  if (bound.get() != (restore ? view : nullptr)) return fail("after a list another target is bound than should be");
  return true;
}

int run(int argc, char **argv) {
  speaker = "deferred11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  if (!shown.open(options, kWidth, kHeight)) return 1;
  ComPtr<ID3D11Device> second;
  ComPtr<ID3D11DeviceContext> secondContext;
  if (!ok(D3D11CreateDevice(nullptr, D3D_DRIVER_TYPE_HARDWARE, nullptr, 0, &shown.level, 1, D3D11_SDK_VERSION,
                            second.put(), nullptr, secondContext.put()),
          "D3D11CreateDevice of a second device"))
    return 1;
  Recorder recorders[2];
  recorders[0].device = shown.device.get(), recorders[0].immediate = shown.context.get();
  recorders[1].device = second.get(), recorders[1].immediate = secondContext.get();
  recorders[1].append = true;
  if (!recorders[0].create() || !recorders[1].create() || !recordAll(recorders)) return 1;
  for (const bool restore : {true, false})
    for (const Recorder &recorder : recorders) {
      clearTarget(recorder.immediate, recorder.view.get(), 0);
      if (!play(recorder, restore) || !recorder.holds(restore ? "list, state restored" : "list")) return 1;
    }
  shown.context->CopyResource(shown.buffer.get(), recorders[0].target.get());
  if (!ok(shown.chain->Present(0, 0), "Present") ||
      !ok(second->GetDeviceRemovedReason(), "GetDeviceRemovedReason of the second device"))
    return 1;
  return shown.finish(options, streamExpectation()) ? 0 : 1;
}

}  // namespace
}  // namespace programs::buffers11

int main(int argc, char **argv) {
  return programs::buffers11::run(argc, argv);
}
