// The plans openid-ssf-transmitter-test-plan and openid-ssf-transmitter-caep-test-plan, by push and by poll.
import t from 'tap'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { recorderOn } from '../../../support/audited.ts'
import { EVENTS, POLL, PUSH, type Suite, startSuite } from '../../../support/conformance/signals.ts'
import { operatorOn } from '../../../support/operator.ts'
import { eventIn, kindsOf } from '../../../support/receivers.ts'
import { SECRET } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

t.test('openid-ssf-transmitter-metadata', async (t) => {
  const { get, metadata, redmint } = await startSuite(t)
  const { status, headers } = await get('/.well-known/ssf-configuration')
  t.equal(status, 200)
  t.match(headers['content-type'], /^application\/json\b/)
  t.equal(metadata.issuer, redmint.settings.issuer)
  t.equal(metadata.spec_version, '1_0')
  for (const name of ['jwks_uri', ...Object.keys(metadata).filter((name) => name.endsWith('_endpoint'))])
    t.match(metadata[name], /^https:\/\//, name)
  for (const name of ['configuration', 'status', 'verification', 'add_subject', 'remove_subject'])
    t.ok(`${name}_endpoint` in metadata)
  t.ok(['ALL', 'NONE'].includes(String(metadata.default_subjects)))
  t.strictSame(metadata.authorization_schemes, [{ spec_urn: 'urn:ietf:rfc:6749' }])
  t.strictSame(metadata.delivery_methods_supported, [PUSH, POLL])
  for (const [name, value] of Object.entries(metadata))
    t.notOk(Array.isArray(value) && value.length === 0, `${name} is not empty`)
  const { json } = await get(new URL(String(metadata.jwks_uri)).pathname)
  t.ok((json.keys as unknown[]).length)
})

for (const method of [POLL, PUSH])
  t.test(`openid-ssf-stream-control-happy-path, ${method}`, async (t) => {
    const { ask, create, config, named, at, metadata, token } = await startSuite(t, method)
    const made = await create()
    t.equal(made.status, 201)
    const { stream_id, ...stream } = made.json
    t.match(stream, { iss: metadata.issuer, aud: 'payroll', delivery: { method } })
    const offered = EVENTS.slice(0, 2)
    t.strictSame(stream.events_delivered, offered)
    const read = await ask('GET', named(stream_id))
    t.equal(read.status, 200)
    t.strictSame(read.json, made.json)
    const supported = read.json.events_supported as string[]
    t.ok(supported.every((uri) => /^https:\/\/schemas\.openid\.net\/secevent\/(caep|risc)\//.test(uri)))
    t.ok(offered.every((uri) => supported.includes(uri)))
    for (const [verb, description] of [
      ['PATCH', 'Updated Stream'],
      ['PUT', 'Replaced Stream'],
    ] as const) {
      const changed = await ask(verb, at('configuration_endpoint'), { ...config, stream_id, description })
      t.equal(changed.status, 200)
      t.match(changed.json, { iss: metadata.issuer, stream_id, description })
    }
    const path = `${at('status_endpoint')}?stream_id=${stream_id}`
    t.match(await ask('GET', path), { status: 200, json: { status: 'enabled' } })
    for (const status of ['enabled', 'paused', 'disabled']) {
      const body = { stream_id, status, reason: `Updated Stream status to ${status}` }
      t.match(await ask('POST', path, body), { status: 200, json: { status } })
    }
    t.equal((await ask('DELETE', named(stream_id))).status, 204)
    const form = { grant_type: 'client_credentials', client_id: 'payroll', client_secret: SECRET }
    const { expires_in } = (await token({ ...form, scope: 'ssf.manage' })).json
    t.ok(Number(expires_in) <= 3600, 'CAEP Interoperability Profile: a token is short-lived')
  })

/** What is sent to a stream that is there, broken, or is none. */
const wrongs: Record<string, (suite: Suite) => Promise<{ status: number }>> = {
  'create-stream-with-broken-input': ({ ask, at }) => ask('POST', at('configuration_endpoint'), ';{ broken'),
  'create-stream-with-invalid-token': ({ askWrongly, at, config }) =>
    askWrongly('POST', at('configuration_endpoint'), config),
  'create-stream-with-duplicate-config': async ({ create }) => {
    await create()
    return create()
  },
  'read-stream-with-invalid-token': ({ askWrongly, at }) => askWrongly('GET', at('configuration_endpoint')),
  'read-unknown-stream': async ({ ask, named, deleted }) => ask('GET', named(await deleted())),
  'delete-stream-with-invalid-token': async ({ askWrongly, create, named }) =>
    askWrongly('DELETE', named((await create()).json.stream_id)),
  'delete-unknown-stream': async ({ ask, named, deleted }) => ask('DELETE', named(await deleted())),
}
const changes = { update: 'PATCH', replace: 'PUT' } as const
for (const [name, verb] of Object.entries(changes)) {
  wrongs[`${name}-stream-with-invalid-token`] = async ({ askWrongly, at, config, create }) =>
    askWrongly(verb, at('configuration_endpoint'), {
      ...config,
      stream_id: (await create()).json.stream_id,
    })
  wrongs[`${name}-stream-with-invalid-body`] = async ({ ask, at }) =>
    ask(verb, at('configuration_endpoint'), ';{ broken')
  wrongs[`${name}-unknown-stream`] = async ({ ask, at, config, deleted }) =>
    ask(verb, at('configuration_endpoint'), { ...config, stream_id: await deleted() })
}
const statusOf = (name: string) =>
  ({ token: 401, input: 400, body: 400, config: 409, stream: 404 })[name.split('-').at(-1) ?? '']
for (const [name, send] of Object.entries(wrongs))
  t.test(`openid-ssf-stream-control-error-${name}`, async (t) => {
    t.equal((await send(await startSuite(t))).status, statusOf(name))
  })

t.test('openid-ssf-stream-subject-control-happy-path', async (t) => {
  const { ask, at, create, metadata } = await startSuite(t)
  const { stream_id } = (await create()).json
  const known = { format: 'iss_sub', iss: metadata.issuer, sub: 'sub-of-alice' }
  const unknown = { format: 'email', email: 'example.user@example.com' }
  for (const [endpoint, status] of [
    ['add_subject_endpoint', 200],
    ['remove_subject_endpoint', 204],
  ] as const) {
    const send = (subject: object) => ask('POST', at(endpoint), { stream_id, subject, verified: true })
    t.equal((await send(known)).status, status)
    t.equal((await send(unknown)).status, 400, 'the suite warns: people are known by their sub')
  }
})

t.test('openid-ssf-transmitter-stream-verification-poll-only, -ack-only', async (t) => {
  const { create, verification, checkVerification, polled } = await startSuite(t)
  const stream = (await create()).json
  const [set] = await verification(stream)
  await checkVerification(set, stream)
  const sets = await polled(stream, { maxEvents: 10 })
  t.strictSame(Object.values(sets).length, 1, 'what is not acknowledged comes again')
  t.strictSame(await polled(stream, { maxEvents: 0, ack: Object.keys(sets) }), {})
  t.strictSame(await polled(stream, { maxEvents: 10 }), {})
})

t.test('openid-ssf-transmitter-stream-verification-poll-and-ack', async (t) => {
  const { create, verification, checkVerification, polled, pass } = await startSuite(t)
  const stream = (await create()).json
  await verification(stream)
  const first = Object.keys(await polled(stream, { maxEvents: 10 }))
  pass(Number(stream.min_verification_interval) + 1)
  const [set, ...more] = await verification(stream, first, 'another state')
  await checkVerification(set, stream, 'another state')
  t.strictSame(more, [], 'the first one is taken')
})

for (const [name, header] of [
  ['stream-verification-push', undefined],
  ['stream-verification-error-push-no-auth', ''],
] as const)
  t.test(`openid-ssf-transmitter-${name}`, async (t) => {
    const { create, verification, checkVerification, endpoint, HEADER } = await startSuite(t, PUSH, header)
    const stream = (await create()).json
    const [set] = await verification(stream)
    await checkVerification(set, stream)
    t.equal(endpoint?.posted[0]?.headers.authorization, header === '' ? undefined : HEADER)
  })

t.test('openid-ssf-transmitter-stream-caep-interop', async (t) => {
  const suite = await startSuite(t)
  const { create, use, visitor, setUp, polled, checkSet, storage, redmint } = suite
  await indexUser(storage, 'alice')
  const { recorder } = recorderOn(storage)
  const { run: operator } = operatorOn(storage, { recorder, settings: redmint.settings })
  const stream = (await create()).json
  await use(visitor())
  await setUp('alice')
  await operator('end_user', { params: { username: 'alice' } })
  let sets: string[] = []
  await until('both are there', async () => {
    sets = Object.values(await polled(stream, { maxEvents: 10 }))
    return sets.length >= 2
  })
  const claims = await Promise.all(sets.map((set) => checkSet(set, stream)))
  t.strictSame([...new Set(kindsOf(claims))].sort(), ['credential-change', 'session-revoked'])
  for (const one of claims) {
    const { event_timestamp, initiating_entity, reason_admin } = eventIn(one)
    t.type(event_timestamp, 'number')
    t.ok(['admin', 'user', 'policy', 'system'].includes(String(initiating_entity)))
    const texts = Object.values((reason_admin ?? { en: '' }) as object)
    t.ok(texts.length > 0 && texts.every((text) => typeof text === 'string'))
  }
  const change = claims.find((one) => kindsOf([one])[0] === 'credential-change')
  t.match(eventIn(change), { credential_type: /^(password|app|fido2-platform)$/, change_type: /^create$/ })
})
