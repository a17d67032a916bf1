/* Encrypts a file so that nobody can change it unseen: AES-GCM.
 *
 *     cc seal_file.c $(pkg-config --cflags --libs ciphertune) -o seal_file
 *     head -c 32 /dev/urandom >key
 *     ./seal_file seal key secret.txt secret.sealed
 *     ./seal_file open key secret.sealed secret.txt
 *
 * The sealed file is the nonce (12 bytes), the ciphertext, and the tag (16 bytes). The file's name is not part of it.
 * A whole file is held in memory: what is opened is written only once its tag is known to be right. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ciphertune.h>

enum { NONCE = 12, TAG = 16 };

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "seal_file: %s: %s\n", what, why);
    exit(1);
}

/* A whole file, with room for `extra` bytes behind it. */
static unsigned char *read_file(const char *name, size_t extra, size_t *len)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        fail(name, strerror(errno));
    size_t room = 1 << 16;
    unsigned char *bytes = NULL;
    *len = 0;
    do {
        room *= 2;
        unsigned char *more = realloc(bytes, room + extra);
        if (!more)
            fail(name, "is too large for the memory");
        bytes = more;
        *len += fread(bytes + *len, 1, room - *len, file);
    } while (*len == room);
    if (ferror(file))
        fail(name, "cannot be read");
    fclose(file);
    return bytes;
}

/* Writes beside the file first, so that what was there is whole until what replaces it is. A new file is for its owner
 * alone, since what was opened is secret; one that was there keeps its mode. What is no regular file, as a link or a
 * device, would be replaced by one: it is left alone. */
static void write_file(const char *name, const void *first, size_t first_len, const void *second, size_t second_len)
{
    struct stat old;
    int exists = lstat(name, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        fail(name, "is there, and no regular file");
    char *beside = malloc(strlen(name) + sizeof ".new");
    if (!beside)
        fail(name, "there is no memory to write it");
    strcat(strcpy(beside, name), ".new");
    /* O_EXCL: a link that somebody put there is not followed. */
    int new = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (new < 0)
        fail(beside, strerror(errno));
    FILE *file = fdopen(new, "wb");
    int written = file && (!exists || fchmod(new, old.st_mode & 0777) == 0) &&
                  fwrite(first, 1, first_len, file) == first_len && fwrite(second, 1, second_len, file) == second_len;
    if ((file && fclose(file) != 0) || !written || rename(beside, name) != 0) {
        const char *why = strerror(errno);
        remove(beside);
        fail(name, why);
    }
    free(beside);
}

int main(int argc, char **argv)
{
    if (argc != 5 || (strcmp(argv[1], "seal") != 0 && strcmp(argv[1], "open") != 0)) {
        fprintf(stderr, "usage: seal_file seal|open KEY-FILE FROM TO\n");
        return 2;
    }
    size_t key_len, len;
    unsigned char *key = read_file(argv[2], 0, &key_len);
    unsigned char *text = read_file(argv[3], TAG, &len);

    ciphertune_gcm *gcm;
    if (ciphertune_gcm_new(&gcm, key, key_len, TAG) != CIPHERTUNE_OK)
        fail(argv[2], ciphertune_message());

    if (strcmp(argv[1], "seal") == 0) {
        unsigned char nonce[NONCE];
        FILE *random = fopen("/dev/urandom", "rb");
        if (!random || fread(nonce, 1, NONCE, random) != NONCE)
            fail("/dev/urandom", "cannot be read");
        fclose(random);
        if (ciphertune_gcm_seal(gcm, nonce, NONCE, NULL, 0, text, text, len, text + len, TAG) != CIPHERTUNE_OK)
            fail(argv[3], ciphertune_message());
        write_file(argv[4], nonce, NONCE, text, len + TAG);
    } else {
        if (len < NONCE + TAG)
            fail(argv[3], "is not a sealed file");
        unsigned char *sealed = text + NONCE;
        size_t sealed_len = len - NONCE - TAG;
        if (ciphertune_gcm_open(gcm, text, NONCE, NULL, 0, sealed, sealed, sealed_len, sealed + sealed_len, TAG) !=
            CIPHERTUNE_OK)
            fail(argv[3], ciphertune_message());
        write_file(argv[4], sealed, sealed_len, NULL, 0);
    }
    ciphertune_gcm_free(gcm);
    free(text);
    free(key);
    return 0;
}
