// Seconds for 1000 encryptions and decryptions of 32768 bytes by AES-128-CBC, one stream: by Mono's managed code, or
// natively from the same program. Prints them and the last block, which depends on all before it.
using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

delegate void Work(byte[] from, byte[] to);

static class Aes {
    const int Chunk = 32768, Times = 1000;
    static readonly byte[] Key = new byte[16], Iv = new byte[16];

    [DllImport("ciphertune")] static extern int ciphertune_cbc_new(out IntPtr ctx, byte[] key, UIntPtr length);
    [DllImport("ciphertune")]
    static extern int ciphertune_cbc_encrypt(IntPtr ctx, byte[] iv, byte[] from, byte[] to, UIntPtr length);
    [DllImport("ciphertune")]
    static extern int ciphertune_cbc_decrypt(IntPtr ctx, byte[] iv, byte[] from, byte[] to, UIntPtr length);

    [DllImport("libcrypto.so.3")] static extern IntPtr EVP_CIPHER_CTX_new();
    [DllImport("libcrypto.so.3")] static extern IntPtr EVP_aes_128_cbc();
    [DllImport("libcrypto.so.3")]
    static extern int EVP_CipherInit_ex(IntPtr ctx, IntPtr type, IntPtr engine, byte[] key, byte[] iv, int encrypts);
    [DllImport("libcrypto.so.3")] static extern int EVP_CIPHER_CTX_set_padding(IntPtr ctx, int pad);
    [DllImport("libcrypto.so.3")]
    static extern int EVP_CipherUpdate(IntPtr ctx, byte[] to, out int written, byte[] from, int length);

    static void Check(bool done) {
        if (!done) throw new Exception("the library refused");
    }

    static Work Managed(bool encrypts) {
        var aes = new RijndaelManaged { KeySize = 128, Padding = PaddingMode.None };
        var with = encrypts ? aes.CreateEncryptor(Key, Iv) : aes.CreateDecryptor(Key, Iv);
        return (from, to) => Check(with.TransformBlock(from, 0, Chunk, to, 0) == Chunk);
    }

    static Work Ciphertune(bool encrypts) {
        IntPtr ctx;
        Check(ciphertune_cbc_new(out ctx, Key, (UIntPtr)Key.Length) == 0);
        var iv = (byte[])Iv.Clone();
        if (encrypts) return (from, to) => Check(ciphertune_cbc_encrypt(ctx, iv, from, to, (UIntPtr)Chunk) == 0);
        return (from, to) => Check(ciphertune_cbc_decrypt(ctx, iv, from, to, (UIntPtr)Chunk) == 0);
    }

    static Work OpenSsl(bool encrypts) {
        var ctx = EVP_CIPHER_CTX_new();
        Check(EVP_CipherInit_ex(ctx, EVP_aes_128_cbc(), IntPtr.Zero, Key, Iv, encrypts ? 1 : 0) == 1);
        Check(EVP_CIPHER_CTX_set_padding(ctx, 0) == 1);
        int written;
        return (from, to) => Check(EVP_CipherUpdate(ctx, to, out written, from, Chunk) == 1 && written == Chunk);
    }

    static void Main(string[] words) {
        Func<bool, Work> way = OpenSsl;
        if (words[0] == "managed") way = Managed;
        if (words[0] == "ciphertune") way = Ciphertune;
        byte[] text = new byte[Chunk], there = new byte[Chunk], back = new byte[Chunk];
        for (int i = 0; i < Chunk; i++) text[i] = (byte)(i * 7);
        for (int i = 0; i < Key.Length; i++) Key[i] = (byte)i;
        Work encrypt = way(true), decrypt = way(false);
        var time = new Stopwatch();
        for (int n = 0; n < Times; n++) {
            time.Start();
            encrypt(text, there);
            decrypt(there, back);
            time.Stop();
            for (int i = 0; i < Chunk; i++) Check(back[i] == text[i]);
        }
        Console.WriteLine("{0:R} {1}", time.Elapsed.TotalSeconds, BitConverter.ToString(there, Chunk - 16));
    }
}
