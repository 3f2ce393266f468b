// SPDX-License-Identifier: MIT
// The name of a driver's function, from the member of the table that points to it.
#pragma once

namespace aerogpu::runtime {

/// The name of a function of a table, without its "pfn".
struct FunctionName {
  char text[48]{};
};

/// Returns the name, cut out of this function's spelling by the compiler.
template <auto kMember> consteval FunctionName functionName() {
  const char *at = __PRETTY_FUNCTION__, *found = at;
  for (; *at; ++at)
    if (at[0] == 'p' && at[1] == 'f' && at[2] == 'n') found = at + 3;
  FunctionName name;
  for (unsigned n = 0; n + 1 < sizeof name.text && found[n] && found[n] != ']' && found[n] != ';' && found[n] != ')';
       ++n)
    name.text[n] = found[n];
  return name;
}

}  // namespace aerogpu::runtime
