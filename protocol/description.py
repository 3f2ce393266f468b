# SPDX-License-Identifier: MIT
"""Reads and checks packets.toml: it must keep the rules at its top, names must be unique, opcodes must lie in their
ranges, and every field must have a kind. generate.py and scripts/gen-abi-page print the resulting objects."""
import pathlib
import tomllib
from dataclasses import dataclass

PACKETS = pathlib.Path(__file__).resolve().parent / 'packets.toml'

C_TYPES = {'u8': ('uint8_t', 1), 'u16': ('uint16_t', 2), 'u32': ('uint32_t', 4), 'u64': ('uint64_t', 8),
           'i32': ('int32_t', 4)}
PLAIN_KINDS = {'number', 'float', 'bool', 'bits', 'alloc_id', 'token', 'count', 'stage_ex', 'struct', 'reserved'}
HANDLE_VERBS = {'creates', 'uses', 'destroys'}
# The protocol's "resource" is a buffer or a texture: they share one space of handles.
OBJECTS = {'buffer': 'Resource', 'texture': 'Resource', 'resource': 'Resource', 'view': 'View', 'shader': 'Shader',
           'input_layout': 'InputLayout', 'sampler': 'Sampler'}
HEADER_BYTES = 8
EXTENSION_OPCODES = range(0x8000, 0x10000)
EXTENSION_FEATURES = range(32, 64)
LOADER_OPCODES = range(0x10000, 0x20000)


class Wrong(Exception):
    """packets.toml breaks one of its rules; the text says where."""


@dataclass
class Enum:
    name: str
    doc: str
    values: list  # (name, number, doc)


@dataclass
class Field:
    name: str
    type: str          # of one element: a key of C_TYPES or a structure's name
    length: object     # None, a number, or a constant's name
    kind: str          # of PLAIN_KINDS, 'enum', 'flags' or of HANDLE_VERBS
    of: str            # the enumeration, or the kinds of object, "texture|view"
    doc: str
    offset: int = 0
    bytes: int = 0     # of one element
    count: int = 1

    @property
    def objects(self):
        return {OBJECTS[o] for o in self.of.split('|')} if self.kind in HANDLE_VERBS else set()


@dataclass
class Struct:
    name: str          # without aerogpu_
    doc: str
    fields: list
    bytes: int = 0


@dataclass
class Packet:
    name: str          # without AEROGPU_CMD_
    opcode: int
    doc: str
    feature: str       # name of the feature that announces it, or ''
    kernel_only: bool
    loader_only: bool  # only a snapshot has it
    loads: bool        # a snapshot may have it
    struct: Struct
    owns_struct: bool
    tail: tuple        # (element type, field that counts, [Field]) or ()
    rest: object       # None, 'bytes' or [Field]


@dataclass
class Section:
    name: str
    header: str
    doc: str
    constants: list    # (name, number, doc)
    features: list     # (name, bit, doc)
    enums: list
    structs: list      # those of packets among them
    packets: list


@dataclass
class Description:
    sections: list

    def all(self, what):
        return [x for s in self.sections for x in getattr(s, what)]

    @property
    def packets(self):
        """Returns the packets that guests send."""
        return [p for p in self.all_packets if not p.loader_only]

    @property
    def all_packets(self):
        return sorted(self.all('packets'), key=lambda p: p.opcode)


def take(table, where, required=(), optional=()):
    """Returns the values of the `required` keys, then of the `optional` ones ('' if missing). Raises Wrong if a
    required key is missing or there is another key."""
    for key in table.keys() - set(required) - set(optional):
        raise Wrong(f'{where}: unknown key "{key}"')
    for key in set(required) - table.keys():
        raise Wrong(f'{where}: "{key}" is missing')
    return [table[k] for k in required] + [table.get(k, '') for k in optional]


