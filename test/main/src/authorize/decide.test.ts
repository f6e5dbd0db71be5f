// The decisions of an authorization request, each rule broken once.
import t from 'tap'
import { decideAccount, decideConsent, type RequestProgress } from '../../../../src/authorize/decide.ts'
import type { AuthorizationRequest, Prompt } from '../../../../src/authorize/request.ts'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { OAuthError } from '../../../../src/core/errors.ts'
import type { Session } from '../../../../src/sessions/session.ts'
import { RELYING_PARTIES } from '../../../support/accounts.ts'

const NOW = 1_800_000_000_000
const parsed = parseClient('shop', formatClient(RELYING_PARTIES.shop))
if (!parsed.ok) throw new Error('the client of this test is malformed')
const client = parsed.record

const session: Session = {
  id: 'an id',
  sid: 'this session',
  username: 'alice',
  sub: 'sub-of-alice',
  auth_time: NOW / 1000 - 100,
  amr: 'pwd',
  acr: '1',
  started_at: NOW - 200_000,
  ends_at: NOW + 1000,
  has_joined: false,
}
const requestWith = (more: Partial<Omit<AuthorizationRequest, 'prompt'>> = {}, prompt: Prompt[] = []) => ({
  client,
  redirect_uri: 'https://app.example.com/callback',
  scope: 'openid',
  claims: { userinfo: [], id_token: [] },
  ...more,
  prompt: new Set(prompt),
})
const signedIn = { session, subject: session.sub }
const here = { signed_in: session.sid }
const elsewhere = { signed_in: 'another session', chosen: 'another session' }

const said = (step: ReturnType<typeof decideAccount>) => (step.step === 'error' ? step.error.code : step.step)
const worth = (essential_acr: string[]) =>
  requestWith({ claims: { userinfo: [], id_token: [], essential_acr } })

const CASES: [name: string, expected: string, progress: Partial<RequestProgress>][] = [
  ['nobody is signed in', 'login', {}],
  ['nobody is signed in, prompt=none', 'login_required', { request: requestWith({}, ['none']) }],
  ['a user is signed in', 'continue', signedIn],
  ['prompt=login', 'login', { ...signedIn, request: requestWith({}, ['login']) }],
  ['prompt=login, done', 'continue', { ...signedIn, request: requestWith({}, ['login']), pending: here }],
  [
    'prompt=login, done in a session that ended',
    'login',
    { ...signedIn, request: requestWith({}, ['login']), pending: elsewhere },
  ],
  [
    'prompt=create, and somebody is signed in',
    'login',
    { ...signedIn, request: requestWith({}, ['create']) },
  ],
  ['prompt=create, done', 'continue', { ...signedIn, request: requestWith({}, ['create']), pending: here }],
  [
    'prompt=create, and the account was made, but nobody signed in with it',
    'login',
    { ...signedIn, request: requestWith({}, ['create']), pending: { has_account: 'true' } },
  ],
  ['max_age reached', 'login', { ...signedIn, request: requestWith({ max_age: 99 }) }],
  ['max_age to the second', 'continue', { ...signedIn, request: requestWith({ max_age: 100 }) }],
  [
    'max_age=0, and the clock of the sign-in is ahead',
    'login',
    { ...signedIn, request: requestWith({ max_age: 0 }), now: session.auth_time * 1000 - 1 },
  ],
  [
    'max_age reached, just signed in',
    'continue',
    { ...signedIn, request: requestWith({ max_age: 0 }), pending: here },
  ],
  ['another account is wanted', 'login', { ...signedIn, pending: { other_account: 'true' } }],
  ['another account was wanted', 'continue', { ...signedIn, pending: { ...here, other_account: 'true' } }],
  ['select_account', 'select_account', { ...signedIn, request: requestWith({}, ['select_account']) }],
  [
    'select_account, chosen',
    'continue',
    { ...signedIn, request: requestWith({}, ['select_account']), pending: { chosen: session.sid } },
  ],
  [
    'select_account, just signed in',
    'continue',
    { ...signedIn, request: requestWith({}, ['select_account']), pending: here },
  ],
  [
    'select_account, chosen in a session that ended',
    'select_account',
    { ...signedIn, request: requestWith({}, ['select_account']), pending: elsewhere },
  ],
  [
    'select_account and login',
    'login',
    { ...signedIn, request: requestWith({}, ['select_account', 'login']) },
  ],
  ['the expected user', 'continue', { ...signedIn, expected: [session.sub] }],
  ['another user is expected', 'login', { ...signedIn, expected: ['sub-of-bob'] }],
  ['two users are expected', 'login', { ...signedIn, expected: [session.sub, 'sub-of-bob'] }],
  [
    'another user than expected just signed in',
    'login_required',
    { ...signedIn, expected: ['sub-of-bob'], pending: here },
  ],
  [
    'another user is expected, prompt=none',
    'login_required',
    { ...signedIn, expected: ['sub-of-bob'], request: requestWith({}, ['none']) },
  ],
  [
    'an acr that another set of methods reaches',
    'login',
    { ...signedIn, acr_values: ['1', '9'], request: worth(['9']) },
  ],
  ['an acr that a method reaches', 'continue', { ...signedIn, request: worth(['9', '1']) }],
  [
    'an acr that this session does not have',
    'login',
    { ...signedIn, session: { ...session, acr: '0' }, request: worth(['1']) },
  ],
  [
    'a sign-in for this request that does not have the acr',
    'unmet_authentication_requirements',
    { ...signedIn, acr_values: ['1', '9'], pending: here, request: worth(['9']) },
  ],
  [
    'acr_values that a method reaches and this session does not have',
    'login',
    { ...signedIn, acr_values: ['1', '9'], request: { ...requestWith(), acr_values: ['8', '9'] } },
  ],
  [
    'acr_values that a method reaches and this session does not have, prompt=none',
    'continue',
    {
      ...signedIn,
      acr_values: ['1', '9'],
      request: { ...requestWith({}, ['none']), acr_values: ['9'] },
    },
  ],
  [
    'acr_values that no method reaches: they are voluntary',
    'continue',
    { ...signedIn, request: { ...requestWith(), acr_values: ['9'] } },
  ],
  [
    'acr_values of which this session has one',
    'continue',
    { ...signedIn, acr_values: ['1', '9'], request: { ...requestWith(), acr_values: ['9', '1'] } },
  ],
  [
    'a sign-in for this request that reached another of the acr_values',
    'continue',
    {
      ...signedIn,
      acr_values: ['1', '9'],
      pending: here,
      request: { ...requestWith(), acr_values: ['9'] },
    },
  ],
  [
    'a user whose subject is the client_id (RFC 9068 §5)',
    'invalid_request',
    { session, subject: client.client_id },
  ],
]

