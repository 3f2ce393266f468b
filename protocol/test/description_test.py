#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests that description.py refuses what breaks the rules at the top of packets.toml, and names the place."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import description  # noqa: E402


def fields(*kinds):
    return [{'name': f'f{i}', 'kind': kind} for i, kind in enumerate(kinds)]


def raw(**packet):
    """Returns a description of one section with one packet, a feature and an enumeration."""
    packet = {'name': 'X', 'opcode': 0x900, 'fields': fields('number')} | packet
    return {'s': {'header': 's.h', 'doc': 'S.', 'packet': [packet],
                  'feature': [{'name': 'F', 'bit': 40, 'doc': 'f'}],
                  'enum': [{'name': 'e', 'doc': 'E.', 'values': [['E_A', 0]]}]}}


class Description(unittest.TestCase):
    def refused(self, description_, what):
        with self.assertRaisesRegex(description.Wrong, what):
            description.Reader(description_).read()

    def test_what_holds_is_read(self):
        (packet,) = description.Reader(raw(fields=fields('creates buffer', 'enum e', 'reserved'))).read().packets
        self.assertEqual((packet.struct.name, packet.struct.bytes), ('cmd_x', 8 + 3 * 4))
        self.assertEqual([f.offset for f in packet.struct.fields], [8, 12, 16])

    def test_every_field_has_a_kind_that_exists(self):
        for kind in ('', 'colour', 'number e', 'enum', 'enum f', 'flags f', 'creates', 'uses pipeline', 'uses view|x'):
            self.refused(raw(fields=fields(kind)), 'X|f0')
        self.refused(raw(fields=[{'name': 'f'}]), 'kind')

    def test_keys_are_spelt_right(self):
        self.refused(raw(privileged=True), 'privileged')
        self.refused(raw(sender='user'), 'sender')

    def test_kinds_have_their_width(self):
        for kind, type_ in (('creates buffer', 'u64'), ('float', 'u64'), ('token', 'u32'), ('alloc_id', 'u8')):
            self.refused(raw(fields=[{'name': 'f', 'kind': kind, 'type': type_}]), 'wide')
        self.refused(raw(fields=[{'name': 'f', 'kind': 'number', 'type': 'u8'}]), 'multiple of 4')

    def test_extension_opcodes_have_a_feature_and_no_others(self):
        self.refused(raw(opcode=0x8000), 'feature')
        self.refused(raw(feature='F'), 'feature')
        self.refused(raw(opcode=0x8000, feature='G'), 'no feature')
        description.Reader(raw(opcode=0x8000, feature='F')).read()

    def test_a_tail_is_counted_by_a_count(self):
        for count, kind in (('f1', 'count'), ('f0', 'number')):
            self.refused(raw(fields=fields(kind), tail={'element': 'u32', 'count': count, 'kind': 'number'}), 'counts')

    def test_names_and_opcodes_are_there_once(self):
        twice = raw()
        twice['s']['packet'] = [{'name': n, 'opcode': 0x900, 'fields': []} for n in ('X', 'Y')]
        self.refused(twice, 'two packets')

    def test_rights_that_the_table_cannot_hold_are_refused(self):
        self.refused(raw(fields=fields('creates buffer', 'creates view')), 'rights')
        token = {'name': 't', 'kind': 'token', 'type': 'u64'}
        self.refused(raw(fields=fields('uses buffer', 'uses buffer') + [token]), 'rights')
        description.Reader(raw(sender='kernel', fields=[token])).read()


unittest.main()
