import type { SigningTools } from '../../../sandbox/web/dashboard/signing-comparison.js';
import { remedyFor } from '../../format/mistake-remedies.js';
import { urlOf } from '../sign/pasted-request.js';
import { readRequest } from '../sign/read-request.js';

/** What the page Signing of the sandbox shares with `sign verify` and `sign diff`. */
export const signingTools: SigningTools = {
  readRequest(text) {
    const pasted = readRequest(text, undefined, 'the pasted request');
    return { ...pasted, url: urlOf(pasted) };
  },
  remedyFor,
};
