import t from 'tap'
import { SET_EVENT, startSignals } from '../../../support/receivers.ts'
import { changeClient } from '../../../support/records.ts'
import { ISSUER, startService } from '../../../support/service.ts'

const PUSH = { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://payroll.example.com/events' }
const POLL = 'urn:ietf:rfc:8936'

t.test('the metadata of the transmitter', async (t) => {
  const { get } = await startSignals(t)
  const { status, headers, json } = await get('/.well-known/ssf-configuration')
  t.equal(status, 200)
  t.match(headers, { 'content-type': /^application\/json/, 'access-control-allow-origin': '*' })
  t.strictSame(json, {
    spec_version: '1_0',
    issuer: ISSUER,
    jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
    configuration_endpoint: `${ISSUER}/ssf/stream`,
    status_endpoint: `${ISSUER}/ssf/status`,
    add_subject_endpoint: `${ISSUER}/ssf/subjects/add`,
    remove_subject_endpoint: `${ISSUER}/ssf/subjects/remove`,
    verification_endpoint: `${ISSUER}/ssf/verify`,
    critical_subject_members: ['user', 'session'],
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  })
})

t.test('an issuer with a path has its metadata at the root, and its endpoints below', async (t) => {
  const issuer = `${ISSUER}/auth`
  const service = await startService(t, { issuer, shared_signals: 'on', audit: 'on' })
  const { json } = await service.get('/.well-known/ssf-configuration/auth')
  t.equal(json.issuer, issuer)
  t.equal(json.configuration_endpoint, `${issuer}/ssf/stream`)
  t.equal((await service.get('/auth/ssf/stream')).status, 401)
  t.equal((await service.get('/.well-known/ssf-configuration')).status, 404)
})

t.test('a stream is created, read, updated, replaced and deleted', async (t) => {
  const { as } = await startSignals(t)
  const { ask, create } = as('payroll')
  t.strictSame((await ask('GET', '/ssf/stream')).json, [])
  const events_requested = [SET_EVENT.session_revoked, 'urn:example:unknown']
  const created = await create({ delivery: PUSH, events_requested, description: 'Payroll' })
  t.equal(created.status, 201)
  t.equal(created.headers['cache-control'], 'no-store')
  const { stream_id, events_supported, ...rest } = created.json
  t.match(stream_id, /^[\w-]{22}$/)
  t.ok((events_supported as string[]).includes(SET_EVENT.account_purged))
  t.strictSame(rest, {
    iss: ISSUER,
    aud: 'payroll',
    events_requested: [SET_EVENT.session_revoked],
    events_delivered: [SET_EVENT.session_revoked],
    delivery: PUSH,
    min_verification_interval: 60,
    inactivity_timeout: 31_536_000,
    description: 'Payroll',
  })
  t.strictSame((await ask('GET', `/ssf/stream?stream_id=${stream_id}`)).json, created.json)
  t.strictSame((await ask('GET', '/ssf/stream')).json, [created.json])

  const updated = await ask('PATCH', '/ssf/stream', {
    ...created.json,
    events_requested: [SET_EVENT.credential_change],
  })
  t.match(updated, { status: 200, json: { description: 'Payroll', delivery: PUSH } })
  t.strictSame(updated.json.events_delivered, [SET_EVENT.credential_change])

  const replaced = await ask('PUT', '/ssf/stream', { stream_id })
  t.equal(replaced.status, 200)
  t.notOk('description' in replaced.json, 'what is missing is removed')
  t.strictSame(replaced.json.delivery, { method: POLL, endpoint_url: `${ISSUER}/ssf/poll/${stream_id}` })
  t.strictSame(replaced.json.events_delivered, events_supported)
  t.strictSame((await ask('GET', '/ssf/stream')).json, [replaced.json])

  t.equal((await ask('DELETE', `/ssf/stream?stream_id=${stream_id}`)).status, 204)
  t.equal((await ask('DELETE', `/ssf/stream?stream_id=${stream_id}`)).status, 404)
  t.equal((await ask('GET', `/ssf/stream?stream_id=${stream_id}`)).status, 404)
})

t.test('a client has one stream', async (t) => {
  const { as } = await startSignals(t)
  const { create } = as('payroll')
  const made = await Promise.all(Array.from({ length: 5 }, () => create()))
  t.strictSame(made.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
})

t.test('requests that are malformed', async (t) => {
  const { as } = await startSignals(t)
  const { ask, create } = as('payroll')
  const { stream_id } = (await create()).json
  const endpoint_url = (url: unknown) => ({ delivery: { method: PUSH.method, endpoint_url: url } })
  const header = (authorization_header: unknown) => ({ delivery: { ...PUSH, authorization_header } })
  const bodies: Record<string, object | string> = {
    'no JSON': '{',
    'a list': [],
    'another method': { delivery: { method: 'urn:example' } },
    'no method': { delivery: {} },
    'no address': { delivery: { method: PUSH.method } },
    'an address that is no URL': endpoint_url('events'),
    'an address without TLS': endpoint_url('http://payroll.example.com/'),
    'an address with a user': endpoint_url('https://a:b@payroll.example.com/'),
    'an address with a fragment': endpoint_url('https://payroll.example.com/#a'),
    'a long address': endpoint_url(`https://payroll.example.com/${'a'.repeat(2048)}`),
    'a header of two lines': header('Bearer a\r\nX-Other: b'),
    'an empty header': header(''),
    'a header that is no text': header(7),
    'a long header': header(`Bearer ${'a'.repeat(4096)}`),
    'types that are no list': { events_requested: 'all' },
    'types that are no texts': { events_requested: [7] },
    'a description that is no text': { description: 7 },
  }
  for (const [name, body] of Object.entries(bodies)) {
    const text = typeof body === 'string'
    const given = text || Array.isArray(body) ? body : { stream_id, ...body }
    for (const method of ['PATCH', 'PUT'] as const)
      t.match(
        await ask(method, '/ssf/stream', given),
        { status: 400, json: { error: 'invalid_request' } },
        `${method} ${name}`,
      )
  }
  for (const change of [{ iss: 'https://other.example.com' }, { aud: 'other' }, { events_delivered: [] }])
    t.equal((await ask('PATCH', '/ssf/stream', { stream_id, ...change })).status, 400)
  t.equal((await ask('PATCH', '/ssf/stream', { stream_id, aud: ['payroll'] })).status, 200)
  t.equal((await ask('PATCH', '/ssf/stream', {})).status, 400, 'without a stream_id')
  t.equal((await ask('DELETE', '/ssf/stream')).status, 400)
  t.equal((await ask('GET', '/ssf/status')).status, 400)
  t.equal((await ask('GET', `/ssf/stream?stream_id=${stream_id}&stream_id=b`)).status, 400)
  for (const status of [undefined, 'deleted', 7])
    t.equal((await ask('POST', '/ssf/status', { stream_id, status })).status, 400)
})

t.test('the status of a stream', async (t) => {
  const { as } = await startSignals(t)
  const { ask, create, status } = as('payroll')
  const { stream_id } = (await create()).json
  const read = async () => (await ask('GET', `/ssf/status?stream_id=${stream_id}`)).json
  t.strictSame(await read(), { stream_id, status: 'enabled' })
  const paused = { stream_id, status: 'paused', reason: 'Maintenance' }
  t.strictSame((await status(paused)).json, paused)
  t.strictSame(await read(), paused)
  t.strictSame((await status({ stream_id, status: 'enabled' })).json, { stream_id, status: 'enabled' })
  t.strictSame(await read(), { stream_id, status: 'enabled' })
})

t.test('E3: a stream of another receiver is not there', async (t) => {
  const { as } = await startSignals(t)
  const { stream_id } = (await as('payroll').create()).json
  const { ask, create, status, verify, poll } = as('masked')
  const all = (id: unknown) => {
    const subject = { format: 'iss_sub', iss: ISSUER, sub: 'a' }
    return [
      () => ask('GET', `/ssf/stream?stream_id=${id}`),
      () => ask('PATCH', '/ssf/stream', { stream_id: id, description: 'mine' }),
      () => ask('PUT', '/ssf/stream', { stream_id: id }),
      () => ask('DELETE', `/ssf/stream?stream_id=${id}`),
      () => ask('GET', `/ssf/status?stream_id=${id}`),
      () => status({ stream_id: id, status: 'disabled' }),
      () => ask('POST', '/ssf/subjects/add', { stream_id: id, subject }),
      () => ask('POST', '/ssf/subjects/remove', { stream_id: id, subject }),
      () => verify({ stream_id: id }),
      () => poll(id),
    ]
  }
  const refusals = async (id: unknown) =>
    Promise.all(all(id).map(async (one) => (({ status, text }) => ({ status, text }))(await one())))
  const foreign = await refusals(stream_id)
  t.ok(foreign.every(({ status }) => status === 404))
  t.strictSame(foreign, await refusals('none'), 'it answers as for one that nobody has')
  await create()
  t.strictSame(await refusals(stream_id), foreign, 'also who has a stream')
  t.strictSame((await as('payroll').ask('GET', `/ssf/status?stream_id=${stream_id}`)).json, {
    stream_id,
    status: 'enabled',
  })
})

t.test('who may have a stream', async (t) => {
  const { as, request, tokenOf, use, visitor, storage } = await startSignals(t)
  const read = async (token: string) =>
    request({ method: 'GET', url: '/ssf/stream', headers: { authorization: `Bearer ${token}` } })
  t.equal((await request({ method: 'GET', url: '/ssf/stream' })).status, 401)
  t.match(await as('plain').ask('GET', '/ssf/stream'), { status: 401 }, 'it gets no token with the scope')
  t.match(await read(await tokenOf('plain', 'api.read')), {
    status: 403,
    json: { error: 'insufficient_scope' },
  })
  t.equal((await read(await tokenOf('payroll', 'ssf.read'))).status, 200)
  const reader = { authorization: `Bearer ${await tokenOf('payroll', 'ssf.read')}` }
  t.match(
    await request({
      method: 'POST',
      url: '/ssf/stream',
      headers: { ...reader, 'content-type': 'application/json' },
      payload: '{}',
    }),
    { status: 403, json: { error: 'insufficient_scope' } },
  )
  const { access_token = '' } = await use(visitor(), 'payroll', 'alice', 'openid ssf.manage')
  t.match(await read(access_token), { status: 403, json: { error: 'invalid_request' } }, 'of a person')
  const before = await tokenOf('payroll')
  await changeClient(storage, 'payroll', { set: { allowed_scopes: 'openid' } })
  t.equal((await read(before)).status, 403, 'of a client that lost the scope since')
})
