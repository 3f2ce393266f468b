// SPDX-License-Identifier: MIT
// fake.dll: a user-mode driver and the kernel side below it, which record their calls. The test reads the records and
// can make them misbehave through these exports.
#pragma once

extern "C" {
/// Returns the number of calls since the last clear, a line each: the function and its relevant arguments.
unsigned fakeCallCount();
const char *fakeCall(unsigned index);
void fakeClear();
/// Returns the number of live objects at the driver: resources, shaders and declarations, queries, devices, adapters.
unsigned fakeAlive();
/// Makes the driver misbehave in one of the ways named in fake_driver.cpp. Null: not at all.
void fakeMisbehave(const char *how);
}

using FakeCallCount = decltype(&fakeCallCount);
using FakeCall = decltype(&fakeCall);
using FakeClear = decltype(&fakeClear);
using FakeAlive = decltype(&fakeAlive);
using FakeMisbehave = decltype(&fakeMisbehave);
