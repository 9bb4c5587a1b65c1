import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { fail } from '../../../errors/index.js';
import { contentHash } from '../../../journal/intent.js';
import type { Random } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/mask.js';
import type { BatchRow, PlanHead } from '../../plan.js';

/** What of a row the database has in clear text; the encrypted part authenticates it. */
export type ClearRow = Omit<BatchRow, 'values' | 'destination'>;

/**
 * Encrypts the rows of one batch in AES-256-GCM (names, accounts and whatever else they hold). All workers share one row
 * key; the keys in use are derived from it for each purpose and batch (HKDF), so that a row of one batch cannot be decrypted as a row of
 * another. The clear part of a row is authenticated with it: one whose amount was changed in the database is refused.
 */
export class RowCipher {
  readonly #rowKey: Buffer;
  readonly #contentKey: string;
  /** Equal for workers that hold the same row key; nothing else can be learned from it. */
  readonly keyCheck: string;
  /** Id and digest of the plan. */
  readonly #batch: string;

  constructor(key: Secret, head: Pick<PlanHead, 'id' | 'digest'>) {
    const bytes = keyBytes(key);
    const derived = (purpose: string, salt: string) =>
      Buffer.from(hkdfSync('sha256', bytes, salt, `paycli batch ${purpose}`, 32));
    this.#batch = `${head.id} ${head.digest}`;
    this.#rowKey = derived('rows', this.#batch);
    // Without a batch: equal requests are to be found across batches.
    this.#contentKey = derived('content', '').toString('hex');
    this.keyCheck = createHmac('sha256', derived('check', this.#batch)).update(this.#batch).digest('hex');
  }

  encrypt(row: BatchRow, random: Random): Uint8Array {
    // 12 bytes made from 32 random letters: the port for randomness has no bytes.
    const iv = createHmac('sha256', this.#rowKey).update(random.letters(32)).digest().subarray(0, ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#rowKey, iv).setAAD(this.#authenticatedData(row));
    const text = JSON.stringify({ values: row.values, destination: row.destination });
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws STORAGE when the row is not the one that was encrypted: a part was changed, or it is of another batch. */
  decrypt(row: ClearRow, sealed: Uint8Array): BatchRow {
    try {
      const [iv, tag] = [sealed.subarray(0, ivBytes), sealed.subarray(-tagBytes)];
      const decipher = createDecipheriv('aes-256-gcm', this.#rowKey, iv, { authTagLength: tagBytes });
      decipher.setAAD(this.#authenticatedData(row)).setAuthTag(tag);
      const encrypted = sealed.subarray(ivBytes, -tagBytes);
      const text = Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
      const { values, destination }: Pick<BatchRow, 'values' | 'destination'> = JSON.parse(text);
      return { ...row, values, destination };
    } catch (cause) {
      throw fail(
        'STORAGE',
        {
          what: `row ${row.number} of the batch`,
          why: 'it was changed in the database',
          how: 'nothing more is sent; find out who changed the database, and compare the batch with the plan it came from',
          row: row.number,
        },
        { cause },
      );
    }
  }

  /** The keyed hash of the contents of a request: equal for equal requests, on all workers and in all batches. */
  hash(parts: readonly string[]): string {
    return contentHash(this.#contentKey, parts);
  }

  #authenticatedData({ number, line, endpointId, sum }: ClearRow): Uint8Array {
    return Buffer.from(
      JSON.stringify([this.#batch, number, line, endpointId, sum?.minor ?? null, sum?.currency ?? null]),
    );
  }
}

const [ivBytes, tagBytes] = [12, 16];

/** 32 bytes as 64 hex digits. */
const rowKeyForm = /^[0-9a-f]{64}$/i;

function keyBytes(key: Secret): Buffer {
  const text = key.open().trim();
  if (rowKeyForm.test(text)) return Buffer.from(text, 'hex');
  throw fail('SECRET_UNREADABLE', {
    what: '--row-key-file',
    why: 'does not contain a key of 64 hex digits',
    how: 'make one with `paycli batch work --make-row-key FILE`, then copy that file to every worker',
  });
}
