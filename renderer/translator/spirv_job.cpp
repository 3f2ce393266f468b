// SPDX-License-Identifier: MIT
#include <bit>
#include <cstring>

#include "renderer/shader/spirv/spirv_indices.h"
#include "renderer/shader/spirv/spirv_limits.h"
#include "renderer/shader/spirv/spirv_loops.h"
#include "renderer/shader/spirv/spirv_streams.h"
#include "renderer/translator/dxbc_answer.h"
#include "renderer/translator/jobs.h"
#include "renderer/translator/spirv_check.h"
#include "renderer/translator/spirv_interface.h"

namespace aerogpu::translator {

using process::JobAnswer;

JobAnswer finishSpirv(std::span<const uint8_t> input) {
  DxbcRequest request;
  FinishRequest finish;
  if (input.size() < sizeof request + sizeof finish) return JobAnswer::refused("the request is cut short");
  std::memcpy(&request, input.data(), sizeof request);
  std::memcpy(&finish, input.data() + sizeof request, sizeof finish);
  if (!std::has_single_bit(finish.interval)) return JobAnswer::refused("the interval is no power of two");
  const size_t streamedBytes = size_t{finish.streamedWords} * sizeof(shader::StreamedWord);
  const auto rest = input.subspan(sizeof request + sizeof finish);
  if (finish.streamedWords > kMaxStreamedWords || rest.size() < streamedBytes)
    return JobAnswer::refused("the list of streamed words is cut short, or too long");
  std::vector<shader::StreamedWord> streamed(finish.streamedWords);
  if (streamedBytes) std::memcpy(streamed.data(), rest.data(), streamedBytes);
  const auto answer = readAnswer(rest.subspan(streamedBytes));
  if (!answer) return JobAnswer::refused("the translation is cut short");
  std::string defect = spirvDefect(answer->words);
  if (defect.empty()) defect = interfaceDefect(answer->words, request, answer->resources);
  if (!defect.empty()) return JobAnswer::refused(defect.insert(0, "it becomes bad SPIR-V: "));
  const auto limited = shader::limitFloats(answer->words);
  if (!limited)
    return JobAnswer::refused("it becomes SPIR-V whose samples cannot be seen: " + limited.error().detail);
  const shader::IndexPlaces places{request.layerPlace, request.viewportPlace};
  const auto indexed = request.stage == Stage::Pixel ? shader::takeIndices(*limited, places)
                                                     : shader::limitIndices(*limited, places);
  if (!indexed)
    return JobAnswer::refused("it becomes SPIR-V whose layers cannot be seen: " + indexed.error().detail);
  const bool written = request.stage == Stage::Vertex || !streamed.empty();
  const auto streams = written ? shader::streamOut(*indexed, streamed) : indexed;
  if (!streams)
    return JobAnswer::refused(
        "it becomes SPIR-V that cannot be streamed out: " +
        (streams.error().detail.empty() ? streams.error().what : streams.error().detail));
  // Every loop gets an exit, whatever the guest wrote.
  auto guarded = shader::guardLoops(*streams, {finish.set, 0, finish.interval});
  if (!guarded)
    return JobAnswer::refused("it becomes SPIR-V whose loops cannot be seen: " + guarded.error().detail);
  if (guarded->words != answer->words) defect = spirvDefect(guarded->words);
  if (!defect.empty())
    return JobAnswer::refused(defect.insert(0, "its loops, samples or streams become bad SPIR-V: "));
  std::vector<uint8_t> out(sizeof(uint32_t) * (1 + guarded->words.size()));
  std::memcpy(out.data(), &guarded->loops, sizeof(uint32_t));
  std::memcpy(out.data() + sizeof(uint32_t), guarded->words.data(), out.size() - sizeof(uint32_t));
  return JobAnswer::done(std::move(out));
}

}  // namespace aerogpu::translator
