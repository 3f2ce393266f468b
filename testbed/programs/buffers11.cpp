// SPDX-License-Identifier: MIT
// buffers11.exe: Direct3D 11: dynamic buffers that are overwritten again and again, copies between buffers and
// textures, what comes back through staging resources, resolved targets, generated mips, occlusion. Prints `ok NAME` or
// `not ok NAME` for each case, then presents the frame of 1 000 draws.
//
//   buffers11.exe [--at X,Y] [--hold] [--expectation FILE]     as the programs of Direct3D 9 (program.h)
#include "testbed/programs/buffers11_cases.h"

#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/fail.h"

namespace programs::buffers11 {

bool readBuffer(Tools &tools, ID3D11Buffer *buffer, std::vector<uint8_t> &out) {
  D3D11_BUFFER_DESC description{};
  buffer->GetDesc(&description);
  ComPtr<ID3D11Buffer> staging;
  D3D11_MAPPED_SUBRESOURCE mapped{};
  if (!makeBuffer(tools.device, description.ByteWidth, D3D11_USAGE_STAGING, 0, nullptr, staging, D3D11_CPU_ACCESS_READ))
    return false;
  tools.context->CopyResource(staging.get(), buffer);
  if (!ok(tools.context->Map(staging.get(), 0, D3D11_MAP_READ, 0, &mapped), "Map of a staging buffer")) return false;
  out.resize(description.ByteWidth);
  std::memcpy(out.data(), mapped.pData, out.size());
  tools.context->Unmap(staging.get(), 0);
  return true;
}

namespace {

int run(int argc, char **argv) {
  speaker = "buffers11";
  Options11 options;
  if (!readOptions(argc, argv, options)) return 2;
  Shown11 shown;
  if (!shown.open(options, kWidth, kHeight)) return 1;
  Tools tools{shown.device.get(), shown.context.get(), {}, {}};
  if (!tools.create()) return 1;
  constexpr struct {
    const char *name;
    bool (*run)(Tools &);
  } kCases[] = {{"streams", streams},
                {"buffer copies", bufferCopies},
                {"texture copies", textureCopies},
                {"staging writes", stagingWrites},
                {"resolve", resolve},
                {"mips", mips},
                {"occlusion", occlusion}};
  bool right = true;
  for (const auto &one : kCases) {
    const bool passed = one.run(tools);
    std::printf("%s %s\n", passed ? "ok" : "not ok", one.name);
    right = right && passed;
  }
  if (!right || !drawStream(tools, shown.view.get(), true) || !ok(shown.chain->Present(0, 0), "Present")) return 1;
  return shown.finish(options, streamExpectation()) ? 0 : 1;
}

}  // namespace
}  // namespace programs::buffers11

int main(int argc, char **argv) {
  return programs::buffers11::run(argc, argv);
}
