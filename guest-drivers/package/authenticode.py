# SPDX-License-Identifier: MIT
"""Signs drivers and catalogues: makes a test certificate, signs with osslsigncode, checks signatures. Windows 7 as
released verifies SHA-1 signatures only; with the update KB3033929 also SHA-256. Images get both, the SHA-256 signature
nested in the SHA-1 one, as Microsoft's signtool does with /as."""
import os
import re
import subprocess
import tempfile

from asn1crypto import cms, core

import catalog

# Attribute of a signer that holds further signatures: SPC_NESTED_SIGNATURE_OBJID.
OID_NESTED = '1.3.6.1.4.1.311.2.4.1'
ALGORITHMS = ('sha1', 'sha256')
SUBJECT = '/O=aerogpu/CN=aerogpu test certificate (made on this machine)'


class SigningError(Exception):
    """A tool failed; the text is its output."""


def _run(*command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors='replace')
    return result.returncode, result.stdout


def _must(*command):
    code, output = _run(*command)
    if code != 0:
        raise SigningError('%s failed:\n%s' % (command[0], output))
    return output


# A fixed span: the guest's clock may differ by hours from that of the machine that made the certificate.
VALID = ('20200101000000Z', '20450101000000Z')
CA_CONFIGURATION = '''
[ca]
default_ca = self
[self]
database = %(folder)s/index
new_certs_dir = %(folder)s
rand_serial = yes
default_md = sha1
policy = names
x509_extensions = code
[names]
organizationName = supplied
commonName = supplied
[code]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = codeSigning
subjectKeyIdentifier = hash
'''


def make_certificate(certificate, key):
    """Makes a self-signed RSA-2048 certificate that may only sign code, and its key (readable by the owner only). The
    certificate's own signature is SHA-1, which the kernel of Windows 7 without updates can check too."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('index', ''), ('ca.conf', CA_CONFIGURATION % {'folder': folder})):
            with open(os.path.join(folder, name), 'w', encoding='ascii') as file:
                file.write(text)
        request = os.path.join(folder, 'request')
        mask = os.umask(0o077)
        try:
            _must('openssl', 'req', '-new', '-newkey', 'rsa:2048', '-nodes', '-batch', '-subj', SUBJECT, '-keyout', key,
                  '-out', request)
        finally:
            os.umask(mask)
        _must('openssl', 'ca', '-batch', '-config', os.path.join(folder, 'ca.conf'), '-selfsign', '-keyfile', key,
              '-in', request, '-out', certificate, '-notext', '-startdate', VALID[0], '-enddate', VALID[1])


def certificate_der(certificate):
    result = subprocess.run(['openssl', 'x509', '-in', certificate, '-outform', 'DER'], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        raise SigningError(result.stderr.decode(errors='replace'))
    return result.stdout


def thumbprint(certificate):
    """Returns the certificate's SHA-1 in hexadecimal, by which certutil names it."""
    output = _must('openssl', 'x509', '-in', certificate, '-noout', '-fingerprint', '-sha1')
    return re.search(r'=([0-9A-F:]+)', output).group(1).replace(':', '').lower()


def _sign(source, target, certificate, key, algorithm, when, extra=()):
    _must('osslsigncode', 'sign', '-certs', certificate, '-key', key, '-h', algorithm, '-n', 'aerogpu', '-st',
          str(when), *extra, '-in', source, '-out', target)


def sign_image(source, target, certificate, key, when):
    """Embeds a SHA-1 signature and, nested in it, a SHA-256 one. when: signing time, seconds since 1970."""
    with tempfile.TemporaryDirectory() as folder:
        once = os.path.join(folder, 'sha1')
        twice = os.path.join(folder, 'both')
        _sign(source, once, certificate, key, 'sha1', when)
        _sign(once, twice, certificate, key, 'sha256', when, ['-nest'])
        with open(twice, 'rb') as file:
            data = file.read()
    with open(target, 'wb') as file:
        file.write(data)


def sign_catalog(source, target, certificate, key, when):
    """Signs a catalogue with SHA-1, which every Windows 7 understands; a catalogue cannot hold a second signature."""
    with tempfile.TemporaryDirectory() as folder:
        signed = os.path.join(folder, 'signed.cat')
        _sign(source, signed, certificate, key, 'sha1', when)
        with open(signed, 'rb') as file:
            data = file.read()
    with open(target, 'wb') as file:
        file.write(data)


def verify(path, certificate, *extra):
    """Verifies all signatures of a file with osslsigncode: None if they are good, else its output."""
    code, output = _run('osslsigncode', 'verify', '-CAfile', certificate, *extra, '-in', path)
    return None if code == 0 and 'Signature verification: ok' in output else output.strip()


class _Content(core.Sequence):
    _fields = [('type', core.ObjectIdentifier), ('content', catalog.SpcIndirectData, {'explicit': 0})]


class _SignedData(core.Sequence):
    _fields = [('version', core.Integer), ('digest_algorithms', catalog.SetOfAny), ('content', _Content),
               ('certificates', catalog.SetOfAny, {'implicit': 0, 'optional': True}),
               ('crls', catalog.SetOfAny, {'implicit': 1, 'optional': True}), ('signers', cms.SignerInfos)]


class _ContentInfo(core.Sequence):
    _fields = [('type', core.ObjectIdentifier), ('content', _SignedData, {'explicit': 0})]


def embedded_digests(blob):
    """Returns [(hash algorithm of the signer, signed digest of the image)] of a PKCS #7 blob and those nested in it.
    Raises ValueError if it is no Authenticode signature."""
    signed = _ContentInfo.load(blob)['content']
    if signed['content']['type'].native != catalog.OID_SPC_INDIRECT_DATA:
        raise ValueError('a signature over %s' % signed['content']['type'].native)
    signer = signed['signers'][0]
    digest = signed['content']['content']['message_digest']['digest'].native
    found = [(signer['digest_algorithm']['algorithm'].native, digest)]
    for attribute in signer['unsigned_attrs']:
        if attribute['type'].dotted == OID_NESTED:
            for value in attribute['values']:
                found += embedded_digests(value.dump())
    return found


def check_image(path, image, certificate):
    """Yields what is wrong with the signatures of a PE image."""
    blobs = image.signatures()
    if len(blobs) != 1:
        yield '%d certificate table entries, not one' % len(blobs)
        return
    try:
        digests = embedded_digests(blobs[0])
    except ValueError as error:
        yield 'the signature is unreadable: %s' % error
        return
    if tuple(algorithm for algorithm, _ in digests) != ALGORITHMS:
        yield 'signatures are %s, not SHA-1 with SHA-256 nested in it' % [name for name, _ in digests]
    for algorithm, digest in digests:
        if image.authenticode_digest(algorithm) != digest:
            yield 'the %s signature is of another file' % algorithm
    complaint = verify(path, certificate)
    if complaint:
        yield 'osslsigncode: ' + complaint
