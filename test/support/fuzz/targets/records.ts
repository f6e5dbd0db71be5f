import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CLIENT_FIELDS } from '../../../../src/clients/record/client-fields.ts'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { redirectUriProblem } from '../../../../src/clients/record/redirect-uri.ts'
import { parseObject } from '../../../../src/core/json.ts'
import type { Hash, Parsed } from '../../../../src/core/record-hash.ts'
import { isScopeToken } from '../../../../src/core/scope.ts'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import type { Kind } from '../../../../src/storage/records.ts'
import { CODE } from '../../../../src/tokens/code-record.ts'
import { parseTokenRecord, TOKEN_TYPES } from '../../../../src/tokens/token-record.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import type { Target } from '../target.ts'

const ID = 'the-id'
const DIGEST = Buffer.alloc(32).toString('base64')

/** Texts that some field of some kind takes, and others that look like them. */
const VALUES = [
  ...`true|false|TRUE|yes|1|0||60|-1|1e3|0x10|99999999999|1.5|null|__proto__|a b|a  b| a|${DIGEST}|${ID}`.split(
    '|',
  ),
  ...'https://a.example/cb|http://127.0.0.1/cb|a.b://[x]/cb|javascript:x|https://*.a.example/|#'.split('|'),
  ...'openid|authorization_code|client_credentials|pairwise|public|opaque|jwt|ES256|a.example'.split('|'),
  ...'access_token|refresh_token|id_token|2026-11-21T10:15:30Z|2026|2026-13-41T10:15:30Z'.split('|'),
]

const USER_FIELDS = ['sub', 'disabled', 'password_hash', 'email', 'address', 'updated_at', 'claim:role']
const SERVICE = { is_public: 'false', client_secret_hash: DIGEST, grant_types: 'client_credentials' }
const APP = { is_public: 'true', grant_types: 'authorization_code', redirect_uris: 'https://a.example/cb' }
const SESSION_HASH = { sid: 'i', username: 'u', sub: 's', auth_time: '1', amr: 'pwd', acr: '1', ends_at: '2' }
const CODE_HASH = { client_id: 'c', redirect_uri: 'https://a.example/cb', subject: 's', auth_time: '1' }
const CODE_FIELDS = [...Object.keys(CODE_HASH), 'scope', 'nonce', 'code_challenge', 'claims', 'acr']
const TOKEN_HASH = {
  ...{ jti: ID, type: 'access_token', subject: 's', scope: 'a', client_id: 'c' },
  ...{ expires_at: '2026-11-21T10:15:30Z', revoked: 'false' },
}

/** What a target of records needs to know of a kind. */
interface Subject<T> {
  name: string
  fields: readonly string[]
  /** Valid records. */
  valid: readonly Hash[]
  parse(hash: Hash): Parsed<T>
  /** @throws an Error if this record must not come of this hash */
  holds(hash: Hash, record: T): void
}

function target<T>({ name, fields, valid, parse, holds }: Subject<T>): Target {
  const names = [...fields, 'client:c', 'grant:g', '__proto__', 'unknown']
  const value = fc.oneof(fc.constantFrom(...VALUES), fc.string())
  const change = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 })
  return {
    name: `record-${name}`,
    words: [...names.map((field) => `"${field}":"`), ...VALUES, '","', '"}'],
    inputs: fc
      .tuple(fc.constantFrom(...valid), change)
      .map(([hash, changed]) => JSON.stringify({ ...hash, ...changed })),
    check(input) {
      const hash = hashOf(input)
      if (hash === undefined) return
      const parsed = parse(hash)
      if (parsed.ok) return holds(hash, parsed.record)
      assert.ok(parsed.problems.length > 0)
      for (const { field, problem } of parsed.problems) assert.ok(field !== '' && problem !== '')
    },
  }
}

/** The hash in an input: JSON of texts by field name, as HGETALL returns it. */
function hashOf(input: string): Hash | undefined {
  const object = parseObject(input)
  const areTexts = Object.values(object ?? {}).every((value) => typeof value === 'string')
  return object !== undefined && areTexts ? (object as Hash) : undefined
}

/** A record of a kind: what was read is written so that the same is read again. */
function repeats<T>(kind: Kind<T>, record: T): void {
  assert.deepEqual(kind.parse(kind.format(record), ID), { ok: true, record })
}

