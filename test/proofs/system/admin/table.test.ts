// Every operation of the admin API with every scope, and with all that a request can lack or have too much: the requests are
// made from the tables of operations, so that none is left out. G1, G5, G7 and G11 of the review.

import t, { type Test } from 'tap'
import { createInstance } from '../../../../instance.ts'
import { querySchema } from '../../../../src/admin/door/query.ts'
import { INPUT_KEYWORDS } from '../../../../src/admin/operation/check-input.ts'
import { BODY_LIMIT, demandsVersion, type Operation } from '../../../../src/admin/operation/operation.ts'
import { PROBLEMS } from '../../../../src/admin/operation/problem.ts'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { ACT_AS, ADMIN_SCOPES, hasScope } from '../../../../src/core/admin-scopes.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { ROWS } from '../../../support/admin/rows.ts'
import { PLANTED, rowOf, setStage } from '../../../support/admin/stage.ts'
import { ADMIN, type AdminService, createAdministrator, startAdmin } from '../../../support/admin.ts'
import { type Answer, basic, CLIENTS, ISSUER } from '../../../support/service.ts'

const ALL = Object.values<Operation>(OPERATIONS)
/** The sums of rights, and the one that no sum gives. */
const EVERYTHING = ['redmint:read', 'redmint:write', ACT_AS]

/** Starts a service and notes all that it answers. */
async function start(t: Test) {
  let ahead = 0
  const service = await startAdmin(t, { now: () => Date.now() + ahead })
  const answers: Answer[] = []
  const tokens: string[] = []
  const call: AdminService['call'] = async (...args) => {
    const answer = await service.call(...args)
    answers.push(answer)
    return answer
  }
  const tokenOf = async (...scopes: readonly string[]) => {
    const token = await service.tokenOf(...scopes)
    tokens.push(token)
    return token
  }
  const ifMatch = async (operation: Operation, token: string): Promise<Record<string, string>> => {
    if (!operation.needs?.version) return {}
    const { headers } = await call('GET', rowOf(operation).path, { token })
    return headers.etag === undefined ? {} : { 'if-match': String(headers.etag) }
  }
  const nextMinute = () => {
    ahead += 60_000
  }
  return { ...service, call, tokenOf, ifMatch, nextMinute, answers, tokens }
}

/** Holds that an answer is a problem of this code, and says nothing else. */
function isProblem(t: Test, answer: Answer, code: keyof typeof PROBLEMS, message: string): void {
  const { status, title } = PROBLEMS[code]
  t.match(
    answer,
    {
      status,
      headers: { 'content-type': 'application/problem+json; charset=utf-8', 'cache-control': 'no-store' },
      json: { type: `urn:redmint:problem:${code}`, status, title, detail: String, request_id: String },
    },
    `${message}: ${code}`,
  )
}

/** Holds that an operation was done, or refused as its row says. */
function isDone(t: Test, operation: Operation, answer: Answer, message: string): void {
  const { refused } = rowOf(operation)
  if (refused !== undefined && answer.status >= 300)
    isProblem(t, answer, refused, `${operation.name}, ${message}`)
  else t.ok(answer.status < 300, `${operation.name}, ${message}: ${answer.status} ${answer.text}`)
}

t.test('every operation has a row, and no row is left over', async (t) => {
  t.same(ALL.map(({ name }) => name).sort(), Object.keys(ROWS).sort())
  const routes = ALL.map(({ method, path }) => `${method} ${path}`)
  t.equal(new Set(routes).size, routes.length, 'no two operations are at one place')
})

t.test('the schemas of requests have only keywords that are checked', async (t) => {
  const known = [...INPUT_KEYWORDS, 'title', 'readOnly', 'default']
  const visit = (schema: unknown, place: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [keyword, value] of Object.entries(schema)) {
      t.ok(known.includes(keyword), `${place} ${keyword}`)
      if (keyword === 'properties')
        for (const [name, member] of Object.entries(value)) visit(member, `${place}.${name}`)
      if (keyword === 'items') visit(value, `${place}[]`)
    }
  }
  for (const operation of ALL) {
    visit(operation.body, operation.name)
    visit(querySchema(operation), `${operation.name}?`)
  }
})

