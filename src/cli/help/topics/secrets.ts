import { heading, lines, type Topic, terms, text } from './block.js';

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
    ...protection(),
  ],
};

function protection(): ReturnType<Topic['blocks']> {
  return [
    heading('What is protected, and against whom'),
    terms(
      [
        'other users of this machine',
        'keys, card files, journal, plans and sandbox are files of mode 0600 of your own; a configuration file, state folder or key that others may write or read is refused, not warned about',
      ],
      [
        'a planted repository',
        'a project file sets output, timeout, the name of a profile and four texts; whom, how much, in which currency and from where only after `paycli config trust`. No file is ever executed',
      ],
      [
        'a hostile gateway',
        'its text cannot begin a line, move the cursor or stand in a command that is suggested; ids outside their alphabet are shown, never pasted; redirects are not followed; replies have a limit',
      ],
      [
        'a stolen backup',
        'journal, sandbox and plans hold the last four digits of a card, and what came in callbacks is sealed with callback-seal.key. Keep the configuration folder (keys, journal-end-*.json, card-seal.key, callback-seal.key) apart from the state folder: together they are all there is',
      ],
      [
        'a removed or older state folder',
        'its end is noted in the configuration folder: exit 13, and `paycli journal adopt --after-restore` asks the gateway first. Both folders restored together cannot be noticed',
      ],
      [
        'the owner of a batch database',
        'head, rows and the leave to send each row are under a MAC with the row key: the owner can stop a batch, and say falsely how a row ended, but change nothing that is sent',
      ],
    ),
    heading('What is not'),
    text(
      'Whoever is this user or root, holds a key, or may change the program itself. The ids, status and type of a callback stand in callbacks.db in clear, without card numbers. A card number typed into a free text, such as a description, is not found there. Two persons of an approval are worth as much as the file that lists the approvers. The second person of `resolve --resend` and `--settle-as` is a name that is typed and written down, which nothing proves.',
    ),
  ];
}
