// Series under which each alert fires, and series that are nearly like them. A number stays; in the notation of promtool,
// 1+2x60 is 1, and then 60 values that grow by 2, one each minute.

/** What differs from the metrics of a real run. */
interface Series {
  /** The values of series, by a selector that names some of their labels. */
  readonly values: Readonly<Record<string, number | string>>
  /** When it is looked, such as 2h. */
  readonly at: string
}

interface Fired {
  readonly alert: string
  /** Besides `severity`. */
  readonly labels?: Readonly<Record<string, string>>
  readonly description: string
}

/** Series, and all alerts that fire; in `almost`, none does. */
export interface AlertCase extends Series {
  readonly fires: readonly Fired[]
  readonly almost: readonly Series[]
}

const each = (step: number) => `0+${step}x120`
const one = { job: 'redmint', instance: 'auth-1:3001' }
const two = { job: 'redmint', instance: 'auth-2:3001' }
const onOne = 'instance="auth-1:3001"'

const ANSWERED = 'http_server_requests_seconds_count{uri="/oauth2/token",status="200"}'
const FAILED = 'http_server_requests_seconds_count{uri="/oauth2/token",status="503"}'
const bucket = (le: string) =>
  `http_server_requests_seconds_bucket{uri="/oauth2/token",status="200",le="${le}"}`
const ready = (check: string) => `redmint_ready{check="${check}",${onOne}}`
const memory = (part: string) => `redmint_redis_memory_bytes{part="${part}"}`
const sinks = (name: string) => `redmint_redis_${name}_total{intent="save-client-tokens"}`
const KEY = 'redmint_signing_key_age_seconds{alg="ES256",status="current"}'
const SIGN_INS = 'redmint_sign_ins_total{result="failed"}'
// The default of KEY_ROTATION_DAYS.
const ROTATION = 90 * 86_400

/** Events that happen once, on one of the servers. */
function eventCases(alert: string, events: readonly string[]): AlertCase[] {
  return events.map((event) => ({
    values: { [`redmint_events_total{event="${event}",${onOne}}`]: '0+0x5 1+0x60' },
    at: '20m',
    fires: [{ alert, labels: { event }, description: `${event} happened 1 times within 15 minutes.` }],
    almost: [{ values: { 'redmint_events_total{event="client_auth_failed"}': each(1) }, at: '20m' }],
  }))
}

/** Requests that are refused because of a third party, at one of the servers. */
function partyCases(reasons: readonly string[]): AlertCase[] {
  const refused = (reason: string, times: string) => ({
    [`redmint_refusals_total{endpoint="interaction",reason="${reason}",${onOne.replace('instance', 'job="redmint",instance')}}`]:
      times,
  })
  return reasons.map((reason) => ({
    values: refused(reason, '0+0x5 6+0x60'),
    at: '20m',
    fires: [
      {
        alert: 'RedmintThirdPartyFails',
        labels: { reason },
        description: `${reason} refused 6 requests within 15 minutes.`,
      },
    ],
    almost: [
      { values: refused(reason, '0+0x5 5+0x60'), at: '20m' },
      { values: refused('client_document_away', each(1)), at: '20m' },
    ],
  }))
}

/** A queue that is too long for some time. */
function queueCase(
  alert: string,
  metric: string,
  length: number,
  after: string,
  description: string,
): AlertCase {
  return {
    values: { [metric]: length },
    at: after,
    fires: [{ alert, description }],
    almost: [
      { values: { [metric]: length }, at: '14m' },
      { values: { [metric]: length - 1 }, at: after },
    ],
  }
}

