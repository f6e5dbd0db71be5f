// Every security event of src/core/events.ts is logged when it happens, as one line with its fields and nothing secret, and has
// one entry of the audit trail, in the step of its change.
import t, { type Test } from 'tap'
import { APART } from '../../../src/audit/event-steps.ts'
import { trimTrail } from '../../../src/audit/trim.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../src/clients/record/client-secret.ts'
import type { Context } from '../../../src/context.ts'
import { readEmail } from '../../../src/core/email-address.ts'
import { EVENTS, type EventName, type SecurityEvent } from '../../../src/core/events.ts'
import { checkSecondStep, MAX_FAILURES } from '../../../src/factors/check-second-step.ts'
import { requestOptions } from '../../../src/factors/passkeys/challenge.ts'
import { removePasskey } from '../../../src/factors/passkeys/manage-passkeys.ts'
import { usePasskey } from '../../../src/factors/passkeys/use-passkey.ts'
import { resetFactors } from '../../../src/factors/reset-factors.ts'
import { beginTotp, confirmTotp, removeTotp, type SecondStepContext } from '../../../src/factors/totp.ts'
import { CONSENT, consentId, saveConsent } from '../../../src/interaction/consent.ts'
import { noteLockout } from '../../../src/limits/lockouts.ts'
import { MAIL_TIMING, MailCourier } from '../../../src/mail/mail-courier.ts'
import { type MailRequest, sendMail } from '../../../src/mail/mailer.ts'
import type { Delivery } from '../../../src/mail/smtp.ts'
import { type AddressContext, askForAddress, takeAddress } from '../../../src/self-service/change-address.ts'
import { sendResetLink } from '../../../src/self-service/forgot-password.ts'
import { takeJoin } from '../../../src/self-service/join.ts'
import { takeNotMe } from '../../../src/self-service/not-me.ts'
import { takeReset } from '../../../src/self-service/reset-password.ts'
import { sendSignUpLink } from '../../../src/self-service/sign-up.ts'
import { MAX_TAKEN_NAMES } from '../../../src/self-service/taken-names.ts'
import { MAX_COUNTERS } from '../../../src/storage/counters.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { setLinks } from '../../../src/users/links.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { PASSWORD } from '../../support/accounts.ts'
import { startAdmin } from '../../support/admin.ts'
import { answerFirst, asker, BANK } from '../../support/asks.ts'
import { followEvents, followUntold, recorderOn, reportTo } from '../../support/audited.ts'
import { appCode, wrongCode } from '../../support/authenticator.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { detailsOf, storePayments } from '../../support/details.ts'
import { answerDevice, deviceOf, storeDevices } from '../../support/device.ts'
import { dpopClient } from '../../support/dpop-client.ts'
import { BILLING, exchangeAs, ORDERS, signInFor, storeChain } from '../../support/exchange.ts'
import { makePasskey, replicasWithUsers } from '../../support/factors/passkeys/owners.ts'
import { askAs, CHAT, CHAT_API, startIssuing } from '../../support/identity.ts'
import { linkIn } from '../../support/link-in.ts'
import { logoutUrl, startWithLeavers } from '../../support/logout/leavers.ts'
import { operatorOn } from '../../support/operator.ts'
import { comeBy, federate } from '../../support/providers/federation.ts'
import { withStreams } from '../../support/receivers.ts'
import { changeClient, changeUser, createClient, createUser } from '../../support/records.ts'
import { APP, startRegistration } from '../../support/registration.ts'
import { keyOn } from '../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../support/scene/requests.ts'
import type { TestOptions } from '../../support/service.ts'
import { authorizationRequest, basic, bearer, CLIENTS, codeRequest, SECRET } from '../../support/service.ts'
import { startWithSignals } from '../../support/signals.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER, trust } from '../../support/trusted-issuer.ts'
import { until } from '../../support/until.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'

type Line = Record<string, unknown> & { event?: EventName }

const REQUEST = ['reqId', 'remoteAddress']
const REFUSAL = [...REQUEST, 'code', 'reason', 'endpoint', 'received', 'expected', 'status', 'cause']
const BASE = ['level', 'time', 'pid', 'hostname', 'msg', 'event']
const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', AUDIT: 'on' }
const LEVELS = { info: 30, warn: 40 }

/** How often a stranger repeats what is refused. */
const REPEATED = 5

/**
 * Who can cause an event, and how many lines there are in an hour. `first`: of what a counter of bounded room refuses,
 * the first in its window. `minute`: one in a minute for a client and network, and 100 in all. `hour`: one for a client.
 * `request`: one for each request that is refused, whose line it is, so that there are no more than without events.
 * `limited`: by the limits of failed sign-ins and of registrations. `user` and `client`: only with an account, or the
 * credentials or tokens of a client. `operator`: by the command or the schedule.
 */
const BOUNDS: Record<
  EventName,
  'first' | 'minute' | 'hour' | 'request' | 'limited' | 'user' | 'client' | 'operator'
> = {
  sign_in_succeeded: 'user',
  sign_in_failed: 'limited',
  sign_in_limited: 'first',
  signed_out: 'user',
  session_ended: 'user',
  consent_given: 'user',
  consent_refused: 'user',
  device_allowed: 'user',
  device_denied: 'user',
  person_asked: 'client',
  ask_dropped: 'client',
  ask_allowed: 'user',
  ask_denied: 'user',
  client_muted: 'user',
  client_unmuted: 'user',
  device_limited: 'first',
  pushing_limited: 'first',
  user_code_limited: 'first',
  short_secret_used: 'hour',
  client_auth_failed: 'request',
  client_auth_limited: 'request',
  assertion_replayed: 'minute',
  proof_replayed: 'minute',
  code_replayed: 'minute',
  token_exchanged: 'client',
  token_spent: 'client',
  assertion_issued: 'client',
  exchange_refused: 'client',
  refresh_token_reused: 'minute',
  access_refused: 'user',
  grant_ended: 'client',
  bearer_refused: 'request',
  token_revoked: 'client',
  sessions_ended: 'operator',
  all_sessions_ended: 'operator',
  grants_ended: 'operator',
  acting_ended: 'operator',
  keys_rotated: 'operator',
  client_added: 'operator',
  client_changed: 'operator',
  resource_changed: 'operator',
  resource_removed: 'operator',
  detail_type_changed: 'operator',
  detail_type_removed: 'operator',
  issuer_trusted: 'operator',
  issuer_removed: 'operator',
  application_changed: 'operator',
  application_removed: 'operator',
  provider_changed: 'operator',
  provider_removed: 'operator',
  provider_answered: 'user',
  provider_linked: 'user',
  provider_unlinked: 'user',
  client_invited: 'operator',
  invitation_removed: 'operator',
  preview_made: 'operator',
  client_registered: 'limited',
  registration_changed: 'client',
  registration_deleted: 'client',
  registration_limited: 'minute',
  lockout_lifted: 'operator',
  client_disabled: 'operator',
  client_enabled: 'operator',
  client_removed: 'operator',
  client_secret_changed: 'operator',
  user_added: 'operator',
  user_changed: 'operator',
  user_ended: 'operator',
  user_revoked: 'client',
  signal_taken: 'client',
  user_viewed: 'operator',
  user_acted_as: 'operator',
  rights_changed: 'operator',
  passkey_added: 'user',
  passkey_removed: 'user',
  passkey_counter_reversed: 'hour',
  passkey_flag_changed: 'hour',
  address_change_asked: 'user',
  address_changed: 'user',
  change_disowned: 'user',
  reset_link_given: 'operator',
  password_reset: 'user',
  user_invited: 'operator',
  names_guessed: 'first',
  user_invitation_removed: 'operator',
  user_joined: 'user',
  user_signed_up: 'user',
  second_step_added: 'user',
  second_step_removed: 'user',
  second_step_limited: 'first',
  recovery_codes_made: 'user',
  recovery_code_used: 'user',
  factors_reset: 'operator',
  user_disabled: 'operator',
  user_enabled: 'operator',
  user_removed: 'operator',
  mail_sent: 'limited',
  mail_dropped: 'limited',
  counters_full: 'minute',
  mails_limited: 'first',
  password_changed: 'operator',
  consent_withdrawn: 'operator',
  signal_stream_changed: 'client',
  signal_stream_paused: 'operator',
  audit_trimmed: 'operator',
}

