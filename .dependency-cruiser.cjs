// Who may import whom, and the one home of each outside library.

const ports = 'runtime/ports.ts';
/** What each part may import besides itself and node's own modules. */
const mayImport = {
  errors: [],
  spec: [],
  wire: ['spec/', 'errors/'],
  signing: ['wire/', 'spec/', 'errors/'],
  threeds: ['wire/'],
  journal: ['wire/', 'spec/', 'errors/', ports],
  payments: ['journal/', 'signing/', 'wire/', 'spec/', 'errors/', ports],
  sandbox: ['threeds/', 'signing/', 'wire/', 'spec/', 'errors/', ports],
  callbacks: ['payments/', 'journal/', 'signing/', 'wire/', 'spec/', 'errors/', ports],
  batch: ['payments/', 'journal/', 'signing/', 'wire/', 'spec/', 'errors/', ports],
  certify: ['sandbox/', 'signing/', 'wire/', 'spec/', 'errors/', ports],
  config: ['spec/', 'wire/', 'errors/', ports],
  cli: [
    'errors/',
    'spec/',
    'wire/',
    'signing/',
    'threeds/',
    'journal/',
    'payments/',
    'sandbox/',
    'callbacks/',
    'batch/',
    'certify/',
    'config/',
    ports,
  ],
  runtime: ['errors/'],
  'sandbox-library.ts': ['sandbox/', 'spec/', 'runtime/', 'sandbox-library-types.ts'],
  'sandbox-library-types.ts': [],
  'index.ts': ['signing/', 'wire/', 'spec/'],
  'main.ts': ['cli/program.ts', 'runtime/node.ts'],
};

/**
 * The folders within a part, each above those behind it: none imports one before it. A file beside the folders may import
 * them all.
 */
const layers = {
  'signing/': { folders: ['library/', 'requests/', 'diagnose/', 'schemes/', 'keys/'] },
  'sandbox/': { folders: ['dashboard/', 'pages/', 'audit/', 'callbacks/'] },
  'cli/': { folders: ['commands/', 'docs/', 'core/', 'format/'] },
};

/** Costly to load, so importers other than the part itself must wait until they need it. */
const lazy = [
  { from: '^src/cli/', to: '^src/(sandbox/|certify/|batch/run\\.ts|runtime/(?!ports))' },
  {
    from: '^src/main\\.ts$',
    to: '^src/(cli/commands/(hidden|[^/]+/)|sandbox/|certify/|batch/|callbacks/|journal/|runtime/(prompter|transport|database)\\.ts)',
  },
  // `sign OPERATION` and a payment in the built-in sandbox need no diagnosis, no request readers and no pages.
  {
    from: '^src/cli/(core/|commands/operation/|commands/sign/(index|sign-operation|show)\\.ts)',
    to: '^src/signing/(diagnose/|requests/(?!pasted-request\\.ts))',
  },
  {
    from: '^src/sandbox/((?!http\\.ts|in-process\\.ts)[^/]+\\.ts$|callbacks/|audit/report)',
    to: '^src/(signing/diagnose/|sandbox/(pages|dashboard)/|sandbox/audit/examine)',
  },
  { from: '^src/runtime/node\\.ts$', to: '^src/runtime/(prompter|transport|database|postgres)\\.ts' },
];

const homes = {
  commander: 'cli/',
  undici: 'runtime/transport\\.ts$',
  enquirer: 'runtime/prompter\\.ts$',
  chalk: 'runtime/terminal\\.ts$',
  cosmiconfig: 'config/config-file\\.ts$',
  hono: '(sandbox|callbacks|certify)/',
  '@photostructure/sqlite': 'runtime/database\\.ts$',
  pg: 'runtime/postgres\\.ts$',
  'csv-parse': 'batch/',
  'lossless-json': '(wire/reply|cli/fields/input-json|cli/format/document|batch/input/ndjson)\\.ts$',
  yaml: '(config/(edit|config-file)|cli/format/document)\\.ts$',
  mustache: 'cli/(format/template|commands/sign/code)\\.ts$',
  'get-east-asian-width': 'errors/text-width\\.ts$',
};

/** Node's own modules: the core has none, signing has cryptography, and what reaches outside is behind the ports. */
const builtins = [
  { from: '^src/(errors|spec|wire)/', allowed: '^$' },
  { from: '^src/signing/', allowed: '^(node:)?(crypto|util)$' },
  { from: '^src/threeds/', allowed: '^(node:)?zlib$' },
  {
    from: '^src/(journal|payments|batch|config|cli|index\\.ts)',
    allowed: '^(node:)?(crypto|path|url|util|zlib|string_decoder)$',
  },
  {
    from: '^src/(sandbox|callbacks|certify)/',
    allowed: '^(node:)?(crypto|zlib|path|url|util|http|https|net|tls|dns|stream)$',
  },
];

const escaped = (text) => text.replaceAll('.', '\\.');

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-circles-of-commands',
      comment: 'what two groups of commands use belongs to core',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/cli/commands/' },
      to: { circular: true, path: '^src/cli/commands/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(mayImport).map(([part, others]) => ({
      name: `${part}-imports`,
      comment: `${part} may import ${others.join(', ') || 'nothing outside itself'}`,
      severity: 'error',
      from: { path: `^src/${part.includes('.') ? `${escaped(part)}$` : `${part}/`}` },
      to: {
        path: '^src/',
        pathNot: [part.includes('.') ? part : `${part}/`, ...others].map((path) => `^src/${escaped(path)}`),
      },
    })),
    ...Object.entries(layers).flatMap(([part, { folders }]) =>
      folders.slice(1).map((folder, at) => ({
        name: `layers-of-${part}${folder}`,
        comment: `${part}${folder} stands below ${folders.slice(0, at + 1).join(', ')}`,
        severity: 'error',
        from: { path: `^src/${part}${folder}` },
        to: { path: folders.slice(0, at + 1).map((above) => `^src/${part}${above}`) },
      })),
    ),
    {
      name: 'every-part-has-a-rule',
      comment: 'a folder or file missing from the table above',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: Object.keys(mayImport).map((part) => `^src/${escaped(part)}(/|$)`),
      },
      to: {},
    },
    ...lazy.map(({ from, to }, at) => ({
      name: `only-lazily-${at + 1}`,
      comment: 'load it by import() where it is used; types are free',
      severity: 'error',
      from: { path: from },
      to: { path: to, dynamic: false, dependencyTypesNot: ['type-only'] },
    })),
    ...Object.entries(homes).map(([library, home]) => ({
      name: `home-of-${library}`,
      comment: `${library} is imported only in ${home}`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/${home}` },
      to: { path: `node_modules/${escaped(library)}/` },
    })),
    {
      name: 'known-libraries',
      comment: 'a library without a home, or one that is not among the dependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/', pathNot: Object.keys(homes).map((library) => `node_modules/${escaped(library)}/`) },
    },
    ...builtins.map(({ from, allowed }, at) => ({
      name: `builtins-${at + 1}`,
      comment: `of node's own modules only ${allowed}`,
      severity: 'error',
      from: { path: from },
      to: { dependencyTypes: ['core'], pathNot: allowed },
    })),
    { name: 'sources-stand-alone', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|\\.ci|dist)/' } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/signing/templates/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