const text = (hash: Hash, field: string) =>
  (Object.hasOwn(hash, field) ? hash[field] : undefined) || undefined

/** Records that an operator may have written by hand: a problem in any field refuses them, and nothing throws. */
export const recordTargets: readonly Target[] = [
  target({
    name: 'client',
    fields: Object.keys(CLIENT_FIELDS),
    valid: [SERVICE, APP],
    parse: (hash) => CLIENT.parse(hash, ID),
    holds(hash, client) {
      // The sector that is derived from the redirect URIs is not written: not every host may be in that field.
      const { sector_identifier: _, ...derived } = client
      const written = text(hash, 'sector_identifier') === undefined ? derived : client
      assert.deepEqual(CLIENT.parse(CLIENT.format(written), ID), { ok: true, record: client })
      assert.equal(client.client_id, ID)
      assert.equal(String(client.is_public), text(hash, 'is_public'))
      assert.equal(client.client_secret_hash === undefined, client.is_public, 'only the others have a secret')
      assert.ok(!client.is_public || client.require_pkce)
      // Each of these gives a right or takes a check away, so it needs the exact word.
      assert.equal(client.first_party, text(hash, 'first_party') === 'true')
      assert.equal(client.can_introspect, text(hash, 'can_introspect') === 'true')
      assert.equal(client.disabled, text(hash, 'disabled') === 'true')
      assert.equal(client.require_pkce, text(hash, 'require_pkce') !== 'false')
      assert.ok(client.redirect_uris.every((uri) => redirectUriProblem(uri) === undefined))
      assert.ok(client.allowed_scopes.every(isScopeToken))
      for (const seconds of [client.access_token_ttl, client.id_token_ttl, client.refresh_token_ttl])
        assert.ok(Number.isSafeInteger(seconds ?? 1) && (seconds ?? 1) > 0)
    },
  }),
  target({
    name: 'user',
    fields: USER_FIELDS,
    valid: [{ sub: 's' }],
    parse: (hash) => USER.parse(hash, ID),
    holds(hash, user) {
      // A definition has the fields of custom claims, a record their values.
      const custom = Object.entries(hash).filter(([field]) => field.startsWith('claim:'))
      const claims = { ...user.claims, ...Object.fromEntries(custom) }
      assert.deepEqual(USER.parse(USER.format({ ...user, claims }), ID), { ok: true, record: user })
      assert.equal(user.disabled, text(hash, 'disabled') === 'true')
      assert.equal(user.sub, text(hash, 'sub'))
    },
  }),
  target({
    name: 'session',
    fields: Object.keys(SESSION_HASH),
    valid: [SESSION_HASH],
    parse: (hash) => SESSION.parse(hash, ID),
    holds(hash, session) {
      repeats(SESSION, session)
      assert.equal(session.sub, text(hash, 'sub'))
      assert.ok(Number.isSafeInteger(session.auth_time) && Number.isSafeInteger(session.ends_at))
    },
  }),
  target({
    name: 'code',
    fields: CODE_FIELDS,
    valid: [CODE_HASH],
    parse: (hash) => CODE.parse(hash, ID),
    holds(hash, code) {
      repeats(CODE, code)
      assert.equal(code.code_challenge, text(hash, 'code_challenge'), 'the challenge is not lost')
      assert.equal(code.redirect_uri, text(hash, 'redirect_uri'))
      assert.ok(Number.isSafeInteger(code.auth_time))
    },
  }),
  target({
    name: 'token',
    fields: Object.keys(TOKEN_HASH),
    valid: [TOKEN_HASH],
    parse: (hash) => parseTokenRecord(ID, hash),
    holds(hash, token) {
      assert.equal(token.jti, text(hash, 'jti'))
      assert.equal(String(token.revoked), text(hash, 'revoked'))
      assert.ok(TOKEN_TYPES.includes(token.type))
      // Date also reads a year alone, words, and local time.
      assert.match(hash.expires_at ?? '', /^[\d-]{10}T[\d:.]{8,18}(Z|[+-]\d\d:\d\d)$/)
      assert.ok(!Number.isNaN(token.expires_at.getTime()))
      assert.equal(token.subject, text(hash, 'subject') ?? '')
      assert.equal(token.scope, text(hash, 'scope') ?? '')
    },
  }),
]
