// SPDX-License-Identifier: MIT
// Pixel shader 3 of 4: texture times a colour of its own.
#version 450
layout(set = 1, binding = 0) uniform sampler2D s0;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = texture(s0, uv) * vec4(0.7, 0.75, 0.5, 0.5); }
