import { checkTlsPolicy } from '../../config/index.js';
import type { Env, Runtime } from '../../runtime/ports.js';
import { broken, type Found, foundError, pass, warn } from './finding.js';

const isSet = (text: string | undefined): text is string => text !== undefined && text !== '';

/** That certificates are checked, and that nothing writes down what TLS hides. */
export function findTls(env: Env): Found {
  try {
    checkTlsPolicy(env);
  } catch (error) {
    return foundError(error);
  }
  if (isSet(env['SSLKEYLOGFILE']) || /--tls-keylog/.test(env['NODE_OPTIONS'] ?? ''))
    return warn(
      'the keys of TLS connections are asked to be written to a file',
      'unset SSLKEYLOGFILE and take --tls-keylog out of NODE_OPTIONS',
    );
  if (/--tls-min-v?1\.[01]|--tls-min-v1\.0/.test(env['NODE_OPTIONS'] ?? ''))
    return warn('NODE_OPTIONS asks for an old version of TLS', 'take --tls-min-v1.0 and --tls-min-v1.1 out of it');
  return pass('certificates are checked, TLS 1.2 or later');
}

/** Which proxy stands between, without its password. */
export function findProxy(env: Env): Found {
  const named = ['https_proxy', 'HTTPS_PROXY'].find((name) => isSet(env[name]));
  if (named === undefined) return pass('none');
  const text = env[named] ?? '';
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) return broken(`${named} is no address, so it is not used`, `correct or unset ${named}`);
  const except = isSet(env['no_proxy']) || isSet(env['NO_PROXY']) ? ', but for what NO_PROXY lists' : '';
  return pass(`https goes through ${new URL(address).host} by CONNECT${except}; http and this machine never do`);
}

/** What could make the program run other code, or leave its memory behind on disk. */
export function findDumps({ env, files }: Runtime): Found {
  const options = env['NODE_OPTIONS'] ?? '';
  if (/--(?:require|import|loader|experimental-loader|inspect)|(?:^|\s)-r\b/.test(options))
    return warn('NODE_OPTIONS loads other code into paycli, or opens it to a debugger', 'unset NODE_OPTIONS where card data is handled');
  if (/--report-|--heapsnapshot|--heap-prof|--abort-on-uncaught/.test(options))
    return warn('NODE_OPTIONS asks for dumps of memory or environment', 'unset NODE_OPTIONS where card data is handled');
  const soft = coreLimit(files);
  return soft === undefined || soft === '0'
    ? pass('no dump of memory is written')
    : warn('a crash of the runtime may leave its memory in a core file', 'run `ulimit -c 0` before paycli');
}

function coreLimit(files: Runtime['files']): string | undefined {
  try {
    return /^Max core file size\s+(\S+)/m.exec(files.readText('/proc/self/limits'))?.[1];
  } catch {
    return undefined;
  }
}

/** What the screen can show. */
export function findTerminal({ env, terminal, processes }: Runtime): Found {
  const screen = terminal.isOutTty ? `${terminal.width} columns` : 'no terminal';
  const questions = terminal.canPrompt ? 'may ask' : 'never asks';
  const plain = terminal.paint('out').good('x') === 'x';
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(isSet);
  const text = `${screen}, ${plain ? 'no colour' : 'colour'}, ${questions}`;
  const isUnicode = processes.platform.startsWith('win32') || /utf-?8/i.test(locale ?? '');
  if (isUnicode || !terminal.isOutTty) return pass(text);
  return warn(
    `${text}; the locale ${locale ?? ''} has no Unicode, so marks such as ✓ may look odd`.replace('  ', ' '),
    'set LANG to a UTF-8 locale, such as C.UTF-8',
  );
}
