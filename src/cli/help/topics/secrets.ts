import { lines, type Topic, terms, text } from './block.js';

export const secretsTopic: Topic = {
  brief: 'where keys and passphrases are read from',
  blocks: () => [
    text('A key or passphrase is read from one source. If that fails the command ends with exit 3; no other is tried.'),
    text('The strongest first, for control-key, private-key and passphrase alike:'),
    terms(
      ['--control-key-file FILE', 'a file of your own, mode 0600; - is standard input'],
      ['--control-key-fd 3', 'an open descriptor, as in `3</run/secrets/key`'],
      ['PAYCLI_CONTROL_KEY_FILE', 'a variable that names such a file; there is none for the passphrase'],
    ),
    text('In a profile, one of these; the service in the key store is `paycli`:'),
    lines(
      'control-key-file: FILE       # relative to the configuration file',
      'control-key-stdin: true      # standard input; for the control key only',
      'control-key-fd: 3            # an open descriptor',
      'control-key-env: NAME        # another variable that names a file',
      'control-key-keyring: ENTRY   # an entry of the key store of the system',
      'control-key-helper: [program, argument]   # what that program prints',
    ),
    text('The key store has 3 seconds to answer. A helper stands in the user file only, runs without a shell and has 10 seconds to end.'),
    text(
      '`paycli profile add NAME` asks for the key and keeps it in a file, or with `--store keyring` in the key store (package @napi-rs/keyring). `paycli whoami` shows fingerprints and sources, `--verbose` the source that was used.',
    ),
  ],
};
