// SPDX-License-Identifier: MIT
// Stands between the Vulkan back end and the loader in test executables: plays a device of another make
// (vulkan_profiles.h), and loses the device on demand. Linked into tests only, in place of the loader's entry
// point.
#pragma once

#include <cstdint>
#include <optional>

namespace aerogpu::test {

/// True if the profile is a device without any optional extension, feature or format (vulkan_profiles.h).
bool deviceIsBare();

/// The call that returns VK_ERROR_DEVICE_LOST.
enum class Loss { None, AtSubmit, AtWait };
/// Makes the next call of that kind fail so, and all calls of either kind on that device after it. Any
/// thread.
void loseDevice(Loss where);
/// While set, vkCreateDevice fails.
void refuseDevices(bool refuse);
/// While set, no host memory can be imported.
void refuseImports(bool refuse);
/// Returns how often the driver was asked to import host memory so far.
int importsAsked();
/// Fails calls of vkCreateImage for want of memory: after `after` more, `times` of them.
void failImages(int after, int times);
/// While set, every device has Vulkan 1.0 only.
void ageDevices(bool old);
/// Lets the next `waits` waits for a semaphore that would run out do so at once, so that time seems to pass
/// quickly for code that counts them.
void hurry(unsigned waits);
/// Returns the waits for a semaphore that really ran out so far.
int waitsRunOut();
/// While set, every wait for a semaphore runs out at once: the GPU ends none of its work.
void hangDevices(bool hang);
/// Makes the GPU take this many ms more for work that is waited for; a poll never finds work ended, not even
/// with 0. nullopt: normal speed.
void slowDevices(std::optional<int> ms);
/// Returns how often a semaphore was polled, without waiting for it, so far.
int looks();
/// Returns the shortest time of a sleep for a semaphore since the last call, in nanoseconds; UINT64_MAX:
/// there was none.
uint64_t shortestSleep();
/// Returns the batches that were submitted to queues so far.
int batchesSubmitted();
/// Returns the render passes that were begun so far.
int passesBegun();
/// Returns the living devices that were created through the double.
int devicesAlive();

/// Objects that a test can count.
enum class Counted { Sampler, PipelineLayout, ShaderModule, Image };
/// Returns how many of them are alive, on all devices together.
int objectsAlive(Counted kind);
/// Returns the most that were alive at once since the last call.
int mostObjectsAlive(Counted kind);

}  // namespace aerogpu::test