const followed = followEvents()
const untold = followUntold()

/** The events that were seen in this file, each checked against the table. */
const seen = new Set<string>()

/** Takes the lines of events out of a log, without what every line has. */
function eventsIn(t: Test, lines: string[], allowed: readonly string[]): Line[] {
  const found = lines.splice(0).flatMap((text) => text.split('\n').filter((line) => line !== ''))
  return found
    .map((line): Line => JSON.parse(line))
    .flatMap((line) => {
      const { event } = line
      if (event === undefined) return []
      seen.add(event)
      const { fields, level, message } = EVENTS[event]
      const known = fields.map((field) => field.replace('?', ''))
      const required = fields.filter((field) => !field.endsWith('?'))
      const others = Object.keys(line).filter((name) => ![...BASE, ...known, ...allowed].includes(name))
      t.strictSame(others, [], `${event}: no other fields`)
      for (const field of required) t.ok(field in line, `${event} has ${field}`)
      t.strictSame([line.level, line.msg], [LEVELS[level], message], event)
      const shown = Object.entries(line).filter(([name]) => name === 'event' || known.includes(name))
      return [Object.fromEntries(shown)]
    })
}

async function start(t: Test, options: TestOptions = {}) {
  const people = await startWithLeavers(t, { audit: 'on', ...options })
  return {
    ...people,
    /** The events since the last call: each has the id of a request whose own line is there, too. */
    events(allowed: readonly string[] = REQUEST) {
      const lines = people.log.map((line): Line => JSON.parse(line))
      const ended = new Set(lines.filter(({ res }) => res !== undefined).map(({ reqId }) => reqId))
      for (const { event, reqId } of lines) if (event !== undefined) t.ok(ended.has(reqId), `${event}: reqId`)
      return eventsIn(t, people.log, allowed)
    },
  }
}

/** Events of records that are written at the same time. */
const byName = (events: Line[]) =>
  events.sort((one, other) => String(one.event).localeCompare(String(other.event)))

const ALICE = { username: 'alice', sub: 'sub-of-alice' }
const SID = /^[\w-]{16}$/

t.test('the audit trail is trimmed', async (t) => {
  const { fastify, storage, log } = await startAdmin(t, { audit: 'on', audit_max: 1000 })
  const { settings, now, report } = fastify.redmint
  const entriesOf = (...[events, about]: Parameters<NonNullable<typeof report.entriesOf>>) =>
    report.entriesOf?.(events, about) ?? { entries: [], ttl: 0 }
  const entries = Array.from({ length: 1010 }, () => ({ text: '{}' }))
  await storage.trail.append('batch', { entries, ttl: 60 })
  await trimTrail({ storage, settings, now, report, recorder: { entriesOf } })
  t.match(eventsIn(t, log, []), [{ event: 'audit_trimmed', before: /^\d{13}-\d{6}$/ }])
  t.ok((await storage.trail.size()) <= 1000)
})

t.test('streams of security events', async (t) => {
  const { as, log, visitor, use, settled, storage, operator } = await withStreams(t)
  t.match(eventsIn(t, log, REQUEST), [
    { event: 'signal_stream_changed', client_id: 'payroll', change: 'created' },
    { event: 'signal_stream_changed', client_id: 'masked', change: 'created' },
  ])
  await use(visitor())
  await as('payroll').ask('GET', '/ssf/stream')
  log.length = 0
  await storage.outboxes.put(
    'payroll',
    Array.from({ length: 1000 }, (_, i) => `held ${i}`),
    { max: 1000, ttl: 60 },
  )
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  t.match(eventsIn(t, log, []), [{ event: 'signal_stream_paused', client_id: 'payroll', reason: 'full' }])
})

t.test('sign-in, consent and sign-out', async (t) => {
  const { visitor, signIn, events, storage } = await start(t)
  const alice = visitor()
  const { id_token } = await signIn(alice)
  t.strictSame(events(), [
    { event: 'sign_in_succeeded', ...ALICE, method: 'pwd', amr: 'pwd', client_id: 'mail' },
    { event: 'consent_given', ...ALICE, client_id: 'mail', scope: 'openid' },
  ])
  await alice.open(logoutUrl({ id_token_hint: id_token }))
  t.match(events(), [{ event: 'signed_out', ...ALICE, by: 'client', client_id: 'mail', sid: SID }])

  const login = await alice.page(requestUrl({ scope: 'openid profile' }))
  const asking = asPage(await signInOn(alice, login))
  asDeparture(await alice.submit(asking, { decision: 'deny' }))
  t.strictSame(events().slice(1), [
    { event: 'consent_refused', ...ALICE, client_id: 'shop', scope: 'openid profile' },
  ])
  t.equal(await storage.records.read(CONSENT, consentId(ALICE.sub, 'shop')), undefined)
  await alice.submit(await alice.page(logoutUrl()), { decision: 'logout' })
  t.match(events(), [{ event: 'signed_out', ...ALICE, by: 'user', sid: SID }])
})

t.test('what clients ask people', async (t) => {
  const { visitor, events, storage, post, token } = await start(t, { ask_people: 'on' })
  await createClient(storage, 'bank', formatClient({ ...BANK, allowed_groups: ['staff'] }))
  await changeUser(storage, 'alice', { set: { 'claim:groups': '["staff"]' } })
  const { id } = asker({ post, token })
  const alice = visitor()
  await signInOn(alice, await alice.page('/account'))
  events()
  await id({ login_hint: 'nobody' })
  t.match(events(), [{ event: 'ask_dropped', reason: 'unknown', client_id: 'bank' }])
  const about = { ...ALICE, client_id: 'bank' }
  for (const [decision, consent, answer] of [
    ['allow', 'consent_given', 'ask_allowed'],
    ['deny', 'consent_refused', 'ask_denied'],
    ['never', 'consent_refused', 'ask_denied'],
  ] as const) {
    await id({ binding_message: decision })
    t.match(
      events().filter(({ event }) => event === 'person_asked'),
      [{ ...about, expires_in: 300 }],
    )
    await answerFirst(alice, decision)
    const told = events().filter(({ event }) => event !== 'sign_in_succeeded')
    const muted = decision === 'never' ? [{ event: 'client_muted', ...about }] : []
    t.match(told, [{ event: consent, ...about }, ...muted, { event: answer, ...about }])
  }
  const page = await alice.page('/account')
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  await alice.post('/account/unmute', { csrf, client_id: 'bank' })
  t.match(events(), [{ event: 'client_unmuted', ...about }])
})

