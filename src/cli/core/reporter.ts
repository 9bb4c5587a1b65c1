import { isMachineReadable, isOutputFormat, type OutputFormat } from '../../config/settings.js';
import { fail, type PaycliError, renderError, renderErrorJson, shownError } from '../../errors/index.js';
import { wrapText } from '../../errors/text-width.js';
import type { Paint, Progress } from '../../runtime/ports.js';
import { printableJson } from '../../wire/redact.js';
import { csvText } from '../format/csv.js';
import {
  areBesideList,
  type CommandOutput,
  colouredJson,
  type Document,
  entriesOf,
  exactJson,
  flattened,
  jsonLine,
  namesIn,
  oneLine,
  type Sheet,
  selectFields,
  yamlText,
} from '../format/document.js';
import { streamText } from '../format/stream.js';
import { columns, sheetFor, tableText } from '../format/table.js';
import { agoText, timeText } from '../format/time.js';
import type { Printed, Run } from '../run.js';
import type { CommonOptions } from './common-options.js';

/** Prints results and remarks in the format the user chose. */
export class Reporter<D extends Document = Document> {
  readonly form: OutputFormat;
  readonly paint: Paint;
  readonly verbose: boolean;
  readonly #names: readonly string[] | undefined;
  readonly #quiet: boolean;
  readonly #runtime: Run;
  readonly #printed: Printed;
  readonly #colour: boolean | undefined;
  /** For programs: the next document says them. */
  readonly #warnings: string[] = [];
  readonly #warned = new Set<string>();

  /** The session gives the profile's output format; undefined for commands that open no profile. */
  constructor(options: CommonOptions, session: { readonly output?: string | undefined } | undefined, runtime: Run) {
    const chosen = options.output ?? (options.select && 'json');
    const word = chosen ?? runtime.env['PAYCLI_OUTPUT'] ?? session?.output ?? 'text';
    this.form = isOutputFormat(word) ? word : 'text';
    this.verbose = (options.verbose ?? 0) > 0;
    this.paint = runtime.terminal.paint('out', options.color);
    this.#names = namesIn(options.select);
    this.#quiet = options.quiet === true;
    this.#colour = options.color;
    this.#runtime = runtime;
    this.#printed = runtime.printed ?? {};
    this.#printed.form = this.form;
  }

  /** True for json, ndjson and yaml: an error is one JSON object then, and nothing else is on standard error. */
  get isForPrograms(): boolean {
    return isMachineReadable(this.form);
  }

