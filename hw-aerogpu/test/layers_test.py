#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that the device's parts use each other one way only.

A part is X.h, which declares what it offers, and X.c. Each .c file includes the headers of exactly those parts whose
functions or objects it names (and its own), X.c names all that X.h declares, and the uses form no circle.
"""
import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent
# Structures and constants for all: they are no part, and not every file has to
# name them.
SHARED = {"aerogpu", "types", "regfile", "trace_events", "tail_poll", "compat"}


def code(path):
    """Returns the text of a source without comments and strings, but with the names of headers."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
    return re.sub(r'"(\\.|[^"\\])*"', lambda m: m.group(0) if m.group(0).endswith('.h"') else '""', text)


def offered(text):
    """Returns the names of the functions (without inline ones) and objects that a header declares."""
    functions = set(re.findall(r"\b(aerogpu_\w+)\s*\(", re.sub(r"static inline.*?\n}\n", "", text, flags=re.S)))
    return functions | set(re.findall(r"\bextern\s[^;]*?\b(aerogpu_\w+)\s*(?:\[\])?;", text))


def circle(uses):
    """Returns a circle in the graph as a list of names, or None."""
    state, path = {}, []

    def visit(name):
        state[name] = "open"
        path.append(name)
        for other in sorted(uses.get(name, ())):
            if state.get(other) == "open":
                return path[path.index(other):] + [other]
            if other not in state and (found := visit(other)):
                return found
        path.pop()
        state[name] = "done"
        return None

    for name in sorted(uses):
        if name not in state and (found := visit(name)):
            return found
    return None


def read(folder):
    """Returns four dictionaries: names that each part offers; text, used parts and included headers of each source."""
    parts = {p.stem: offered(code(p)) for p in folder.rglob("*.h") if p.stem not in SHARED}
    sources = {p.stem: code(p) for p in folder.rglob("*.c")}
    words = {name: set(re.findall(r"\baerogpu_\w+", text)) for name, text in sources.items()}
    uses = {name: {part for part, names in parts.items() if part != name and names & words[name]} for name in sources}
    includes = {name: set(re.findall(r'#include "hw-aerogpu/(?:\w+/)*(\w+)\.h"', text)) for name, text in sources.items()}
    return parts, sources, uses, includes


class LayersTest(unittest.TestCase):
    def test_what_a_file_uses_it_includes(self):
        parts, _, uses, includes = read(FOLDER)
        self.assertGreater(len(parts), 15)
        for name, used in uses.items():
            wanted = used | ({name} & set(parts))
            self.assertEqual(includes[name] & set(parts), wanted, f"{name}.c: parts that it includes and should include")

    def test_a_part_defines_what_it_declares(self):
        parts, sources, _, _ = read(FOLDER)
        for part, names in parts.items():
            for name in names:
                self.assertRegex(sources[part], rf"\b{name}\b", f"{part}.h declares it")

    def test_there_is_no_circle(self):
        self.assertIsNone(circle(read(FOLDER)[2]))

    def test_a_circle_is_found(self):
        self.assertEqual(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])
        self.assertIsNone(circle({"a": {"b", "c"}, "b": {"c"}}))


if __name__ == "__main__":
    sys.exit(unittest.main())
