import assert from 'node:assert/strict'
import fc from 'fast-check'
import { USER } from '../../../src/accounts/user-kind.ts'
import { CLIENT_FIELDS } from '../../../src/clients/client-fields.ts'
import { CLIENT } from '../../../src/clients/client-kind.ts'
import { redirectUriProblem } from '../../../src/clients/redirect-uri.ts'
import { parseObject } from '../../../src/core/json.ts'
import type { Hash, Parsed } from '../../../src/core/record-hash.ts'
import { isScopeToken } from '../../../src/core/scope.ts'
import { SESSION } from '../../../src/sessions/session-record.ts'
import type { Kind } from '../../../src/storage/records.ts'
import { CODE } from '../../../src/tokens/code-record.ts'
import { parseTokenRecord, TOKEN_TYPES } from '../../../src/tokens/token-record.ts'
import type { Target } from '../target.ts'

const ID = 'the-id'
const DIGEST = Buffer.alloc(32).toString('base64')
const VALUES = [
  ...[
    'true',
    'false',
    'TRUE',
    '1',
    '0',
    '',
    ' ',
    'null',
    '60',
    '-1',
    '1e3',
    '0x10',
    '99999999999',
    '1.5',
    ID,
    DIGEST,
  ],
  ...[
    'https://a.example/cb',
    'http://127.0.0.1/cb',
    'a.b://[x]/cb',
    'javascript:x',
    'https://a.example/cb com.example:/',
  ],
  ...[
    'https://*.a.example/',
    'a b',
    'a  b',
    'openid',
    'authorization_code',
    'client_credentials',
    'pairwise',
    'opaque',
  ],
  ...[
    'access_token',
    'refresh_token',
    '2026-11-21T10:15:30Z',
    '2026',
    'jwt',
    'ES256',
    'a.example',
    's256',
    '__proto__',
  ],
]

const LEAST: Record<string, Hash> = {
  client: { is_public: 'false', client_secret_hash: DIGEST, grant_types: 'client_credentials' },
  user: { sub: 's' },
  session: { sid: 'i', username: 'u', sub: 's', auth_time: '1', amr: 'pwd', acr: '1', ends_at: '2' },
  code: { client_id: 'c', redirect_uri: 'https://a.example/cb', subject: 's', auth_time: '1' },
  token: {
    ...{ jti: ID, type: 'access_token', subject: 's', scope: 'a', client_id: 'c' },
    ...{ expires_at: '2026-11-21T10:15:30Z', revoked: 'false' },
  },
}

/** The hash in an input: JSON of texts by field name, as HGETALL returns it. */
function hashOf(input: string): Hash | undefined {
  const object = parseObject(input)
  const texts = Object.values(object ?? {}).every((value) => typeof value === 'string')
  return object !== undefined && texts ? (object as Hash) : undefined
}

function target<T>(
  name: string,
  fields: readonly string[],
  read: (hash: Hash) => Parsed<T>,
  holds: (hash: Hash, record: T) => void,
): Target {
  const names = [...fields, 'client:c', 'grant:g', '__proto__', 'unknown']
  const changes = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(fc.constantFrom(...VALUES), fc.string()),
    { maxKeys: 5 },
  )
  return {
    name: `record-${name}`,
    words: [...names.map((field) => `"${field}":"`), ...VALUES, '","', '"}'],
    inputs: changes.map((change) => JSON.stringify({ ...LEAST[name], ...change })),
    check(input) {
      const hash = hashOf(input)
      if (hash === undefined) return
      const parsed = read(hash)
      if (parsed.ok) holds(hash, parsed.record)
      else
        assert.ok(
          parsed.problems.length > 0 &&
            parsed.problems.every(({ field, problem }) => field !== '' && problem !== ''),
        )
    },
  }
}

/** A record of a kind: what was read is written so that the same is read again. */
function repeats<T>(kind: Kind<T>, record: T): void {
  assert.deepEqual(kind.parse(kind.format(record), ID), { ok: true, record })
}

const text = (hash: Hash, field: string) =>
  (Object.hasOwn(hash, field) ? hash[field] : undefined) || undefined

/** Records that an operator may have written by hand: a problem in any field refuses them, and nothing throws. */
export const recordTargets: readonly Target[] = [
  target(
    'client',
    Object.keys(CLIENT_FIELDS),
    (hash) => CLIENT.parse(hash, ID),
    (hash, client) => {
      repeats(CLIENT, client)
      assert.equal(client.client_id, ID)
      assert.equal(String(client.is_public), text(hash, 'is_public'))
      assert.equal(
        client.client_secret_hash === undefined,
        client.is_public,
        'a confidential client has a secret',
      )
      assert.ok(!client.is_public || client.require_pkce)
      // Each of these gives a right or takes a check away, and so needs the exact word.
      assert.equal(client.first_party, text(hash, 'first_party') === 'true')
      assert.equal(client.can_introspect, text(hash, 'can_introspect') === 'true')
      assert.equal(client.disabled, text(hash, 'disabled') === 'true')
      assert.equal(client.require_pkce, text(hash, 'require_pkce') !== 'false')
      assert.ok(client.redirect_uris.every((uri) => redirectUriProblem(uri) === undefined))
      assert.ok(client.allowed_scopes.every(isScopeToken))
      const lifetimes = [client.access_token_ttl, client.id_token_ttl, client.refresh_token_ttl]
      assert.ok(lifetimes.every((seconds = 1) => Number.isSafeInteger(seconds) && seconds > 0))
    },
  ),
  target(
    'user',
    ['sub', 'disabled', 'password_hash', 'email', 'address', 'updated_at'],
    (hash) => USER.parse(hash, ID),
    (hash, user) => {
      repeats(USER, user)
      assert.equal(user.disabled, text(hash, 'disabled') === 'true')
      assert.equal(user.sub, text(hash, 'sub'))
    },
  ),
  target(
    'session',
    Object.keys(LEAST.session ?? {}),
    (hash) => SESSION.parse(hash, ID),
    (hash, session) => {
      repeats(SESSION, session)
      assert.equal(session.sub, text(hash, 'sub'))
      assert.ok(Number.isSafeInteger(session.auth_time) && Number.isSafeInteger(session.ends_at))
    },
  ),
  target(
    'code',
    [...Object.keys(LEAST.code ?? {}), 'scope', 'nonce', 'code_challenge', 'claims', 'acr'],
    (hash) => CODE.parse(hash, ID),
    (hash, code) => {
      repeats(CODE, code)
      assert.equal(code.code_challenge, text(hash, 'code_challenge'), 'the challenge is not lost')
      assert.equal(code.redirect_uri, text(hash, 'redirect_uri'))
    },
  ),
  target(
    'token',
    Object.keys(LEAST.token ?? {}),
    (hash) => parseTokenRecord(ID, hash),
    (hash, token) => {
      assert.equal(token.jti, text(hash, 'jti'))
      assert.equal(String(token.revoked), text(hash, 'revoked'))
      assert.ok(TOKEN_TYPES.includes(token.type))
      assert.ok(!Number.isNaN(token.expires_at.getTime()))
      assert.equal(token.subject, text(hash, 'subject') ?? '')
      assert.equal(token.scope, text(hash, 'scope') ?? '')
    },
  ),
]
