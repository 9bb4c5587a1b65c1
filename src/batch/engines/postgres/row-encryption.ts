import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { fail } from '../../../errors/index.js';
import { contentHash } from '../../../journal/intent.js';
import type { Random } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/secret.js';
import type { BatchRow, PlanHead } from '../../plan.js';

/** What of a row is readable in the database, and vouched for by its seal. */
export type ClearRow = Omit<BatchRow, 'values' | 'destination'>;

/**
 * Where a row of a table was written: the transaction (xmin), and the number of the table (tableoid), which no other
 * gets.
 */
export interface Written {
  readonly transaction: string;
  readonly table: string;
}

/**
 * Names, accounts and whatever else a row holds, in AES-256-GCM. All workers share the key; each batch has one made
 * from it, so that a row sealed for one batch opens in no other. The readable part is bound to it: an amount changed in
 * the database opens nothing. What decides about all rows, and which of them may still be sent, stands under
 * HMAC-SHA-256 with keys made from the same one.
 */
export class RowCipher {
  readonly #rows: Buffer;
  readonly #head: Buffer;
  readonly #unsent: Buffer;
  readonly #content: string;
  /** Tells whether two workers hold the same key, and nothing else. */
  readonly keyCheck: string;
  readonly #batch: string;

  constructor(key: Secret, head: Pick<PlanHead, 'id' | 'digest'>) {
    const bytes = keyBytes(key);
    const made = (what: string, salt: string) =>
      Buffer.from(hkdfSync('sha256', bytes, salt, `paycli batch ${what}`, 32));
    this.#batch = `${head.id} ${head.digest}`;
    this.#rows = made('rows', this.#batch);
    this.#head = made('head', this.#batch);
    this.#unsent = made('unsent', this.#batch);
    // The same for every batch: equal requests have to look equal.
    this.#content = made('content', '').toString('hex');
    this.keyCheck = createHmac('sha256', made('check', this.#batch)).update(this.#batch).digest('hex');
  }

  encrypt(row: BatchRow, random: Random): Uint8Array {
    const start = createHmac('sha256', this.#rows).update(random.letters(32)).digest().subarray(0, 12);
    const cipher = createCipheriv('aes-256-gcm', this.#rows, start).setAAD(this.#authenticatedData(row));
    const text = JSON.stringify({ values: row.values, destination: row.destination });
    return Buffer.concat([start, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws STORAGE when the row is not the one that was put in. */
  decrypt(row: ClearRow, sealed: Uint8Array): BatchRow {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#rows, sealed.subarray(0, 12)).setAAD(
        this.#authenticatedData(row),
      );
      decipher.setAuthTag(sealed.subarray(-16));
      const text = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8');
      const { values, destination }: Pick<BatchRow, 'values' | 'destination'> = JSON.parse(text);
      return { ...row, values, destination };
    } catch (cause) {
      throw this.changed(row.number, cause);
    }
  }

  changed(number: number, cause?: unknown): Error {
    return fail('rowChangedInDatabase', { row: number }, { cause });
  }

  /**
   * The MAC over all that decides about every row: the head of the plan as text, where it may be sent from, and how
   * fast.
   */
  prove(facts: readonly (string | number | null)[]): string {
    return createHmac('sha256', this.#head).update(JSON.stringify(facts)).digest('hex');
  }

  isProven(facts: readonly (string | number | null)[], proof: string): boolean {
    return isEqual(this.prove(facts), proof);
  }

  /** The MAC of the permit to send a row once: it counts where it was written alone. */
  proveUnsent(number: number, { transaction, table }: Written): string {
    return createHmac('sha256', this.#unsent)
      .update(JSON.stringify([number, transaction, table]))
      .digest('hex');
  }

  verifyUnsent(number: number, written: Written, proof: string): boolean {
    return isEqual(this.proveUnsent(number, written), proof);
  }

  /** The keyed hash of what a request holds, the same on all workers. */
  hash(parts: readonly string[]): string {
    return contentHash(this.#content, parts);
  }

  #authenticatedData({ number, line, endpointId, sum }: ClearRow): Uint8Array {
    return Buffer.from(
      JSON.stringify([this.#batch, number, line, endpointId, sum?.minor ?? null, sum?.currency ?? null]),
    );
  }
}

/** 32 bytes as 64 hex digits. */
const rowKeyForm = /^[0-9a-f]{64}$/i;

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function keyBytes(key: Secret): Buffer {
  const text = key.open().trim();
  if (rowKeyForm.test(text)) return Buffer.from(text, 'hex');
  throw fail('rowKeyUnusable');
}