t.test('devices and their codes', async (t) => {
  const options = { sign_in_failures: 2, device_requests: 2 }
  const { visitor, events, storage, post, token } = await start(t, options)
  await storeDevices(storage)
  const { ask, codes } = deviceOf({ post, token })
  const alice = visitor()
  for (const [decision, consent, device] of [
    ['allow', 'consent_given', 'device_allowed'],
    ['deny', 'consent_refused', 'device_denied'],
  ] as const) {
    const { verification_uri_complete } = await codes()
    const done = await answerDevice(alice, verification_uri_complete, decision)
    await alice.page(done.url)
    const about = { ...ALICE, client_id: 'tv' }
    t.strictSame(
      events().filter(({ event }) => event !== 'sign_in_succeeded'),
      [
        { event: consent, ...about, scope: 'openid profile' },
        { event: device, ...about },
      ],
    )
  }
  for (let i = 0; i < 3; i++) t.equal((await ask()).status, 429)
  t.match(events(REFUSAL), [{ event: 'device_limited', client_id: 'tv', retry_after: Number }])
  for (let i = 0; i < 4; i++) await alice.page('/device?user_code=BBBB-BBBB')
  t.match(events(), [{ event: 'user_code_limited', limit: 'user', ...ALICE, retry_after: Number }])
})

t.test('pushed requests of one address', async (t) => {
  const { events, post } = await start(t, { par_requests: 2 })
  const push = () => post('/oauth2/par', authorizationRequest())
  for (let i = 0; i < 2; i++) t.equal((await push()).status, 201)
  for (let i = 0; i < 3; i++) t.equal((await push()).status, 429)
  const client_id = authorizationRequest().client_id
  t.match(events(REFUSAL), [{ event: 'pushing_limited', client_id, retry_after: Number }])
})

t.test('a failed sign-in names the account only if there is one', async (t) => {
  const { visitor, events, storage } = await start(t, { sign_in_failures: 100 })
  await createUser(storage, 'disabled', { sub: 'd', disabled: 'true' })
  const person = visitor()
  const login = await person.page(requestUrl())
  const attempt = async (username: string, password: string) => {
    await signInOn(person, await person.page(login.url), username, password)
    return events()
  }
  const failed = { event: 'sign_in_failed', method: 'pwd', client_id: 'shop' }
  t.strictSame(await attempt('alice', 'wrong horse'), [{ ...failed, reason: 'wrong_password', ...ALICE }])
  t.strictSame(await attempt('nobody', PASSWORD), [{ ...failed, reason: 'unknown_user' }])
  t.strictSame(
    await attempt(PASSWORD, ''),
    [{ ...failed, reason: 'unknown_user' }],
    'typed into the wrong field',
  )
  const disabled = { reason: 'disabled_user', username: 'disabled', sub: 'd' }
  t.strictSame(await attempt('disabled', PASSWORD), [{ ...failed, ...disabled }])
})

t.test('a flood of sign-ins that are refused is one event, and otherwise a line per request', async (t) => {
  const { visitor, events, log, fastify } = await start(t, { sign_in_failures: 2 })
  const person = visitor()
  const { url } = await person.page(requestUrl())
  const attempts = async (count: number) => {
    for (let i = 0; i < count; i += 1) await signInOn(person, await person.page(url), 'alice', 'wrong')
  }
  await attempts(2)
  events()
  await attempts(1)
  const limit = { limit: 'user_at_address', retry_after: 300, client_id: 'shop' }
  t.match(events(), [{ event: 'sign_in_limited', ...limit, retry_after: Number }])
  await attempts(10)
  const posts = log.filter((line) => line.includes('"method":"POST"') && line.includes('request completed'))
  t.equal(posts.length, 10)
  t.strictSame(events(), [])
  const { body } = await fastify.inject('/actuator/prometheus')
  t.match(body, 'redmint_sign_ins_total{result="failed"} 2\n')
  t.match(body, 'redmint_sign_ins_total{result="limited"} 11\n')
  t.match(body, 'redmint_events_total{event="sign_in_limited"} 1\n')
})

t.test('refusals that are events are one line, beside that of the request', async (t) => {
  const { token, post, get, code, events, log } = await start(t, { demo: 'public', client_auth_failures: 3 })
  const linesOf = async (run: () => Promise<unknown>) => {
    log.length = 0
    await run()
    const lines = log.filter((line) => !line.includes('request aborted'))
    t.equal(lines.length, 2)
    return events(REFUSAL)
  }
  const FORM = { grant_type: 'client_credentials' }
  const wrong = () => token(FORM, basic('service', 'a-wrong-secret'))
  const failed = { event: 'client_auth_failed' }
  t.strictSame(await linesOf(wrong), [{ ...failed, client_id: 'service' }])
  t.strictSame(await linesOf(() => token(FORM, basic(SECRET))), [failed], 'an unknown client is not named')
  t.strictSame(await linesOf(() => token(FORM)), [failed])
  t.strictSame(await linesOf(() => token({ ...FORM, client_id: 'nobody' })), [failed])
  await wrong()
  await wrong()
  const limited = { event: 'client_auth_limited', client_id: 'service' }
  t.strictSame(await linesOf(wrong), [limited])
  t.strictSame(await linesOf(wrong), [limited])

  const used = await code()
  await token(codeRequest(used))
  t.strictSame(await linesOf(() => token(codeRequest(used))), [{ event: 'code_replayed', client_id: 'app' }])
  for (let i = 1; i < REPEATED; i++) t.strictSame(await linesOf(() => token(codeRequest(used))), [])
  t.strictSame(await linesOf(() => get('/api/resource', bearer('nonsense'))), [{ event: 'bearer_refused' }])
  log.length = 0
  await get('/api/resource')
  await post('/oauth2/token', {})
  t.strictSame(events(REFUSAL), [], 'a request without a token, and a malformed one, are no events')
})

t.test('exchanges of tokens, and those that are refused', async (t) => {
  const service = await start(t, { demo: 'public' })
  const { storage, events } = service
  await storeChain(storage)
  await changeClient(storage, 'web', { set: { allowed_scopes: 'openid api.read' } })
  const { access_token } = await signInFor(service, ORDERS, 'openid api.read')
  events()
  t.equal((await exchangeAs(service, 'orders', access_token)).status, 200)
  t.equal((await exchangeAs(service, 'billing', access_token)).status, 400)
  const exchanged = { event: 'token_exchanged', client_id: 'orders', of_client: 'web', resource: BILLING }
  t.match(events(REFUSAL), [
    { ...exchanged, actors: 1 },
    { event: 'exchange_refused', client_id: 'billing' },
  ])
})

