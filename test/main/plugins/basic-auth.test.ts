// Client authentication: one method per request (RFC 6749 §2.3); the response does not show why it failed.

import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { spyOn, watching } from '../../support/matrix.ts'
import { changeClient, createClient } from '../../support/records.ts'
import {
  type Answer,
  authorizationRequest,
  basic,
  CLIENTS,
  codeRequest,
  SECRET,
  startService,
} from '../../support/service.ts'

const FORM = { grant_type: 'client_credentials' }
const sha256 = (secret: string) => createHash('sha256').update(secret).digest('base64')
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A service with every kind of client that is refused, and a spy on its storage. */
async function startWithRefusedClients(t: Test) {
  const spy = spyOn(new MemoryStorage())
  const service = await startService(t, { storage: spy.storage })
  const disabled = { ...CLIENTS.service, client_id: 'disabled', disabled: true }
  await createClient(spy.storage, 'disabled', formatClient(disabled))
  const malformed = { ...formatClient({ ...CLIENTS.service, client_id: 'malformed' }), is_public: 'no' }
  await createClient(spy.storage, 'malformed', malformed)
  return { ...service, spy }
}

/** The parts of a response that a caller can compare, without those that always differ. */
function visible({ status, headers, text }: Answer) {
  const { date: _, 'x-request-id': _id, 'content-length': length, ...rest } = headers
  return { status, headers: { ...rest, length }, text }
}

t.test('all refused clients get the same response, after the same calls', async (t) => {
  const { token, spy, log } = await startWithRefusedClients(t)
  await watching(spy.storage)
  t.equal((await token(FORM, basic('service'))).status, 200, 'this client is cached now')

  const attempts: [name: string, client_id: string, client_secret: string][] = [
    ['an unknown client', 'nobody', SECRET],
    ['a wrong secret', 'service', 'wrong'],
    ['a wrong secret of the right length', 'service', SECRET.replace('a', 'b')],
    ['a disabled client', 'disabled', SECRET],
    ['a disabled client with a wrong secret', 'disabled', 'wrong'],
    ['a malformed record', 'malformed', SECRET],
    ['a public client with a secret', 'app', SECRET],
  ]
  for (const by of ['Basic', 'body'] as const) {
    const answers = []
    for (const [name, client_id, client_secret] of attempts) {
      spy.calls.length = 0
      const answer = await (by === 'Basic'
        ? token(FORM, basic(client_id, client_secret))
        : token({ ...FORM, client_id, client_secret }))
      answers.push([name, visible(answer), [...spy.calls]] as const)
    }
    const [, expected] = answers[0] ?? []
    t.match(expected, {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="redmint", charset="UTF-8"' },
    })
    for (const [name, answer, calls] of answers) {
      t.same(answer, expected, `${name} by ${by}`)
      t.same(calls, ['read client', 'countFailure'], 'the same calls')
    }
  }
  t.match(log.join(''), /unknown client/, 'the log has the reason')
  t.match(log.join(''), /wrong credentials/)
})

t.test('client_id and secret in Basic are form-encoded (RFC 6749 §2.3.1)', async (t) => {
  const { token, storage } = await startService(t)
  const names: [client_id: string, client_secret: string][] = [
    ['with:colon', 'se:cr:et-of-sixteen'],
    ['with+plus', 'a+b+c+d+e+f+g+h+i'],
    ['100%', '%41%42%43%44%45%46%'],
    ['with space', 'a b c d e f g h i'],
    ['a&b=c', 'x&y=z&x&y=z&x&y=z'],
    ['https://client.example.com/', 'süß€😀 of sixteen'],
    ['!#$\'()*,-./;<>?@[\\]^_`{|}~"', '!#$\'()*,-./;<>?@[\\]^_`{|}~"'],
  ]
  for (const [client_id, client_secret] of names) {
    const client = { ...CLIENTS.service, client_id, client_secret_hash: sha256(client_secret) }
    await createClient(storage, client_id, formatClient(client))
    t.equal((await token(FORM, basic(client_id, client_secret))).status, 200, client_id)
    t.equal((await token({ ...FORM, client_id, client_secret })).status, 200, 'in the body as well')
  }
  const spelled = (text: string) => ({ authorization: `Basic ${base64(text)}` })
  t.equal(
    (await token(FORM, spelled('with%3acolon:se%3acr:et-of-sixteen'))).status,
    200,
    'the secret may contain a plain colon',
  )
  t.equal(
    (await token(FORM, spelled('with%20space:a%20b%20c%20d%20e%20f%20g%20h%20i'))).status,
    200,
    'a space may be %20',
  )
  const wrong: [name: string, user_pass: string][] = [
    ['a plain plus is a space', 'with+plus:a+b+c+d+e+f+g+h+i'],
    ['a percent sign that is not encoded', '100%:%41%42%43%44%45%46%'],
    ['decoded once, not twice', 'with%252Bplus:a%252Bb%252Bc%252Bd%252Be%252Bf%252Bg%252Bh%252Bi'],
    ['a plain colon in the client_id', 'with:colon:se:cr:et-of-sixteen'],
  ]
  for (const [name, user_pass] of wrong) {
    const { status, json } = await token(FORM, spelled(user_pass))
    t.equal(status, 401, name)
    t.equal(json.error, 'invalid_client')
  }
})

