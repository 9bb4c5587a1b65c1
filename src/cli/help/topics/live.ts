import { heading, lines, type Topic, terms, text } from './block.js';

export const liveTopic: Topic = {
  brief: 'what live payments ask for, leases, caps',
  blocks: () => [
    text(
      'A profile of class live reaches real money. Nothing but the command line itself can switch that on: no variable, no file, no default.',
    ),
    terms(
      ['--live', 'on every command that uses a live profile; no other profile takes it'],
      [
        'the merchant login',
        'typed before money moves, once amount, destination, order, gateway and every value that was not typed were shown; scripts give `--confirm-login LOGIN` and have the same on standard error',
      ],
      ['--client-order-id', 'needed for a new order where there is no terminal, so that a repeat is known as one'],
      ['card data', 'by prompt, --card-file or --card-fd only; as a flag value it is refused before anything is read'],
    ),
    heading('Leases'),
    text('A lease lets some payments through for a while without the typed login. Every command still needs --live, and caps stay.'),
    lines(
      'paycli live unlock --for 15m --ops return,void --max "500.00 EUR" --live',
      'paycli live status      # what stands, and what is left of it',
      'paycli live lock        # the end of all of them',
    ),
    text(
      'A lease holds for this profile, login, address, machine and user, 8 hours at most. Every use is counted and written into the journal.',
    ),
    heading('What counts as live'),
    text(
      'The class of the profile says it. A test profile refuses an address that a live profile or live-hosts of the user file names, and the reverse. A connection from variables alone is live unless it is on this machine or PAYCLI_CLASS=test.',
    ),
    text('Before the first payment: `paycli whoami`, `paycli doctor`, `paycli config explain`. Caps: `paycli help money-safety`.'),
  ],
};