t.test('a token that counts once is spent', async (t) => {
  const service = await start(t, { demo: 'public' })
  const { storage, post, code, token, events } = service
  await storePayments(storage, { once: 'true' }, ['web'])
  const gateway = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }
  await createClient(storage, 'gateway', formatClient(gateway))
  const asked = { client_id: 'web', authorization_details: detailsOf() }
  const redeemed = await token(codeRequest(await code(asked), { client_id: 'web' }), basic('web'))
  events()
  const spend = () =>
    post('/oauth2/introspect', { token: String(redeemed.json.access_token), spend: 'true' }, basic('gateway'))
  t.match((await spend()).json, { spent: true })
  const spent = { event: 'token_spent', client_id: 'gateway', of_client: 'web', types: ['payment'] }
  t.match(events(), [spent])
  t.strictSame((await spend()).json, { active: false })
  t.strictSame(events(), [], 'who comes second did nothing')
})

t.test('a client with a short secret gets tokens, and is named once', async (t) => {
  const { token, storage, log } = await start(t)
  const secret = 'k9.Zx-q_7'
  const client_secret_hash = secretHash(secret)
  const hash = formatClient({ ...CLIENTS.service, client_id: 'old', client_secret_hash })
  await createClient(storage, 'old', hash)
  for (let i = 0; i < 3; i++) {
    const answer = await token({ grant_type: 'client_credentials' }, basic('old', secret))
    t.equal(answer.status, 200)
  }
  t.notOk(log.join().includes(secret), 'the secret is not in the log')
  t.strictSame(eventsIn(t, log, []), [{ event: 'short_secret_used', client_id: 'old' }])
})

t.test('reuse of a refresh token, and revocation by the client', async (t) => {
  const { token, post, code, events, log } = await start(t, { demo: 'public', refresh_retry_window: 0 })
  const refresh = (refresh_token: unknown) =>
    token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: String(refresh_token) })
  const first = (await token(codeRequest(await code()))).json
  await refresh(first.refresh_token)
  log.length = 0
  await refresh(first.refresh_token)
  for (let i = 1; i < REPEATED; i++) await refresh(first.refresh_token)
  t.strictSame(events(REFUSAL), [{ event: 'refresh_token_reused', client_id: 'app' }])

  const revoke = (given: unknown, client_id = 'app') =>
    post('/oauth2/revoke', { token: String(given), client_id })
  const { json } = await token(codeRequest(await code()))
  await revoke(json.access_token)
  t.strictSame(events(), [{ event: 'token_revoked', by: 'client', client_id: 'app' }])
  await revoke('unknown')
  await revoke(json.refresh_token, 'shop')
  t.strictSame(events(), [], 'a token that is unknown, or of another client')
})

t.test('what a server sees of an account that was disabled', async (t) => {
  const { visitor, signIn, events, storage, token, log } = await start(t)
  const alice = visitor()
  const { refresh_token } = await signIn(alice)
  await changeUser(storage, 'alice', { set: { disabled: 'true' }, unset: [] })
  events()
  await alice.page(requestUrl())
  t.match(events(), [{ event: 'session_ended', ...ALICE, sid: SID }])
  log.length = 0
  await token({ grant_type: 'refresh_token', client_id: 'mail', refresh_token })
  t.strictSame(events(REFUSAL), [
    { event: 'grant_ended', reason: 'account', client_id: 'mail', username: 'alice' },
  ])
})

t.test('what a server sees of a user who left the groups of a client', async (t) => {
  const { visitor, signIn, events, storage, token, log } = await start(t)
  const alice = visitor()
  const { refresh_token } = await signIn(alice)
  for (const client_id of ['mail', 'shop'])
    await changeClient(storage, client_id, { set: { allowed_groups: 'staff' } })
  events()
  await alice.page(requestUrl())
  const refused = { event: 'access_refused', client_id: 'shop', ...ALICE }
  t.strictSame(events(), [{ ...refused, at: 'page' }])
  await alice.open(requestUrl({ prompt: 'none' }))
  t.strictSame(events(), [{ ...refused, at: 'prompt_none' }])
  log.length = 0
  await token({ grant_type: 'refresh_token', client_id: 'mail', refresh_token })
  t.strictSame(events(REFUSAL), [
    { event: 'grant_ended', reason: 'access', client_id: 'mail', username: 'alice' },
  ])
})

t.test('the schedule rotates the signing keys', async (t) => {
  const { fastify, pass, log } = await start(t)
  const { keys } = fastify.redmint
  log.length = 0
  pass(91 * 86_400)
  await keys.reload()
  t.match(eventsIn(t, log, []), [{ event: 'keys_rotated', by: 'schedule' }])
  await keys.reload()
  t.strictSame(eventsIn(t, log, []), [], 'only the process that rotated reports it')
})

