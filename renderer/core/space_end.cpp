// SPDX-License-Identifier: MIT
#include "renderer/core/space_end.h"

#include <variant>

namespace aerogpu::core {

void endSpace(std::unique_ptr<Space> space, SelectedSpace& selected, ContextTable& contexts,
              ResourceIndex& resources, Backend& backend) {
  contexts.dropAll(*space);
  selected.forget(*space);
  space->grants.clear();
  space->handles.drain([&](Object& object) {
    if (auto* buffer = std::get_if<Ref<Buffer>>(&object)) resources.dropHandle(**buffer);
    if (auto* texture = std::get_if<Ref<Texture>>(&object)) resources.dropHandle(**texture);
  });
  ProcessAccount* account = space->account.get();
  if (!account || --account->spaces == 0) backend.processEnds(space->share->owner());
}

}  // namespace aerogpu::core
