import { dirname } from 'node:path';
import { fail } from '../../../errors/index.js';
import type { ChainHead, Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';

/**
 * A note beside the file of a batch: which line the journal had when rows of it were last sent. A journal that lacks
 * the line is an older copy, or that of another computer, and would send them again.
 */
export class SentSidecar {
  readonly path: string;
  readonly #base: string;
  readonly #runtime: Runtime;
  #isReported = false;

  constructor(file: string, base: string, runtime: Runtime) {
    this.path = `${file}.sent.json`;
    this.#base = base;
    this.#runtime = runtime;
  }

  get isThere(): boolean {
    return this.#runtime.files.exists(this.path);
  }

  /** Throws STORAGE. */
  check(journal: Journal): void {
    const noted = this.#read()[this.#base];
    if (noted === undefined || journal.holds(noted)) return;
    throw fail('STORAGE', {
      what: 'the journal',
      why: `${this.path} shows that it is missing entries from when this file was last sent: it was restored from a backup, or this is a different computer`,
      how: 'nothing was sent; --after-restore queries the gateway about every row first and records what was sent',
    });
  }

  /** Never fails: the file may be where nothing can be written. That is said once. */
  note(journal: Journal, report: Reporter): void {
    const { files } = this.#runtime;
    try {
      // A folder that is gone is not made anew.
      if (!files.exists(dirname(this.path))) throw new Error('no folder');
      files.writeText(this.path, `${JSON.stringify({ ...this.#read(), [this.#base]: journal.head() })}\n`);
    } catch {
      if (!this.#isReported)
        report.warn([`${this.path} cannot be written, so a journal restored from a backup would not be noticed`]);
      this.#isReported = true;
    }
  }

  /** By gateway. */
  #read(): Readonly<Record<string, ChainHead>> {
    const { files } = this.#runtime;
    if (!files.exists(this.path)) return {};
    const value: unknown = readJson(() => files.readText(this.path, 65_536), this.path);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, ChainHead] => isTail(entry[1])));
  }
}

function readJson(read: () => string, path: string): unknown {
  try {
    return JSON.parse(read());
  } catch (cause) {
    throw fail(
      'STORAGE',
      { what: path, why: 'it cannot be read', how: 'remove it once you know which rows of this file were sent' },
      { cause },
    );
  }
}

function isTail(value: unknown): value is ChainHead {
  if (typeof value !== 'object' || value === null || !('count' in value) || !('hash' in value)) return false;
  return typeof value.count === 'number' && typeof value.hash === 'string';
}
