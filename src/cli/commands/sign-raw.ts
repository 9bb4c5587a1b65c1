import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { signOauthCase } from '../../signing/diagnose/index.js';
import { type ControlEncoding, controlChecksum } from '../../signing/index.js';
import type { CommonOptions } from '../options.js';
import { presentRaw, presentRawControl } from '../present/raw-signature.js';
import { Reporter } from '../reporter.js';
import { readJson, readSecretFile, sourceOf } from '../sign/files.js';
import { needed } from '../sign/needed.js';
import { caseToSign, type RawOptions } from '../sign/raw-case.js';

/** Signs a request given by hand. The JSON form is fixed: other programs read it. */
export async function runSignRaw(options: RawOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const signed = signOauthCase(await caseToSign(options, report, runtime));
  await report.show({ document: { ...signed }, text: () => presentRaw(signed, report.paint) });
  return 0;
}

export interface ControlOptions extends CommonOptions {
  readonly valuesFile?: string;
  readonly keyFile?: string;
  readonly encoding?: ControlEncoding;
}

/** The checksum over values given by hand. */
export async function runSignControl(options: ControlOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { encoding } = options;
  const { valuesFile, keyFile } = needed('sign control', { valuesFile: options.valuesFile, keyFile: options.keyFile });
  const values = await readValues(valuesFile, runtime);
  const key = readSecretFile(keyFile, report, runtime);
  if (key === '') throw fail('SECRET_UNREADABLE', { what: sourceOf(keyFile), why: 'it is empty', how: 'write the control key into it' });
  const made = { string: values.join(''), control: controlChecksum(values, key, encoding === undefined ? {} : { encoding }) };
  await report.show({ document: made, text: () => presentRawControl(made, values, report.paint) });
  return 0;
}

async function readValues(path: string, runtime: Runtime): Promise<readonly string[]> {
  const given = await readJson(path, runtime);
  const refuse = (why: string) => fail('TEXT_INVALID', { field: sourceOf(path), why });
  if (!Array.isArray(given)) throw refuse('it must be a JSON array of texts such as ["1144", "902B4FF5", "1042"]');
  return given.map((item: unknown, at) => {
    if (typeof item === 'string') return item;
    throw refuse(`item ${at + 1} is no text; numbers are written in quotes, and what is left out is ""`);
  });
}
