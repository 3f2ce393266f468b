// SPDX-License-Identifier: MIT
#include "renderer/test/move.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/error_text.h"
#include "renderer/local/local.h"
#include "renderer/snapshot/warm_up.h"
#include "renderer/test/ages.h"
#include "renderer/test/move_mode.h"
#include "renderer/test/saving.h"

namespace aerogpu::test {

namespace {

/// Tests that are moved less often than asked.
struct Exception {
  const char* tests;  ///< patterns of the shell, ':' between them
  uint32_t least;     ///< submissions between two moves; 0: they are never moved
  const char* why;
};
constexpr Exception kExceptions[] = {
    {"CachesTest.*", 0, "caches of a process end with it, and it ends when everything is dropped"},
    {"ImageStoreTest.WhatIsKeptIsLittleAndNotForLong", 0,
     "counts images, and those that are kept end with the GPU"},
    {"InPlaceTest.FallsBackToCopies", 0, "counts imports, which a GPU that is opened anew tries again"},
    {"ReadBackTest.*", 0, "counts how often the GPU's end of work is looked for"},
    {"StaleWritesTest.NoGpuWritesBehindDraws:StaleWritesTest.DrawsBehindTheGpusCopyAreAnotherBatch:"
     "TransferTest.FlushHandsOverWhatCameBeforeIt",
     0, "counts batches, and what is still under way"},
    {"PresentTest.OnlyTheDamageIsCopied:Presents.AnUnchangedTextureIsNotCopiedAgain:"
     "Presents.DamageCountsFromTheLastFrameThatCameOut:Presents.EachSubmissionTellsWhetherThePictureIsOld",
     0, "which frame came out last is the device's to remember"},
    {"TokenDrawTest.EachClassOfLayoutsIsTranslatedOnce", 0,
     "counts translations, and all of them are made anew"},
    {"WarmUpTest.*", 0, "counts pipelines, which end with a GPU"},
    {"SpacesTest.WhoseASpaceIsAndWhatItDid", 0, "counters of spaces begin again"},
    {"*Mass*", 0, "objects in masses after each of thousands of submissions"},
    {"FormatsTest.*:InPlaceTest.*:BoundsTest.*:EndlessTest.*:LeakTest.*", 50,
     "thousands of submissions, or objects that stay: a move after each takes minutes"},
};

/// How many submissions lie between two moves of each kind; 0: there are none.
struct Mode {
  uint32_t objects = 0;
  uint32_t device = 0;
  uint32_t ages = 0;  ///< looks at times of writes (ages.h) in place of moves
};

/// The number behind `kind` in a list like "objects:1,device:5"; 0 if it is not there.
uint32_t intervalIn(std::string_view list, std::string_view kind) {
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    if (entry.starts_with(kind))
      return static_cast<uint32_t>(std::atoi(std::string(entry.substr(kind.size())).c_str()));
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
  }
  return 0;
}

Mode modeOf(const char* text) {
  const std::string_view list = text ? text : "";
  return {intervalIn(list, "objects:"), intervalIn(list, "device:"), intervalIn(list, "ages:")};
}

bool isOneOf(const std::string& test, std::string_view patterns) {
  while (!patterns.empty()) {
    const size_t end = std::min(patterns.find(':'), patterns.size());
    if (fnmatch(std::string(patterns.substr(0, end)).c_str(), test.c_str(), 0) == 0) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

/// What is asked of the running test, after the exceptions.
Mode modeOfTest(const Mode& asked) {
  const std::string test = runningTest ? runningTest() : std::string();
  for (const Exception& exception : kExceptions) {
    if (!isOneOf(test, exception.tests)) continue;
    if (exception.least == 0) return {};
    return {asked.objects ? std::max(asked.objects, exception.least) : 0,
            asked.device ? std::max(asked.device, exception.least) : 0,
            asked.ages ? std::max(asked.ages, exception.least) : 0};
  }
  return asked;
}

bool isTime(uint32_t interval, uint64_t submission) {
  return interval != 0 && submission % interval == 0;
}

[[noreturn]] void fail(const char* what, const std::string& error) {
  std::fprintf(stderr, "AEROGPU_TEST_MOVE: %s: %s\n", what, error.c_str());
  std::abort();
}

void move(LocalRenderer& renderer, bool device) {
  if (renderer.capture) return;  // a load is no part of one
  std::vector<uint8_t> bytes;
  const bool holds = renderer.executor->holds();  // an embedder remembers that
  const auto file = trace::Writer::create(appendBytes, &bytes, renderer.origin);
  if (device) snapshot::describeRecentDraws(renderer.executor->parts(), *file);
  if (const auto saved = renderer.saveInto(*file); !saved) {
    // A lost GPU, or a stopped one, has nothing to read.
    const std::string text = textOf(saved.error());
    if (text.find("lost") != std::string::npos) return;
    fail("saving", text);
  }
  if (std::string text; !file->finish(text)) fail("saving", text);
  if (device) {
    renderer.dropAll();
    (void)renderer.backend->reopen();  // frames that a test keeps also keep the device
  }
  if (const std::string error = load(&renderer, bytes); !error.empty()) fail("loading", error);
  if (holds) renderer.executor->hold();
}

}  // namespace

void moveIfAsked(LocalRenderer& renderer, uint64_t submission) {
  static const Mode asked = modeOf(std::getenv("AEROGPU_TEST_MOVE"));
  if (asked.objects == 0 && asked.device == 0 && asked.ages == 0) return;
  const Mode mode = modeOfTest(asked);
  if (isTime(mode.ages, submission)) compareAges(renderer, submission);
  const bool device = isTime(mode.device, submission);
  if (device || isTime(mode.objects, submission)) move(renderer, device);
}

}  // namespace aerogpu::test
