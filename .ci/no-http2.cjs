// Stands for `node:http2` in undici, which loads it although HTTP/2 is off here; it is slow to load.
module.exports = { constants: {} };
