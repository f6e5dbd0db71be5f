// A grant brings all of its own: product code names its type in its file and in GRANT_TYPES, and nowhere else.
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { GRANT_TYPE_NAMES } from '../../../../src/clients/record/grant-types.ts'
import { HANDLERS } from '../../../../src/grants/handlers.ts'

const TABLE = 'src/clients/record/grant-types.ts'
const FOLDERS = ['src', 'plugins', 'routes', 'cli', 'workers', 'exports']
const SOURCES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(`${folder}/${name}`, 'utf8')] as const),
)

/** Where the names of RFC 6749 stand because somebody else reads or writes them. */
const FOREIGN = [
  // Clients of other servers, and of redmint.
  /^src\/(console|demo|forward-auth|providers)\//,
  /^cli\/(move\/from|remote)\//,
  // The defaults of RFC 7591 §2, and a record that is refused.
  /^src\/clients\/documents\//,
  /^src\/admin\/clients\/state\.ts$/,
  // What is said to who has no token of a client itself.
  /^src\/(core\/signal-errors|signals\/errors)\.ts$/,
  // The first half of the authorization code grant.
  /^src\/authorize\/checks\.ts$/,
]

const naming = (pattern: RegExp) => SOURCES.flatMap(([path, text]) => (pattern.test(text) ? [path] : []))

t.test('a grant type with a name of its own is in its file and the table', async (t) => {
  const named = naming(/urn:ietf:params:oauth:grant-type:/)
  t.strictSame(named.toSorted(), [TABLE, 'src/grants/jwt-bearer.ts'])
})

t.test('the grant types of RFC 6749 are in their files and the table', async (t) => {
  for (const name of ['authorization_code', 'client_credentials']) {
    const named = naming(new RegExp(`'${name}'`))
    const own = named.filter((path) => !FOREIGN.some((pattern) => pattern.test(path)))
    t.strictSame(own.toSorted(), [TABLE, `src/grants/${name.replace('_', '-')}.ts`].toSorted(), name)
  }
})

t.test('each grant type has one handler, and its parameters are those of one grant', async (t) => {
  t.strictSame(HANDLERS.map(({ grant_type }) => grant_type).toSorted(), GRANT_TYPE_NAMES.toSorted())
  const parameters = HANDLERS.flatMap((handler) => Object.keys(handler.parameters))
  t.strictSame(parameters, [...new Set(parameters)])
})