t.test('what an operator changes is logged by the command, unless it runs on a terminal', async (t) => {
  const people = await start(t, { demo: 'public' })
  const { storage } = people
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const { json } = await people.token(codeRequest(await people.code()))
  const run = async (args: readonly string[], input = '') => {
    const { code, stderr } = await redmint([...args, '--json'], input)
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return eventsIn(t, [stderr], [])
  }
  const client_id = 'web'
  const username = 'alice'
  t.strictSame(await run(['token', 'revoke', '-'], String(json.access_token)), [
    { event: 'token_revoked', by: 'operator', client_id: 'app' },
  ])
  t.strictSame(await run(['client', 'rotate-secret', client_id]), [
    { event: 'client_secret_changed', client_id },
  ])
  t.strictSame(await run(['client', 'update', client_id, '--secret-stdin'], 'x'.repeat(40)), [
    { event: 'client_secret_changed', client_id },
  ])
  t.strictSame(await run(['client', 'update', client_id, '--name', 'Web', '--first-party', 'true']), [
    { event: 'client_changed', client_id, fields: ['client_name', 'first_party'] },
  ])
  t.strictSame(await run(['client', 'update', client_id, '--name', 'Web']), [], 'nothing changes')
  for (const flag of [['--allow-group', ''], ['--clear-allow-groups']]) {
    t.strictSame(await run(['client', 'update', client_id, ...flag]), [
      { event: 'client_changed', client_id, fields: ['allowed_groups'] },
    ])
  }
  await run(['client', 'rotate-secret', client_id, '--keep', '1h'])
  t.match(await run(['client', 'end-old-secret', client_id]), [
    { event: 'client_changed', client_id, fields: ['old_secret_created_at', 'old_secret_ends_at', /hash$/] },
  ])
  t.strictSame(await run(['client', 'disable', client_id]), [{ event: 'client_disabled', client_id }])
  t.strictSame(await run(['client', 'disable', client_id]), [], 'it is so already')
  t.strictSame(await run(['client', 'enable', client_id]), [{ event: 'client_enabled', client_id }])
  t.strictSame(await run(['client', 'enable', client_id]), [], 'it is so already')
  t.strictSame(await run(['client', 'remove', client_id, '--yes']), [
    { event: 'client_disabled', client_id },
    { event: 'client_removed', client_id },
  ])
  t.strictSame(await run(['user', 'set-password', username, '--password-stdin'], `${PASSWORD} again`), [
    { event: 'password_changed', username },
  ])
  const locked = { counter: 'sign_in_user', username } as const
  await noteLockout(storage, { group: 'sign-in', name: '0'.repeat(64) }, locked, 60_000)
  t.strictSame(await run(['user', 'unlock', username]), [
    { event: 'lockout_lifted', kind: 'user', ...locked },
  ])
  t.strictSame(await run(['user', 'unlock', username]), [], 'it is so already')
  t.strictSame(await run(['session', 'end', username, '--all']), [
    { event: 'sessions_ended', username, count: 0 },
  ])
  t.strictSame(await run(['grant', 'end', '--user', username]), [
    { event: 'grants_ended', username, count: 0 },
  ])
  t.strictSame(await run(['session', 'end-all', '--yes']), [{ event: 'all_sessions_ended' }])
  t.strictSame(await run(['user', 'disable', username]), [{ event: 'user_disabled', username }])
  t.strictSame(await run(['user', 'disable', username]), [], 'it is so already')
  t.strictSame(await run(['user', 'enable', username]), [{ event: 'user_enabled', username }])
  t.strictSame(await run(['user', 'enable', username]), [], 'it is so already')
  t.strictSame(await run(['user', 'show', username]), [{ event: 'user_viewed', username }])
  t.strictSame(await run(['user', 'remove', username, '--yes']), [
    { event: 'user_disabled', username },
    { event: 'user_removed', username },
  ])
  const [rotated] = await run(['keys', 'rotate'])
  t.match(rotated, { event: 'keys_rotated', by: 'operator' })
  t.match(rotated?.kids, { length: 4 }, 'the keys that sign now')
  const onTerminal = await redmint(['user', 'disable', 'bob', '--json'], '', true)
  t.strictSame([onTerminal.code, onTerminal.stderr], [0, ''])
  const forPeople = await redmint(['user', 'enable', 'bob'])
  t.strictSame([forPeople.code, forPeople.stderr], [0, ''], 'a report for people has no lines of JSON')
  const quiet = createCli({ storage, environment: { ...ENVIRONMENT, LOG_LEVEL: 'warn' } })
  t.match(
    await quiet.redmint(['user', 'enable', 'bob', '--json']),
    { code: 0, stderr: '' },
    'as LOG_LEVEL says',
  )
})

t.test('what an operator adds, imports, declares and withdraws is logged by name', async (t) => {
  const { storage, redmint } = createCli({ environment: ENVIRONMENT })
  const run = async (args: readonly string[], input: unknown = '') => {
    const { code, stderr } = await redmint(
      [...args, '--json'],
      typeof input === 'string' ? input : JSON.stringify(input),
    )
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return eventsIn(t, [stderr], [])
  }
  t.strictSame(await run(['client', 'add', 'one']), [{ event: 'client_added', client_id: 'one' }])
  const machine = { is_public: false, grant_types: ['client_credentials'] }
  const clients = [
    { ...machine, client_id: 'one', disabled: true, allowed_scopes: ['read'] },
    { ...machine, client_id: 'two' },
  ]
  const imported = await run(['client', 'import', '-', '--update'], clients)
  t.strictSame(byName(imported), [
    { event: 'client_added', client_id: 'two' },
    { event: 'client_changed', client_id: 'one', fields: ['allowed_scopes'] },
    { event: 'client_disabled', client_id: 'one' },
  ])

  t.strictSame(await run(['user', 'add', 'amy', '--sub', 'sub-of-amy']), [
    { event: 'user_added', username: 'amy' },
  ])
  t.strictSame(await run(['user', 'update', 'amy', '--claim', 'name=Amy', '--claim', 'level=3']), [
    { event: 'user_changed', username: 'amy', fields: ['claim:level', 'name'] },
  ])
  const rights = { event: 'rights_changed', from: [], to: ['redmint:read'] }
  t.strictSame(await run(['user', 'import', '-'], [{ username: 'ben', admin: 'redmint:read' }]), [
    { event: 'user_added', username: 'ben' },
  ])

  const client_secret = { env: 'SECRET' }
  const shop = { ...machine, client_id: 'shop', client_secret }
  const declared = (name: string) => ({
    label: 'team',
    clients: [{ ...shop, client_name: name }],
    users: [{ username: 'cem', admin: 'redmint:read', claims: { name } }],
  })
  const environment = { ...ENVIRONMENT, SECRET: 'x'.repeat(40) }
  const team = createCli({ storage, environment })
  const apply = async (name: string) => {
    const { code, stderr } = await team.redmint(['apply', '-', '--json'], JSON.stringify(declared(name)))
    t.equal(code, 0, stderr)
    return byName(eventsIn(t, [stderr], []))
  }
  t.strictSame(await apply('A'), [
    { event: 'client_added', client_id: 'shop' },
    { ...rights, username: 'cem' },
    { event: 'user_added', username: 'cem' },
  ])
  t.strictSame(await apply('B'), [
    { event: 'client_changed', client_id: 'shop', fields: ['client_name'] },
    { event: 'user_changed', username: 'cem', fields: ['name'] },
  ])
  t.strictSame(await apply('B'), [])

  await saveConsent({ storage, now: Date.now }, { sub: 'sub-of-amy', client_id: 'shop', scope: 'openid' }, 60)
  t.strictSame(await run(['user', 'withdraw-consent', 'amy', 'shop']), [
    { event: 'consent_withdrawn', username: 'amy', sub: 'sub-of-amy', client_id: 'shop' },
  ])
  t.equal(await storage.records.read(CONSENT, consentId('sub-of-amy', 'shop')), undefined)
  t.match(await redmint(['user', 'withdraw-consent', 'amy', 'shop']), {
    code: 1,
    stderr: /^No consent of the user "amy" for the client "shop" is remembered/,
  })
})

t.test('registration, its changes and its limit', async (t) => {
  const { register, change, remove, storage, log } = await startRegistration(t, {
    audit: 'on',
    client_registrations_per_address: 1,
  })
  log.splice(0)
  const { json } = await register(APP)
  const { client_id } = json
  for (let i = 0; i < REPEATED; i++) t.equal((await register(APP)).status, 429)
  await change(json, { ...APP, client_id })
  await remove(json)
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const { stderr } = await redmint(['client', 'invite', '--uses', '3', '--json'])
  const events = [...eventsIn(t, log, REFUSAL), ...eventsIn(t, [stderr], [])]
  const redirect = [
    '--redirect-uri',
    'https://app.example.com/callback',
    '--preview-host',
    'preview.example.com',
  ]
  await redmint(['client', 'add', 'previewed', '--public', ...redirect])
  const uri = 'https://pr-1.preview.example.com/callback'
  const made = await redmint(['client', 'for-preview', '--of', 'previewed', '--redirect', uri, '--json'])
  t.match(eventsIn(t, [made.stderr], []), [
    {
      event: 'preview_made',
      client_id: JSON.parse(made.stdout).client_id,
      preview_of: 'previewed',
      lapses_at: String,
    },
  ])
  t.match(events, [
    { event: 'client_registered', client_id, by: 'anybody' },
    { event: 'registration_limited', limit: 'address', retry_after: 3600 },
    { event: 'registration_changed', client_id },
    { event: 'registration_deleted', client_id },
    { event: 'client_invited', uses: 3, expires_at: String },
  ])
  t.equal(events.length, 5)
})