for (const [name, expected, progress] of CASES) {
  t.equal(
    said(decideAccount({ request: requestWith(), expected: [], acr_values: ['1'], now: NOW, ...progress })),
    expected,
    name,
  )
}

const consentOf = (
  more: Partial<Pick<AuthorizationRequest['client'], 'first_party' | 'is_public'>> & {
    prompt?: Prompt[]
    redirect_uri?: string
  },
  names: string[],
  consented: string | undefined,
) => {
  const { prompt = [], redirect_uri = 'https://app.example.com/callback', ...fields } = more
  const decision = decideConsent(
    { client: { ...client, ...fields }, redirect_uri, prompt: new Set(prompt) },
    names,
    consented,
  )
  return decision instanceof OAuthError ? decision.code : decision
}

t.equal(consentOf({}, ['openid'], undefined), 'consent', 'never asked')
t.equal(consentOf({}, [], undefined), 'consent', 'never asked, and no scope')
t.equal(consentOf({}, [], ''), 'continue', 'asked before, without a scope')
t.equal(consentOf({}, ['openid'], 'openid email'), 'continue', 'asked before')
t.equal(consentOf({}, ['openid', 'phone'], 'openid email'), 'consent', 'a new scope name')
t.equal(consentOf({}, ['email'], 'emails'), 'consent', 'whole names are compared')
t.equal(consentOf({ first_party: true }, ['openid'], undefined), 'continue')
t.equal(consentOf({ first_party: true, prompt: ['consent'] }, ['openid'], undefined), 'consent')
t.equal(consentOf({ prompt: ['consent'] }, ['openid'], 'openid'), 'consent')
t.equal(consentOf({ prompt: ['none'] }, ['openid'], undefined), 'consent_required')
t.equal(consentOf({ prompt: ['none'] }, ['openid'], 'openid'), 'continue')

// RFC 8252 §8.6: an app that another one can pretend to be gets no code without the user.
for (const redirect_uri of [
  'http://127.0.0.1:4711/cb',
  'http://[::1]/cb',
  'http://localhost/cb',
  'com.example.app:/cb',
]) {
  const native = (more: Parameters<typeof consentOf>[0] = {}) =>
    consentOf({ redirect_uri, ...more }, ['openid'], 'openid')
  t.equal(native(), 'consent', `${redirect_uri}: asked before`)
  t.equal(native({ prompt: ['none'] }), 'consent_required', `${redirect_uri}: prompt=none`)
  t.equal(native({ first_party: true }), 'continue', `${redirect_uri}: the operator vouches for it`)
  t.equal(native({ is_public: false }), 'continue', `${redirect_uri}: a client with a secret`)
}
