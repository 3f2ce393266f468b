#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a list of the slots of DRIVER_INITIALIZATION_DATA, for entry_table_test.cpp.

usage: entry_table_slots.py LAYOUTS.json OUTPUT"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    table = json.load(file)["structs"]["DRIVER_INITIALIZATION_DATA"]
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write("// Generated from the recorded layouts.\n#define ENTRY_TABLE_BYTES %d\n" % table["size"])
    for name, (offset, _) in table["members"].items():
        out.write('{"%s", %d},\n' % (name, offset))
