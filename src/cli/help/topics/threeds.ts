import { heading, lines, type Topic, terms, text } from './block.js';

export const threedsTopic: Topic = {
  brief: '3-D Secure: the steps of an order, uploads, messages',
  blocks: () => [
    text(
      'A card payment may ask for a step of the payer before it goes on. The reply, or a later `paycli status`, names the step; --wait then ends at once with exit 7 and prints the command that is due.',
    ),
    terms(
      ['MethodUrlFrame', '2.x, device data: load the method URL in a hidden frame, then `paycli upload-3ds method`'],
      ['CReqForm', '2.x, challenge: post the CReq from the payer’s browser, then `paycli upload-3ds cres`'],
      ['PaReqForm', '1.0.2: post the PaReq from the payer’s browser, then `paycli upload-3ds pares`'],
      ['redirect-to', 'the simplified flow: send the payer there; the gateway does the rest'],
    ),
    text(
      '`journal list` and `show`, `timeline`, `resolve` and `wait` say that an order waits for its payer, for what and since when, as the last reply told; so they do of a hosted form nobody filled in.',
    ),
    text(
      'The fields of a step are assumptions A18 and A19. Nothing is final until status says so: an upload that was taken is no approval.',
    ),
    heading('An order through all steps, without a browser'),
    lines(
      'paycli sale --amount 10.42 --currency USD --test-card 3ds-challenge \\',
      '    --client-order-id order-8',
      'paycli 3ds run --client-order-id order-8 --path challenge',
    ),
    text(
      '--path is what the payer does: frictionless, challenge, fail, abandon or timeout. Never with a live profile: it makes up what a bank says.',
    ),
    heading('Messages'),
    terms(
      ['paycli 3ds decode TEXT', 'a CReq, CRes, PaReq, PaRes or method data in the clear'],
      ['paycli 3ds lint TEXT', 'what is wrong with it: alphabet, padding, deflate, fields, and with --order its ids'],
    ),
    text('Test cards that lead to each flow: `paycli sandbox outcomes`. The commands: `paycli 3ds --help`, `paycli upload-3ds --help`.'),
  ],
};
