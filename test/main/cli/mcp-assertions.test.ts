// `redmint mcp doctor --assertions-from`: both sides of an identity assertion, one broken thing after the other.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { APPLICATION } from '../../../src/applications/application-record.ts'
import { type ClientDefinition, formatClient } from '../../../src/clients/record/client-record.ts'
import { JWT_BEARER, TOKEN_EXCHANGE } from '../../../src/clients/record/grant-types.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { ID_JAG_PROFILE, TOKEN_TYPE } from '../../../src/core/token-types.ts'
import { ISSUER as TRUSTED } from '../../../src/issuers/issuer-kind.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { changeClient, changeUser, createClient, createUser } from '../../support/records.ts'
import { CLIENTS } from '../../support/service.ts'

interface Line {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly finding: string
  readonly advice?: string
}

/** An address at which nobody answers, as records need it. */
const AWAY = 'https://127.0.0.1:1'
const WELL_KNOWN = '/.well-known/oauth-authorization-server'

/** Serves an MCP server of an authorization server, and the metadata of one that is both sides. */
async function serve(t: Test, { issuer, metadata = {} }: { issuer?: string; metadata?: object } = {}) {
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`
    const open = { 'content-type': 'application/json', 'access-control-allow-origin': '*' }
    const metadata_uri = `${origin}/.well-known/oauth-protected-resource/mcp`
    const bodies: Record<string, object> = {
      '/.well-known/oauth-protected-resource/mcp': {
        resource: `${origin}/mcp`,
        authorization_servers: [issuer ?? origin],
      },
      [WELL_KNOWN]: {
        issuer: origin,
        ...{
          authorization_endpoint: `${origin}/a`,
          token_endpoint: `${origin}/t`,
          jwks_uri: `${origin}/keys`,
        },
        response_types_supported: ['code'],
        grant_types_supported: [JWT_BEARER, TOKEN_EXCHANGE],
        identity_chaining_requested_token_types_supported: [TOKEN_TYPE.id_jag],
        authorization_grant_profiles_supported: [ID_JAG_PROFILE],
        ...metadata,
      },
      '/keys': { keys: [{ kty: 'EC' }] },
      '/none': { keys: [] },
    }
    const body = bodies[request.url ?? '']
    const challenge = { 'www-authenticate': `Bearer resource_metadata="${metadata_uri}", scope="notes.read"` }
    if (request.url === '/mcp') response.writeHead(401, { ...open, ...challenge }).end('{}')
    else response.writeHead(body === undefined ? 404 : 200, open).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Runs the command, and returns its findings about assertions by their checks. */
async function examine(args: readonly string[], storage: MemoryStorage, more: Record<string, string>) {
  const environment = { LOG_LEVEL: 'warn', REDIS_URL: 'redis://127.0.0.1:1', ...more }
  const result = await createCli({ storage, environment }).redmint(['mcp', 'doctor', ...args, '--json'])
  const { findings } = parsed<{ findings: Line[] }>(result)
  const start = findings.findIndex(({ check }) => check === 'issuing server')
  return new Map(findings.slice(start).map((line) => [line.check, line]))
}

const texts = (found: ReadonlyMap<string, Line>) =>
  [...found.values()].flatMap(({ level, check, finding, advice = '' }) =>
    level === 'ok' || ['sides', 'issuing server'].includes(check) ? [] : [`${check}: ${finding}. ${advice}`],
  )

t.test('the side that issues', async (t) => {
  const acme = await serve(t, { issuer: AWAY })
  const storage = new MemoryStorage()
  const api = `${acme}/mcp`
  const record: Hash = { clients: 'agent=agent-there', resources: api, scopes: 'notes.read' }
  const put = (change: Hash = {}, id = AWAY) =>
    storage.records.put({ kind: APPLICATION, id, hash: { ...record, ...change } })
  const agent: ClientDefinition = {
    ...CLIENTS.web,
    ...{ client_id: 'agent', grant_types: ['authorization_code', TOKEN_EXCHANGE] },
  }
  await createClient(storage, 'agent', formatClient(agent))
  await createUser(storage, 'ann', { sub: 'sub-of-ann', 'claim:groups': '["sales"]' })
  const look = async (...more: string[]) => {
    const args = [api, '--assertions-from', acme, '--client', 'agent', '--user', 'ann', ...more]
    return examine(args, storage, { ISSUER: acme })
  }
  const says = async (pattern: RegExp, name: string) => {
    const found = texts(await look())
    t.match(found.join('\n'), pattern, name)
    t.equal(found.length, 1, `${name}: nothing else, ${found.join('; ')}`)
  }
  await says(
    /no record of https:.*redmint application add https:\/\/127\.0\.0\.1:1 --client agent=.*--resource http:.*--scope "notes.read"/,
    'no record',
  )
  await put({}, `${AWAY}/`)
  await says(/there is a record of https:\/\/127\.0\.0\.1:1\/, and the other server calls itself/, 'a slash')
  await put()
  const sound = await look()
  t.strictSame(texts(sound), [])
  t.match(sound.get('client in the record')?.finding, /agent may ask, and is agent-there at https/)
  t.match(sound.get('issuing keys'), { level: 'ok' })
  t.match(sound.get('sides'), { level: 'warning', finding: `the records of ${AWAY} were not read` })

  for (const [change, pattern] of [
    [{ disabled: 'true' }, /record of https.* is disabled/],
    [{ clients: '' }, /names no client/],
    [{ clients: 'other' }, /does not name agent, only other.*--client other --client agent=/],
    [
      { resources: 'https://else.example' },
      /no assertion may be for .*only for https:\/\/else\.example.*--resource https:\/\/else\.example --resource http:/,
    ],
    [{ scopes: 'other' }, /cannot have notes\.read.*--scope "other notes\.read"/],
    [{ allowed_groups: '' }, /allowed_groups is empty/],
    [{ allowed_groups: 'staff' }, /ann is in none of staff/],
    [{ subject_of: 'gone' }, /subject_of is gone, which is no client here/],
  ] as const) {
    await put(change)
    await says(pattern, JSON.stringify(change))
  }
  await put({ allowed_groups: 'sales', subject_of: 'agent' })
  t.strictSame(texts(await look()), [])
  await changeUser(storage, 'ann', { set: { disabled: 'true' } })
  await says(/ann is disabled/, 'a disabled user')
  await changeUser(storage, 'ann', { set: { disabled: 'false' } })
  await put()
  for (const [set, pattern] of [
    [
      { grant_types: 'authorization_code' },
      /agent may not exchange tokens.*--grant-type authorization_code --grant-type urn/,
    ],
    [{ disabled: 'true' }, /agent is disabled/],
  ] as const) {
    await changeClient(storage, 'agent', { set })
    await says(pattern, JSON.stringify(set))
    await changeClient(storage, 'agent', { set: { ...formatClient(agent), disabled: 'false' } })
  }
})

t.test('the side that receives', async (t) => {
  const chat = await serve(t)
  const storage = new MemoryStorage()
  const api = `${chat}/mcp`
  const put = (change: Hash = {}) =>
    storage.records.put({
      kind: TRUSTED,
      id: AWAY,
      hash: { profile: 'id-jag', scopes: 'notes.read', ...change },
    })
  const putApi = (change: Hash = {}) =>
    storage.records.put({ kind: RESOURCE, id: api, hash: { scopes: 'notes.read', ...change } })
  const agent: ClientDefinition = {
    ...CLIENTS.web,
    client_id: 'agent-there',
    grant_types: [JWT_BEARER],
    allowed_scopes: ['notes.read'],
  }
  await createClient(storage, 'agent-there', formatClient(agent))
  await createUser(storage, 'ann', { sub: 'ann-at-chat', linked_subjects: `${AWAY}#ann` })
  const look = (trusted = 'true') => {
    const args = [api, '--assertions-from', AWAY, '--client', 'agent-there', '--user', 'ann']
    return examine(args, storage, { ISSUER: chat, TRUSTED_ISSUERS: trusted })
  }
  const says = async (pattern: RegExp, name: string) => {
    const found = texts(await look())
    t.match(found.join('\n'), pattern, name)
    t.equal(found.length, 1, `${name}: nothing else, ${found.join('; ')}`)
  }
  await putApi()
  await says(
    /no record of https.*redmint issuer add https:\/\/127\.0\.0\.1:1 --profile id-jag --scope "notes.read"/,
    'no record',
  )
  await put()
  t.strictSame(texts(await look()), [])
  t.match((await look()).get('receiving server'), { level: 'ok' })
  t.match(texts(await look('false')), [/Set TRUSTED_ISSUERS=true/])
  for (const [change, pattern] of [
    [{ disabled: 'true' }, /is disabled/],
    [{ profile: 'workload' }, /profile is workload.*--profile id-jag/],
    [{ audience: 'https://else.example' }, /wants the audience https:\/\/else\.example.*--clear-audience/],
    [{ max_lifetime: '60' }, /60 seconds at most; those of redmint live 300/],
    [{ scopes: 'other' }, /cannot be granted notes\.read.*--scope "other notes\.read"/],
    [{ account_by: 'verified_email' }, /ann has no verified address/],
  ] as const) {
    await put(change)
    await says(pattern, JSON.stringify(change))
  }
  await put()
  await putApi({ scopes: 'other' })
  await says(/lacks notes\.read.*resource update/, 'an API without the scope')
  await storage.records.remove(RESOURCE, api, undefined)
  await says(/there is no API http.*resource add/, 'no API')
  await putApi()
  for (const [set, pattern] of [
    [
      { grant_types: 'client_credentials' },
      /may not show assertions.*--grant-type client_credentials --grant-type urn/,
    ],
    [{ allowed_scopes: 'other' }, /may not obtain notes\.read.*--scope "other notes\.read"/],
  ] as const) {
    await changeClient(storage, 'agent-there', { set })
    await says(pattern, JSON.stringify(set))
    await changeClient(storage, 'agent-there', { set: formatClient(agent) })
  }
  await changeUser(storage, 'ann', { set: { linked_subjects: 'https://else.example#a' } })
  await says(
    /linked to nobody at .*--linked-subject https:\/\/else\.example#a --linked-subject https:\/\/127\.0\.0\.1:1#/,
    'no link',
  )
})

