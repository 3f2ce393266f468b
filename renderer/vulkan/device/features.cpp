// SPDX-License-Identifier: MIT
// The table of features and extensions that are enabled if they exist (see DeviceCaps).
#include "renderer/vulkan/device/features.h"

#include <algorithm>

namespace aerogpu::vk {
namespace {

using Feature = VkBool32& (*)(FeatureChain& chain);

/// An extension and features that are enabled if the device has all of them.
struct Offer {
  const char* extension;  ///< null: none
  Feature features[4];    ///< null: no more
  bool DeviceCaps::*cap;  ///< set if enabled; null: no code of ours asks
};

#define FEATURE(name) [](FeatureChain& chain) -> VkBool32& { return chain.name; }
#define CORE(name) FEATURE(core.features.name)

constexpr Offer kOffers[] = {
    {nullptr, {FEATURE(v12.timelineSemaphore)}, nullptr},
    {nullptr, {FEATURE(v13.dynamicRendering)}, nullptr},
    {nullptr, {FEATURE(v13.synchronization2)}, nullptr},
    {nullptr, {FEATURE(v13.maintenance4)}, nullptr},
    {nullptr, {CORE(robustBufferAccess)}, nullptr},
    {nullptr, {CORE(fullDrawIndexUint32)}, nullptr},
    {nullptr, {CORE(imageCubeArray)}, nullptr},
    {nullptr, {CORE(geometryShader)}, nullptr},  // for topologies with adjacency
    {nullptr, {CORE(independentBlend)}, nullptr},
    {nullptr, {CORE(dualSrcBlend)}, &DeviceCaps::dualSourceBlend},
    {nullptr, {CORE(depthClamp)}, &DeviceCaps::depthClamp},
    {nullptr, {CORE(occlusionQueryPrecise)}, &DeviceCaps::exactOcclusion},
    {nullptr, {CORE(fillModeNonSolid)}, &DeviceCaps::fillModeNonSolid},
    {nullptr, {CORE(largePoints)}, &DeviceCaps::largePoints},
    {nullptr, {CORE(samplerAnisotropy)}, &DeviceCaps::samplerAnisotropy},
    {nullptr, {CORE(textureCompressionBC)}, &DeviceCaps::blockCompression},
    {nullptr, {CORE(shaderClipDistance)}, &DeviceCaps::clipDistance},
    {nullptr, {CORE(shaderCullDistance)}, nullptr},
    {nullptr, {CORE(vertexPipelineStoresAndAtomics)}, nullptr},
    {nullptr, {CORE(fragmentStoresAndAtomics)}, nullptr},
    {nullptr, {CORE(shaderImageGatherExtended)}, nullptr},
    {nullptr, {CORE(shaderStorageImageReadWithoutFormat)}, nullptr},
    {nullptr, {CORE(shaderStorageImageWriteWithoutFormat)}, nullptr},
    {nullptr, {CORE(shaderFloat64)}, nullptr},
    {nullptr, {CORE(sampleRateShading)}, nullptr},
    {nullptr, {FEATURE(v12.samplerMirrorClampToEdge)}, &DeviceCaps::mirrorClampToEdge},
    {nullptr, {FEATURE(v13.shaderDemoteToHelperInvocation)}, &DeviceCaps::demoteToHelper},
    {nullptr, {FEATURE(v13.robustImageAccess)}, nullptr},

    {VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
     {FEATURE(vertexInput.vertexInputDynamicState)},
     &DeviceCaps::dynamicVertexInput},

    {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, {}, nullptr},
    {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
     {FEATURE(eds3.extendedDynamicState3ColorBlendEnable),
      FEATURE(eds3.extendedDynamicState3ColorBlendEquation),
      FEATURE(eds3.extendedDynamicState3ColorWriteMask)},
     &DeviceCaps::dynamicBlend},
    {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
     {FEATURE(eds3.extendedDynamicState3PolygonMode)},
     &DeviceCaps::dynamicPolygonMode},
    {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
     {FEATURE(eds3.extendedDynamicState3SampleMask)},
     &DeviceCaps::dynamicSampleMask},
    {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
     {FEATURE(eds3.extendedDynamicState3DepthClampEnable), FEATURE(eds3.extendedDynamicState3DepthClipEnable),
      FEATURE(depthClip.depthClipEnable), CORE(depthClamp)},
     &DeviceCaps::dynamicDepthClamp},
    {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
     {FEATURE(depthClip.depthClipEnable)},
     &DeviceCaps::depthClipEnable},

    {VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME,
     {FEATURE(depthBias.depthBiasControl), FEATURE(depthBias.floatRepresentation)},
     &DeviceCaps::floatDepthBias},
    {VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME,
     {FEATURE(depthBias.depthBiasControl), FEATURE(depthBias.floatRepresentation),
      FEATURE(depthBias.depthBiasExact)},
     &DeviceCaps::exactDepthBias},
    // Clamps depth that a bias raises above 1, in float formats too.
    {VK_EXT_DEPTH_CLAMP_ZERO_ONE_EXTENSION_NAME, {FEATURE(zeroOne.depthClampZeroOne)}, nullptr},

    {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, {FEATURE(lines.bresenhamLines)}, &DeviceCaps::bresenhamLines},

    {VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
     {FEATURE(border.customBorderColors), FEATURE(border.customBorderColorWithoutFormat)},
     &DeviceCaps::customBorderColor},
    // This extension requires the one before it.
    {VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME,
     {FEATURE(border.customBorderColors), FEATURE(border.customBorderColorWithoutFormat),
      FEATURE(borderSwizzle.borderColorSwizzle)},
     &DeviceCaps::borderColorSwizzle},
    {VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME,
     {FEATURE(border.customBorderColors), FEATURE(border.customBorderColorWithoutFormat),
      FEATURE(borderSwizzle.borderColorSwizzle), FEATURE(borderSwizzle.borderColorSwizzleFromImage)},
     &DeviceCaps::borderSwizzleFromImage},

    {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, {}, nullptr},
    {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
     {CORE(robustBufferAccess), FEATURE(robustness.robustBufferAccess2)},
     &DeviceCaps::robustAccess2},
    {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, {FEATURE(robustness.nullDescriptor)}, &DeviceCaps::nullDescriptor},

    {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
     {FEATURE(divisor.vertexAttributeInstanceRateDivisor)},
     &DeviceCaps::instanceDivisor},
    {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
     {FEATURE(divisor.vertexAttributeInstanceRateDivisor),
      FEATURE(divisor.vertexAttributeInstanceRateZeroDivisor)},
     &DeviceCaps::zeroDivisor},

    {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, {}, &DeviceCaps::pushDescriptor},
    // What can be imported is asked for in findCaps().
    {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, {}, nullptr},
};

#undef CORE
#undef FEATURE

/// VK_KHR_portability_subset: the headers have its name only among beta extensions.
constexpr const char* kPortability = "VK_KHR_portability_subset";

}  // namespace

DeviceExtensions::DeviceExtensions(const InstanceTable& vk, VkPhysicalDevice device) {
  uint32_t count = 0;
  vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  m_present.resize(count);
  vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, m_present.data());
}