t.test('G1: who may do what', async (t) => {
  const service = await start(t)
  const { call, tokenOf, tokenFor, storage, token: ask, answers } = service
  await setStage(service)
  const plain = await ask({ grant_type: 'client_credentials' }, basic('service'))
  const api = await ask({ grant_type: 'client_credentials', resource: `${ISSUER}/api` }, basic('service'))
  await createAdministrator(storage, 'powerless', '')
  await createAdministrator(storage, 'reader', 'redmint:read')
  // Somebody with more than one scope gives: what is about everybody takes all of it.
  await createAdministrator(storage, 'above', 'redmint:read redmint:write')
  await indexUser(storage, 'above')
  const strangers: Record<string, { token?: string; headers?: Record<string, string> }> = {
    'no token': {},
    'a token of no audience': { token: String(plain.json.access_token) },
    'a token for another API': { token: String(api.json.access_token) },
    'not a token': { token: 'unknown' },
    'a cookie (G11)': { headers: { cookie: '__Host-redmint-session=a', origin: ISSUER } },
  }
  const powerless = await tokenFor('powerless', 'redmint:read redmint:write')
  const reader = await tokenFor('reader', 'redmint:read redmint:write')
  for (const operation of ALL) {
    const { path, body } = rowOf(operation)
    const { method, name, scope } = operation
    for (const [who, given] of Object.entries(strangers)) {
      const answer = await call(method, path, { ...given, body })
      isProblem(t, answer, 'unauthorized', `${name}, ${who}`)
      t.match(
        answer.headers['www-authenticate'],
        /resource_metadata="https:\/\/auth\.example\.com\/\.well-known\//,
      )
      t.equal(answer.headers['access-control-allow-origin'], undefined, 'G11: no CORS')
    }
    isProblem(t, await call(method, path, { token: powerless, body }), 'missing_scope', `${name}, no rights`)
    if (!scope.endsWith(':read'))
      isProblem(t, await call(method, path, { token: reader, body }), 'missing_scope', `${name}, a reader`)
  }
  for (const given of ADMIN_SCOPES) {
    const token = await tokenOf(given)
    for (const operation of ALL) {
      await setStage(service)
      const { path, body } = rowOf(operation)
      const answer = await call(operation.method, path, { token, body })
      if (!hasScope(new Set([given]), operation.scope))
        isProblem(t, answer, 'missing_scope', `${operation.name} with ${given}`)
      // The door asks for the version of what there must be; the others find out themselves, after the rights.
      else if (operation.needs?.version === true)
        isProblem(t, answer, 'version_required', `${operation.name} with ${given}`)
      else if (rowOf(operation).for_all)
        isProblem(t, answer, 'lacks_right', `${operation.name} with ${given}`)
      else if (demandsVersion(operation.needs ?? {}))
        isProblem(t, answer, 'version_required', `${operation.name} with ${given}`)
      else isDone(t, operation, answer, `with ${given}`)
    }
  }
  t.ok(answers.length > ALL.length * ADMIN_SCOPES.length)
})

