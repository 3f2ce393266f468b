// SPDX-License-Identifier: MIT
// Transforms pixels to clip space by the scale c[0].xy and the offset c[0].zw; passes four values to the fragment
// shader.
#version 450
layout(push_constant) uniform Constants { vec4 c[4]; };
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 value;
layout(location = 0) out vec4 passed;
void main() {
  gl_Position = vec4(position.xy * c[0].xy + c[0].zw, position.z, 1.0);
  passed = value;
}