DeviceFeatures::DeviceFeatures(const InstanceTable& vk, VkPhysicalDevice physical)
    : m_extensions(vk, physical), m_there(m_extensions), m_chosen(m_extensions) {
  vk.GetPhysicalDeviceFeatures2(physical, &m_there.core);
}

const char* DeviceFeatures::lacks() const {
  if (!m_there.v12.timelineSemaphore || !m_there.v13.dynamicRendering || !m_there.v13.synchronization2)
    return "lacks mandatory features of Vulkan 1.3";
  // Direct3D 9's colour write masks differ by target, and no blend state could stand in for that.
  if (!m_there.core.features.independentBlend) return "cannot blend each target on its own";
  return nullptr;
}

bool DeviceFeatures::enabled(const char* extension) const {
  return std::any_of(m_enabled.begin(), m_enabled.end(),
                     [&](const char* each) { return std::strcmp(each, extension) == 0; });
}

bool DeviceFeatures::enable(const char* extension) {
  if (!m_extensions.has(extension)) return false;
  if (!enabled(extension)) m_enabled.push_back(extension);
  return true;
}

void DeviceFeatures::choose(DeviceCaps& caps) {
  for (const Offer& offer : kOffers) {
    const auto each = [&](auto visit) {
      for (const Feature feature : offer.features)
        if (feature) visit(feature);
    };
    bool all = true;
    each([&](Feature feature) { all = all && feature(m_there); });
    if (!all || (offer.extension && !enable(offer.extension))) continue;
    each([&](Feature feature) { feature(m_chosen) = VK_TRUE; });
    if (offer.cap) caps.*offer.cap = true;
  }
  // Needed only without the other extension for depth biases.
  if (!caps.floatDepthBias) caps.unrestrictedDepth = enable(VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME);
  // A portability device says which features it lacks; only triangle fans matter here.
  if (enable(kPortability)) caps.triangleFans = false;
}

}  // namespace aerogpu::vk
