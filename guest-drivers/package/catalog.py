# SPDX-License-Identifier: MIT
"""Reads and makes security catalogues (.cat): PKCS #7 signed certificate trust lists whose subjects are file hashes.
Microsoft's pages: "Catalog files", "makecat", CryptCATAdmin*; object identifiers: wincrypt.h, mscat.h and wintrust.h.
Version 1, as Inf2Cat writes for Windows 7: SHA-1 only; a member's tag is its hash in hexadecimal.

build() makes the unsigned file, osslsigncode signs it, parse() reads both."""
import hashlib
import uuid
from collections import namedtuple
from datetime import datetime, timezone

from asn1crypto import core

import pe

OID_SIGNED_DATA = '1.2.840.113549.1.7.2'
OID_SHA1 = '1.3.14.3.2.26'
OID_CTL = '1.3.6.1.4.1.311.10.1'
OID_CATALOG_LIST = '1.3.6.1.4.1.311.12.1.1'
OID_CATALOG_LIST_MEMBER = '1.3.6.1.4.1.311.12.1.2'
OID_CAT_NAMEVALUE = '1.3.6.1.4.1.311.12.2.1'
OID_CAT_MEMBERINFO = '1.3.6.1.4.1.311.12.2.2'
OID_SPC_INDIRECT_DATA = '1.3.6.1.4.1.311.2.1.4'
OID_SPC_PE_IMAGE_DATA = '1.3.6.1.4.1.311.2.1.15'
OID_SPC_CAB_DATA = '1.3.6.1.4.1.311.2.1.25'  # also stands for flat files

# Subject interface packages: the components that compute a member's hash.
SIP_PE = '{C689AAB8-8E78-11D0-8C47-00C04FC295EE}'
SIP_FLAT = '{DE351A42-8E59-11D0-8C47-00C04FC295EE}'
MEMBER_VERSION = 0x200
# CRYPTCAT_ATTR_AUTHENTICATED | CRYPTCAT_ATTR_DATAASCII | CRYPTCAT_ATTR_NAMEASCII
ATTRIBUTE_FLAGS = 0x10010001
NO_FILE = '<<<Obsolete>>>'

Member = namedtuple('Member', 'digest tag attributes subject sip')
Catalog = namedtuple('Catalog', 'list_id members attributes signed')


class NameValue(core.Sequence):
    _fields = [('name', core.BMPString), ('flags', core.Integer), ('value', core.OctetString)]


class MemberInfo(core.Sequence):
    _fields = [('sip', core.BMPString), ('version', core.Integer)]


class SpcString(core.Choice):
    _alternatives = [('unicode', core.BMPString, {'implicit': 0}), ('ascii', core.IA5String, {'implicit': 1})]


class SpcLink(core.Choice):
    _alternatives = [('url', core.IA5String, {'implicit': 0}), ('moniker', core.Sequence, {'implicit': 1}),
                     ('file', SpcString, {'explicit': 2})]


class SpcPeImageData(core.Sequence):
    _fields = [('flags', core.BitString), ('file', SpcLink, {'explicit': 0, 'optional': True})]


class SpcAttribute(core.Sequence):
    _fields = [('type', core.ObjectIdentifier), ('value', core.Any, {'optional': True})]
    _oid_pair = ('type', 'value')
    _oid_specs = {OID_SPC_PE_IMAGE_DATA: SpcPeImageData, OID_SPC_CAB_DATA: SpcLink}


class Algorithm(core.Sequence):
    _fields = [('algorithm', core.ObjectIdentifier), ('parameters', core.Any, {'optional': True})]


class DigestInfo(core.Sequence):
    _fields = [('algorithm', Algorithm), ('digest', core.OctetString)]


class SpcIndirectData(core.Sequence):
    _fields = [('data', SpcAttribute), ('message_digest', DigestInfo)]


class SetOfAny(core.SetOf):
    _child_spec = core.Any


class Attribute(core.Sequence):
    _fields = [('type', core.ObjectIdentifier), ('values', SetOfAny)]


class Attributes(core.SetOf):
    _child_spec = Attribute


class TrustedSubject(core.Sequence):
    _fields = [('identifier', core.OctetString), ('attributes', Attributes, {'optional': True})]


class TrustedSubjects(core.SequenceOf):
    _child_spec = TrustedSubject


class Extension(core.Sequence):
    _fields = [('id', core.ObjectIdentifier), ('critical', core.Boolean, {'default': False}),
               ('value', core.OctetString)]


class Extensions(core.SequenceOf):
    _child_spec = Extension


class SubjectUsage(core.SequenceOf):
    _child_spec = core.ObjectIdentifier


class TrustList(core.Sequence):
    _fields = [('usage', SubjectUsage), ('list_id', core.OctetString), ('effective', core.UTCTime),
               ('algorithm', Algorithm), ('subjects', TrustedSubjects, {'optional': True}),
               ('extensions', Extensions, {'explicit': 0, 'optional': True})]


class Content(core.Sequence):
    _fields = [('type', core.ObjectIdentifier), ('content', TrustList, {'explicit': 0})]


class SignedData(core.Sequence):
    _fields = [('version', core.Integer), ('digest_algorithms', SetOfAny), ('content', Content),
               ('certificates', SetOfAny, {'implicit': 0, 'optional': True}),
               ('crls', SetOfAny, {'implicit': 1, 'optional': True}), ('signers', SetOfAny)]


class ContentInfo(core.Sequence):
    _fields = [('type', core.ObjectIdentifier), ('content', SignedData, {'explicit': 0})]


def _name_value(name, value):
    return NameValue({'name': name, 'flags': ATTRIBUTE_FLAGS, 'value': (value + '\0').encode('utf-16-le')})


