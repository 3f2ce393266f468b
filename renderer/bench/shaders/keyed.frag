// SPDX-License-Identifier: MIT
// A texture's colour, texel by texel, without the texels of one colour, which a constant has in bytes.
#version 450
layout(push_constant) uniform Constants { vec4 place; vec4 value; };
layout(set = 0, binding = 0) uniform sampler2D s0;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
  color = texture(s0, uv);
  if (round(color * 255.0) == value) discard;
}
