// SPDX-License-Identifier: MIT
// The jobs as functions: DXBC in, a module out that the second job accepts; and modules from a compromised
// first job, written as text for SPIRV-Tools' assembler.
#include "renderer/translator/jobs.h"

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/shader/spirv/spirv_streams.h"
#include "renderer/test/dxbc_builder.h"
#include "renderer/translator/dxbc_answer.h"

namespace aerogpu::translator {
namespace {

using process::JobAnswer;
using process::Verdict;

using Bytes = std::vector<uint8_t>;

void append(Bytes& out, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

constexpr FinishRequest kFinish{2, 64};

Bytes translation(const DxbcRequest& request, const std::vector<DxbcResource>& resources,
                  const std::vector<uint32_t>& words) {
  Bytes out;
  append(out, &request, sizeof request);
  append(out, &kFinish, sizeof kFinish);
  const auto count = static_cast<uint32_t>(resources.size());
  append(out, &count, sizeof count);
  append(out, resources.data(), count * sizeof(DxbcResource));
  append(out, words.data(), words.size() * 4);
  return out;
}

std::vector<uint32_t> assembled(const std::string& text) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_0);  // as libvkd3d-shader writes
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result = spvTextToBinary(context, text.data(), text.size(), &binary, &diagnostic);
  EXPECT_EQ(result, SPV_SUCCESS) << (diagnostic ? diagnostic->error : "");
  std::vector<uint32_t> words;
  if (binary) words.assign(binary->code, binary->code + binary->wordCount);
  spvBinaryDestroy(binary);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return words;
}

constexpr DxbcRequest kPixel{Stage::Pixel, 1};
constexpr DxbcResource kBuffer{ResourceKind::ConstantBuffer, 0, Dimension::Buffer, Texel::Float, 1, 0, 0};
constexpr DxbcResource kSampler{ResourceKind::Sampler, 0, Dimension::None, Texel::Float, 1, 0, 0};
constexpr DxbcResource kTexture{ResourceKind::ShaderResource, 0, Dimension::Texture2D, Texel::Float, 1, 0, 0};

/// Returns a pixel shader that reads constant buffer 0, sampler 1 and texture 2 of set 1, with a piece
/// replaced.
std::string module(const std::string& from = "", const std::string& to = "") {
  std::string text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %cb DescriptorSet 1
OpDecorate %cb Binding 0
OpDecorate %sampler DescriptorSet 1
OpDecorate %sampler Binding 1
OpDecorate %texture DescriptorSet 1
OpDecorate %texture Binding 2
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%block = OpTypeStruct %v4
%block_p = OpTypePointer Uniform %block
%v4_p = OpTypePointer Uniform %v4
%cb = OpVariable %block_p Uniform
%sampler_t = OpTypeSampler
%sampler_p = OpTypePointer UniformConstant %sampler_t
%sampler = OpVariable %sampler_p UniformConstant
%image_t = OpTypeImage %float 2D 0 0 0 1 Unknown
%image_p = OpTypePointer UniformConstant %image_t
%texture = OpVariable %image_p UniformConstant
%out_p = OpTypePointer Output %v4
%out = OpVariable %out_p Output
%main = OpFunction %void None %function
%label = OpLabel
%at = OpAccessChain %v4_p %cb %zero
%value = OpLoad %v4 %at
OpStore %out %value
OpReturn
OpFunctionEnd
)";
  if (const size_t at = text.find(from); !from.empty()) {
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string refusal(const std::vector<DxbcResource>& resources, const std::string& text,
                    const DxbcRequest& request = kPixel) {
  const JobAnswer answer = finishSpirv(translation(request, resources, assembled(text)));
  return answer.verdict == Verdict::Done ? "" : std::string(answer.bytes.begin(), answer.bytes.end());
}

TEST(FinishSpirv, TakesAModuleThatFitsItsList) {
  const auto words = assembled(module());
  const JobAnswer answer = finishSpirv(translation(kPixel, {kBuffer, kSampler, kTexture}, words));
  ASSERT_EQ(answer.verdict, Verdict::Done) << std::string(answer.bytes.begin(), answer.bytes.end());
  // The number of loops, and the module, which has none.
  std::vector<uint32_t> wanted = {0};
  wanted.insert(wanted.end(), words.begin(), words.end());
  ASSERT_EQ(answer.bytes.size(), wanted.size() * 4);
  EXPECT_EQ(std::memcmp(answer.bytes.data(), wanted.data(), answer.bytes.size()), 0);
}

TEST(FinishSpirv, RefusesResourcesThatAreNotDeclared) {
  const std::vector<DxbcResource> all = {kBuffer, kSampler, kTexture};
  EXPECT_NE(refusal({kBuffer, kSampler}, module()).find("none of those declared"), std::string::npos);
  EXPECT_NE(refusal(all, module("%cb Binding 0", "%cb Binding 3")).find("none of"), std::string::npos);
  EXPECT_NE(refusal(all, module("%cb DescriptorSet 1", "%cb DescriptorSet 0")).find("none of"),
            std::string::npos);
  EXPECT_NE(refusal({kSampler, kBuffer, kTexture}, module()).find("another kind"), std::string::npos);
  EXPECT_NE(refusal({kBuffer, kTexture, kSampler}, module()).find("another kind"), std::string::npos);
}

TEST(FinishSpirv, RefusesTexturesOfAnotherShape) {
  const auto with = [](Dimension dimension) {
    DxbcResource texture = kTexture;
    texture.dimension = dimension;
    return std::vector<DxbcResource>{kBuffer, kSampler, texture};
  };
  for (const Dimension other : {Dimension::None, Dimension::Buffer, Dimension::Texture2DArray,
                                Dimension::TextureCube, Dimension::TextureCubeArray, Dimension::Other})
    EXPECT_NE(refusal(with(other), module()).find("another kind"), std::string::npos);
  const std::string array = module("2D 0 0 0 1 Unknown", "2D 0 1 0 1 Unknown");
  EXPECT_EQ(refusal(with(Dimension::Texture2DArray), array), "");
  EXPECT_NE(refusal(with(Dimension::Texture2D), array).find("another kind"), std::string::npos);
  EXPECT_NE(
      refusal(with(Dimension::Texture2D), module("2D 0 0 0 1 Unknown", "2D 0 0 1 1 Unknown")).find("another"),
      std::string::npos);
  EXPECT_EQ(refusal(with(Dimension::TextureCube), module("2D 0 0 0 1 Unknown", "Cube 0 0 0 1 Unknown")), "");
}

TEST(FinishSpirv, RefusesOtherEntryPointsAndStorage) {
  const std::vector<DxbcResource> all = {kBuffer, kSampler, kTexture};
  EXPECT_NE(refusal(all, module("\"main\"", "\"mein\"")).find("another name"), std::string::npos);
  EXPECT_NE(refusal(all, module("\"main\"", "\"main2\"")).find("another name"), std::string::npos);
  EXPECT_NE(refusal(all, module(), {Stage::Vertex, 1}).find("another stage"), std::string::npos);
  const std::string pushed = module("%sampler_t = OpTypeSampler",
                                    "%pc_p = OpTypePointer PushConstant %block\n"
                                    "%pc = OpVariable %pc_p PushConstant\n%sampler_t = OpTypeSampler");
  EXPECT_NE(refusal(all, pushed).find("lives where no resource does"), std::string::npos);
}

TEST(FinishSpirv, RefusesWhatIsNoModule) {
  EXPECT_EQ(finishSpirv({}).verdict, Verdict::Refused);
  const Bytes good = translation(kPixel, {kBuffer, kSampler, kTexture}, assembled(module()));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(finishSpirv(std::span(good).first(size)).verdict, Verdict::Refused) << size;
  Bytes many = good;
  for (size_t i = 0; i < 4; ++i) many[sizeof kPixel + sizeof kFinish + i] = 0xFF;  // the number of resources
  EXPECT_EQ(finishSpirv(many).verdict, Verdict::Refused);
  // The list of what is streamed out: more words than come, more than there may be, and a shader that has
  // none.
  for (const uint32_t words : {3u, 513u, 0x10000000u, 1u}) {
    Bytes listed = good;
    constexpr size_t kAt = sizeof kPixel + offsetof(FinishRequest, streamedWords);
    std::memcpy(listed.data() + kAt, &words, sizeof words);
    if (words == 1) listed.insert(listed.begin() + kAt + 4, sizeof(shader::StreamedWord), 0);
    EXPECT_EQ(finishSpirv(listed).verdict, Verdict::Refused) << words;
  }
}

TEST(TranslateDxbc, MakesWhatFinishSpirvTakes) {
  namespace dxbc = aerogpu::test::dxbc;
  for (const auto& [stage, code, count] :
       {std::tuple(Stage::Vertex, dxbc::vertexCode(), 1u), std::tuple(Stage::Pixel, dxbc::pixelCode(), 0u)}) {
    const DxbcRequest request{stage, 0};
    Bytes input;
    append(input, &request, sizeof request);
    const auto container =
        shader::withValidChecksum({reinterpret_cast<const uint8_t*>(code.data()), code.size() * 4});
    ASSERT_TRUE(container);
    append(input, container->data(), container->size());
    const JobAnswer translated = translateDxbc(input);
    ASSERT_EQ(translated.verdict, Verdict::Done);
    const auto answer = readAnswer(translated.bytes);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->resources.size(), count);
    Bytes finish;
    append(finish, &request, sizeof request);
    append(finish, &kFinish, sizeof kFinish);
    append(finish, translated.bytes.data(), translated.bytes.size());
    const JobAnswer finished = finishSpirv(finish);
    EXPECT_EQ(finished.verdict, Verdict::Done) << std::string(finished.bytes.begin(), finished.bytes.end());
  }
  EXPECT_EQ(translateDxbc({}).verdict, Verdict::Refused);
  EXPECT_EQ(translateDxbc(Bytes(sizeof(DxbcRequest))).verdict, Verdict::Refused);
  EXPECT_EQ(translateDxbc(Bytes(200)).verdict, Verdict::Refused);
}

}  // namespace
}  // namespace aerogpu::translator
