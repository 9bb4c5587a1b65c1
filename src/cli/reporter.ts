import type { Paint, Runtime } from '../runtime/ports.js';
import { printable, printableJson } from '../wire/redact.js';
import type { CommonOptions } from './options.js';

/** Where results and remarks go, in the format the user chose. */
export class Reporter {
  readonly json: boolean;
  readonly select: string | undefined;
  readonly paint: Paint;
  readonly verbose: boolean;
  readonly #quiet: boolean;
  readonly #runtime: Runtime;
  readonly #colour: boolean | undefined;
  readonly #kept: (readonly string[])[] = [];

  constructor(options: CommonOptions, session: { readonly output?: string | undefined } | undefined, runtime: Runtime) {
    this.json = (options.output ?? runtime.env['PAYCLI_OUTPUT'] ?? session?.output) === 'json';
    this.select = options.select;
    this.verbose = (options.verbose ?? 0) > 0;
    this.paint = runtime.terminal.paint('out', options.color);
    this.#quiet = options.quiet === true;
    this.#colour = options.color;
    this.#runtime = runtime;
  }

  out(text: string): void {
    this.#runtime.terminal.out(text);
    for (const lines of this.#kept.splice(0)) this.urgent(lines);
  }

  /** A JSON document on standard output. */
  document(value: unknown): void {
    this.out(`${printableJson(JSON.stringify(value, null, 2))}\n`);
  }

  /** Remarks on standard error, unless --quiet. With JSON they wait for the result: an error is then the only thing there. */
  notes(lines: readonly string[]): void {
    if (this.json) this.#kept.push(lines);
    else this.urgent(lines);
  }

  /** A remark that must be out before anything is sent. */
  urgent(lines: readonly string[]): void {
    if (this.#quiet) return;
    const paint = this.#runtime.terminal.paint('err', this.#colour);
    for (const line of lines) this.#runtime.terminal.err(`${paint.dim(oneLine(line))}\n`);
  }

  /** Lines of --verbose. */
  trace(lines: readonly string[]): void {
    for (const line of lines) this.#runtime.terminal.err(`${this.errPaint.dim(oneLine(line))}\n`);
  }

  /** Remarks that --quiet does not silence. */
  warn(lines: readonly string[]): void {
    const paint = this.#runtime.terminal.paint('err', this.#colour);
    for (const line of lines) this.#runtime.terminal.err(`${paint.warn('warning:')} ${oneLine(line)}\n`);
  }

  /** The painters of standard error. */
  get errPaint(): Paint {
    return this.#runtime.terminal.paint('err', this.#colour);
  }

  err(text: string): void {
    this.#runtime.terminal.err(text);
  }
}

/** Foreign text must not begin a line of its own. */
function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}
