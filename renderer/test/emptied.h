// SPDX-License-Identifier: MIT
// Streams of tests as run by a renderer that ignores some packet: shows that a test fails then
// (docs/abi/test/check_emptied.py).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace aerogpu::test {

/// Returns a copy of a stream without the parts that `rules` name, one or several with semicolons between:
///   EXT_BLIT                                   packets of that name are left out
///   SET_RENDER_STATE:state=27                  only those with these numbers in fields (comma-separated)
///   CREATE_TEXTURE2D:format=4120>format=4122   they stay, with another number in a field
///   EXT_BLIT>flags~4                           they stay, without these bits of a field
///   CREATE_INPUT_LAYOUT:type=4                 the declaration's elements of a D3DDECLTYPE name no input
/// Fields are those of renderer/cmd/packet_fields.h. A stream whose framing is broken is copied unchanged. An
/// invalid rule ends the process.
std::vector<uint8_t> emptied(std::span<const uint8_t> stream, std::string_view rules);

/// Returns the rules of the environment (AEROGPU_TEST_EMPTIED); "" if there are none.
std::string_view emptiedByEnvironment();

}  // namespace aerogpu::test
