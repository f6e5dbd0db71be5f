import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  formatClaimsRequest,
  parseClaimsRequest,
  readClaimsParameter,
} from '../../../../src/claims/claims-request.ts'
import type { ScopeClaims } from '../../../../src/config/scope-claims.ts'
import { isStandardClaim } from '../../../../src/users/standard-claims.ts'
import { type Target, unlessRefused } from '../target.ts'

/** A custom claim, with a name that is a URI. */
const SCOPE_CLAIMS: ScopeClaims = new Map([['https://a.example/roles', 'staff']])
const NAMES = [
  'https://a.example/roles',
  'name',
  'email',
  'address',
  'sub',
  'acr',
  'name#de',
  '__proto__',
  'constructor',
  'x',
]
const VALID = [null, {}, { essential: true }, { value: 'a' }, { values: ['a', 'b'] }, { values: ['a'] }]
const INVALID = [{ essential: 1 }, [], 'x', { values: 1 }, { value: 1 }, true]

// Mostly valid: one wrong value refuses the whole request.
const member = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.oneof(
    { arbitrary: fc.constantFrom<unknown>(...VALID), weight: 20 },
    { arbitrary: fc.constantFrom<unknown>(...INVALID), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
  ),
  { maxKeys: 4 },
)

/** The values that a request demands of a claim in one member. */
function demanded(
  request: Record<string, Record<string, { value?: unknown; values?: unknown[] } | null>>,
  name: string,
) {
  return ['userinfo', 'id_token'].flatMap((part) => {
    const { value, values = [] } = request[part]?.[name] ?? {}
    return value === undefined ? values : [value, ...values]
  })
}

/** The parameter `claims` (OpenID Connect Core §5.5): only known names and strings leave it, and they survive storage. */
export const claims: Target = {
  name: 'claims',
  words: [
    ...NAMES.map((name) => `"${name}":`),
    '"userinfo":',
    '"id_token":',
    '"essential":true',
    '"value":',
    '"values":[',
    'null',
  ],
  inputs: fc.oneof(
    fc
      .record({ userinfo: member, id_token: member }, { requiredKeys: [] })
      .map((request) => JSON.stringify(request)),
    fc
      .dictionary(fc.constantFrom('userinfo', 'id_token', 'x'), fc.jsonValue())
      .map((request) => JSON.stringify(request)),
    fc.json(),
    fc.string(),
  ),
  check(input) {
    const request = unlessRefused('invalid_request', () => readClaimsParameter(input, SCOPE_CLAIMS))
    if (request === undefined) return
    const given = JSON.parse(input)
    assert.ok(input.length <= 8192 && typeof given === 'object' && given !== null && !Array.isArray(given))
    const { userinfo, id_token, sub, essential_acr = [] } = request
    assert.ok([...userinfo, ...id_token].every((name) => isStandardClaim(name) || SCOPE_CLAIMS.has(name)))
    for (const name of userinfo) assert.ok(Object.hasOwn(given.userinfo, name))
    for (const name of id_token) assert.ok(Object.hasOwn(given.id_token, name))
    const subs = new Set(demanded(given, 'sub'))
    assert.deepEqual(
      [...subs],
      sub === undefined ? [] : [sub],
      'every demanded sub is checked, and there is at most one',
    )
    assert.ok([sub ?? '', ...essential_acr].every((text) => typeof text === 'string'))
    assert.deepEqual(parseClaimsRequest(formatClaimsRequest(request), SCOPE_CLAIMS), { userinfo, id_token })
  },
}
