// SPDX-License-Identifier: MIT
// A quad placed by a constant: xy scale, zw offset.
#version 450
layout(push_constant) uniform Constants { vec4 place; vec4 value; };
layout(location = 0) in vec4 position;
layout(location = 0) out vec2 uv;
void main() {
  gl_Position = vec4(position.xy * place.xy + place.zw, 0.0, 1.0);
  uv = position.zw;
}