t.test('G7: versions, repeated keys, and what is malformed', async (t) => {
  const service = await start(t)
  const { call, tokenOf, ifMatch, log, tokens, answers } = service
  for (const operation of ALL) {
    const { method, name, needs = {}, scope } = operation
    const { path, body, other_body } = rowOf(operation)
    // A new caller for each, and a new minute for those about one challenge, in which the requests are not too many.
    if (/^\/(logins|consents)\//.test(path)) service.nextMinute()
    const token = await tokenOf(...EVERYTHING)
    const send = async (more: object) => {
      await setStage(service)
      const headers = await ifMatch(operation, token)
      const { headers: own = {}, ...others } = more as { headers?: object }
      return call(method, path, { token, body, ...others, headers: { ...headers, ...own } })
    }
    const problem = async (code: keyof typeof PROBLEMS, what: string, more: object) =>
      isProblem(t, await send(more), code, `${name}, ${what}`)

    const done = await send({})
    isDone(t, operation, done, 'done')
    if (needs.version) {
      await problem('stale', 'a stale ETag', { headers: { 'if-match': '"another"' } })
      await problem('stale', 'a weak ETag', { headers: { 'if-match': 'W/"another"' } })
      await problem('version_required', 'any ETag', { headers: { 'if-match': '*' } })
      await problem('version_required', 'several', { headers: { 'if-match': '"a", "b"' } })
      await problem('invalid_request', 'no ETag', { headers: { 'if-match': 'abc' } })
    }
    if (needs.version === true)
      isProblem(t, await call(method, path, { token, body }), 'version_required', `${name}, none`)
    if (needs.creates) {
      const headers = { 'idempotency-key': `key-of-${name}` }
      const first = await send({ headers })
      const again = await call(method, path, { token, body, headers })
      t.match(again, { status: first.status, text: first.text }, `${name}, a repeated key`)
      const other = { headers, body: other_body }
      isProblem(t, await call(method, path, { token, ...other }), 'key_reused', `${name}, another body`)
      await problem('invalid_request', 'a malformed key', { headers: { 'idempotency-key': 'a b' } })
    }
    await setStage(service)
    const unknown = await call(method, `${path}${path.includes('?') ? '&' : '?'}lmit=1`, { token, body })
    isProblem(t, unknown, 'invalid_request', `${name}, an unknown parameter`)
    t.match(unknown.json, { fields: [{ field: 'lmit' }] })
    if (needs.page) {
      t.match(unknown.json, { fields: [{ detail: /did you mean limit\?/ }] })
      for (const limit of ['0', '201', '-1', 'x', '1.5', ''])
        isProblem(
          t,
          await call(method, `${path}?limit=${limit}`, { token }),
          'invalid_request',
          `limit ${limit}`,
        )
      for (const cursor of ['a', 'AAAAAAAA.AAAA'])
        isProblem(t, await call(method, `${path}?cursor=${cursor}`, { token }), 'invalid_cursor', cursor)
    }
    if (operation.body === undefined) {
      if (method !== 'GET') await problem('invalid_request', 'a body', { body: { a: 1 } })
    } else {
      await problem('invalid_request', 'half a body', { body: '{"a":' })
      await problem('invalid_request', 'no body', { body: '' })
      await problem('invalid_request', 'a member twice', { body: '{"a":1,"\\u0061":2}' })
      await problem('invalid_request', 'too deep', { body: '['.repeat(50) + ']'.repeat(50) })
      await problem('invalid_field', 'a list', { body: [] })
      await problem('unknown_field', 'an unknown field', { body: { ...(body as object), no_such: 1 } })
      await problem('unsupported_media_type', 'a form', { headers: { 'content-type': 'text/plain' } })
      const size = (needs.body_limit ?? BODY_LIMIT) + 1
      await problem('too_large', 'too large', { body: JSON.stringify({ a: 'a'.repeat(size) }) })
      const odd: unknown[] = []
      for (const fuzzed of fuzz(operation, body)) {
        const { status, json, text } = await send({ body: fuzzed })
        const is_problem =
          status >= 400 && status < 500 && String(json.type).startsWith('urn:redmint:problem:')
        if (status >= 300 && !is_problem) odd.push({ fuzzed, status, text })
      }
      t.same(odd, [], `${name}, odd values`)
    }
    t.ok(hasScope(new Set(EVERYTHING), scope))
  }

  // G5: nothing secret comes out.
  const description = await call('GET', '/openapi.json')
  t.equal(description.status, 200)
  const told = [...answers.map(({ text, headers }) => text + JSON.stringify(headers)), ...log].join('\n')
  for (const [what, value] of Object.entries(PLANTED)) t.notOk(told.includes(value), `G5: no ${what}`)
  t.notOk(
    tokens.some((token) => told.includes(token)),
    'G5: no token',
  )
})

const ODD = [
  null,
  0,
  -1,
  true,
  '',
  ' ',
  'a\u0000',
  'x'.repeat(5000),
  '__proto__',
  [],
  [[]],
  [1],
  {},
  { a: {} },
]
const ODD_PER_MEMBER = 4

/** Bodies with other values for each member: some of ODD, another part of them for the next member. */
function fuzz({ body: schema }: Operation, body: unknown): unknown[] {
  return Object.keys(schema?.properties ?? {}).flatMap((name, index) =>
    Array.from({ length: ODD_PER_MEMBER }, (_, i) => {
      const value = ODD[(index * ODD_PER_MEMBER + i) % ODD.length]
      return { ...(body as object), [name]: value }
    }),
  )
}

t.test('unknown paths and methods', async (t) => {
  const { call, tokenOf } = await start(t)
  const token = await tokenOf(...EVERYTHING)
  for (const path of ['', '/', '/users/', '/users/a/b', '/userss', '//users', '/constructor'])
    isProblem(t, await call('GET', path, { token }), 'unknown_path', path)
  const answer = await call('POST', '/users/alice', { token, body: {} })
  isProblem(t, answer, 'method_not_allowed', 'POST')
  t.equal(answer.headers.allow, 'GET, HEAD, PUT, PATCH, DELETE')
  isProblem(t, await call('GET', '/no-such'), 'unauthorized', 'the guard answers first')
})

t.test('G1: with a management listener the other one does not answer', async (t) => {
  const management = createInstance({ level: 'silent' })
  t.teardown(() => management.close())
  const { call, tokenOf } = await startAdmin(t, { management })
  await management.ready()
  const token = await tokenOf('redmint:read')
  for (const operation of ALL) {
    const { path, body } = rowOf(operation)
    const { status } = await call(operation.method, path, { token, body })
    t.equal(status, 404, `${operation.name} at the public listener`)
  }
  const own = await management.inject({
    url: '/admin/v1/users',
    headers: { authorization: `Bearer ${token}` },
  })
  t.equal(own.statusCode, 200, own.body)
  const refused = await management.inject({ url: '/admin/v1/users' })
  t.match([refused.statusCode, refused.json()], [401, { type: 'urn:redmint:problem:unauthorized' }])
  t.equal((await management.inject('/admin/v1/openapi.json')).statusCode, 200)
})

t.test('without ADMIN_API nothing is there', async (t) => {
  const service = await startAdmin(t, { admin_api: 'off' })
  for (const operation of ALL) {
    const { path, body } = rowOf(operation)
    t.equal((await service.call(operation.method, path, { body })).status, 404)
  }
  const form = { grant_type: 'client_credentials', resource: ADMIN }
  const client = { ...CLIENTS.service, client_id: 'ops', allowed_scopes: ['redmint:read'] }
  await service.storage.records.put({ kind: CLIENT, id: 'ops', hash: formatClient(client) })
  t.match((await service.token(form, basic('ops'))).json, { error: 'invalid_target' })
  t.equal((await service.get('/.well-known/oauth-protected-resource/admin/v1')).status, 404)
})
