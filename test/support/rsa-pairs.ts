import { generateKeyPairSync } from 'node:crypto';

type RsaPem = ReturnType<typeof newPair>;

const made = new Map<string, RsaPem>();

function newPair(modulusLength: number) {
  return generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Pairs that differ from each other, made once for all tests of a process: each takes a tenth of a second or more. */
export function rsaPairs(): (bits?: number) => RsaPem {
  let given = 0;
  return (bits = 2048) => {
    const name = `${bits} ${given}`;
    given += 1;
    const pair = made.get(name) ?? newPair(bits);
    made.set(name, pair);
    return pair;
  };
}
