// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/resources/resource.h"

namespace aero {

bool touch(Context &context, size_t bytes, Resource &written, Resource *read) {
  if (!context.ensure(bytes, 2)) return false;
  if (written.identity.crossesContexts) context.use(written.identity.memory, true);
  if (read && read->identity.crossesContexts) context.use(read->identity.memory, false);
  return true;
}

void Resource::destroy(DeviceObjects &objects) {
  Context &context = objects.context;
  if (maps.locked) context.runtime().unlock(identity.memory.handle);
  heapFree(maps.copy);
  heapFree(maps.sent);
  maps = {};
  objects.destroy<aerogpu_cmd_destroy_resource>(identity.handle);
  // Its memory cannot wait for a later batch: another device's may go with this call, a primary's must, and after it
  // the runtime's handle is gone.
  const bool isNow = identity.isOpened || identity.owner;
  if (isNow && context.isPending(identity.memory)) context.submit();
  if (identity.owner) context.runtime().deallocateResource(identity.owner);
  context.release(identity.memory);
  identity = {};
}

}  // namespace aero
