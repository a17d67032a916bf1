// Published answers, round trips and refusals through Node's crypto: node_vectors.js FOLDER
// FOLDER has the answers, as crates/testkit/vectors.
'use strict';
const assert = require('assert');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

// Node has a libcrypto of its own; that it read the configuration shows in what is mapped, and that it takes AES from the
// provider in what the default one takes and this refuses: tags of OCB under four bytes.
assert(fs.readFileSync('/proc/self/maps', 'utf8').includes('ciphertune.so'), 'the provider is not loaded');
assert.throws(() => crypto.createCipheriv('aes-128-ocb', Buffer.alloc(16), Buffer.alloc(12), {authTagLength: 3}), 'AES is not the provider\'s');

// The records of a file, which blank lines part: names, and bytes in hexadecimal digits.
function* records(file) {
  for (const part of fs.readFileSync(path.join(process.argv[2], file), 'utf8').split(/\n\n+/)) {
    const record = Object.fromEntries([...part.matchAll(/^(\w+) = ?(.*)$/gm)].map(([, name, value]) => [name, value]));
    if (record.KEY !== undefined) yield record;
  }
}
const bytes = (record, name) => Buffer.from(record[name], 'hex');

// In two parts, unless all is to come at once.
function through(context, data, at = data.length >> 1) {
  const first = at ? context.update(data.subarray(0, at)) : Buffer.alloc(0);
  return Buffer.concat([first, context.update(data.subarray(at)), context.final()]);
}

const seen = {};
const name = (mode, key) => {
  const algorithm = `aes-${key.length * (mode === 'xts' ? 4 : 8)}-${mode}`;
  seen[algorithm] = (seen[algorithm] || 0) + 1;
  return algorithm;
};

for (const [mode, ...files] of [
  ['ecb', 'ECB.rsp'],
  ['cbc', 'CBC.rsp'],
  ['cfb', 'CFB.rsp'],
  ['cfb8', 'CFB8.rsp'],
  ['ofb', 'OFB.rsp'],
  ['ctr', 'SP800-38A.rsp', 'RFC3686.rsp'],
  ['xts', 'XTS.rsp'],
]) {
  for (const record of files.flatMap((file) => [...records(file)])) {
    const [key, plain, sealed] = ['KEY', 'PLAINTEXT', 'CIPHERTEXT'].map((field) => bytes(record, field));
    const iv = record.IV === undefined ? null : bytes(record, 'IV');
    const algorithm = name(mode, key);
    const encryptor = () => crypto.createCipheriv(algorithm, key, iv).setAutoPadding(false);
    const decryptor = () => crypto.createDecipheriv(algorithm, key, iv).setAutoPadding(false);
    // A data unit of XTS comes at once.
    const at = (place) => mode === 'xts' ? 0 : place;
    assert.deepStrictEqual(through(encryptor(), plain, at()), sealed, `${algorithm} ${record.COUNT}`);
    assert.deepStrictEqual(through(decryptor(), sealed, at()), plain, `${algorithm} ${record.COUNT} decrypted`);
    // Longer than any of these, and padded where the mode pads.
    const text = crypto.randomBytes(10007);
    const long = through(crypto.createCipheriv(algorithm, key, iv), text, at(77));
    assert.deepStrictEqual(through(crypto.createDecipheriv(algorithm, key, iv), long, at(78)), text, algorithm);
  }
}

for (const [mode, file] of [['gcm', 'GCM.rsp'], ['ccm', 'CCM.rsp'], ['ocb', 'OCB.rsp']]) {
  for (const record of records(file)) {
    const [key, aad, plain] = ['KEY', 'AAD', 'PLAINTEXT'].map((field) => bytes(record, field));
    const nonce = bytes(record, mode === 'ccm' ? 'NONCE' : 'IV');
    // A file for CCM has the tag behind the text.
    const expected = Buffer.concat([bytes(record, 'CIPHERTEXT'), Buffer.from(record.TAG || '', 'hex')]);
    const algorithm = name(mode, key);
    const options = {authTagLength: expected.length - plain.length};
    const length = {plaintextLength: plain.length};
    const whole = (context, data) => through(context, data, mode === 'ccm' ? 0 : undefined);
    const sealer = crypto.createCipheriv(algorithm, key, nonce, options).setAAD(aad, length);
    const sealed = whole(sealer, plain);
    assert.deepStrictEqual(Buffer.concat([sealed, sealer.getAuthTag()]), expected, `${algorithm} ${record.COUNT ?? record.NONCE}`);
    const open = (tag) => whole(crypto.createDecipheriv(algorithm, key, nonce, options).setAuthTag(tag).setAAD(aad, length), sealed);
    const tag = sealer.getAuthTag();
    assert.deepStrictEqual(open(tag), plain, algorithm);
    tag[3] ^= 1;
    assert.throws(() => open(tag), /unable to authenticate/, algorithm);
  }
}

const answers = Object.values(seen).reduce((sum, number) => sum + number);
// Ten modes with three lengths of keys each, but for XTS, which has two; and every answer of the files.
assert.strictEqual(Object.keys(seen).length, 29, Object.keys(seen).join(' '));
assert(answers >= 453, `${answers} answers`);
console.log(`node: ${answers} known answers of ${Object.keys(seen).length} algorithms, round trips and refusals`);
