import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

// undici's client parts alone. Its own index puts the methods in place like this, but loads fetch, caches, mocks and
// web sockets besides, which is start-up time of every command that sends.
Object.assign(Dispatcher.prototype, { connect, request });

export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