t.test('trusted issuers, and an assertion that is presented twice', async (t) => {
  const { storage, post, events, pass } = await start(t, { trusted_issuers: true })
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const [key, issuer, client_id] = [issuerKey(), 'https://ci.example.com', 'job']
  const run = async (...args: string[]) =>
    eventsIn(t, [(await redmint(['issuer', ...args, '--json'])).stderr], [])
  await trust(storage, key, { issuer })
  t.strictSame(await run('update', issuer, '--max-lifetime', '120'), [{ event: 'issuer_trusted', issuer }])
  const { client_secret_hash: _, ...client } = CLIENTS.service
  const job = { ...client, client_id, grant_types: [JWT_BEARER], assertion_issuer: issuer } as const
  await createClient(storage, client_id, formatClient(job))
  const form = { grant_type: JWT_BEARER, assertion: assertionOf(key, claimsOf(issuer, client_id)) }
  t.equal((await post('/oauth2/token', form)).status, 200)
  for (let i = 0; i < REPEATED; i++) t.equal((await post('/oauth2/token', form)).status, 400)
  t.match(events(REFUSAL), [{ event: 'assertion_replayed', issuer, client_id }])
  pass(61)
  t.equal((await post('/oauth2/token', form)).status, 400)
  t.match(events(REFUSAL), [{ event: 'assertion_replayed', issuer, client_id }], 'one in a minute')
  t.strictSame(await run('remove', issuer, '--yes'), [{ event: 'issuer_removed', issuer }])
})

t.test('other servers, and an assertion for one of them', async (t) => {
  const { storage, log, token, signInTo, visitor } = await startIssuing(t, { audit: 'on' })
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const run = async (...args: string[]) =>
    eventsIn(t, [(await redmint(['application', ...args, '--json'])).stderr], [])
  const application = CHAT
  t.strictSame(await run('update', CHAT, '--scope', 'chat.read'), [
    { event: 'application_changed', application },
  ])
  const { id_token } = await signInTo(visitor())
  eventsIn(t, log, REQUEST)
  const client_id = 'agent'
  t.equal((await askAs({ token }, client_id, id_token)).status, 200)
  t.strictSame(eventsIn(t, log, REQUEST), [
    {
      event: 'assertion_issued',
      ...{ client_id, application, resource: CHAT_API, scope: 'chat.read', username: 'alice' },
    },
  ])
  await askAs({ token }, client_id, id_token, { audience: `${CHAT}/` })
  const refused = [{ event: 'exchange_refused', client_id, reason: 'exchange_application' }]
  t.match(eventsIn(t, log, [...REFUSAL, 'error_description']), refused)
  t.strictSame(await run('remove', CHAT, '--yes'), [{ event: 'application_removed', application }])
})

t.test('providers of accounts', async (t) => {
  const { redmint } = createCli({ environment: ENVIRONMENT })
  const provider = 'google'
  const run = async (args: readonly string[], input?: string) =>
    eventsIn(t, [(await redmint(['provider', ...args, '--json'], input)).stderr], [])
  const changed = [{ event: 'provider_changed', provider }]
  t.strictSame(await run(['add', provider, '--client-id', 'x']), changed)
  t.strictSame(await run(['secret', provider, '--secret-stdin'], 'a-secret'), changed)
  t.strictSame(await run(['remove', provider, '--yes']), [{ event: 'provider_removed', provider }])
})

t.test('types of details', async (t) => {
  const { redmint } = createCli({ environment: ENVIRONMENT })
  const detail_type = 'payment'
  const run = async (...args: string[]) =>
    eventsIn(t, [(await redmint(['detail-type', ...args, '--json'])).stderr], [])
  const parts = ['--schema', 'test/support/payment.json', '--text', 'en=Pay {amount}']
  const changed = [{ event: 'detail_type_changed', detail_type }]
  t.strictSame(await run('add', detail_type, ...parts), changed)
  t.strictSame(await run('set', detail_type, '--remember', 'true'), changed)
  t.strictSame(await run('disable', detail_type), changed)
  t.strictSame(await run('remove', detail_type, '--yes'), [{ event: 'detail_type_removed', detail_type }])
})

t.test('resources, and an invitation that is removed', async (t) => {
  const { redmint, storage } = createCli({ environment: ENVIRONMENT })
  const resource = 'https://api.example.com'
  const run = async (...args: string[]) =>
    eventsIn(t, [(await redmint(['resource', ...args, '--json'])).stderr], [])
  t.strictSame(await run('add', resource), [{ event: 'resource_changed', resource }])
  t.strictSame(await run('disable', resource), [{ event: 'resource_changed', resource }])
  t.strictSame(await run('remove', resource, '--yes'), [{ event: 'resource_removed', resource }])
  const operator = operatorOn(storage, { recorder: recorderOn(storage).recorder })
  const { body } = await operator.run('create_invitation', { body: {} })
  await operator.run('delete_invitation', { params: { id: body.id } })
  t.match(operator.events, [
    { event: 'client_invited', uses: 1 },
    { event: 'invitation_removed', invitation: body.id },
  ])
  seen.add('invitation_removed')
})

t.test('DPoP proofs that are presented again', async (t) => {
  const { storage, post, get, events } = await start(t)
  await createClient(storage, 'service', formatClient(CLIENTS.service))
  const client = dpopClient({ get, token: (form, headers) => post('/oauth2/token', form, headers) })
  const again = { ...basic('service'), dpop: client.proof('/oauth2/token') }
  const form = { grant_type: 'client_credentials' }
  const { json } = await post('/oauth2/token', form, again)
  for (let i = 0; i < REPEATED; i++) t.equal((await post('/oauth2/token', form, again)).status, 400)
  t.match(events(REFUSAL), [{ event: 'proof_replayed', client_id: 'service' }])
  const { text } = await get('/actuator/prometheus')
  t.match(text, `redmint_events_total{event="proof_replayed"} ${REPEATED}\n`, 'the counter has all')
  const headers = client.withToken(json.access_token)
  for (const status of [200, 401]) t.equal((await get('/api/resource', headers)).status, status)
  t.match(events(REFUSAL), [{ event: 'proof_replayed' }])
})

t.test('what operators do by the admin API says who did it', async (t) => {
  const { call, tokenOf, storage, log } = await startAdmin(t, { audit: 'on' })
  await createUser(storage, 'carol', { sub: 'sub-of-carol' })
  const token = await tokenOf('redmint:read', 'redmint:write')
  const headers = { 'if-match': String((await call('GET', '/users/carol', { token })).headers.etag) }
  log.length = 0
  await call('PATCH', '/users/carol', { token, headers, body: { admin: ['redmint:read'] } })
  await call('POST', '/users/carol/end', { token })
  const everybody = '/sessions?confirm=all-sessions'
  for (const path of [
    '/users/carol/acting/service',
    '/users/carol/sessions',
    '/users/carol/grants',
    everybody,
  ])
    await call('DELETE', path, { token })
  t.match(eventsIn(t, log, [...REQUEST, 'actor']), [
    { event: 'rights_changed', username: 'carol', from: [], to: ['redmint:read'] },
    { event: 'user_ended', username: 'carol' },
    { event: 'acting_ended', username: 'carol', client_id: 'service' },
    { event: 'sessions_ended', username: 'carol' },
    { event: 'grants_ended', username: 'carol' },
    { event: 'all_sessions_ended' },
  ])
})

