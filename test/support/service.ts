import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { type RedmintOptions, redmintWith, type TestParts } from '../../app.ts'
import { createInstance } from '../../instance.ts'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import { DEV_KID, isForDevelopment } from '../../src/core/dev-mode.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { formatSigningKeys, parseSigningKeys } from '../../src/keys/key-record.ts'
import { noteFitted } from '../../src/storage/indexes.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { s256Challenge } from '../../src/tokens/pkce.ts'
import { testKeys } from './keys.ts'
import { createClient } from './records.ts'
import { untilAnswers } from './until.ts'

export const ISSUER = 'https://auth.example.com'
/** Demo mode as it is by default: only it shows mails. */
export const DEMO_HERE = { issuer: 'http://localhost:3000', demo: true } as const
export const SECRET = 'a-secret-that-only-tests-know'
export const REDIRECT_URI = 'https://app.example.com/callback'
export const VERIFIER = 'a-code-verifier-of-forty-three-characters-or-more'

const sha256 = (secret: string) => createHash('sha256').update(secret).digest('base64')

const confidential = { client_secret_hash: sha256(SECRET), is_public: false, disabled: false } as const
const scopes = ['openid', 'api.read', 'api.write'] as const

/** The clients of every test service: two confidential ones and a public one. */
export const CLIENTS = {
  service: {
    ...confidential,
    client_id: 'service',
    client_name: 'Service',
    redirect_uris: [],
    allowed_scopes: ['api.read', 'api.write'],
    grant_types: ['client_credentials'],
  },
  web: {
    ...confidential,
    client_id: 'web',
    client_name: 'Web application',
    redirect_uris: [REDIRECT_URI],
    allowed_scopes: scopes,
    grant_types: ['authorization_code', 'client_credentials'],
  },
  app: {
    client_id: 'app',
    client_name: 'Public application',
    redirect_uris: [REDIRECT_URI, 'http://127.0.0.1/callback'],
    allowed_scopes: scopes,
    grant_types: ['authorization_code'],
    is_public: true,
    disabled: false,
  },
} satisfies Record<string, ClientDefinition>

/** The options of a service in a test: those of the plugin, and the parts that tests replace. */
export type TestOptions = Partial<RedmintOptions> & TestParts & ServerParts

/** What the server that redmint runs in is given. */
interface ServerParts {
  trusted_proxies?: readonly string[]
}

const PARTS: Readonly<Record<keyof TestParts, true>> = {
  asks: true,
  web_push: true,
  backchannel: true,
  mail: true,
  explain: true,
  keepers: true,
  signals: true,
  make_key_pair: true,
  get_document: true,
  fetch_key_set: true,
  fetch_client_keys: true,
  index_timing: true,
  now: true,
  provider_fetch: true,
  directory_timing: true,
  list_timing: true,
}

/** Never, so that tests which count commands or log lines do not meet the repair of indexes. */
const QUIET_INDEXES = { delay: 86_400, first_look: 86_400, look: 86_400 }

/** Registers the plugin, with the parts that the options replace. */
export async function registerRedmint(
  fastify: FastifyInstance,
  options: TestOptions & Pick<RedmintOptions, 'issuer'>,
): Promise<void> {
  const isPart = ([name]: [string, unknown]) => Object.hasOwn(PARTS, name)
  const entries = Object.entries(options)
  const published = Object.fromEntries(entries.filter((entry) => !isPart(entry))) as typeof options
  const parts = { index_timing: QUIET_INDEXES, ...Object.fromEntries(entries.filter(isPart)) }
  await fastify.register(redmintWith(parts), published)
}

export interface Service {
  fastify: FastifyInstance
  storage: Storage
  /** Every logged line, as text. */
  log: string[]
  request(options: InjectOptions): Promise<Answer>
  /** Posts a form to the token endpoint. */
  token(form: Record<string, string>, headers?: Record<string, string>): ReturnType<Service['post']>
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Asks the authorization endpoint for a code as `subject`; overrides with undefined leave a parameter out. */
  authorize(overrides?: Record<string, string | undefined>): Promise<Answer>
  /** A new code for the client `app`. */
  code(overrides?: Record<string, string | undefined>): Promise<string>
}

export interface Answer {
  status: number
  headers: Record<string, string | number | string[] | undefined>
  text: string
  json: Record<string, unknown>
  /** The parameters in the query of the Location header. */
  redirect: URLSearchParams
}

