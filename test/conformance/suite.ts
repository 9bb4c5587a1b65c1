import { describe } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { envelopeCases } from './envelope.js';
import { faultCases } from './faults.js';
import { fieldCases } from './fields.js';
import { goodCases } from './good.js';
import { moveCases } from './moves.js';
import { ids } from './rows.js';
import { signatureCases, switchedSignatureCases } from './signatures.js';
import type { Open } from './target.js';

/** One operation of each scheme, of which every mistake is tried; of the others those that depend on their recipe. */
const eachScheme: readonly OperationId[] = ['SALE', 'TRANSFER_V4', 'PAYOUT', 'CARDINFO'];

/** The interface as behaviour, for any implementation of it. */
export function conformance(name: string, open: Open): void {
  describe(name, () => {
    describe('accepts', () => goodCases(open));
    describe('holds every field against its form', () => fieldCases(open));
    describe('holds every request against its frame', () => envelopeCases(open, ['SALE', 'PAYOUT']));
    describe('holds every signature against its recipe', () => signatureCases(open, ids, eachScheme));
    describe('holds switched signatures against theirs', () => switchedSignatureCases(open));
    describe('holds every move against the order', () => moveCases(open));
    describe('fails', () => faultCases(open));
  });
}

/** That a way to the same implementation brings it all across. */
export function transported(name: string, open: Open): void {
  describe(name, () => {
    describe('accepts', () => goodCases(open));
    describe('holds every request against its frame', () => envelopeCases(open, ['SALE']));
  });
}