class Reader:
    def __init__(self, raw):
        self.raw = raw
        self.constants, self.enums, self.structs, self.features = {}, set(), {}, {}

    def field(self, table, where):
        name, said, type_, length, doc = take(table, where, ('name', 'kind'), ('type', 'length', 'doc'))
        where = f'{where}.{name}'
        kind, _, of = said.partition(' ')
        if kind in ('enum', 'flags'):
            if of not in self.enums:
                raise Wrong(f'{where}: no enumeration "{of}"')
        elif kind in HANDLE_VERBS:
            if not of or set(of.split('|')) - OBJECTS.keys():
                raise Wrong(f'{where}: no kind of object "{of}"')
        elif kind not in PLAIN_KINDS or of:
            raise Wrong(f'{where}: no kind "{said}"')
        field = Field(name, type_ or 'u32', length or None, kind, of, doc)
        if (kind == 'struct') == (field.type in C_TYPES):
            raise Wrong(f'{where}: type "{field.type}" and kind "{said}" do not go together')
        if kind in HANDLE_VERBS | {'float', 'alloc_id', 'stage_ex'} and field.type != 'u32':
            raise Wrong(f'{where}: {kind} is 32 bits wide')
        if kind == 'token' and field.type != 'u64':
            raise Wrong(f'{where}: a token is 64 bits wide')
        field.bytes = self.type_bytes(field.type, where)
        if length:
            field.count = length if isinstance(length, int) else self.constants[length]
        return field

    def type_bytes(self, name, where):
        if name in C_TYPES:
            return C_TYPES[name][1]
        if name not in self.structs:
            raise Wrong(f'{where}: no structure "{name}"; it has to be said before')
        return self.structs[name].bytes

    def struct(self, name, doc, tables, start=0):
        if name in self.structs:
            raise Wrong(f'structure {name} is there twice')
        struct = Struct(name, doc, [self.field(t, name) for t in tables], start)
        for field in struct.fields:
            field.offset = struct.bytes
            struct.bytes += field.bytes * field.count
        self.structs[name] = struct
        return struct

    def packet(self, table, section):
        name, opcode, doc, feature, sender, loads, shared, tables, tail, rest = take(
            table, section, ('name', 'opcode'), ('doc', 'feature', 'sender', 'loads', 'struct', 'fields', 'tail', 'rest'))
        if sender not in ('', 'kernel', 'loader'):
            raise Wrong(f'{name}: sender "{sender}"')
        if (opcode in LOADER_OPCODES) != (sender == 'loader'):
            raise Wrong(f'{name}: opcodes {LOADER_OPCODES} and the sender "loader" go together')
        if (opcode in EXTENSION_OPCODES) != bool(feature):
            raise Wrong(f'{name}: opcodes {EXTENSION_OPCODES} and features go together')
        if feature and feature not in self.features:
            raise Wrong(f'{name}: no feature "{feature}"')
        if shared:
            struct = self.structs[shared]
        else:
            struct = self.struct('cmd_' + name.lower(), f'{name}: {doc}' if doc else f'{name}.', tables, HEADER_BYTES)
        if struct.bytes % 4:
            raise Wrong(f'{name}: its structure is no multiple of 4')
        if tail:
            element, count, kind = take(tail, name, ('element', 'count'), ('kind',))
            counter = [f for f in struct.fields if f.name == count]
            if not counter or counter[0].kind != 'count':
                raise Wrong(f'{name}: no field "{count}" that counts')
            fields = []
            if element not in C_TYPES:
                self.type_bytes(element, name)
                fields = self.structs[element].fields
            elif kind != 'bytes':
                fields = [self.field({'name': 'element', 'type': element, 'kind': kind}, name)]
            tail = (element, count, fields)
        if isinstance(rest, list):
            rest = [self.field(t, name) for t in rest]
            at = struct.bytes
            for field in rest:
                field.offset, at = at, at + field.bytes
        elif rest not in ('', 'bytes'):
            raise Wrong(f'{name}: rest "{rest}"')
        if tail and rest:
            raise Wrong(f'{name}: tail and rest')
        packet = Packet(name, opcode, doc, feature, sender == 'kernel', sender == 'loader', bool(loads) or sender == 'loader',
                        struct, not shared, tail or (), rest or None)
        doers = [f for f in struct.fields if f.kind in ('creates', 'destroys')]
        tokens = [f for f in struct.fields if f.kind == 'token']
        users = [f for f in struct.fields if f.kind == 'uses']
        guests = not packet.kernel_only and not packet.loader_only
        if guests and (len(doers) > 1 or len(tokens) > 1 or (tokens and len(doers + users) != 1)):
            raise Wrong(f'{name}: the rights table has room for one object that is made or ended, or one with a token')
        return packet

    def section(self, name, table):
        header, doc, constants, features, enums, structs, packets = take(
            table, name, ('header', 'doc'), ('constant', 'feature', 'enum', 'struct', 'packet'))
        result = Section(name, header, doc, [], [], [], [], [])
        for t in constants or []:
            result.constants.append(tuple(take(t, name, ('name', 'value'), ('doc',))))
            self.constants[t['name']] = t['value']
        for t in features or []:
            result.features.append(tuple(take(t, name, ('name', 'bit', 'doc'))))
            if t['bit'] not in EXTENSION_FEATURES or t['bit'] in self.features.values():
                raise Wrong(f'feature {t["name"]}: its bit is taken or no extension')
            self.features[t['name']] = t['bit']
        for t in enums or []:
            enum, text, values = take(t, name, ('name', 'doc', 'values'))
            result.enums.append(Enum(enum, text, [tuple(v) if len(v) == 3 else (*v, '') for v in values]))
            self.enums.add(enum)
        for t in structs or []:
            result.structs.append(self.struct(*take(t, name, ('name', 'doc', 'fields'))))
        for t in packets or []:
            result.packets.append(self.packet(t, name))
            if result.packets[-1].owns_struct:
                result.structs.append(result.packets[-1].struct)
        return result

    def read(self):
        result = Description([self.section(name, table) for name, table in self.raw.items()])
        for what in ('name', 'opcode'):
            seen = [getattr(p, what) for p in result.all_packets]
            for one in {s for s in seen if seen.count(s) > 1}:
                raise Wrong(f'two packets have the {what} {one}')
        return result


def load(path=PACKETS):
    with open(path, 'rb') as file:
        return Reader(tomllib.load(file)).read()
