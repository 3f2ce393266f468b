// SPDX-License-Identifier: MIT
// The tables of features and extensions: those that every device needs, and those that are enabled if they
// exist (see DeviceCaps).
#include "renderer/vulkan/device/features.h"

#include <algorithm>

namespace aerogpu::vk {
namespace {

using Feature = VkBool32& (*)(FeatureChain& chain);

/// What the back end cannot do without, as an extension of Vulkan 1.1.
struct Need {
  const char* extension;
  uint32_t since;   ///< the version that it is part of
  Feature feature;  ///< null: none
};

/// An extension and features that are enabled if the device has all of them.
struct Offer {
  const char* extension;  ///< null: none
  Feature features[4];    ///< null: no more
  bool DeviceCaps::*cap;  ///< set if enabled; null: no code of ours asks
  uint32_t since = 0;     ///< the version that the extension is part of; 0: none
};

#define FEATURE(name) ([](FeatureChain& chain) -> VkBool32& { return chain.name; })
#define CORE(name) FEATURE(core.features.name)

// Users read this list in docs/use/install.md.
constexpr Need kNeeds[] = {
    {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_API_VERSION_1_2, FEATURE(timeline.timelineSemaphore)},
    // Dynamic rendering stands on the second, and that on the first; depth is resolved with it, too.
    {VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME, VK_API_VERSION_1_2, nullptr},
    {VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME, VK_API_VERSION_1_2, nullptr},
    {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_API_VERSION_1_3, FEATURE(dynamicRendering.dynamicRendering)},
    {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, VK_API_VERSION_1_3, FEATURE(synchronization2.synchronization2)},
    {VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME, VK_API_VERSION_1_3, nullptr},
    {VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_API_VERSION_1_3, FEATURE(eds.extendedDynamicState)},
    {VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME, VK_API_VERSION_1_3, FEATURE(eds2.extendedDynamicState2)},
    // Shaders may write more channels of a varying than the next stage reads (Vulkan 1.3, "Interface
    // Matching").
    {VK_KHR_MAINTENANCE_4_EXTENSION_NAME, VK_API_VERSION_1_3, FEATURE(maintenance4.maintenance4)},
    // Guests choose which texel a shader reads.
    {VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME, VK_API_VERSION_1_3, FEATURE(imageRobustness.robustImageAccess)},
};

constexpr Offer kOffers[] = {
    {nullptr, {CORE(robustBufferAccess)}, nullptr},
    {nullptr, {CORE(fullDrawIndexUint32)}, nullptr},
    {nullptr, {CORE(imageCubeArray)}, nullptr},
    {nullptr, {CORE(geometryShader)}, &DeviceCaps::geometryShader},
    // vkd3d-shader writes the size of each point that a geometry shader emits.
    {nullptr, {CORE(shaderTessellationAndGeometryPointSize)}, &DeviceCaps::geometryPoints},
    {nullptr, {CORE(multiViewport)}, &DeviceCaps::multiViewport},
    {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
     {FEATURE(streams.transformFeedback)},
     &DeviceCaps::transformFeedback},
    {nullptr, {CORE(independentBlend)}, nullptr},
    {nullptr, {CORE(dualSrcBlend)}, &DeviceCaps::dualSourceBlend},
    {nullptr, {CORE(depthClamp)}, &DeviceCaps::depthClamp},
    {nullptr, {CORE(depthBiasClamp)}, &DeviceCaps::depthBiasClamp},
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

    // Vulkan 1.2 has a feature for it, in a structure that the others exclude; the extension does the same.
    {VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME, {}, &DeviceCaps::mirrorClampToEdge},
    {VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME, {}, &DeviceCaps::imageFormatList, VK_API_VERSION_1_2},
    {VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME, {}, nullptr, VK_API_VERSION_1_2},
    {VK_EXT_4444_FORMATS_EXTENSION_NAME,
     {FEATURE(formats4444.formatA4R4G4B4)},
     &DeviceCaps::a4r4g4b4,
     VK_API_VERSION_1_3},
    {VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME,
     {FEATURE(texelAlignment.texelBufferAlignment)},
     nullptr,
     VK_API_VERSION_1_3},

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
    {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, {}, nullptr},
    // What can be imported is asked for in findCaps().
    {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, {}, nullptr},
};

#undef CORE
#undef FEATURE

/// VK_KHR_portability_subset: the headers have its name only among beta extensions.
constexpr const char* kPortability = "VK_KHR_portability_subset";

/// Returns the version of a device, without its patch; never more than the instance was made for.
uint32_t usableVersion(const InstanceTable& vk, VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  vk.GetPhysicalDeviceProperties2(physical, &props);
  const uint32_t version = props.properties.apiVersion;
  return std::min(VK_API_VERSION_1_3,
                  VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), 0));
}

}  // namespace

DeviceExtensions::DeviceExtensions(const InstanceTable& vk, VkPhysicalDevice device) {
  uint32_t count = 0;
  vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  m_present.resize(count);
  vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, m_present.data());
}

DeviceFeatures::DeviceFeatures(const InstanceTable& vk, VkPhysicalDevice physical)
    : m_version(usableVersion(vk, physical)),
      m_extensions(vk, physical),
      m_there(m_extensions, m_version),
      m_chosen(m_extensions, m_version) {
  vk.GetPhysicalDeviceFeatures2(physical, &m_there.core);
}

std::string DeviceFeatures::lacks() {
  std::string text;
  const auto add = [&](const std::string& lack) { text += (text.empty() ? "" : ", ") + lack; };
  if (m_version < VK_API_VERSION_1_1) add("no Vulkan 1.1");
  for (const Need& need : kNeeds) {
    if ((m_version >= need.since || m_extensions.has(need.extension)) &&
        (!need.feature || need.feature(m_there)))
      continue;
    add((text.empty() ? "no " : "") + std::string(need.extension));
  }
  // Direct3D 9's colour write masks differ by target, and no blend state could stand in for that.
  if (!m_there.core.features.independentBlend) add("cannot blend each target on its own");
  return text;
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
  for (const Need& need : kNeeds) {
    if (m_version < need.since) enable(need.extension);
    if (need.feature) need.feature(m_chosen) = VK_TRUE;
  }
  for (const Offer& offer : kOffers) {
    const auto each = [&](auto visit) {
      for (const Feature feature : offer.features)
        if (feature) visit(feature);
    };
    bool all = true;
    each([&](Feature feature) { all = all && feature(m_there); });
    const bool isPart = offer.since != 0 && m_version >= offer.since;
    if (!all || (offer.extension && !isPart && !enable(offer.extension))) continue;
    each([&](Feature feature) { feature(m_chosen) = VK_TRUE; });
    if (offer.cap) caps.*offer.cap = true;
  }
  // Needed only without the other extension for depth biases.
  if (!caps.floatDepthBias) caps.unrestrictedDepth = enable(VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME);
  // A portability device says which features it lacks; only triangle fans matter here.
  if (enable(kPortability)) caps.triangleFans = false;
}

}  // namespace aerogpu::vk
