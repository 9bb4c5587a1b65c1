import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Made anew for each run, so that no key lies in the repository and no test starts to fail on a date. */
export function makeCertificate(names: string, days = 2): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-cert-'));
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', 'key.pem');
    const subject = ['-subj', '/CN=paycli test', '-addext', `subjectAltName=${names}`];
    openssl('req', '-new', '-key', 'key.pem', ...subject, '-out', 'request.pem');
    // Unlike `req -x509`, this one takes a negative number of days, which makes an expired certificate.
    const made = ['-signkey', 'key.pem', '-copy_extensions', 'copy', '-days', String(days), '-out', 'cert.pem'];
    openssl('x509', '-req', '-in', 'request.pem', ...made);
    return { key: readFileSync(join(folder, 'key.pem'), 'utf8'), cert: readFileSync(join(folder, 'cert.pem'), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
