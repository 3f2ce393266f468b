// SPDX-License-Identifier: MIT
// Five texels of a row or a column, weighed; a constant has the step from one to the next.
#version 450
layout(push_constant) uniform Constants { vec4 place; vec4 value; };
layout(set = 0, binding = 0) uniform sampler2D s0;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
  const vec2 d = value.xy;
  color = texture(s0, uv) * 0.375 + (texture(s0, uv + d) + texture(s0, uv - d)) * 0.25 +
          (texture(s0, uv + 2.0 * d) + texture(s0, uv - 2.0 * d)) * 0.0625;
}