t.test('a malformed Basic header is refused before any lookup', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { token } = await startService(t, { storage: spy.storage })
  for (const [client_id, secret] of [
    ['picky', 'a-longer-secret?'],
    ['extra', 'a-longer-secret??'],
    ['slash', 'a-longer-secret???'],
  ] as const) {
    const client = { ...CLIENTS.service, client_id, client_secret_hash: sha256(secret) }
    await createClient(spy.storage, client_id, formatClient(client))
  }
  const good = base64('picky:a-longer-secret?')
  const slashed = base64('slash:a-longer-secret???')
  const extra = base64('extra:a-longer-secret??')
  t.match(good, /[^=]==$/, 'credentials with padding')
  t.match(slashed, /\//, 'credentials that differ between the two alphabets')
  t.equal((await token(FORM, { authorization: `Basic ${good}` })).status, 200)
  t.equal((await token(FORM, { authorization: `Basic ${slashed}` })).status, 200)
  t.equal((await token(FORM, { authorization: `Basic ${extra}` })).status, 200)
  t.equal(
    (await token(FORM, { authorization: `basic ${good}` })).status,
    200,
    'the scheme is case-insensitive',
  )
  t.equal((await token(FORM, { authorization: `Basic  ${good}` })).status, 200, 'RFC 9110 §11.4: 1*SP')

  const broken: [name: string, authorization: string][] = [
    ['no padding', `Basic ${good.slice(0, -2)}`],
    ['half of the padding', `Basic ${good.slice(0, -1)}`],
    ['too much padding', `Basic ${good}=`],
    ['non-zero bits after the last byte', `Basic ${good.slice(0, -4)}Px==`],
    ['non-zero bits before one padding character', `Basic ${extra.slice(0, -4)}Pz9=`],
    ['a line break after it', `Basic ${good}\n`],
    ['characters after it', `Basic ${good}!`],
    ['a word after it', `Basic ${good} ${good}`],
    ['a parameter after it', `Basic ${good}, realm="x"`],
    ['a space in it', `Basic ${good.slice(0, 8)} ${good.slice(8)}`],
    ['padding in it', `Basic ${good.slice(0, 8)}==${good.slice(8)}`],
    ['a quoted value', `Basic "${good}"`],
    ['the URL-safe alphabet', `Basic ${slashed.replace('/', '_')}`],
    ['no colon', `Basic ${base64('picky')}`],
    ['nothing', 'Basic'],
    ['only a space', 'Basic '],
    ['an empty pair', `Basic ${base64(':')}`],
    ['a tab', `Basic\t${good}`],
    ['no space', `Basic${good}`],
    ['plain text', 'Basic picky:a-longer-secret?'],
    ['a control character', `Basic ${base64('picky:a-longer-secret?\n')}`],
    ['an encoded control character', `Basic ${base64('picky:a-longer-secret%3F%00')}`],
    ['bytes that are not UTF-8', `Basic ${Buffer.from([...Buffer.from('picky:'), 0xff]).toString('base64')}`],
    ['encoded bytes that are not UTF-8', `Basic ${base64('picky:%FF')}`],
    ['broken percent-encoding', `Basic ${base64('picky:%zz')}`],
    ['another scheme, and nothing else', `Bearer ${good}`],
    ['a scheme with the same beginning', `Basically ${good}`],
    ['an empty header', ''],
  ]
  spy.calls.length = 0
  for (const [name, authorization] of broken) {
    const { status, json } = await token(FORM, { authorization })
    t.equal(status, 401, name)
    t.equal(json.error, 'invalid_client')
  }
  t.same(spy.calls, [], 'none of them reached storage')
})

