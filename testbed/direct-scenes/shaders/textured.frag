// SPDX-License-Identifier: MIT
// A texture's colour at the first two interpolated values.
#version 450
layout(set = 0, binding = 0) uniform sampler2D s0;
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;
void main() { color = texture(s0, value.xy); }