let keys: ReturnType<typeof testKeys> | undefined

/**
 * Stores signing keys that were created once for all tests.
 * @param settings those of the server, whose keys are others in demo mode
 */
export async function useTestKeys(
  storage: Storage,
  settings: Pick<RedmintOptions, 'demo'> = {},
): Promise<void> {
  keys ??= testKeys()
  await storage.signing_keys.replace({}, isForDevelopment(settings) ? asDevKeys(await keys) : await keys)
}

const asDevKeys = (hash: Hash): Hash =>
  formatSigningKeys(
    parseSigningKeys(hash).map((record) => {
      const kid = DEV_KID + record.kid
      return { ...record, kid, public_jwk: { ...record.public_jwk, kid } }
    }),
  )

// Enough for tests that try many wrong secrets from one address; test/main/system/limits/ tests the limit itself.
const CLIENT_AUTH_FAILURES = 100_000

/**
 * A complete service in this process, in demo mode, with the clients of CLIENTS; closed with the test.
 * @param prepare gets the instance before the service is registered
 */
export async function startService(
  t: Test,
  { trusted_proxies = [], ...options }: TestOptions = {},
  prepare: (fastify: FastifyInstance) => void = () => {},
): Promise<Service> {
  const log: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk))
      done()
    },
  })
  const storage = options.storage ?? new MemoryStorage()
  // Nobody has written into it by hand: its lists are whole.
  if (options.storage === undefined) await noteFitted(storage, Date.now())
  // A storage that was just opened may still connect.
  await untilAnswers(storage)
  await useTestKeys(storage, options)
  for (const client of Object.values(CLIENTS))
    await createClient(storage, client.client_id, formatClient(client))
  const fastify = createInstance({ level: 'debug', stream, trusted_proxies })
  t.teardown(() => fastify.close())
  prepare(fastify)
  await registerRedmint(fastify, {
    issuer: ISSUER,
    demo: 'public',
    home: true,
    client_auth_failures: CLIENT_AUTH_FAILURES,
    // The logout queue is only read after a notice was queued: the tests count the calls to storage.
    backchannel: { timing: { poll: 86_400 } },
    // Nor are explanations written, unless a test asks for them.
    explain: { delay: 86_400_000 },
    ...options,
    storage,
  })
  await fastify.ready()
  return { fastify, storage, log, ...callers(fastify) }
}

/** What calls a service. */
export function callers(fastify: FastifyInstance) {
  const send = async (options: InjectOptions): Promise<Answer> => {
    const response = await fastify.inject(options)
    const isJson = String(response.headers['content-type']).includes('json')
    return {
      status: response.statusCode,
      headers: response.headers as Answer['headers'],
      text: response.body,
      json: isJson ? response.json() : {},
      redirect: new URL(String(response.headers.location ?? 'none:'), ISSUER).searchParams,
    }
  }
  const get = (url: string, headers = {}) => send({ method: 'GET', url, headers })
  const post = (url: string, form: Record<string, string>, headers = {}) =>
    send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
    })
  const authorize = (overrides = {}) =>
    get(`/oauth2/authorize?${new URLSearchParams(authorizationRequest(overrides))}`)
  const code = async (overrides = {}) => String((await authorize(overrides)).redirect.get('code'))
  return {
    request: send,
    get,
    post,
    token: (form: Record<string, string>, headers = {}) => post('/oauth2/token', form, headers),
    authorize,
    code,
  }
}

/** A valid authorization request by the client `app`, with other values for some parameters. */
export function authorizationRequest(
  overrides: Record<string, string | undefined> = {},
): Record<string, string> {
  const request = {
    client_id: 'app',
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid api.read',
    state: 'a state',
    code_challenge: s256Challenge(VERIFIER),
    code_challenge_method: 'S256',
    subject: 'alice',
    nonce: 'a nonce',
    ...overrides,
  }
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

/** A valid token request for a code of the client `app`. */
export function codeRequest(code: string, overrides: Record<string, string> = {}): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    client_id: 'app',
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: VERIFIER,
    ...overrides,
  }
}

/** An Authorization header of the Basic scheme (RFC 6749 §2.3.1). */
export function basic(client_id: string, client_secret = SECRET): { authorization: string } {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const credentials = `${encode(client_id)}:${encode(client_secret)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** An Authorization header of the Bearer scheme. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
