"""Published answers, round trips and refusals through Python's cryptography: cryptography_vectors.py PROVIDER FOLDER

FOLDER has the answers, as crates/testkit/vectors."""

import ctypes
import os
import re
import sys
from collections import Counter

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESOCB3

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
IV = bytes(range(16))
MODES = [
    ("ECB", lambda iv: modes.ECB(), ["ECB.rsp"]),
    ("CBC", modes.CBC, ["CBC.rsp"]),
    ("CFB", modes.CFB, ["CFB.rsp"]),
    ("CFB8", modes.CFB8, ["CFB8.rsp"]),
    ("OFB", modes.OFB, ["OFB.rsp"]),
    ("CTR", modes.CTR, ["SP800-38A.rsp", "RFC3686.rsp"]),
    ("XTS", modes.XTS, ["XTS.rsp"]),
]
# How many known answers each algorithm gave.
seen = Counter()


def records(file):
    """The records of a file, which blank lines part: names, and bytes in hexadecimal digits."""
    with open(os.path.join(sys.argv[2], file)) as text:
        for part in re.split(r"\n\n+", text.read()):
            record = dict(re.findall(r"^(\w+) = ?(.*)$", part, re.MULTILINE))
            if "KEY" in record:
                yield record


def of(record, *names):
    return [bytes.fromhex(record.get(name, "")) for name in names]


def run(mode, data, encrypt, parts=1, key=KEY):
    cipher = Cipher(algorithms.AES(key), mode, default_backend())
    context = cipher.encryptor() if encrypt else cipher.decryptor()
    step = -(-len(data) // parts) or 1
    pieces = [context.update(data[i : i + step]) for i in range(0, len(data), step)]
    return b"".join(pieces) + context.finalize()


def provider_of(name, libcrypto):
    """Which provider this process's libcrypto takes a cipher from, asked for by its name alone."""
    library = ctypes.CDLL(libcrypto)
    for function in (
        library.EVP_CIPHER_fetch,
        library.EVP_CIPHER_get0_provider,
        library.OSSL_PROVIDER_get0_name,
    ):
        function.restype = ctypes.c_void_p
    cipher = ctypes.c_void_p(library.EVP_CIPHER_fetch(None, name, None))
    provider = ctypes.c_void_p(library.EVP_CIPHER_get0_provider(cipher))
    return ctypes.string_at(ctypes.c_void_p(library.OSSL_PROVIDER_get0_name(provider)))


def plain_modes():
    for name, mode, files in MODES:
        for record in (record for file in files for record in records(file)):
            key, iv, text, sealed = of(record, "KEY", "IV", "PLAINTEXT", "CIPHERTEXT")
            # A data unit of XTS comes at once.
            parts = 1 if name == "XTS" else 3
            what = f"AES-{len(key) * (4 if name == 'XTS' else 8)}-{name}"
            seen[what] += 1
            assert run(mode(iv), text, True, parts, key) == sealed, (what, record)
            assert run(mode(iv), sealed, False, parts, key) == text, (what, record)
            data = os.urandom(16 * 1000)
            long = run(mode(iv), data, True, 1 if name == "XTS" else 7, key)
            assert run(mode(iv), long, False, 1 if name == "XTS" else 13, key) == data, what


def sealed_modes():
    makers = [
        ("GCM", "GCM.rsp", lambda key, _: AESGCM(key)),
        ("CCM", "CCM.rsp", AESCCM),
        ("OCB", "OCB.rsp", lambda key, _: AESOCB3(key)),
    ]
    for name, file, maker in makers:
        for record in records(file):
            key, aad, text, sealed, tag = of(record, "KEY", "AAD", "PLAINTEXT", "CIPHERTEXT", "TAG")
            (nonce,) = of(record, "NONCE" if name == "CCM" else "IV")
            # A file for CCM has the tag behind the text, as Python has.
            expected = sealed + tag
            what = f"AES-{len(key) * 8}-{name}"
            seen[what] += 1
            aead = maker(key, len(expected) - len(text))
            assert aead.encrypt(nonce, text, aad) == expected, (what, record)
            assert aead.decrypt(nonce, expected, aad) == text, (what, record)
            changed = bytearray(expected)
            changed[-3] ^= 1
            try:
                aead.decrypt(nonce, bytes(changed), aad)
                raise AssertionError(f"{what}: a changed message was opened")
            except InvalidTag:
                pass


def main():
    maps = open("/proc/self/maps").read()
    assert sys.argv[1] in maps, "the provider is not loaded"
    (libcrypto,) = set(re.findall(r"/\S*/libcrypto\.so\S*", maps))
    assert provider_of(b"AES-128-GCM", libcrypto) == b"ciphertune", "AES is not the provider's"
    plain_modes()
    sealed_modes()
    # Ten modes with three lengths of keys each, but for XTS, which has two; and every answer of the files.
    assert len(seen) == 29, seen
    assert sum(seen.values()) >= 453, seen
    try:
        run(modes.CBC(IV), bytes(17), True)
        raise AssertionError("a part of a block was taken")
    except ValueError as error:
        assert "block length" in str(error), error

    # A tag that is known only at the end.
    aad, text, nonce = b"additional", os.urandom(1000), bytes(12)
    cipher = Cipher(algorithms.AES(KEY), modes.GCM(nonce), default_backend())
    encryptor = cipher.encryptor()
    encryptor.authenticate_additional_data(aad)
    sealed = encryptor.update(text) + encryptor.finalize()
    decryptor = cipher.decryptor()
    decryptor.authenticate_additional_data(aad)
    assert decryptor.update(sealed) + decryptor.finalize_with_tag(encryptor.tag) == text

    # XTS-AES-256, IEEE 1619, vector 10: longer than those of the files.
    key = bytes.fromhex("27182818284590452353602874713526624977572470936999595749669676273141592653589793238462643383279502884197169399375105820974944592")
    xts = Cipher(algorithms.AES(key), modes.XTS(bytes([0xFF]) + bytes(15)), default_backend()).encryptor()
    assert xts.update(bytes(i % 256 for i in range(512)))[:16].hex() == "1c3b3a102f770386e4836c99e370cf9b"
    padder = padding.PKCS7(128).padder()
    assert run(modes.CBC(IV), padder.update(b"short") + padder.finalize(), True)
    print(f"cryptography: {sum(seen.values())} known answers of {len(seen)} algorithms, round trips and refusals")


main()
