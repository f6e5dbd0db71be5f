// Imports run one way. `npm run check` holds this file.

/** What redmint is about, from the ground up: each folder may import those above it in this list. Those of one line are apart. */
const SUBJECTS = [
  ['core'],
  ['config'],
  ['storage'],
  ['limits'],
  ['outbound', 'certificates'],
  ['keys'],
  ['issuers', 'dpop', 'details'],
  ['clients', 'applications'],
  ['users', 'resources'],
  ['sessions'],
  ['tokens'],
  ['resource-server'],
  ['claims'],
  ['pages'],
  ['texts'],
  ['interaction'],
  ['authorize', 'device', 'grants', 'logout'],
  ['service'],
]

/** What several rooms stand on, and the protocol does not know: loaded with the first of them that is on. */
const SHARED = [['mail'], ['factors'], ['providers'], ['asks']]

/** The rooms: no one imports another. Only what operators and the demonstration have is made of all. */
const ROOMS = [
  [
    'explain',
    'tracing',
    'forward-auth',
    'directory',
    'languages',
    'self-service',
    'own-login',
    'audit',
    'signals-received',
    'status-lists',
  ],
  // It tells what the audit trail has.
  ['signals'],
  ['admin'],
  ['console'],
  ['demo'],
]

const FLOORS = [...SUBJECTS, ...SHARED, ...ROOMS]
const namesOf = (floors) => floors.flat().join('|')

/** What of the command works on storage: whole installations, what opens it, and what a host does in place of servers. */
const ON_STORAGE = [
  '(doctor|move|restore)/',
  'audit/recording\\.ts$',
  '(admin-context|calls|differing-settings|end-all|reindex|run)\\.ts$',
  // The lists that a file is read into, as apply reads them too: ids and digests of secrets.
  '(client|user)/import-file\\.ts$',
]

/** What a command takes from src/ besides core/ and config/. */
const PRINTED = [
  'admin/(host/)?operations?\\.ts$',
  'admin/(connect/|operation/(end-all|list|operation|problem|record-json)\\.ts$)',
  // Texts, limits and presets of operations.
  'admin/(access/(acting-tree|detail-lines)|clients/(defaults|initial-access-tokens|secret)|command-client|doctor/servers|issuers/(issuers|lint|presets)|previews/lives|providers/providers|server/keys|users/given)\\.ts$',
  '[a-z]+/(record/)?[a-z-]+-fields\\.ts$',
  'applications/named-client\\.ts$',
  // What a field that is not given means, and the forms of values.
  'clients/(documents/client-id-url|record/(grant-types|profiles|sector))\\.ts$',
  'users/(claims-json|custom-claims|password-text|standard-claims)\\.ts$',
  'providers/(callback|presets)\\.ts$',
  'self-service/invitation\\.ts$',
  '(console/client|demo/demo-clients)\\.ts$',
  // What is printed of logs and of the audit trail.
  '(audit/(csv|ocsf)|explain/(explanation|record|texts))\\.ts$',
  'keys/wrap\\.ts$',
  'outbound/operator-fetch\\.ts$',
  '(service/finding|storage/errors)\\.ts$',
]

const floorRules = FLOORS.flatMap((folders, floor) => {
  const below = FLOORS.slice(0, floor).flat()
  return folders.map((folder) => ({
    name: `src/${folder}`,
    comment: `src/${folder}/ imports ${below.length === 0 ? 'no other folder' : `nothing but ${below.join(', ')}`}.`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: {
      path: '^(src|plugins|rooms|routes|cli|app|management|instance|server|timeouts|workers)',
      pathNot: `^src/(${[folder, ...below].join('|')})/`,
    },
  }))
})

