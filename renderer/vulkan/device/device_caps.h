// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace aerogpu::vk {

/// What the device offers beyond what every device needs (features.cpp). A missing item has a fallback where
/// it is used.
struct DeviceCaps {
  bool dynamicVertexInput = false;  ///< VK_EXT_vertex_input_dynamic_state
  bool dynamicBlend = false;        ///< blend enable, equation and write mask of EDS3
  bool dynamicPolygonMode = false;
  bool dynamicDepthClamp = false;  ///< depth clamp and depth clip enable
  bool dynamicSampleMask = false;
  bool depthClipEnable = false;  ///< VK_EXT_depth_clip_enable
  bool bresenhamLines = false;
  bool customBorderColor = false;
  bool nullDescriptor = false;
  bool robustAccess2 = false;
  bool instanceDivisor = false, zeroDivisor = false;
  bool pushDescriptor = false;
  bool imageFormatList = false;  ///< VkImageFormatListCreateInfo is known
  /// Alignment of pointers and sizes of host memory that is imported for transfers; 0: no imports.
  uint64_t hostImportAlignment = 0;
  bool depthClamp = false, fillModeNonSolid = false, wideLines = false, largePoints = false;
  bool samplerAnisotropy = false, mirrorClampToEdge = false, blockCompression = false;
  bool clipDistance = false, dualSourceBlend = false, depthBiasClamp = false;
  bool geometryShader = false;  ///< topologies with adjacency too
  bool geometryPoints = false;  ///< geometry shaders may say the size of points
  bool multiViewport = false;
  /// Transform feedback to four buffers, with counts of it and draws of what was counted: not more bytes of a
  /// vertex than these, all buffers together and from vertex to vertex, and of a buffer. 0: none.
  uint32_t streamBytes = 0, streamStride = 0;
  uint64_t streamBufferBytes = 0;
  bool transformFeedback = false;  ///< VK_EXT_transform_feedback
  bool d24s8 = false;              ///< else D32_SFLOAT_S8_UINT stands in
  bool a1r5g5b5 = false;
  bool a4r4g4b4 = false, a2r10g10b10 = false,
       r4g4 = false;                    ///< sampled (r4g4: drawn to as well); else others stand in
  bool borderColorSwizzle = false;      ///< VK_EXT_border_color_swizzle: border colours of swizzled views
  bool borderSwizzleFromImage = false;  ///< and samplers need not say how those are swizzled
  /// Accesses out of range may read and write anything in the VkBuffer, because robustBufferAccess2
  /// is missing (Vulkan 1.3, "robustBufferAccess"), or vkCmdBindVertexBuffers2's pSizes bound nothing.
  bool boundByBuffers = false;
  bool triangleFans = true;
  bool exactOcclusion = false;     ///< occlusion queries count; else they say whether there was any sample
  bool floatDepthBias = false;     ///< VK_EXT_depth_bias_control: a bias is added as it is
  bool exactDepthBias = false;     ///< and never scaled
  bool unrestrictedDepth = false;  ///< VK_EXT_depth_range_unrestricted: viewports may leave [0, 1]
  float maxAnisotropy = 1;
  float pointSizeMin = 1, pointSizeMax = 1;
};

}  // namespace aerogpu::vk