t.test('a request with two authentication methods is refused (RFC 6749 §2.3)', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { token } = await startService(t, { storage: spy.storage })
  const refused: [name: string, form: Record<string, string>, client_id: string][] = [
    ['the same secret twice', { client_secret: SECRET }, 'service'],
    ['id and secret twice', { client_id: 'service', client_secret: SECRET }, 'service'],
    ['a wrong secret in the body', { client_secret: 'x' }, 'service'],
    ['another client in the body', { client_id: 'web' }, 'service'],
  ]
  spy.calls.length = 0
  for (const [name, form, client_id] of refused) {
    const { status, json } = await token({ ...FORM, ...form }, basic(client_id))
    t.equal(status, 400, name)
    t.equal(json.error, 'invalid_request')
  }
  t.same(spy.calls, [], 'none of them reached storage')
  t.equal(
    (await token({ ...FORM, client_id: 'service' }, basic('service'))).status,
    200,
    'its own client_id is allowed',
  )
  t.equal(
    (await token({ ...FORM, client_secret: '' }, basic('service'))).status,
    200,
    'empty counts as absent',
  )
})

t.test('an impossible client_id is treated as an unknown client', async (t) => {
  const { token } = await startService(t)
  const expected = visible(await token({ ...FORM, client_id: 'nobody', client_secret: SECRET }))
  for (const client_id of ['sérvice', 'x'.repeat(256), '__proto__', 'constructor', 'service\u00a0', '😀']) {
    t.same(visible(await token({ ...FORM, client_id, client_secret: SECRET })), expected, client_id)
  }
})

t.test('the log says whether no credentials, no secret or no base64 was sent', async (t) => {
  const { token, log } = await startService(t)
  for (const [authorization, form, cause] of [
    ['Bearer abc', {}, 'the request names no client, by Basic or in the body'],
    ['Basically abc', {}, 'the request names no client, by Basic or in the body'],
    ['Bearer abc', { client_id: 'service' }, 'no secret in the request, by Basic or in the body'],
    [`Basic ${base64('service:')}`, {}, 'no secret in the request, by Basic or in the body'],
    ['Basic abc!', {}, 'the Basic credentials are not base64'],
    ['Basic', {}, 'the Basic credentials are not base64'],
  ] as const) {
    log.length = 0
    t.equal((await token({ ...FORM, ...form }, { authorization })).json.error, 'invalid_client')
    t.ok(log.join('').includes(`"cause":"${cause}"`), authorization)
  }
})

/** Requests that every endpoint at which clients authenticate serves, by a public and by a confidential client. */
const ENDPOINTS: [path: string, app: Record<string, string> | undefined, service: Record<string, string>][] =
  [
    ['/oauth2/token', undefined, FORM],
    ['/oauth2/revoke', { token: 'x' }, { token: 'x' }],
    ['/oauth2/introspect', undefined, { token: 'x' }],
    ['/oauth2/par', authorizationRequest(), authorizationRequest({ client_id: 'web' })],
    ['/oauth2/device_authorization', {}, {}],
  ]

t.test('an absent secret is absent in header and body alike, and other schemes do not matter', async (t) => {
  const service = await startService(t)
  const { post, storage } = service
  const device = { set: { grant_types: 'urn:ietf:params:oauth:grant-type:device_code' }, unset: [] }
  const foreign = ['Bearer an-old-token', 'DPoP x', 'Digest x', 'Basically x', 'null', '']
  const good = async (path: string, form: Record<string, string>, headers: Record<string, string>) =>
    (await post(path, form, headers)).status
  const code = codeRequest(await service.code())
  t.equal(await good('/oauth2/token', code, basic('app', '')), 200, 'a code')
  for (const [path, app, confidential] of ENDPOINTS) {
    if (path.endsWith('device_authorization')) {
      await changeClient(storage, 'app', device)
      await changeClient(storage, 'service', device)
    }
    if (app !== undefined) {
      const { client_id: _, ...nobody } = app
      t.ok((await good(path, { ...nobody, client_id: 'app', client_secret: '' }, {})) < 300, path)
      t.ok((await good(path, nobody, basic('app', ''))) < 300, `${path}: an empty secret in the header`)
      t.ok((await good(path, { ...nobody, client_id: 'app' }, basic('app', ''))) < 300)
      t.equal(await good(path, nobody, basic('app', SECRET)), 401, 'a secret that it does not have')
      for (const authorization of foreign)
        t.ok(
          (await good(path, { ...nobody, client_id: 'app' }, { authorization })) < 300,
          `${path}: ${authorization}`,
        )
    }
    const { client_id = 'service', ...nobody } = confidential
    t.ok((await good(path, { ...nobody, client_secret: SECRET }, basic(client_id, ''))) < 300, 'one secret')
    t.equal(
      await good(path, nobody, basic(client_id, '')),
      401,
      `${path}: a confidential client without its secret`,
    )
    for (const authorization of foreign) {
      t.equal(await good(path, { ...nobody, client_id }, { authorization }), 401, 'not made good by a header')
      t.ok((await good(path, { ...nobody, client_id, client_secret: SECRET }, { authorization })) < 300)
    }
  }
})
