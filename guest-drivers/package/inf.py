# SPDX-License-Identifier: MIT
"""Makes aerogpu.inf from its template for the files that are present, parses INF files (Microsoft's "General Syntax
Rules for INF Files"), and checks an INF against the package folder that it describes."""
import os
import re
from collections import namedtuple

Line = namedtuple('Line', 'number key values')  # key is None for a line without '='

PLATFORMS = {'x86': 'NTx86', 'x64': 'NTamd64'}
# Directory identifiers of CopyFiles and of %12%-like strings that this driver may use.
DIRECTORIES = {'10': 'Windows', '11': 'system32', '12': 'system32\\drivers'}
DISPLAY_CLASS = ('display', '{4d36e968-e325-11ce-bfc1-08002be10318}')

# The switches that aerogpu.sys reads (guest-drivers/kmd/os/settings.h).
SWITCHES = ('Disable3D', 'DisableGdiAcceleration', 'DisableAperture', 'DisableHardwareBuffers')


class InfError(ValueError):
    """The file is no INF; the text says where."""


def render(template, conditions, values):
    """Fills in a template: replaces @NAME@ by values, and keeps lines that begin with {condition} only if the condition
    is true ({!condition}: only if it is false)."""
    lines = []
    for line in template.splitlines():
        match = re.match(r'\{(!?)(\w+)\}(.*)', line)
        if match:
            if match[2] not in conditions:
                raise InfError("the template asks for '%s'" % match[2])
            if bool(conditions[match[2]]) == bool(match[1]):
                continue
            line = match[3]
        lines.append(line)
    text = '\n'.join(lines) + '\n'
    text = re.sub(r'@(\w+)@', lambda m: values[m[1]], text)
    return text.replace('\n', '\r\n')


