// The package's own index loads fetch, caches, mocks and web sockets besides.
// A name that is missing here makes the build fail; add it when the sources come to need it.
import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Object.assign(Dispatcher.prototype, { connect, request });

export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
