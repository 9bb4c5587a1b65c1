import { describe, frame, sampled, signatures, switchedSignatures, thinned } from './cases.js';
import { envelopeCases } from './envelope.js';
import { duplicateCases, faultCases } from './faults.js';
import { fieldCases } from './fields.js';
import { goodCases } from './good.js';
import { moveCases, uploadCases } from './moves.js';
import { signatureCases, switchedSignatureCases } from './signatures.js';
import type { Open } from './target.js';

/** The interface as behaviour, for any implementation of it: all cases, all but most of those about signatures and frame, or one of each kind. */
export function conformance(name: string, which: 'all' | 'fewer signatures' | 'sample', open: Open): void {
  const group = { all: describe, 'fewer signatures': thinned, sample: sampled }[which];
  group(name, () => {
    describe('accepts', () => goodCases(open));
    describe('holds every field against its form', () => fieldCases(open));
    describe(frame, () => envelopeCases(open));
    describe(signatures, () => signatureCases(open));
    describe(switchedSignatures, () => switchedSignatureCases(open));
    describe('holds every move against the order', () => moveCases(open));
    describe('takes 3-D Secure results', () => uploadCases(open));
    describe('fails', () => faultCases(open));
    describe('meets a used client order id', () => duplicateCases(open));
  });
}