export default {
  forbidden: [
    ...floorRules,
    {
      name: 'floors',
      comment: 'Every folder of src/ has its place in a list, and context.ts is the only loose file.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/((${namesOf(FLOORS)})/|context\\.ts$)` },
    },
    {
      name: 'context',
      comment: 'src/context.ts knows no room, and is below everything outside of src/.',
      severity: 'error',
      from: { path: '^src/context\\.ts$' },
      to: {
        path: `^(src/(${namesOf(ROOMS)})/|plugins|rooms|routes|cli|app|management|instance|server|timeouts|workers)`,
      },
    },
    {
      name: 'ways to sign in',
      comment: 'A way to sign in is loaded by its room alone.',
      severity: 'error',
      from: { pathNot: '^rooms/' },
      to: { path: '^src/([^/]+/(passkeys/)?method|factors/second-step)\\.ts$' },
    },
    {
      name: 'door of the demo',
      comment: 'The service knows the demo by its one plugin, and by the schemas of its answers.',
      severity: 'error',
      from: {
        path: '^(src|plugins|rooms|routes|app|management|instance)',
        pathNot: '^(src/demo/|routes/demo/|plugins/answers\\.ts$)',
      },
      to: { path: '^(src/demo/|routes/demo/(?!demo\\.ts$))' },
    },
    {
      name: 'plugins',
      comment: 'Imports run one way: app, rooms, routes, plugins, src.',
      severity: 'error',
      from: { path: '^plugins/' },
      to: { path: '^(rooms|routes/|cli/|app|management|server|instance|timeouts|workers)' },
    },
    {
      name: 'routes',
      comment: 'A route calls a function of src/, and never storage.',
      severity: 'error',
      from: { path: '^routes/' },
      to: {
        path: '^(rooms|cli/|app|management|server|instance|timeouts|workers|src/storage/)|^node_modules/ioredis/',
      },
    },
    {
      name: 'app without rooms',
      comment: 'app.ts knows the protocol alone: rooms.ts has the rooms that can be turned on.',
      severity: 'error',
      from: { path: '^app\\.ts$' },
      to: { path: '^(src/|rooms/)', pathNot: '^(src/(config|core)/|src/context\\.ts$|rooms/load\\.ts$)' },
    },
    {
      name: 'rooms alone',
      comment: 'A room knows no other room, and nothing above.',
      severity: 'error',
      from: { path: '^rooms/' },
      to: { path: '^(rooms(\\.ts|/)|cli/|app|management|instance|server|timeouts|workers)' },
    },
    {
      name: 'what is off is not loaded',
      comment: 'The file of a room is always loaded: it imports what the room is made of when it is on.',
      severity: 'error',
      from: { path: '^rooms(\\.ts$|/)', pathNot: '^rooms/load\\.ts$' },
      to: {
        path: `^(routes/|src/(${namesOf([...SHARED, ...ROOMS])})/)`,
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'cli',
      comment: 'The command works on storage with src/ alone.',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^(rooms|routes/|plugins/|app|management|instance|timeouts|workers)' },
    },
    {
      name: 'commands call operations',
      comment:
        'A command calls operations, and prints what they answer. It knows tables of fields and what else it prints, and no reader, writer or store of records.',
      severity: 'error',
      from: { path: '^cli/', pathNot: `^cli/(${ON_STORAGE.join('|')})` },
      to: {
        path: '^(src/(?!(core|config)/)|cli/command-context\\.ts$)',
        pathNot: `^src/(${PRINTED.join('|')})`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'exports',
      comment: 'exports/ is what others import: nothing here does.',
      severity: 'error',
      from: { pathNot: '^exports/' },
      to: { path: '^exports/' },
    },
    {
      name: 'the server for development',
      comment: 'No server has any of it: its command loads it, and redmint/testing is it.',
      severity: 'error',
      from: { pathNot: '^dev/|^(exports/testing|cli)\\.ts$' },
      to: { path: '^dev/' },
    },
    {
      name: 'protocol without Fastify',
      comment: 'src/ is the protocol: it knows no Fastify.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^node_modules/(fastify|fastify-plugin|@fastify)/' },
    },
    {
      name: 'protocol without HTTP',
      comment: 'In src/, only outbound/ imports http, https and http2, their types included.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/outbound/' },
      to: { path: '^(node:)?(http|https|http2)$' },
    },
    {
      name: 'one reader of JWTs',
      comment:
        'Only src/keys/jwt-reader.ts opens a JWS, and only src/tokens/jwt.ts signs one, but for tokens of tests that are wrong. jose reads no JWT.',
      severity: 'error',
      from: { pathNot: '^(src/(keys/jwt-reader|tokens/jwt)|dev/forge)\\.ts$' },
      to: {
        path: '^src/keys/compact-jws\\.ts$|^node_modules/jose/dist/types/(index|jw[st]/|util/decode)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'ioredis',
      comment: 'Only storage/redis/ knows ioredis.',
      severity: 'error',
      from: {
        path: '^(src|plugins|rooms|routes|cli|app|management|instance|server|timeouts|workers)',
        pathNot: '^src/storage/redis/',
      },
      to: { path: '^node_modules/ioredis/' },
    },
    {
      name: 'the interface of storage',
      comment: 'What all storages have in common knows none of them.',
      severity: 'error',
      from: { path: '^src/storage/[^/]+$' },
      to: { path: '^src/storage/(memory|redis)/' },
    },
    {
      name: 'memory and Redis',
      comment: 'The two storages know nothing of each other.',
      severity: 'error',
      from: { path: '^src/storage/(memory|redis)/' },
      to: { path: '^src/storage/(memory|redis)/', pathNot: '^src/storage/$1/' },
    },
    {
      name: 'no circle of files',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no circle of folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(src|plugins|rooms|routes|cli)/' },
      to: { circular: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Type imports count too.
    tsPreCompilationDeps: true,
    doNotFollow: { path: '^node_modules/' },
    exclude: { path: '^(dist|test|bench|scripts|src/admin/connect/templates)/' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'types', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
}
