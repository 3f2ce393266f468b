// SPDX-License-Identifier: MIT
// The four interpolated values are the colour.
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 color;
void main() { color = value; }
