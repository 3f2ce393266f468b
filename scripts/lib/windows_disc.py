# SPDX-License-Identifier: MIT
"""Finds out which Windows is on an installation disc: the XML in its sources/install.wim describes each image that can
be installed (Microsoft, "Windows Imaging File Format (WIM)")."""
import struct
import xml.etree.ElementTree

import disc_image
from aerogpu_build import Failure

_MOST_XML = 8 << 20
_BITS = {'0': 32, '9': 64}  # PROCESSOR_ARCHITECTURE_INTEL, _AMD64


class Windows:
    """What a disc can install: `names` of the editions; `bits`, a set of 32 and 64; `service_pack`, the editions'
    lowest."""

    def __init__(self, names, bits, service_pack):
        self.names, self.bits, self.service_pack = names, bits, service_pack

    def __str__(self):
        name = self.names[0] if len(self.names) == 1 else 'Windows 7 (%d editions)' % len(self.names)
        return '%s, %s, %s' % (name, ' and '.join('%d-bit' % bits for bits in sorted(self.bits)),
                               'Service Pack %d' % self.service_pack if self.service_pack else 'no Service Pack')


def _images(wim):
    """Returns the IMAGE elements of a WIM file's XML."""
    header = wim.read(0, 208)
    if header[:8] != b'MSWIM\0\0\0':
        raise disc_image.Damaged('sources/install.wim is no WIM file')
    size, offset = struct.unpack_from('<QQ', header, 72)
    size &= (1 << 56) - 1
    if size > _MOST_XML:
        raise disc_image.Damaged('the description in sources/install.wim has %d bytes' % size)
    try:
        text = wim.read(offset, size).decode('utf-16')
        if '<!' in text:  # a downloaded description must not define entities
            raise ValueError
        return xml.etree.ElementTree.fromstring(text).findall('IMAGE')
    except (ValueError, xml.etree.ElementTree.ParseError):
        raise disc_image.Damaged('the description in sources/install.wim cannot be read') from None


def look(path):
    """Returns the Windows of an installation disc of Windows 7 for PCs; Failure says why anything else is none."""
    try:
        with disc_image.Image(path) as image:
            wim = image.find('sources/install.wim')
            if not wim or wim.is_folder:
                raise Failure("'%s' is no installation disc of Windows: it has no sources/install.wim" % path)
            images = _images(wim)
    except disc_image.Damaged as damage:
        raise Failure("'%s' is no disc image, or a damaged one: %s" % (path, damage)) from None
    except OSError as error:
        raise Failure("cannot read '%s': %s" % (path, error.strerror)) from None
    names, bits, service_packs = [], set(), []
    for one in images:
        said = lambda name: (one.findtext('WINDOWS/' + name) or '').strip()
        name = (one.findtext('NAME') or 'Windows').strip()
        version = said('VERSION/MAJOR') + '.' + said('VERSION/MINOR')
        if version != '6.1' or said('PRODUCTTYPE') not in ('WinNT', ''):
            raise Failure("'%s' has %s (version %s), not Windows 7" % (path, name, version))
        if said('ARCH') not in _BITS:
            raise Failure("'%s' has %s for another processor than a PC's" % (path, name))
        names.append(name)
        bits.add(_BITS[said('ARCH')])
        service_packs.append(int(said('VERSION/SPLEVEL') or '0') if (said('VERSION/SPLEVEL') or '0').isdigit() else 0)
    if not names:
        raise Failure("'%s' has no Windows in its sources/install.wim" % path)
    return Windows(names, bits, min(service_packs))