def driver_version(version, when):
    """Returns the version for DriverVer of a package made at the time `when`: `version`, with the minute of the day as
    its last part. Of packages of one date Windows takes the one with the highest version (page "How Windows Selects
    Drivers"), and any if that is the same: so the later one is the newer one."""
    return '%s.%d' % ('.'.join(version.split('.')[:3]), when % 86400 // 60)


def _strip_comment(line):
    quoted = False
    for index, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif char == ';' and not quoted:
            return line[:index]
    return line


def split_values(text):
    """Splits text at commas outside quotation marks; removes the marks, and makes a doubled mark one."""
    fields, field, quoted, index = [], '', False, 0
    while index < len(text):
        char = text[index]
        if char == '"' and quoted and text[index + 1:index + 2] == '"':
            field += '"'
            index += 1
        elif char == '"':
            quoted = not quoted
        elif char == ',' and not quoted:
            fields.append(field.strip())
            field = ''
        else:
            field += char
        index += 1
    if quoted:
        raise InfError('a quotation mark is not closed: %s' % text)
    return fields + [field.strip()]


class Inf:
    """A parsed INF: sections by lower-case name. expand() replaces %strings%."""

    def __init__(self, text):
        self.sections = {}
        current, held = None, ''
        for number, raw in enumerate(text.splitlines(), 1):
            line = held + _strip_comment(raw).strip()
            held = ''
            if line.endswith('\\') and '"' not in line:  # goes on in the next line
                held = line[:-1]
                continue
            if not line:
                continue
            if line.startswith('['):
                if not line.endswith(']'):
                    raise InfError('line %d: a section name without end' % number)
                current = self.sections.setdefault(line[1:-1].strip().lower(), [])
            elif current is None:
                raise InfError('line %d lies before the first section' % number)
            else:
                key, equals, value = line.partition('=')
                if equals and '"' not in key:
                    current.append(Line(number, key.strip(), split_values(value)))
                else:
                    current.append(Line(number, None, split_values(line)))
        self.strings = {line.key.lower(): line.values[0] for line in self.sections.get('strings', []) if line.key}
        self.used_strings = set()

    def expand(self, text):
        def replace(match):
            name = match[1].lower()
            if not name:
                return '%'
            if name in DIRECTORIES:
                return match[0]
            if name not in self.strings:
                raise InfError('the string %%%s%% is not defined' % match[1])
            self.used_strings.add(name)
            return self.strings[name]
        return re.sub(r'%([^%]*)%', replace, text)

    def section(self, name):
        if name.lower() not in self.sections:
            raise InfError('there is no section [%s]' % name)
        return self.sections[name.lower()]

    def values(self, section, key):
        """Returns the fields of all lines of a section with this key, with %strings% replaced."""
        return [self.expand(value) for line in self.section(section) if line.key and line.key.lower() == key.lower()
                for value in line.values if value]

    def value(self, section, key):
        values = self.values(section, key)
        if len(values) != 1:
            raise InfError("[%s] has %d values of '%s', not one" % (section, len(values), key))
        return values[0]


class _Walk:
    """Walk along all references of an INF, from [Version] and [Manufacturer] on. It reports missing and unused
    things."""

    def __init__(self, inf, platform):
        self.inf = inf
        self.platform = platform
        self.reached = {'version', 'strings', 'sourcedisksnames', 'sourcedisksfiles', 'destinationdirs',
                        'manufacturer', 'controlflags'}
        self.files = {}       # name -> destination
        self.registry = {}    # section kind -> {(subkey, name): (flags, [values])}
        self.deleted = {}     # section kind -> {(subkey, name)}
        self.models = {}      # decoration -> [(description, install section, hardware ids)]

    def section(self, name):
        self.reached.add(name.lower())
        return self.inf.section(name)

    def manufacturer(self):
        for line in self.section('Manufacturer'):
            self.inf.expand(line.key)
            base, decorations = line.values[0], line.values[1:]
            for decoration in decorations:
                if not decoration.lower().startswith(self.platform.lower()):
                    raise InfError('line %d: platform %s in a package for %s' % (line.number, decoration,
                                                                                 self.platform))
                entries = []
                for model in self.section('%s.%s' % (base, decoration)):
                    entries.append((self.inf.expand(model.key), model.values[0], model.values[1:]))
                    self.install(model.values[0])
                self.models[decoration] = entries

    def install(self, name):
        if name.lower() in self.reached:  # several hardware ids share it
            return
        for line in self.section(name):
            self.directive(line, 'software', {'featurescore', 'copyfiles', 'addreg', 'delreg'})
        hardware = name + '.HW'
        if hardware.lower() in self.inf.sections:
            for line in self.section(hardware):
                self.directive(line, 'hardware', {'addreg', 'delreg'})
        for line in self.section(name + '.Services'):
            if line.key.lower() != 'addservice':
                raise InfError("line %d: '%s'" % (line.number, line.key))
            self.section(line.values[2])
            if len(line.values) > 3 and line.values[3]:
                for entry in self.section(line.values[3]):
                    self.directive(entry, 'eventlog', {'addreg', 'delreg'})

    def directive(self, line, kind, allowed):
        name = (line.key or '').lower()
        if name not in allowed:
            raise InfError("line %d: '%s' is not expected here" % (line.number, line.key))
        for section in line.values:
            if name == 'copyfiles':
                self.copy(section)
            elif name == 'addreg':
                self.add_registry(section, self.registry.setdefault(kind, {}))
            elif name == 'delreg':
                for entry in self.section(section):
                    if entry.values[0] != 'HKR':
                        raise InfError('line %d: only HKR belongs to the driver' % entry.number)
                    self.deleted.setdefault(kind, set()).add((entry.values[1], entry.values[2]))

    def copy(self, section):
        target = self.inf.values('DestinationDirs', section) or self.inf.values('DestinationDirs', 'DefaultDestDir')
        if target[0] not in DIRECTORIES:
            raise InfError('[%s] goes to directory %s' % (section, target[0]))
        for line in self.section(section):
            name = line.values[0]
            if self.inf.values('SourceDisksFiles', name) == []:
                raise InfError('%s is not in [SourceDisksFiles]' % name)
            if name in self.files:
                raise InfError('%s is copied twice' % name)
            self.files[name] = '\\'.join([DIRECTORIES[target[0]]] + target[1:])

    def add_registry(self, section, table):
        for line in self.section(section):
            fields = [self.inf.expand(value) for value in ([line.key] if line.key else []) + line.values]
            if len(fields) < 5 or fields[0] != 'HKR':
                raise InfError('line %d: HKR,subkey,name,flags,value expected' % line.number)
            if (fields[1], fields[2]) in table:
                raise InfError('line %d: %s is set twice' % (line.number, fields[2]))
            table[fields[1], fields[2]] = (int(fields[3], 0), fields[4:])


def walk(inf, arch):
    """Follows all references; raises InfError at the first broken reference, undefined string or unused section."""
    result = _Walk(inf, PLATFORMS[arch])
    result.manufacturer()
    for disk in {value for line in inf.section('SourceDisksFiles') for value in line.values[:1]}:
        inf.value('SourceDisksNames', disk)
    for name in ('Provider', 'CatalogFile', 'Class', 'ClassGuid', 'Signature', 'DriverVer'):
        inf.values('Version', name)
    for line in inf.section('SourceDisksFiles'):
        if line.key not in result.files:
            raise InfError('%s is named as a source file and never copied' % line.key)
    dead = set(inf.sections) - result.reached
    if dead:
        raise InfError('nothing refers to %s' % ', '.join('[%s]' % name for name in sorted(dead)))
    return result


def check(path, arch, version=None):
    """Returns all defects of an INF in the folder that it installs from, as sentences. Rules: Microsoft's display INF
    pages."""
    folder = os.path.dirname(os.path.abspath(path))
    with open(path, 'rb') as file:
        data = file.read()
    defects = []
    if b'\n' in data.replace(b'\r\n', b''):
        defects.append('lines do not all end in CR LF')
    if re.search(rb'@\w+@|[^\x09\x0a\x0d\x20-\x7e]', data):
        defects.append('a placeholder is left, or a character is not ASCII')
    try:
        inf = Inf(data.decode('ascii', errors='replace'))
        found = walk(inf, arch)
        defects += _check_version(inf, version)
        defects += _check_models(inf, found)
        defects += _check_service(inf, found)
        defects += _check_files(found, folder, inf.value('Version', 'CatalogFile'))
        for name in set(inf.strings) - inf.used_strings - {'service'}:
            defects.append('the string %s is not used' % name)
    except (InfError, ValueError, IndexError) as error:
        defects.append(str(error))
    return defects


def _check_version(inf, version):
    if inf.value('Version', 'Signature') not in ('$Windows NT$', '$CHICAGO$'):
        yield 'Signature'
    if (inf.value('Version', 'Class').lower(), inf.value('Version', 'ClassGuid').lower()) != DISPLAY_CLASS:
        yield 'the class is not Display'
    date, number = inf.values('Version', 'DriverVer')
    match = re.fullmatch(r'(\d\d)/(\d\d)/(\d{4})', date)
    if not match or not 1 <= int(match[1]) <= 12 or not 1 <= int(match[2]) <= 31:
        yield 'DriverVer date %s is not mm/dd/yyyy' % date
    if not re.fullmatch(r'(\d+\.){3}\d+', number) or any(int(part) > 65535 for part in number.split('.')):
        yield 'DriverVer version %s' % number
    if version and number.split('.')[:3] != version.split('.')[:3]:
        yield 'DriverVer version is %s, not that of %s' % (number, version)
    if int(number.rpartition('.')[2]) >= 24 * 60:
        yield 'DriverVer version %s does not end with a minute of the day' % number
    if inf.value('ControlFlags', 'ExcludeFromSelect') != '*':
        yield 'ExcludeFromSelect is required of WDDM drivers'


def _check_models(inf, found):
    platform = found.platform
    windows7 = found.models.get(platform + '.6.1', [])
    if {model for _, _, ids in windows7 for model in ids} != {
            'PCI\\VEN_A3A0&DEV_0001&SUBSYS_0001A3A0', 'PCI\\VEN_A3A0&DEV_0001'}:
        yield 'the hardware ids of Windows 7 are not the device\'s two'
    if found.models.get(platform + '.6.2') != []:
        yield 'Windows 8 is not excluded by an empty models section'
    for _, install, _ in windows7:
        if inf.value(install, 'FeatureScore') != 'E6':
            yield 'FeatureScore of a vendor\'s Windows 7 WDDM driver is E6'


def _check_service(inf, found):
    install = next(iter(found.models[found.platform + '.6.1']))[1]
    fields = inf.values(install + '.Services', 'AddService')
    if fields[:2] != ['aerogpu', '0x00000002']:
        yield 'the service is not the device\'s function driver'
    wanted = {'ServiceType': '1', 'StartType': '3', 'ErrorControl': '0', 'LoadOrderGroup': 'Video',
              'ServiceBinary': '%12%\\aerogpu.sys'}
    for name, value in wanted.items():
        if inf.value(fields[2], name) != value:
            yield '%s is %s, not %s' % (name, inf.value(fields[2], name), value)
    inf.value(fields[2], 'DisplayName')
    event_log = found.registry.get('eventlog', {})
    message_file = event_log.get(('', 'EventMessageFile'), (0, ['']))
    if message_file[0] != 0x20000 or 'IoLogMsg.dll' not in message_file[1][0] or '%SystemRoot%' not in \
            message_file[1][0]:
        yield 'EventMessageFile has to be a REG_EXPAND_SZ with IoLogMsg.dll'
    if event_log.get(('', 'TypesSupported')) != (0x10001, ['7']):
        yield 'TypesSupported has to be 7'


def _check_files(found, folder, catalog_file):
    if found.files.get('aerogpu.sys') != 'system32\\drivers':
        yield 'aerogpu.sys does not go to system32\\drivers'
    for name in list(found.files) + [catalog_file]:
        if not os.path.exists(os.path.join(folder, name)):
            yield 'the package has no file %s' % name
    for name in os.listdir(folder):
        if name.endswith(('.sys', '.dll')) and name not in found.files:
            yield '%s lies in the package and is not installed' % name
    software = found.registry.get('software', {})
    for value, target in (('UserModeDriverName', 'system32'), ('UserModeDriverNameWow', 'Windows\\SysWow64')):
        expected = [name for name, where in found.files.items() if where == target and 'd3d10' not in name]
        if software.get(('', value), (0x10000, []))[1] != expected:
            yield '%s does not name the Direct3D 9 driver that is copied to %s, alone' % (value, target)
    listed = software.get(('', 'InstalledDisplayDrivers'), (0x10000, []))[1]
    if sorted(listed) != sorted(name[:-4] for name in found.files if name.endswith('.dll') and 'd3d10' not in name):
        yield 'InstalledDisplayDrivers is not the list of user-mode drivers of Direct3D 9'
    for value in SWITCHES:
        if software.get(('', value)) != (0x10003, ['0']):
            yield '%s has to be 0 and to survive an update' % value
