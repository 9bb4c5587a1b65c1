import type { CommandGroup } from '../../group.js';

export const callback: CommandGroup = {
  summary: 'Callbacks from the gateway: receive, check, forward, make',
  heading: 'Tools:',
  commands: {
    listen: async () => (await import('./listen.js')).callbackListen,
    list: async () => (await import('./list.js')).callbackList,
    verify: async () => (await import('./verify.js')).callbackVerify,
    send: async () => (await import('./send.js')).callbackSend,
  },
};
