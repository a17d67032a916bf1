"""Published vectors, round trips and refusals through Python's cryptography: cryptography_vectors.py PROVIDER"""

import ctypes
import os
import re
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
PLAIN = bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")
IV = bytes(range(16))
# SP 800-38A, appendix F: the first block of each mode with a key of 128 bits.
VECTORS = [
    (modes.ECB(), "3ad77bb40d7a3660a89ecaf32466ef97"),
    (modes.CBC(IV), "7649abac8119b246cee98e9b12e9197d"),
    (modes.CFB(IV), "3b3fd92eb72dad20333449f8e83cfb4a"),
    (modes.CFB8(IV), "3b79424c9c0dd436bace9e0ed4586a4f"),
    (modes.OFB(IV), "3b3fd92eb72dad20333449f8e83cfb4a"),
    (modes.CTR(bytes(range(0xF0, 0x100))), "874d6191b620e3261bef6864990db6ce"),
]


def run(mode, data, encrypt, parts=1):
    cipher = Cipher(algorithms.AES(KEY), mode, default_backend())
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


def main():
    maps = open("/proc/self/maps").read()
    assert sys.argv[1] in maps, "the provider is not loaded"
    (libcrypto,) = set(re.findall(r"/\S*/libcrypto\.so\S*", maps))
    assert provider_of(b"AES-128-GCM", libcrypto) == b"ciphertune", "AES is not the provider's"
    for mode, expected in VECTORS:
        assert run(mode, PLAIN, True) == bytes.fromhex(expected), mode.name
        assert run(mode, bytes.fromhex(expected), False) == PLAIN, mode.name
        data = os.urandom(16 * 1000)
        assert run(mode, run(mode, data, True, 7), False, 13) == data, mode.name
    try:
        run(modes.CBC(IV), bytes(17), True)
        raise AssertionError("a part of a block was taken")
    except ValueError as error:
        assert "block length" in str(error), error

    # GCM specification (McGrew, Viega), test case 4.
    gcm = AESGCM(bytes.fromhex("feffe9928665731c6d6a8f9467308308"))
    nonce = bytes.fromhex("cafebabefacedbaddecaf888")
    text = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    sealed = gcm.encrypt(nonce, text, aad)
    assert sealed[-16:].hex() == "5bc94fbc3221a5db94fae95ae7121a47"
    assert gcm.decrypt(nonce, sealed, aad) == text
    for aead in gcm, AESCCM(KEY, tag_length=8):
        sealed = bytearray(aead.encrypt(nonce, text, aad))
        assert aead.decrypt(nonce, bytes(sealed), aad) == text
        sealed[3] ^= 1
        try:
            aead.decrypt(nonce, bytes(sealed), aad)
            raise AssertionError("a changed message was opened")
        except InvalidTag:
            pass
    # A tag that is known only at the end.
    cipher = Cipher(algorithms.AES(KEY), modes.GCM(nonce), default_backend())
    encryptor = cipher.encryptor()
    encryptor.authenticate_additional_data(aad)
    sealed = encryptor.update(text) + encryptor.finalize()
    decryptor = cipher.decryptor()
    decryptor.authenticate_additional_data(aad)
    assert decryptor.update(sealed) + decryptor.finalize_with_tag(encryptor.tag) == text

    # XTS-AES-256, IEEE 1619, vector 10.
    key = bytes.fromhex("27182818284590452353602874713526624977572470936999595749669676273141592653589793238462643383279502884197169399375105820974944592")
    xts = Cipher(algorithms.AES(key), modes.XTS(bytes([0xFF]) + bytes(15)), default_backend()).encryptor()
    assert xts.update(bytes(i % 256 for i in range(512)))[:16].hex() == "1c3b3a102f770386e4836c99e370cf9b"
    padder = padding.PKCS7(128).padder()
    assert run(modes.CBC(IV), padder.update(b"short") + padder.finalize(), True)
    print("cryptography: vectors, round trips and refusals")


main()
