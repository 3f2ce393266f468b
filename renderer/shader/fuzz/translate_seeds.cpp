// SPDX-License-Identifier: MIT
// Writes seeds for translate_fuzz into the given folder: one file a shader.
#include <cstdio>
#include <string>

#include "aerogpu/d3d9/assembler.h"

namespace {

constexpr const char* kShaders[] = {
    "vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c0\nmova a0, v0\nmov oT0, c[a0.x + 3]\nlit r0, v0\nmov oD0, "
    "r0\n",
    "vs_2_x\ndcl_position v0\ndef c4, 1, 2, 3, 4\ndefi i1, 3, 0, 1, 0\ndefb b1, true\nloop aL, i0\nif "
    "b0\ncall l0\nelse\n"
    "add r0, r0, c[aL]\nendif\nendloop\nrep i1\nbreak_gt r0.x, c4.x\nendrep\nmov oPos, r0\nret\nlabel "
    "l0\nmov r1, v0\nret\n",
    "vs_3_0\ndcl_position v0\ndcl_2d s0\ndcl_position o0\ndcl_texcoord o1.xy\ndcl_psize o2.x\nsetp_gt p0, "
    "v0, c0\n"
    "(!p0) texldl r0, v0, s0\nmov o0, r0\nloop aL, i0\nmov o[aL + 1], v[aL]\nbreakp p0.x\nendloop\nmov o2.x, "
    "c1\n",
    "ps_2_0\ndcl t0.xy\ndcl v0\ndcl_2d s0\ndcl_cube s1\ntexld r0, t0, s0\ntexldp r1, t0, s1\ntexkill r1\n"
    "mad_sat r0, r0, v0, -r1\nnrm r2.xyz, r0\nmov oC0, r0\nmov oDepth, r0.x\n",
    "ps_3_0\ndcl_texcoord v0\ndcl_color_centroid v1\ndcl vPos.xy\ndcl vFace\ndcl_volume s2\ntexldd r0, v0, "
    "s2, v1, v0\n"
    "if_lt r0.x, r0.y\ndsx r1, v0\nelse\ncmp r1, vFace, r0, v1\nendif\nadd oC0, r1, vPos.xyxy\n",
    "ps_1_1\ndef c0, 1, 0, 0.5, 1\ntex t0\ntexm3x3pad t1, t0_bx2\ntexm3x3pad t2, t0\ntexm3x3spec t3, t0, c0\n"
    "texkill t2\nmul_x2_sat r0.rgb, t3, v0\n+mov r0.a, 1-t0.b\ncnd r0, r0.a, t0, -v1_bias\n",
    "ps_1_1\ntex t0\ntexbem t1, t0\ntexbeml t2, t0_bx2\nmad r0, t1, v0, t2\n",
    "ps_1_4\ntexld r0, t0\ntexcrd r1.rgb, t1\nbem r1.rg, r1, r0\nphase\ntexld r2, r1\nmov r0, r2\n",
    "ps_1_4\ntexcrd r0.xyz, t0\ntexld r1, t1_dw.xyw\nphase\ntexld r2, r0_dz\nmov r5.r, r2\ntexdepth "
    "r5\nadd_d4 r0, r1, r2\n",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (size_t i = 0; i < std::size(kShaders); ++i) {
    const auto a = aerogpu::d3d9::assemble(kShaders[i]);
    const std::string path = std::string(argv[1]) + "/shader" + std::to_string(i);
    std::FILE* file = a.ok() ? std::fopen(path.c_str(), "wb") : nullptr;
    if (!file) return 1;
    const bool ok = std::fwrite(a.tokens.data(), 4, a.tokens.size(), file) == a.tokens.size();
    if (std::fclose(file) || !ok) return 1;
  }
  return 0;
}