  /** Prints one result. */
  async show(given: CommandOutput<D>): Promise<void> {
    this.noteMeaning(given.document);
    const { entries } = given;
    if (entries !== undefined)
      return this.#stream({ ...given, document: this.#withWarnings(given.document) }, entries());
    const isOfWhole = given.list !== undefined && areBesideList(this.#names ?? [''], given.document, entriesOf(given));
    const document = this.#withWarnings(given.document);
    const shown: CommandOutput = isOfWhole ? { document } : { ...given, document };
    if (this.#isEmpty(shown)) this.notes([shown.empty ?? 'nothing to show']);
    if (!this.#isEmpty(shown) || this.form === 'csv') this.out(await this.#textOf(shown));
  }

  /** YAML is written in one piece. */
  async #stream(given: CommandOutput, entries: AsyncIterable<Document>): Promise<void> {
    const { form } = this;
    if (areBesideList(this.#names ?? [''], given.document, []))
      return this.out(await this.#textOf({ document: given.document }));
    if (form === 'text' || form === 'yaml') {
      const all: Document[] = [];
      for await (const entry of entries) all.push(entry);
      return this.out(await this.#textOf({ ...given, document: { ...given.document, [String(given.list)]: all } }));
    }
    for await (const piece of streamText(form, given, entries, this.#names)) this.out(this.#coloured(piece));
  }

  /** Notes what the error object at the end of the run repeats from the result. */
  noteMeaning({ meaning, why, reason, next }: Document): void {
    const words = [meaning, why, reason].find((text) => typeof text === 'string');
    if (typeof words === 'string') this.#printed.meaning = words;
    if (typeof next === 'string') this.#printed.next = next;
  }

  /**
   * The error for the end of the run where the result already explains it; not printed if the result is on a terminal.
   */
  because(error: PaycliError): void {
    this.#printed.error ??= error;
  }

  /** The first check of the result that failed, and what to do about it, as the error at the end of the run. */
  becauseOfCheck(what: string, next = 'correct what the result reports'): void {
    this.because(fail('CHECK_FAILED', { why: `a check failed: ${what}`, how: next }));
  }

  /** The HTTP status of the last reply, for the error object at the end of the run; undefined where none came. */
  noteStatus(httpStatus: number | undefined): void {
    this.#printed.httpStatus = httpStatus;
  }

  /**
   * Reports an error: to people at once, to programs as the one error object at the end of the run. When the run ends
   * well (`exit` 0), programs get it at once too.
   */
  error(error: PaycliError, exit?: number): void {
    const printed = this.#printed;
    if (!this.isForPrograms) {
      printed.hasPrintedError = true;
      this.err(this.#wrapped(renderError(shownError(error), this.errPaint)));
    } else if (exit === 0) this.err(renderErrorJson({ ...shownError(error), exit, ok: true }));
    else if (printed.error === undefined) printed.error = error;
    else printed.error.beside ??= error;
  }

  /** JSON is coloured on a terminal only: a program must never read colour codes, even with --color. */
  #coloured(json: string): string {
    return this.#runtime.terminal.isOutTty ? colouredJson(json, this.paint) : json;
  }

  /** One event of a stream: a line of JSON for programs, else the text. */
  async event(document: Document, text: string): Promise<void> {
    const chosen = this.#names === undefined ? undefined : selectFields(document, this.#names);
    if (!this.isForPrograms) return this.out(chosen === undefined ? wrapText(text, this.width) : valuesText(chosen));
    const line = jsonLine(chosen ?? this.#withWarnings(document));
    this.out(this.form === 'yaml' ? `--- ${line}` : this.#coloured(line));
  }

  /** A table that fits the terminal; elsewhere each row is a line. */
  sheet(sheet: Sheet): string {
    return tableText(sheet, this.width, this.paint.dim);
  }

  /** Rows as aligned columns without a head that fit the terminal. */
  columns(rows: readonly (readonly string[])[]): string {
    return columns(rows, this.width);
  }

  /** Columns of the terminal that shows the result; undefined elsewhere. */
  get width(): number | undefined {
    return this.#runtime.terminal.isOutTty ? this.#runtime.terminal.width : undefined;
  }

  /** A time in a table: how long ago on a terminal, else in UTC. */
  time(at: number): string {
    return this.form === 'text' && this.#runtime.terminal.isOutTty
      ? agoText(at, this.#runtime.clock.now())
      : timeText(at);
  }

  /** A time by itself, in UTC and as how long ago. */
  moment(at: number): string {
    const ago = agoText(at, this.#runtime.clock.now());
    return ago === timeText(at) ? ago : `${timeText(at)} (${ago})`;
  }

  /** A progress line on a terminal; undefined removes it. */
  progress(text: Progress | undefined): void {
    if (!this.#quiet && !this.verbose) this.#runtime.terminal.progress(text);
  }

  /** True when the whole result is printed as text for people, so that parts of it may be printed before. */
  get isWholeText(): boolean {
    return this.form === 'text' && this.#names === undefined;
  }

  /** Text on standard output as it is. */
  out(text: string): void {
    this.#runtime.terminal.out(text);
    if (this.isWholeText && this.#runtime.terminal.isOutTty) this.#printed.isOnScreen = true;
  }

  #isEmpty(shown: CommandOutput): boolean {
    return shown.list !== undefined && !this.isForPrograms && entriesOf(shown).length === 0;
  }

  async #textOf(shown: CommandOutput): Promise<string> {
    const { form } = this;
    const names = this.#names;
    const chosen = names === undefined ? undefined : entriesOf(shown).map((entry) => selectFields(entry, names));
    const whole = shown.list === undefined ? (chosen?.[0] ?? shown.document) : (chosen ?? shown.document);
    const entries = chosen ?? entriesOf(shown);
    switch (form) {
      case 'json':
        return this.#coloured(printableJson(`${exactJson(whole, 2)}\n`));
      case 'ndjson':
        return this.#coloured(entries.map(jsonLine).join(''));
      case 'yaml':
        return yamlText(whole);
      case 'csv':
        return csvText(shown, entries, names);
      default:
        if (chosen?.[0] !== undefined && shown.list === undefined) return valuesText(chosen[0]);
        if (chosen !== undefined) return this.sheet(sheetFor(shown, chosen));
        if (shown.text === undefined) return this.sheet(shown.sheet?.() ?? sheetFor(shown, entriesOf(shown)));
        return shown.isExact === true ? shown.text() : wrapText(shown.text(), this.width);
    }
  }

  /** Remarks on standard error for people, unless --quiet silences them. */
  notes(lines: readonly string[], isSilenced = this.#quiet): void {
    if (isSilenced || this.isForPrograms) return;
    for (const line of lines) this.err(`${this.errPaint.dim(this.#wrapped(oneLine(line)))}\n`);
  }

  /** Lines of --verbose. */
  trace(lines: readonly string[]): void {
    for (const line of lines) this.#runtime.terminal.err(`${this.errPaint.dim(oneLine(line))}\n`);
  }

  /** Remarks that --quiet does not silence; programs find them in the next document. */
  warn(lines: readonly string[]): void {
    if (this.isForPrograms) this.#warnings.push(...lines);
    else for (const line of lines) this.err(this.#wrapped(`${this.errPaint.warn('warning:')} ${oneLine(line)}\n`));
  }

  /** The same, once in a run whatever the text is. */
  warnOnce(what: string, text: string): void {
    if (!this.#warned.has(what)) this.warn([text]);
    this.#warned.add(what);
  }

  #withWarnings(document: Document): Document {
    const warnings = this.#warnings.splice(0);
    return warnings.length === 0 ? document : { ...document, warnings };
  }

  /** The painters of standard error. */
  get errPaint(): Paint {
    return this.#runtime.terminal.paint('err', this.#colour);
  }

  /** Wraps on a terminal only; elsewhere lines stay whole, so that they can be searched. */
  #wrapped(text: string): string {
    return wrapText(text, this.#runtime.terminal.errWidth);
  }

  err(text: string): void {
    this.#runtime.terminal.err(text);
  }
}

/** What was chosen of one document, for scripts: its values on a line, separated by tabs. */
function valuesText(chosen: Document): string {
  return `${[...flattened(chosen).values()].map(oneLine).join('\t')}\n`;
}
