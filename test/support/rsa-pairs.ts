import { generateKeyPairSync } from 'node:crypto';

type RsaPem = ReturnType<typeof newPair>;

const made: RsaPem[] = [];

function newPair() {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Pairs that differ from each other, made once for all tests of a process: each takes a tenth of a second. */
export function rsaPairs(): () => RsaPem {
  let given = 0;
  return () => {
    const pair = made[given] ?? newPair();
    made[given] = pair;
    given += 1;
    return pair;
  };
}
