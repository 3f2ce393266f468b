// SPDX-License-Identifier: MIT
// trace-corpus DIR: writes a trace of each feature and its expected picture (PPM, 8 bits, with the tolerance
// in a comment). check_corpus.py plays them.
#include <cmath>
#include <cstdio>
#include <fstream>

#include "renderer/trace/test/corpus/recorder.h"

namespace {

using namespace aerogpu::test;

bool writePicture(const std::string& path, const Picture& picture, int tolerance) {
  std::ofstream out(path, std::ios::binary);
  out << "P6\n# tolerance " << tolerance << "\n" << kSide << " " << kSide << "\n255\n";
  for (const Rgb& pixel : picture.pixels)
    for (const double channel : pixel)
      out.put(static_cast<char>(std::lround(std::fmin(std::fmax(channel, 0), 1) * 255)));
  return static_cast<bool>(out.flush());
}

bool record(const Feature& feature, const std::string& folder) {
  const std::string path = folder + "/" + feature.name;
  Recorder recorder;
  char error[256] = "";
  aerogpu_renderer* renderer = recorder.harness().renderer();
  if (!aerogpu_renderer_capture_start(renderer, (path + ".aerogputrace").c_str(), error, sizeof error)) {
    std::fprintf(stderr, "trace-corpus: %s: %s\n", feature.name, error);
    return false;
  }
  recorder.begin();
  const Picture picture = feature.record(recorder);
  recorder.present();
  if (!aerogpu_renderer_capture_stop(renderer, error, sizeof error)) {
    std::fprintf(stderr, "trace-corpus: %s: %s\n", feature.name, error);
    return false;
  }
  if (writePicture(path + ".ppm", picture, feature.tolerance)) return true;
  std::fprintf(stderr, "trace-corpus: cannot write %s.ppm\n", path.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: trace-corpus DIR\n");
    return 2;
  }
  bool good = true;
  for (const auto& list :
       {d3d10Features(), drawFeatures(), outputFeatures(), textureFeatures(), verbFeatures()})
    for (const Feature& feature : list) good = record(feature, argv[1]) && good;
  return good ? 0 : 1;
}