t.test('what both say in public, and that records of another server are not theirs', async (t) => {
  const [acme, chat] = [await serve(t), await serve(t)]
  const storage = new MemoryStorage()
  const look = (from: string, mcp: string, environment = {}) =>
    examine([`${mcp}/mcp`, '--assertions-from', from], storage, environment)
  t.match((await look(acme, chat, { ISSUER: 'https://else.example' })).get('sides'), {
    level: 'warning',
    finding: /those of https:\/\/else\.example, which is neither/,
  })
  const alone = await look(acme, chat, { REDIS_URL: '' })
  t.match(alone.get('sides'), { level: 'warning', finding: 'the records of neither side were read' })
  for (const [metadata, check, level, finding] of [
    [
      { issuer: 'https://else.example' },
      'issuing server',
      'problem',
      /name "https:\/\/else\.example", and you gave/,
    ],
    [{ grant_types_supported: [] }, 'issuing server', 'problem', /lacks urn:.*token-exchange/],
    [{ jwks_uri: undefined }, 'issuing keys', 'problem', /no jwks_uri/],
    [{ jwks_uri: `${acme}/none` }, 'issuing keys', 'problem', /has no keys/],
    [{ jwks_uri: `${acme}/gone` }, 'issuing keys', 'problem', /answers 404/],
  ] as const) {
    const broken = await serve(t, { metadata })
    t.match((await look(broken, chat)).get(check), { level, finding }, JSON.stringify(metadata))
  }
  const silent = await serve(t, { metadata: { authorization_grant_profiles_supported: [] } })
  t.match((await look(acme, silent)).get('receiving server'), {
    level: 'problem',
    finding: /lacks urn:ietf:params:oauth:grant-profile:id-jag/,
    advice: /TRUSTED_ISSUERS=true/,
  })
  const { redmint } = createCli({ environment: {} })
  const itself = await redmint(['mcp', 'doctor', `${acme}/mcp`, '--assertions-from', acme])
  t.match(itself, { code: 1, stdout: /would issue assertions for itself/ })
  t.match(await redmint(['mcp', 'doctor', `${acme}/gone`, '--assertions-from', chat]), {
    stdout: /identity assertions were not looked at/,
  })
  t.match(await redmint(['mcp', 'doctor', `${acme}/mcp`, '--user', 'x']), { code: 2 })
  t.match(await redmint(['mcp', 'doctor', `${acme}/mcp`, '--assertions-from', 'acme']), { code: 2 })
})
