// Imports run one way. `npm run check` holds this file.

/** The rooms of src/, from the ground up: each may import those above it in this list. Rooms of one line are apart. */
const FLOORS = [
  ['core'],
  ['config'],
  ['storage'],
  ['limits'],
  ['outbound', 'certificates'],
  ['keys'],
  ['issuers', 'dpop'],
  ['clients'],
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
  // Rooms with a door: app.ts registers each where it is turned on.
  ['explain'],
  ['tracing'],
  ['forward-auth'],
  ['factors'],
  ['providers'],
  ['directory'],
  ['mail'],
  ['languages'],
  ['self-service'],
  ['own-login'],
  ['audit'],
  ['admin'],
  ['console'],
  ['demo'],
]

const ROOMS = FLOORS.flat()

const roomRules = FLOORS.flatMap((rooms, floor) => {
  const below = FLOORS.slice(0, floor).flat()
  return rooms.map((room) => ({
    name: `src/${room}`,
    comment: `src/${room}/ imports ${below.length === 0 ? 'no other room' : `nothing but ${below.join(', ')}`}.`,
    severity: 'error',
    from: { path: `^src/${room}/` },
    to: {
      path: '^(src|plugins|rooms|routes|cli|app|management|instance|server|timeouts|workers)',
      pathNot: `^src/(${[room, ...below].join('|')})/`,
    },
  }))
})

export default {
  forbidden: [
    ...roomRules,
    {
      name: 'rooms',
      comment: 'Every folder of src/ has its place in the list, and context.ts is the only loose file.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/((${ROOMS.join('|')})/|context\\.ts$)` },
    },
    {
      name: 'context',
      comment: 'src/context.ts is above all rooms of src/, and below everything else.',
      severity: 'error',
      from: { path: '^src/context\\.ts$' },
      to: { path: '^(plugins|rooms|routes|cli|app|management|instance|server|timeouts|workers)' },
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
      to: { path: '^(rooms\\.ts|cli/|app|management|instance|server|timeouts|workers)' },
    },
    {
      name: 'what is off is not loaded',
      comment: 'The file of a room is always loaded: it imports what the room is made of when it is on.',
      severity: 'error',
      from: { path: '^rooms(\\.ts$|/)', pathNot: '^rooms/load\\.ts$' },
      to: {
        path: `^(routes/|src/(${ROOMS.slice(ROOMS.indexOf('explain')).join('|')})/)`,
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
        'A command has no storage: it calls operations. Only what is about a whole installation works on storage, and what opens it.',
      severity: 'error',
      from: {
        path: '^cli/',
        pathNot:
          '^cli/((directory|doctor|move|restore)/|audit/recording|(admin-context|calls|command-context|differing-settings|end-all|reindex|run)\\.ts$)',
      },
      to: {
        path: '^(src/storage/(?!(errors|indexes)\\.ts$)|cli/command-context\\.ts$)',
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
        'Only src/keys/jwt-reader.ts opens a JWS, and only src/tokens/jwt.ts signs one. jose reads no JWT.',
      severity: 'error',
      from: { pathNot: '^src/(keys/jwt-reader|tokens/jwt)\\.ts$' },
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