export const ALERT_CASES: readonly AlertCase[] = [
  {
    values: { up: 0 },
    at: '2m',
    fires: [
      {
        alert: 'RedmintUnreachable',
        description: 'Prometheus has read the metrics of no server for a minute.',
      },
    ],
    almost: [
      { values: { up: 0 }, at: '0m' },
      { values: { [`up{${onOne}}`]: 0 }, at: '2m' },
    ],
  },
  {
    values: { [`up{${onOne}}`]: 0 },
    at: '5m',
    fires: [
      {
        alert: 'RedmintReplicaUnreachable',
        labels: one,
        description: 'Prometheus cannot read the metrics of auth-1:3001.',
      },
    ],
    almost: [{ values: { [`up{${onOne}}`]: '0 0 0 0 1+0x60' }, at: '6m' }],
  },
  {
    values: { [ready('storage')]: 0, [ready('keys')]: 0 },
    at: '10m',
    fires: [
      {
        alert: 'RedmintRedisUnusable',
        labels: { ...one, check: 'storage' },
        description: 'auth-1:3001 cannot write to Redis, and answers 503.',
      },
    ],
    almost: [{ values: { [ready('storage')]: '0 1+0x60' }, at: '2m' }],
  },
  {
    values: { [ready('keys')]: 0 },
    at: '2m',
    fires: [
      {
        alert: 'RedmintKeysStale',
        labels: { ...one, check: 'keys' },
        description: 'auth-1:3001 reaches Redis, but has no signing or sealing keys that are up to date.',
      },
    ],
    almost: [{ values: { [ready('keys')]: 0 }, at: '1m' }],
  },
  {
    values: { [FAILED]: each(1), [ANSWERED]: each(19) },
    at: '2h',
    fires: [
      {
        alert: 'RedmintErrors',
        description: '5% of the requests of the last hour were answered with a status of 500 or above.',
      },
      {
        alert: 'RedmintErrorsPersist',
        description: '5% of the requests of the last six hours were answered with a status of 500 or above.',
      },
    ],
    almost: [
      { values: { [FAILED]: each(1), [ANSWERED]: each(199) }, at: '2h' },
      // Too few to say anything: five on each server would be ten.
      { values: { [FAILED]: '0+0x60 4+0x600' }, at: '80m' },
      // They are over.
      { values: { [FAILED]: '0+1x60 60+0x600', [ANSWERED]: each(19) }, at: '100m' },
    ],
  },
  {
    values: { [FAILED]: each(1), [ANSWERED]: each(99) },
    at: '2h',
    fires: [
      {
        alert: 'RedmintErrorsPersist',
        description: '1% of the requests of the last six hours were answered with a status of 500 or above.',
      },
    ],
    almost: [],
  },
  {
    values: { [bucket('0.5')]: each(98), [bucket('1')]: each(98), [bucket('+Inf')]: each(100) },
    at: '20m',
    fires: [{ alert: 'RedmintSlow', description: 'One in a hundred takes longer than 1s.' }],
    almost: [
      {
        values: { [bucket('0.5')]: each(99), [bucket('1')]: each(99), [bucket('+Inf')]: each(99.5) },
        at: '20m',
      },
    ],
  },
  {
    values: { [sinks('seconds')]: each(3), [sinks('calls')]: each(100) },
    at: '20m',
    fires: [{ alert: 'RedmintRedisSlow', description: 'A call of Redis takes 30ms on average.' }],
    almost: [{ values: { [sinks('seconds')]: each(1.9), [sinks('calls')]: each(100) }, at: '20m' }],
  },
  {
    values: { [memory('used')]: 85, [memory('max')]: 100 },
    at: '10m',
    fires: [{ alert: 'RedmintRedisNearlyFull', description: '85% of maxmemory are used.' }],
    almost: [
      { values: { [memory('used')]: 79, [memory('max')]: 100 }, at: '10m' },
      { values: { [memory('used')]: 85, [memory('max')]: 0 }, at: '10m' },
    ],
  },
  {
    values: { [KEY]: ROTATION + 2 * 86_400 },
    at: '61m',
    fires: [
      {
        alert: 'RedmintKeysOverdue',
        labels: { alg: 'ES256' },
        description: 'The rotation of ES256 is overdue by 2d 0h 0m 0s.',
      },
    ],
    almost: [
      { values: { [KEY]: ROTATION + 86_000 }, at: '61m' },
      { values: { [KEY.replace('current', 'next')]: ROTATION * 2 }, at: '61m' },
    ],
  },
  {
    values: { [SIGN_INS]: '0+0x200 0+20x100' },
    at: '225m',
    fires: [
      {
        alert: 'RedmintSignInFailures',
        description:
          '400 sign-ins failed within ten minutes, more than five times as many as on the day before.',
      },
    ],
    almost: [
      { values: { [SIGN_INS]: '0+20x1465' }, at: '1465m' },
      { values: { [SIGN_INS]: '0+0x200 0+2x100' }, at: '225m' },
    ],
  },
  {
    values: { 'redmint_lockouts{counter="sign_in_user"}': 51 },
    at: '15m',
    fires: [{ alert: 'RedmintLockouts', description: '51 lockouts after failed attempts are in force.' }],
    almost: [
      { values: { 'redmint_lockouts{counter="sign_in_user"}': 50 }, at: '15m' },
      { values: { 'redmint_lockouts{counter="device"}': 400 }, at: '15m' },
    ],
  },
  ...eventCases('RedmintReplay', [
    'code_replayed',
    'refresh_token_reused',
    'assertion_replayed',
    'proof_replayed',
    'passkey_counter_reversed',
  ]),
  ...eventCases('RedmintGuesses', ['user_code_limited', 'second_step_limited']),
  ...eventCases('RedmintPasskeyChanged', ['passkey_flag_changed']),
  {
    values: { [`redmint_password_queue_length{${onOne}}`]: 21 },
    at: '10m',
    fires: [
      {
        alert: 'RedmintPasswordQueue',
        labels: one,
        description: '21 passwords wait to be hashed on auth-1:3001.',
      },
    ],
    almost: [{ values: { [`redmint_password_queue_length{${onOne}}`]: 20 }, at: '10m' }],
  },
  queueCase('RedmintMailQueue', 'redmint_mail_queue_length', 101, '15m', '101 mails wait.'),
  queueCase('RedmintLogoutQueue', 'redmint_logout_queue_length', 101, '15m', '101 notices wait.'),
  queueCase('RedmintEndingQueue', 'redmint_ending_queue_length', 1, '1h', '1 endings wait.'),
  {
    values: { [`redmint_audit_lost_total{sink="webhook",${onOne}}`]: '0+0x5 1+0x60' },
    at: '20m',
    fires: [
      {
        alert: 'RedmintAuditLost',
        labels: { sink: 'webhook' },
        description: '1 entries did not reach the webhook within 15 minutes.',
      },
    ],
    almost: [{ values: { 'redmint_audit_lost_total{sink="webhook"}': 7 }, at: '20m' }],
  },
  {
    values: { [`redmint_audit_webhook_total{delivery="failed",${onOne}}`]: '0+0x5 4+0x120' },
    at: '25m',
    fires: [
      {
        alert: 'RedmintAuditWebhook',
        description: '4 messages were not taken within two hours, and none was.',
      },
    ],
    almost: [
      { values: { [`redmint_audit_webhook_total{delivery="failed",${onOne}}`]: '0+0x5 3+0x120' }, at: '25m' },
      {
        values: {
          [`redmint_audit_webhook_total{delivery="failed",${onOne}}`]: each(1),
          [`redmint_audit_webhook_total{delivery="delivered",${onOne}}`]: each(1),
        },
        at: '2h',
      },
    ],
  },
  ...partyCases([
    'upstream_failed',
    'directory_away',
    'own_page_failed',
    'client_keys_away',
    'issuer_keys_away',
  ]),
  {
    values: { redmint_explanations_lost_total: each(1) },
    at: '31m',
    fires: [
      {
        alert: 'RedmintExplanationsLost',
        description: '30 explanations could not be kept within 15 minutes.',
      },
    ],
    almost: [{ values: { redmint_explanations_lost_total: '0+1x5 5+0x60' }, at: '31m' }],
  },
  {
    values: { 'redmint_build_info{version="another"}': 1 },
    at: '1h',
    fires: [{ alert: 'RedmintVersionsDiffer', description: '2 versions of redmint run side by side.' }],
    almost: [{ values: { 'redmint_build_info{version="another"}': 1 }, at: '59m' }],
  },
  {
    values: { 'nodejs_eventloop_lag_p99_seconds{instance="auth-2:3001"}': 0.3 },
    at: '10m',
    fires: [
      {
        alert: 'RedmintEventLoopLag',
        labels: two,
        description: 'The event loop of auth-2:3001 is late by 300ms.',
      },
    ],
    almost: [{ values: { 'nodejs_eventloop_lag_p99_seconds{instance="auth-2:3001"}': 0.25 }, at: '10m' }],
  },
]
