// SPDX-License-Identifier: MIT
// The store of shader programs, and D3D9 programs (see shader.h). DXBC: shader_dxbc.cpp, shader_tokens.cpp.
#include "renderer/vulkan/objects/shader.h"

#include <algorithm>
#include <cstring>

#include "renderer/core/input_layout.h"
#include "renderer/vulkan/device/stop_words.h"

namespace aerogpu::vk {
namespace {

/// A program with this many executed instructions reads its batch's stop word in its loops.
constexpr uint64_t kLong = 1024;

uint64_t hashBytes(std::span<const uint8_t> bytes, uint64_t seed) {
  uint64_t hash = 0xCBF29CE484222325u ^ seed;
  for (const uint8_t b : bytes) hash = (hash ^ b) * 0x100000001B3u;
  return hash;
}

}  // namespace

ShaderStore::~ShaderStore() {
  for (auto& [hash, code] : m_codes) destroy(*code);
}

void ShaderStore::destroy(ShaderCode& code) {
  const DeviceTable& vk = m_gpu.device->vk();
  VkDevice device = m_gpu.device->handle();
  // Modules and set layouts may be destroyed while pipelines and sets made from them are in use (Vulkan 1.3,
  // "Object Lifetime").
  for (auto& variant : code.variants) vk.DestroyShaderModule(device, variant->module.handle, nullptr);
  if (code.module.handle) vk.DestroyShaderModule(device, code.module.handle, nullptr);
  if (code.setLayout) vk.DestroyDescriptorSetLayout(device, code.setLayout, nullptr);
  code.variants.clear();
  code.module = {};
  code.charge.reset();
  code.setLayout = VK_NULL_HANDLE;
}

void ShaderStore::dropUnused() {
  for (auto it = m_codes.begin(); it != m_codes.end();) {
    if (it->second.use_count() > 1) {
      ++it;
      continue;
    }
    destroy(*it->second);
    m_bytes -= it->second->bytes.size();
    it = m_codes.erase(it);
  }
  m_dropAt = std::max(kMaxKept, m_codes.size() * 2);
  m_dropAtBytes = std::max(kMaxKeptBytes, m_bytes * 2);
}

Result<HostMemoryCharge> ShaderStore::chargeModule(std::span<const uint32_t> words) {
  const uint64_t bytes = words.size_bytes() * 2;
  HostMemoryCharge charge = HostMemoryCharge::take(m_gpu.hostMemory, bytes, HostMemoryKind::Shaders);
  if (!charge.ok()) {
    dropUnused();
    charge = HostMemoryCharge::take(m_gpu.hostMemory, bytes, HostMemoryKind::Shaders);
  }
  if (!charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by shaders", {}};
  return charge;
}

Result<ModuleRef> ShaderStore::makeModule(std::span<const uint32_t> words) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  ModuleRef module;
  const VkResult result =
      m_gpu.device->vk().CreateShaderModule(m_gpu.device->handle(), &info, nullptr, &module.handle);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateShaderModule");
  module.serial = m_gpu.nextSerial++;
  m_gpu.stats.shadersTranslated.fetch_add(1, std::memory_order_relaxed);
  return module;
}

Result<void> ShaderStore::compileD3d9(ShaderCode& code, std::span<const uint8_t> stream) {
  std::vector<uint32_t> tokens(stream.size() / 4);
  std::memcpy(tokens.data(), stream.data(), tokens.size() * 4);
  auto program = shader::parse(tokens);
  if (!program) return Error{ErrorCode::CmdDecode, "shader refused", program.error().message};
  const shader::ShaderInfo& info = program->info();
  const auto wanted = info.version.stage == d3d9::Stage::Vertex ? core::Stage::Vertex : core::Stage::Pixel;
  if (wanted != code.stage) return Error{ErrorCode::CmdDecode, "shader is of another stage than said", {}};
  code.family = core::ShaderFamily::D3d9;
  code.outputMask = info.colorOutputMask;
  code.cost = info.cost;
  for (const shader::Varying& in : info.inputs)
    code.inputs.push_back(
        {in.location, core::semanticHash(in.usage), in.usageIndex, VertexInput::Type::Float});
  code.program = std::move(*program);
  return {};
}

Result<void> ShaderStore::compile(ShaderCode& code) {
  if (code.counts.tokens != 0) return compileTokens(code);
  const std::span<const uint8_t> bytes = code.bytes;
  if (!shader::isDxbc(bytes)) return compileD3d9(code, bytes);
  auto container = shader::parseDxbc(bytes);
  if (!container) return container.error();
  const auto wrapped = container->d3d9Stream();
  return wrapped.empty() ? compileDxbc(code, bytes) : compileD3d9(code, wrapped);
}

Result<std::shared_ptr<ShaderCode>> ShaderStore::find(core::Stage stage, const core::TokenCounts& counts,
                                                      std::span<const uint8_t> bytes) {
  switch (stage) {
    case core::Stage::Hull:
      return Error{ErrorCode::Backend, "hull shaders are not supported", {}};
    case core::Stage::Domain:
      return Error{ErrorCode::Backend, "domain shaders are not supported", {}};
    default:
      break;
  }
  const uint64_t hash = hashBytes(bytes, static_cast<uint64_t>(stage));
  const auto [from, to] = m_codes.equal_range(hash);
  for (auto it = from; it != to; ++it) {
    ShaderCode& code = *it->second;
    if (code.stage == stage && code.counts == counts &&
        std::equal(bytes.begin(), bytes.end(), code.bytes.begin(), code.bytes.end()))
      return it->second;
  }
  auto code = std::make_shared<ShaderCode>();
  code->stage = stage;
  code->counts = counts;
  code->bytes.assign(bytes.begin(), bytes.end());
  if (auto compiled = compile(*code); !compiled) {
    destroy(*code);
    return compiled.error();
  }
  if (m_codes.size() >= m_dropAt || m_bytes >= m_dropAtBytes) dropUnused();
  m_codes.emplace(hash, code);
  m_bytes += bytes.size();
  return code;
}

Result<std::unique_ptr<core::GpuShader>> ShaderStore::create(core::Stage stage,
                                                             std::span<const uint8_t> bytes,
                                                             core::ShaderFamily& family) {
  auto code = find(stage, {}, bytes);
  if (!code) return code.error();
  family = (*code)->family;
  return std::unique_ptr<core::GpuShader>(std::make_unique<ShaderObject>(std::move(*code)));
}

Result<std::unique_ptr<core::GpuShader>> ShaderStore::create(core::Stage stage,
                                                             const core::TokenCounts& counts,
                                                             std::span<const uint8_t> bytes) {
  auto code = find(stage, counts, bytes);
  if (!code) return code.error();
  return std::unique_ptr<core::GpuShader>(std::make_unique<ShaderObject>(std::move(*code)));
}

const ModuleRef* ShaderStore::keep(ShaderCode& code, std::unique_ptr<ShaderCode::Variant> variant) {
  if (code.variants.size() >= kMaxVariants) {
    m_gpu.device->vk().DestroyShaderModule(m_gpu.device->handle(), code.variants.front()->module.handle,
                                           nullptr);
    code.variants.erase(code.variants.begin());
  }
  code.variants.push_back(std::move(variant));
  return &code.variants.back()->module;
}

Result<const ModuleRef*> ShaderStore::d3d9Module(ShaderCode& code, const shader::EmitOptions& options) {
  for (const auto& variant : code.variants)
    if (variant->options == options) return &variant->module;
  auto emitted = shader::emit(*code.program, options);
  if (!emitted) return Error{ErrorCode::Backend, "shader cannot be translated", emitted.error().message};
  // A loop that is not nested ends after 255 rounds; if these are long, a draw can take as long as one with
  // nested loops.
  uint32_t loops = 0;
  const shader::ShaderInfo& info = code.program->info();
  if (info.nestedLoops || (info.loops && code.cost.instructions >= kLong)) {
    auto guarded = shader::guardLoops(emitted->words, StopWords::guard(StopWords::kD3d9Set));
    if (!guarded) return guarded.error();
    loops = guarded->loops;
    emitted->words = std::move(guarded->words);
  }
  auto charge = chargeModule(emitted->words);
  if (!charge) return charge.error();
  auto module = makeModule(emitted->words);
  if (!module) return module.error();
  module->loops = loops != 0;
  auto variant = std::make_unique<ShaderCode::Variant>();
  variant->linked.assign(options.linkedOutputs.begin(), options.linkedOutputs.end());
  variant->options = options;
  variant->options.linkedOutputs = variant->linked;
  variant->charge = std::move(*charge);
  variant->module = std::move(*module);
  variant->module.constants = std::move(emitted->constants);
  return keep(code, std::move(variant));
}

}  // namespace aerogpu::vk
