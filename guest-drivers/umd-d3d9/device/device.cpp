// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/device/device.h"

#include "guest-drivers/umd-d3d9/diffuse.ps.h"

namespace aero {

HRESULT Device::open() {
  HRESULT result = context.open();
  if (failed(result)) return result;
  result = pipeline.shaders.defaultPixel.create(objects, AEROGPU_SHADER_STAGE_PIXEL, k_diffuse_ps, sizeof k_diffuse_ps);
  if (failed(result)) close();
  return result;
}

void Device::close() {
  while (Resource *resource = resources.first()) end(resource);
  while (Shader *shader = shaders.first()) end(shader);
  while (Declaration *declaration = declarations.first()) end(declaration);
  while (Query *query = queries.first()) end(query);
  blits.destroy();
  draws.destroy();
  pipeline.uploads.destroy();
  pipeline.colorKeys.destroy(objects);
  pipeline.shaders.defaultPixel.destroy(objects);
  progress.destroy();
  context.close();
}

HRESULT Device::end(Resource *resource) {
  pipeline.unbind(resource);
  pipeline.forgetObjects();
  resources.remove(resource);
  const HRESULT result = resource->destroy(objects);
  heapDestroy(resource);
  return result;
}

HRESULT Device::flush() {
  const HRESULT submitted = context.submitAtFlush();
  const HRESULT earlier = context.takeError();
  return failed(earlier) ? earlier : submitted;
}

}  // namespace aero
