// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Answers questions about SLH-DSA, one a line, as peers.py in the folder above describes them, with the npm package
// @noble/post-quantum:
//
//     peer.mjs FOLDER SET

import {createInterface} from 'node:readline';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

// The package may be installed away from this file: the first argument is the folder that has node_modules.
const require = createRequire(pathToFileURL(`${process.argv[2]}/`));
const schemes = await import(pathToFileURL(require.resolve('@noble/post-quantum/slh-dsa.js')));
const scheme = schemes[`slh_dsa_sha2_${process.argv[3]}`];
if (!scheme) throw new Error(`@noble/post-quantum has no parameter set ${process.argv[3]}`);

const fromHex = (field) => Uint8Array.from(Buffer.from(field === '-' ? '' : field, 'hex'));
const toHex = (bytes) => Buffer.from(bytes).toString('hex');

const questions = {
  keygen: (seed) => toHex(scheme.keygen(seed).publicKey),
  sign: (sk, msg, context, rnd) => toHex(scheme.sign(msg, sk, {context, extraEntropy: rnd.length > 0 ? rnd : false})),
  sign_internal: (sk, msg, rnd) => toHex(scheme.internal.sign(msg, sk, {extraEntropy: rnd})),
  verify: (pk, msg, context, sig) => (scheme.verify(sig, msg, pk, {context}) ? '1' : '0'),
  verify_internal: (pk, msg, sig) => (scheme.internal.verify(sig, msg, pk) ? '1' : '0'),
};

const parse = (line) => {
  const [name, ...fields] = line.split(' ');
  return [name, fields.map(fromHex)];
};

/** The package throws where an argument has a wrong size: to a verifier that is an invalid signature. */
function answer([name, fields]) {
  try {
    return questions[name](...fields);
  } catch (error) {
    if (name.startsWith('verify') && error instanceof RangeError) return '0';
    return name in questions ? 'refused' : `error: cannot answer '${name}'`;
  }
}

const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();
for (let next = await lines.next(); !next.done; next = await lines.next()) {
  const timed = next.value.match(/^time (\d+)$/);
  if (!timed) {
    process.stdout.write(answer(parse(next.value)) + '\n');
    continue;
  }
  const parsed = [];
  while (parsed.length < Number(timed[1])) parsed.push(parse((await lines.next()).value));
  const start = process.cpuUsage();
  const answers = parsed.map(answer);
  const {user, system} = process.cpuUsage(start);
  process.stdout.write([(user + system) * 1000, ...answers].join('\n') + '\n');
}
