// SPDX-License-Identifier: MIT
// A quad placed by one constant: xy scale, zw offset.
#version 450
layout(set = 0, binding = 0) uniform Constants { vec4 place; };
layout(location = 0) in vec4 position;
layout(location = 0) out vec2 uv;
void main() {
  gl_Position = vec4(position.xy * place.xy + place.zw, 0.0, 1.0);
  uv = position.zw;
}
