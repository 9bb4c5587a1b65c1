// In place of node:child_process where nothing of it is ever called.
module.exports = {};
