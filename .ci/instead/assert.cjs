// The real one is loaded when something is wrong.
module.exports = (value, message) => {
  if (!value) process.getBuiltinModule('node:assert').ok(value, message);
};