t.test('what others say is over', async (t) => {
  const { come, good, say, storage, token, request, log } = await startWithSignals(t, {
    global_token_revocation: 'on',
    audit: 'on',
  })
  const scope = 'global_token_revocation'
  const siem = { ...CLIENTS.service, client_id: 'siem', allowed_scopes: [scope] }
  await createClient(storage, 'siem', formatClient(siem))
  const { json } = await token({ grant_type: 'client_credentials', scope }, basic('siem'))
  await come()
  log.length = 0
  await say(good())
  await request({
    method: 'POST',
    url: '/oauth2/global-token-revocation',
    headers: { ...bearer(String(json.access_token)), 'content-type': 'application/json' },
    payload: '{"sub_id":{"format":"opaque","id":"sub-of-alice"}}',
  })
  t.match(eventsIn(t, log, REQUEST), [
    { event: 'sessions_ended', username: 'alice' },
    { event: 'signal_taken', signal: 'session-revoked', provider: 'acme' },
    { event: 'user_revoked', username: 'alice', client_id: 'siem' },
  ])
})

t.test('the second step of a sign-in', async (t) => {
  const { visitor, fastify, events } = await start(t)
  const { redmint } = fastify
  await changeUser(redmint.storage, 'alice', { set: { second_factor: 'required' } })
  const alice = visitor()
  const afterPassword = async () =>
    asPage(await signInOn(alice, await alice.page(requestUrl({ client_id: 'own', prompt: 'login' }))))
  const page = await afterPassword()
  const key = keyOn(page)
  await alice.submit(page, { code: wrongCode(key, redmint.now()) })
  const codes = asPage(await alice.submit(page, { code: appCode(key, redmint.now()) }))
  await alice.submit(codes, {})
  const [recovery_code] = codes.text.match(/([0-9A-Z]{6}-){3}[0-9A-Z]{6}/) ?? []
  const signed_in = { event: 'sign_in_succeeded', method: 'pwd', amr: 'pwd otp mfa' }
  t.match(events(), [
    { event: 'sign_in_failed', reason: 'wrong_answer', username: 'alice' },
    { event: 'second_step_added', username: 'alice' },
    { event: 'recovery_codes_made', username: 'alice' },
    signed_in,
  ])
  await alice.submit(await afterPassword(), { recovery_code })
  t.match(events(), [{ event: 'recovery_code_used', username: 'alice', left: 9 }, signed_in])
  const reported: SecurityEvent[] = []
  const { report, recorder } = audited(redmint.storage, reported)
  const context = { ...redmint, report }
  for (let i = 0; i < MAX_FAILURES; i++)
    await checkSecondStep(context, 'alice', wrongCode(key, redmint.now()))
  await resetFactors(context, 'alice', ['totp'])
  await confirmed(context)
  await removeTotp(context, 'alice')
  t.match(reported, [
    { event: 'second_step_limited', username: 'alice' },
    { event: 'factors_reset', username: 'alice', removed: ['totp'] },
    { event: 'second_step_added' },
    { event: 'second_step_removed', username: 'alice' },
  ])
  for (const { event } of reported) seen.add(event)
  await recorder.close()
})

/** A reporter with a recorder of its own. */
function audited(storage: Storage, reported: SecurityEvent[]) {
  const { recorder } = recorderOn(storage, { timing: { max_waiting: 100 } })
  return { report: reportTo(reported, recorder), recorder }
}

async function confirmed(context: SecondStepContext) {
  const { begun, key } = await beginTotp(context, 'alice')
  await confirmTotp(context, 'alice', begun, appCode(key, context.now()))
}

t.test('passkeys', async (t) => {
  const { one: replica, alice } = await replicasWithUsers(t, 'memory')
  const events: SecurityEvent[] = []
  const { report, recorder } = audited(replica.storage, events)
  const one = { ...replica, report }
  const passkey = await makePasskey(one, alice)
  const is_for = { purpose: 'sign_in', bound_to: 'a request' } as const
  for (const counter of [5, 4, 4]) {
    await usePasskey(one, is_for, passkey.get(requestOptions(one, is_for), { counter }), undefined)
  }
  for (const is_eligible of [false, false]) {
    const answer = passkey.get(requestOptions(one, is_for), { counter: 6, is_eligible })
    await usePasskey(one, is_for, answer, undefined)
  }
  await removePasskey(one, 'alice', passkey.id)
  t.match(events, [
    { event: 'passkey_added', username: 'alice' },
    { event: 'passkey_counter_reversed', username: 'alice' },
    { event: 'passkey_flag_changed', username: 'alice' },
    { event: 'passkey_removed', username: 'alice' },
  ])
  for (const { event } of events) seen.add(event)
  await recorder.close()
})

t.test('what a provider says of a sign-in there', async (t) => {
  const { person, log } = await federate(t, { creates_users: true }, { audit: 'on' })
  await comeBy(person(), 'bob')
  const line = log.map((text) => JSON.parse(text)).find(({ event }) => event === 'provider_answered')
  t.match(line, { username: /./, provider: 'acme', acr: '1', amr: 'pwd', auth_time: Number })
  seen.add('provider_answered')
})

t.test('links with accounts at providers', async (t) => {
  const { one: replica } = await replicasWithUsers(t, 'memory')
  const events: SecurityEvent[] = []
  const { report } = audited(replica.storage, events)
  const one = { ...replica, report }
  const about = { username: 'alice', provider: 'acme' } as const
  for (const [event, link] of [
    ['provider_linked', 'https://accounts.example.org#1'],
    ['provider_unlinked', ''],
  ] as const) {
    const found = await one.storage.records.read(USER, 'alice')
    if (!found?.ok) throw new Error('no user')
    const links = [link].filter((text) => text !== '')
    t.equal(
      await setLinks(one, { user: found.record, hash: found.hash }, { links }, { event, ...about }),
      'ok',
    )
    seen.add(event)
  }
  t.match(events, [
    { event: 'provider_linked', ...about },
    { event: 'provider_unlinked', ...about },
  ])
})

