import { controlEncoding, controlRecipe } from '../../signing/index.js';
import type { Assume, Operation, PlainProtection } from '../../spec/index.js';

/** What an operation is signed with, in words. */
export function recipeWords(row: Operation, protection: PlainProtection, assume: Assume): string {
  switch (protection.scheme) {
    case 'none':
      return 'nothing is signed';
    case 'control':
      return controlRecipe(row, protection.values, controlEncoding(assume));
    case 'hmac-sha1':
      return 'OAuth 1.0a HMAC-SHA1 over all fields';
    case 'rsa-sha256':
      return 'OAuth 1.0a RSA-SHA256 over all fields';
  }
}
