// SPDX-License-Identifier: MIT
// Stands between the Vulkan back end and the loader in test executables: plays a device of another
// make (vulkan_profiles.h), and loses the device on demand. Linked into tests only; it takes the place of the
// loader's entry point.
#pragma once

#include <cstdint>
#include <optional>

namespace aerogpu::test {

/// Whether the profile is that of a device without any optional extension, feature or format
/// (vulkan_profiles.h).
bool deviceIsBare();

/// Where VK_ERROR_DEVICE_LOST comes from.
enum class Loss { None, AtSubmit, AtWait };
/// The next call of that kind fails so, and each of either kind on the same device after it. Any thread.
void loseDevice(Loss where);
/// While set, vkCreateDevice fails.
void refuseDevices(bool refuse);
/// While set, no host memory can be imported.
void refuseImports(bool refuse);
/// Pieces of host memory that the driver was asked to import so far.
int importsAsked();
/// While set, every device has Vulkan 1.2 only.
void ageDevices(bool old);
/// The next `waits` waits for a semaphore that would run out do so at once: for those who count them, time
/// flies.
void hurry(unsigned waits);
/// Waits for a semaphore that really ran out so far.
int waitsRunOut();
/// While set, every wait for a semaphore runs out at once: the GPU does not end what it was given.
void hangDevices(bool hang);
/// The GPU takes so many ms more for what anybody waits for, and who only looks finds nothing ended, not with
/// 0 either; nullopt: as ever.
void slowDevices(std::optional<int> ms);
/// How often anybody looked whether a semaphore was signaled, without waiting for it, so far.
int looks();
/// The shortest time for which anybody was ready to sleep for a semaphore since the last call, in
/// nanoseconds; UINT64_MAX: nobody was.
uint64_t shortestSleep();
/// Batches that queues were handed so far.
int batchesSubmitted();
/// Render passes that were begun so far.
int passesBegun();
/// Devices alive, of those created through the double.
int devicesAlive();

/// Objects whose number a test can ask for.
enum class Counted { Sampler, PipelineLayout, ShaderModule, Image };
/// How many of them are alive, on all devices together.
int objectsAlive(Counted kind);
/// The most that were alive at once since the last call.
int mostObjectsAlive(Counted kind);

}  // namespace aerogpu::test
