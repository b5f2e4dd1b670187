// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// P2MR addresses by the npm package @bitgo/wasm-utxo, which makes them of three keys for wallets of a fixed shape. For each line
// with a chain (360 or 361), an index and three seeds in hex: one line with the three public keys, x coordinates in hex, and the address.

import {createInterface} from 'node:readline';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

// The package may be installed away from this file: the first argument is the folder that has node_modules.
const require = createRequire(pathToFileURL(`${process.argv[2] ?? '.'}/`));
const {BIP32, fixedScriptWallet} = require('@bitgo/wasm-utxo');

for await (const line of createInterface({input: process.stdin})) {
  const [chain, index, ...seeds] = line.split(' ');
  const roots = seeds.map((seed) => BIP32.fromSeed(Buffer.from(seed, 'hex')));
  const wallet = fixedScriptWallet.RootWalletKeys.fromXpubs(roots.map((root) => root.neutered().toBase58()));
  const keys = roots.map((root) => Buffer.from(root.derivePath(`m/0/0/${chain}/${index}`).publicKey).toString('hex').slice(2));
  console.log([...keys, fixedScriptWallet.address(wallet, Number(chain), Number(index), 'btc')].join(' '));
}
