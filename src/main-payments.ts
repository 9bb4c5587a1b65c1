import { paymentParts } from './cli/commands/payment-parts.js';
import { start } from './start.js';

// The operations and `sign OPERATION` alone: loading every command takes longer than most of them do.
start({ parts: paymentParts });
