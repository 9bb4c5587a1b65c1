// Commander would start subcommands that are programs of their own; there are none.
module.exports = {};
