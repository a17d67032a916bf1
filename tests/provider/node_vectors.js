// Published vectors, round trips and refusals through Node's crypto.
'use strict';
const assert = require('assert');
const crypto = require('crypto');
const fs = require('fs');

const key = Buffer.from('2b7e151628aed2a6abf7158809cf4f3c', 'hex');
const plain = Buffer.from('6bc1bee22e409f96e93d7e117393172a', 'hex');
const iv = Buffer.from([...Array(16).keys()]);
const counter = Buffer.from([...Array(16).keys()].map((i) => 0xf0 + i));

const nonce = crypto.randomBytes(12);
// Node has a libcrypto of its own; that it read the configuration shows in what is mapped, and that it takes AES from the
// provider in what the default one takes and this refuses: tags of OCB under four bytes.
assert(fs.readFileSync('/proc/self/maps', 'utf8').includes('ciphertune.so'), 'the provider is not loaded');
assert.throws(() => crypto.createCipheriv('aes-128-ocb', key, nonce, {authTagLength: 3}), 'AES is not the provider\'s');

// SP 800-38A, appendix F.
for (const [name, start, expected] of [
  ['aes-128-ecb', null, '3ad77bb40d7a3660a89ecaf32466ef97'],
  ['aes-128-cbc', iv, '7649abac8119b246cee98e9b12e9197d'],
  ['aes-128-cfb', iv, '3b3fd92eb72dad20333449f8e83cfb4a'],
  ['aes-128-ofb', iv, '3b3fd92eb72dad20333449f8e83cfb4a'],
  ['aes-128-ctr', counter, '874d6191b620e3261bef6864990db6ce'],
]) {
  const cipher = crypto.createCipheriv(name, key, start).setAutoPadding(false);
  assert.strictEqual(cipher.update(plain, null, 'hex') + cipher.final('hex'), expected, name);
  const text = crypto.randomBytes(10007);
  const sealer = crypto.createCipheriv(name, key, start);
  const sealed = Buffer.concat([sealer.update(text.subarray(0, 77)), sealer.update(text.subarray(77)), sealer.final()]);
  const opener = crypto.createDecipheriv(name, key, start);
  assert.deepStrictEqual(Buffer.concat([opener.update(sealed), opener.final()]), text, name);
}

for (const name of ['aes-128-gcm', 'aes-128-ccm', 'aes-128-ocb']) {
  const options = {authTagLength: 16};
  const text = crypto.randomBytes(1000);
  const length = {plaintextLength: text.length};
  const sealer = crypto.createCipheriv(name, key, nonce, options).setAAD(plain, length);
  const sealed = Buffer.concat([sealer.update(text), sealer.final()]);
  const open = (tag) => {
    const opener = crypto.createDecipheriv(name, key, nonce, options).setAuthTag(tag).setAAD(plain, length);
    return Buffer.concat([opener.update(sealed), opener.final()]);
  };
  const tag = sealer.getAuthTag();
  assert.deepStrictEqual(open(tag), text, name);
  tag[5] ^= 1;
  assert.throws(() => open(tag), /unable to authenticate/, name);
}
console.log('node: vectors, round trips and refusals');