def file_digest(data):
    """Returns (SHA-1 hash, whether the data are a PE image): for an image its Authenticode hash."""
    if data[:2] == b'MZ':
        return pe.PeImage(data).authenticode_digest('sha1'), True
    return hashlib.sha1(data).digest(), False


def _subject(name, data, os_attribute):
    digest, image = file_digest(data)
    no_file = SpcLink('file', SpcString('unicode', NO_FILE))
    if image:
        # Flags of SPC_PE_IMAGE_DATA: resources and import address table are covered, as signing tools write it.
        kind = {'type': OID_SPC_PE_IMAGE_DATA, 'value': SpcPeImageData({'flags': (1, 0, 1), 'file': no_file})}
    else:
        kind = {'type': OID_SPC_CAB_DATA, 'value': no_file}
    indirect = SpcIndirectData({'data': kind, 'message_digest': {
        'algorithm': {'algorithm': OID_SHA1, 'parameters': core.Null()}, 'digest': digest}})
    attributes = [
        {'type': OID_CAT_NAMEVALUE, 'values': [_name_value('File', name)]},
        {'type': OID_CAT_NAMEVALUE, 'values': [_name_value('OSAttr', os_attribute)]},
        {'type': OID_CAT_MEMBERINFO, 'values': [MemberInfo({'sip': SIP_PE if image else SIP_FLAT,
                                                            'version': MEMBER_VERSION})]},
        {'type': OID_SPC_INDIRECT_DATA, 'values': [indirect]},
    ]
    tag = digest.hex().upper()
    return tag, TrustedSubject({'identifier': (tag + '\0').encode('utf-16-le'), 'attributes': attributes})


def build(files, hardware_ids, os_name, os_attribute, when):
    """Returns the unsigned catalogue in DER. files: {name: bytes}; os_name: Inf2Cat's "7X64" or "7X86"; os_attribute:
    "2:6.1" (2 = NT, then the version); when: seconds since 1970. The list's id is computed from the contents, so that
    the same package gives the same file."""
    subjects = sorted(_subject(name, data, os_attribute) for name, data in files.items())
    if len({tag for tag, _ in subjects}) != len(subjects):
        raise ValueError('two files of the package are the same')
    identity = uuid.uuid5(uuid.NAMESPACE_OID, OID_CATALOG_LIST + ' ' + ' '.join(tag for tag, _ in subjects))
    pairs = [('OS', os_name)] + [('HWID%d' % n, hwid.lower()) for n, hwid in enumerate(hardware_ids, 1)]
    trust_list = TrustList({
        'usage': [OID_CATALOG_LIST], 'list_id': identity.bytes_le,
        'effective': datetime.fromtimestamp(when, timezone.utc),
        'algorithm': {'algorithm': OID_CATALOG_LIST_MEMBER, 'parameters': core.Null()},
        'subjects': [subject for _, subject in subjects],
        'extensions': [{'id': OID_CAT_NAMEVALUE, 'value': _name_value(*pair).dump()} for pair in pairs]})
    return ContentInfo({'type': OID_SIGNED_DATA, 'content': {
        'version': 1, 'digest_algorithms': [], 'content': {'type': OID_CTL, 'content': trust_list},
        'signers': []}}).dump()


def parse(data):
    """Reads a catalogue, signed or not. Raises ValueError if the data are no catalogue or contradict themselves."""
    info = ContentInfo.load(data, strict=True)
    signed = info['content']
    if info['type'].native != OID_SIGNED_DATA or signed['content']['type'].native != OID_CTL:
        raise ValueError('not a signed trust list')
    trust_list = signed['content']['content']
    if trust_list['usage'].native != [OID_CATALOG_LIST]:
        raise ValueError('not a catalogue')
    if trust_list['algorithm']['algorithm'].native != OID_CATALOG_LIST_MEMBER:
        raise ValueError('not a version 1 catalogue')
    members = [_parse_member(subject) for subject in trust_list['subjects']]
    pairs = {}
    for extension in trust_list['extensions']:
        if extension['id'].native == OID_CAT_NAMEVALUE:
            pairs.update([_parse_pair(NameValue.load(extension['value'].native))])
    return Catalog(trust_list['list_id'].native, members, pairs, len(signed['signers']) > 0)


def _parse_pair(pair):
    return pair['name'].native, pair['value'].native.decode('utf-16-le').rstrip('\0')


def _parse_member(subject):
    tag = subject['identifier'].native.decode('utf-16-le').rstrip('\0')
    pairs, digest, kind, sip = {}, None, None, None
    for attribute in subject['attributes']:
        oid, value = attribute['type'].native, attribute['values'][0]
        if oid == OID_CAT_NAMEVALUE:
            pairs.update([_parse_pair(value.parse(NameValue))])
        elif oid == OID_CAT_MEMBERINFO:
            sip = value.parse(MemberInfo)['sip'].native
        elif oid == OID_SPC_INDIRECT_DATA:
            indirect = value.parse(SpcIndirectData)
            digest = indirect['message_digest']['digest'].native
            kind = indirect['data']['type'].native
            if indirect['message_digest']['algorithm']['algorithm'].native != OID_SHA1:
                raise ValueError('a member with another hash than SHA-1')
    if digest is None or tag != digest.hex().upper():
        raise ValueError("member '%s' has another hash than its tag" % tag)
    if (kind == OID_SPC_PE_IMAGE_DATA) != (sip == SIP_PE):
        raise ValueError("member '%s': kind and hashing package contradict each other" % tag)
    return Member(digest, tag, pairs, kind, sip)
