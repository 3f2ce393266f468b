// SPDX-License-Identifier: MIT
// fake.dll: a user-mode driver and the kernel side below it, which write down how they are called. What they remember
// and how they can be made to misbehave is exported for the test.
#pragma once

extern "C" {
/// Calls since the last clear, a line each: the function and what matters of its arguments.
unsigned fakeCallCount();
const char *fakeCall(unsigned index);
void fakeClear();
/// What is alive at the driver: resources, shaders and declarations, queries, devices, adapters.
unsigned fakeAlive();
/// One of the names in fake_driver.cpp: what the driver does wrong from now on. Null: nothing.
void fakeMisbehave(const char *how);
}

using FakeCallCount = decltype(&fakeCallCount);
using FakeCall = decltype(&fakeCall);
using FakeClear = decltype(&fakeClear);
using FakeAlive = decltype(&fakeAlive);
using FakeMisbehave = decltype(&fakeMisbehave);
