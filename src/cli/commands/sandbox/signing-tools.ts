import type { SigningTools } from '../../../sandbox/web/dashboard/signing-comparison.js';
import { remedyFor } from '../../../signing/diagnose/index.js';
import { readRequest, urlOf } from '../../../signing/requests/index.js';

/** What the page Signing of the sandbox shares with `sign verify` and `sign diff`. */
export const signingTools: SigningTools = {
  readRequest(text) {
    const pasted = readRequest(text, {}, 'the pasted request');
    return { ...pasted, url: urlOf(pasted) };
  },
  remedyFor: (mistake) => remedyFor(mistake).change,
};