t.test('links to a new password, and invitations', async (t) => {
  const { fastify, storage } = await start(t, { demo: 'public' })
  const { redmint: context } = fastify
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const reported: SecurityEvent[] = []
  const { report } = audited(storage, reported)
  const watched = { ...context, report }
  const asker = { address: '192.0.2.1', user: '' }
  const run = async (...args: string[]) => {
    const { code, stderr, stdout } = await redmint([...args, '--json'])
    t.equal(code, 0, stderr)
    const { url = '' } = JSON.parse(stdout)
    return { url, stderr, stdout }
  }
  const password = 'seven wet umbrellas at noon'
  const reset = await run('user', 'reset-link', 'alice')
  await takeReset(watched, linkIn(reset.url), { password }, asker, { digest: '' })
  const invited = await run('user', 'invite', '--uses', '2')
  await takeJoin(watched, linkIn(invited.url), { username: 'carol', password }, asker, { digest: '' })
  const { id: invitation = '' } = JSON.parse(invited.stdout)
  const removed = await run('user', 'remove-invitation', invitation)
  const resource = 'https://orders.example'
  await run('resource', 'add', resource, '--scope', 'orders.read')
  await run('client', 'add', 'desk', '--scope', 'orders.read')
  const given = ['--client', 'desk', '--resource', resource, '--reason', 'a ticket']
  await run('user', 'add', 'erin')
  const acted = await run('user', 'act-as', 'erin', ...given)
  const signing = {
    ...watched,
    settings: { ...context.settings, sign_up: 'open' as const },
    send: async ({ content: { link = '' } }: MailRequest) => {
      await takeJoin(signing, linkIn(link), { username: 'dave', password }, asker, { digest: '' })
    },
  }
  const guessed = await run('user', 'invite')
  for (let i = 0; i < MAX_TAKEN_NAMES + REPEATED; i++)
    await takeJoin(signing, linkIn(guessed.url), { username: 'alice', password }, asker, { digest: '' })
  await sendSignUpLink(signing, { typed: 'dave@example.net', language: 'en', nth: 1 })
  for (const { event } of reported) seen.add(event)
  t.match(
    reported.map(({ event }) => event),
    ['password_reset', 'user_added', 'user_joined', 'names_guessed', 'user_added', 'user_signed_up'],
  )
  const logged = eventsIn(t, [reset.stderr, invited.stderr, removed.stderr, acted.stderr], [])
  t.match(logged, [
    { event: 'reset_link_given', username: 'alice' },
    { event: 'user_invited', uses: 2 },
    { event: 'user_invitation_removed', invitation },
    { event: 'user_acted_as', username: 'erin', client_id: 'desk', resource, reason: 'a ticket' },
  ])
})

t.test('another address, and "This was not me"', async (t) => {
  const { fastify } = await start(t, { demo: 'public' })
  const reported: SecurityEvent[] = []
  const links: string[] = []
  const watched: Context & AddressContext = {
    ...fastify.redmint,
    report: audited(fastify.redmint.storage, reported).report,
    send: async ({ content: { link = '' } }: MailRequest) => {
      links.push(link)
      return true
    },
  }
  await askForAddress(watched, { username: 'alice' }, 'new@example.net', 'en')
  await takeAddress(watched, linkIn(links[0]))
  await takeNotMe(watched, linkIn(links[1]))
  t.match(reported, [
    { event: 'address_change_asked', username: 'alice' },
    { event: 'address_changed', username: 'alice' },
    {
      event: 'change_disowned',
      username: 'alice',
      change: 'address_changed',
      removed: ['password', 'address'],
    },
  ])
  for (const { event } of reported) seen.add(event)
})

t.test('mails', async (t) => {
  const { fastify } = await start(t, { demo: 'public' })
  const { redmint: context } = fastify
  const reported: SecurityEvent[] = []
  const { report, recorder } = audited(context.storage, reported)
  const watched = { ...context, report, render: () => ({ subject: '', text: '', html: '' }) }
  const to = readEmail('alice@example.org')
  if (to === undefined) throw new Error('It is an address.')
  const content = { kind: 'reset_password', language: 'en', link: 'https://a.example/' } as const
  for (let i = 0; i < 2; i++) await sendMail(watched, () => {}, { to, content, ttl: 3600 })
  const outcomes: Delivery[] = [{ outcome: 'sent', answer: '250' }]
  const courier = new MailCourier(
    watched,
    async () => outcomes.pop() ?? { outcome: 'refused', answer: '550' },
    MAIL_TIMING,
  )
  courier.start()
  t.teardown(() => courier.close())
  await until('both are done', () => reported.length === 2)
  const send = async () => {}
  const address = { email: 'ann@example.org', email_verified: 'true' }
  await createUser(context.storage, 'ann', { sub: 'sub-of-ann', ...address })
  for (let i = 0; i < REPEATED; i++)
    await sendResetLink(
      { ...watched, ...context, report: watched.report, send },
      { typed: 'ann', language: 'en', nth: 1 },
    )
  for (const { event } of reported) seen.add(event)
  t.match(reported.map(({ event }) => event).sort(), ['mail_dropped', 'mail_sent', 'mails_limited'])
  await recorder.close()
})

t.test('a group of counters that is full is one event in a minute, and counted', async (t) => {
  const { log, storage, fastify } = await start(t)
  const names = Array.from(
    { length: MAX_COUNTERS + 3 },
    (_, i) => `00${i.toString(16).padStart(2, '0')}${'0'.repeat(60)}`,
  )
  for (const name of names) await storage.counters.countFailure('device', name, 60_000)
  // Storage tells it, so it is of no request.
  t.strictSame(eventsIn(t, log, []), [{ event: 'counters_full', group: 'device' }])
  const { body } = await fastify.inject('/actuator/prometheus')
  t.ok(body.includes('redmint_counters_full_total{group="device"} 3\n'))
})

t.test('every warning is bounded in number, whoever repeats what it warns of', async (t) => {
  for (const [event, { level }] of Object.entries(EVENTS)) {
    const is_bounded = ['first', 'minute', 'hour'].includes(BOUNDS[event as EventName])
    t.equal(level === 'warn', is_bounded, event)
  }
})

t.test('every event of the table has happened here', async (t) => {
  t.strictSame([...seen].sort(), Object.keys(EVENTS).sort())
})

t.test(
  'every event of the table has one entry, in the step of its change, and there are no others (J1)',
  async (t) => {
    for (const event of Object.keys(EVENTS) as EventName[]) {
      const { told, reported, entries } = followed.get(event) ?? { told: false, reported: 0, entries: 0 }
      t.ok(reported > 0, `${event} is reported`)
      t.equal(entries, reported, `${event}: one entry each`)
      if (APART[event] === 'repeated') continue
      t.equal(told, !(event in APART), `${event}: in the step of its change, unless the docs say why not`)
    }
    t.equal(followed.size, Object.keys(EVENTS).length)
  },
)

/**
 * Where a write may have no entry: what operators see does not change by it (a record that is disabled already is marked once
 * more before it goes), or another step of the same request has the entry.
 */
const MAY_BE_UNTOLD = [
  'cli/user/state.ts',
  'src/self-service/not-me.ts',
  'src/admin/clients/state.ts',
  'src/admin/operation/record-type.ts',
  'src/admin/simple/simple-type.ts',
  'src/admin/users/state.ts',
  // It is counted together.
  'src/clients/registration/manage.ts',
]

t.test('no other file writes a record of operators or people without its entry', async (t) => {
  t.strictSame(
    [...untold].filter((file) => !MAY_BE_UNTOLD.includes(file)),
    [],
  )
})
