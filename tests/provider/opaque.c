/* Opaque keys (EVP_SKEY, OpenSSL 3.5): each algorithm named encrypts and decrypts under one as the default provider does
 * under the bytes, where the program names no provider, and where a key comes from the default one. */
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 320 };

static const char *name;

static void check(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "opaque: %s: %s\n", name, what);
        exit(1);
    }
}

static int is_ours(const char *provider) {
    return strcmp(provider, "ciphertune") == 0;
}

/* A message by a key, opaque or in bytes; answers how much was written. */
static int message(EVP_CIPHER *cipher, EVP_SKEY *key, const unsigned char *bytes, int encrypt, const unsigned char *in,
                   unsigned char *out, unsigned char *tag) {
    static const unsigned char iv[16] = {7, 1};
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, end, ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    check(EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, encrypt, NULL), "init");
    if (aead && (ccm || !encrypt))
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, encrypt ? NULL : tag), "set the tag");
    if (key != NULL)
        check(EVP_CipherInit_SKEY(ctx, NULL, key, iv, EVP_CIPHER_CTX_get_iv_length(ctx), encrypt, NULL), "an opaque key");
    else
        check(EVP_CipherInit_ex2(ctx, NULL, bytes, iv, encrypt, NULL), "a key");
    if (ccm)
        check(EVP_CipherUpdate(ctx, NULL, &n, NULL, LENGTH), "length");
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    check(EVP_CipherUpdate(ctx, out, &n, in, LENGTH), "update");
    check(EVP_CipherFinal_ex(ctx, out + n, &end), "final");
    if (aead && encrypt)
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag), "get the tag");
    EVP_CIPHER_CTX_free(ctx);
    return n + end;
}

static void same(void) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL), *theirs = EVP_CIPHER_fetch(NULL, name, "provider=default");
    check(cipher != NULL && theirs != NULL, "fetch");
    check(is_ours(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher))), "the cipher is another's");
    unsigned char bytes[64], text[LENGTH], expected[LENGTH], out[LENGTH], back[LENGTH], expected_tag[16] = {0}, tag[16] = {0};
    size_t len = EVP_CIPHER_get_key_length(cipher);
    for (int i = 0; i < (int)sizeof bytes; i++)
        bytes[i] = 3 * i + 1;
    for (int i = 0; i < LENGTH; i++)
        text[i] = i;

    EVP_SKEY *key = EVP_SKEY_import_raw_key(NULL, "AES", bytes, len, NULL);
    EVP_SKEY *other = EVP_SKEY_import_raw_key(NULL, "AES", bytes, len, "provider=default");
    check((key != NULL) == (other != NULL), "only one provider has such a key");
    /* Of XTS with 256 bits, whose two keys have 64 bytes. */
    if (key == NULL) {
        check(len == 64, "there is no such key");
        EVP_CIPHER_free(cipher);
        EVP_CIPHER_free(theirs);
        return;
    }
    check(is_ours(EVP_SKEY_get0_provider_name(key)), "the key is another's");
    check(!is_ours(EVP_SKEY_get0_provider_name(other)), "the key is ours");
    EVP_SKEY *moved = EVP_SKEY_to_provider(other, NULL, (OSSL_PROVIDER *)EVP_CIPHER_get0_provider(cipher), NULL);
    EVP_SKEY *away = EVP_SKEY_to_provider(key, NULL, (OSSL_PROVIDER *)EVP_CIPHER_get0_provider(theirs), NULL);
    check(moved != NULL && is_ours(EVP_SKEY_get0_provider_name(moved)), "no key from the default provider");
    check(away != NULL && !is_ours(EVP_SKEY_get0_provider_name(away)), "no key to the default provider");

    check(message(theirs, NULL, bytes, 1, text, expected, expected_tag) == LENGTH, "length by the default provider");
    struct {
        EVP_CIPHER *cipher;
        EVP_SKEY *key;
    } pairs[] = {{cipher, key}, {cipher, moved}, {theirs, away}};
    for (int i = 0; i < 3; i++) {
        check(message(pairs[i].cipher, pairs[i].key, NULL, 1, text, out, tag) == LENGTH, "length");
        check(memcmp(out, expected, LENGTH) == 0 && memcmp(tag, expected_tag, 16) == 0, "other bytes");
        check(message(pairs[i].cipher, pairs[i].key, NULL, 0, out, back, tag) == LENGTH, "length back");
        check(memcmp(back, text, LENGTH) == 0, "other bytes back");
    }
    EVP_SKEY *keys[] = {key, other, moved, away};
    for (int i = 0; i < 4; i++)
        EVP_SKEY_free(keys[i]);
    EVP_CIPHER_free(cipher);
    EVP_CIPHER_free(theirs);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        name = argv[i];
        same();
    }
    name = "AES";
    unsigned char bytes[64] = {0};
    for (int len = 0; len <= 64; len++)
        if (len != 16 && len != 24 && len != 32)
            check(EVP_SKEY_import_raw_key(NULL, "AES", bytes, len, "provider=ciphertune") == NULL, "a key of another length");
    return 0;
}
