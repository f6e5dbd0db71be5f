// Every page in every state, as the service sends it: from the same plugins, on loopback.
import { createInstance } from '../../instance.ts'
import browser from '../../plugins/browser.ts'
import context from '../../plugins/context.ts'
import language from '../../plugins/language.ts'
import pages from '../../plugins/pages.ts'
import securityHeaders from '../../plugins/security-headers.ts'
import icon from '../../routes/icon.ts'
import { completeSettings, type Settings } from '../../src/config/settings.ts'
import { completeContext, createGround } from '../../src/context.ts'
import { clientDocumentAway, unusableClientDocument } from '../../src/core/client-errors.ts'
import { invalidRequest, serverError, temporarilyUnavailable } from '../../src/core/errors.ts'
import { signInExpired } from '../../src/core/request-errors.ts'
import {
  demoDeviceCodePage,
  demoDeviceStartPage,
  demoDeviceTokensPage,
} from '../../src/demo/demo-device-page.ts'
import { demoLinkPage, demoPage, demoStartPage } from '../../src/demo/demo-page.ts'
import { shownDetail } from '../../src/details/sentence.ts'
import { loadLanguages } from '../../src/languages/load-languages.ts'
import { askConsentPage } from '../../src/pages/ask-consent.ts'
import { type AskOutcome, askDonePage } from '../../src/pages/ask-done.ts'
import { choosePasskeyPage } from '../../src/pages/choose-passkey.ts'
import { choosePasswordPage } from '../../src/pages/choose-password.ts'
import { confirmPage } from '../../src/pages/confirm.ts'
import { consentPage } from '../../src/pages/consent.ts'
import { deviceCodePage } from '../../src/pages/device-code.ts'
import { deviceConsentPage } from '../../src/pages/device-consent.ts'
import { deviceDonePage } from '../../src/pages/device-done.ts'
import { errorPage } from '../../src/pages/error.ts'
import { forgotPasswordPage } from '../../src/pages/forgot-password.ts'
import { FORM_POST_SCRIPT_SOURCE, formPostPage } from '../../src/pages/form-post.ts'
import { homePage, notFoundPage } from '../../src/pages/home.ts'
import { html } from '../../src/pages/html.ts'
import type { View } from '../../src/pages/layout.ts'
import { linkDonePage } from '../../src/pages/link-done.ts'
import { linkEndPage, linkQuestionPage } from '../../src/pages/link-question.ts'
import { loginPage } from '../../src/pages/login.ts'
import { loggedOutPage, logoutPage } from '../../src/pages/logout.ts'
import { noAccessPage } from '../../src/pages/no-access.ts'
import { passkeyPart, passkeySignInFields, passkeysMissing } from '../../src/pages/passkey.ts'
import { PASSWORD_SOURCE } from '../../src/pages/password-script.ts'
import { qrModules } from '../../src/pages/qr-code.ts'
import { recoveryUsedPage } from '../../src/pages/recovery-used.ts'
import { repeatPage } from '../../src/pages/repeat.ts'
import { reviewPasskeysPage } from '../../src/pages/review-passkeys.ts'
import { say } from '../../src/pages/say.ts'
import {
  recoveryCodeFields,
  type SecondStepWay,
  secondStepFields,
  setUpFields,
  wrongText,
} from '../../src/pages/second-step.ts'
import { selectAccountPage } from '../../src/pages/select-account.ts'
import { SEND_ONCE_SOURCE } from '../../src/pages/send-once.ts'
import { signUpDonePage, signUpPage } from '../../src/pages/sign-up.ts'
import type { PageNeeds } from '../../src/pages/theme.ts'
import { providerButtons } from '../../src/providers/page-parts.ts'
import { PROVIDER_PRESETS, type ProviderKind } from '../../src/providers/presets.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { ACCOUNT_PAGES, KNOWN_AT, KNOWN_PASSKEYS } from './account-pages.ts'
import { ISSUER, useTestKeys } from './service.ts'

const form = { action: '/sent', csrf: 'a-csrf-token-of-32-characters-..', transaction: 'a-transaction' }
const passkey = {
  use: 'create',
  options: { rp: { id: 'auth.example.com' }, challenge: '' },
  script: '/oauth2/passkeys.js',
} as const
const choice = { action: '/sent', csrf: form.csrf, min_length: 15, account: { username: 'alice' } } as const
const joining = { ...choice, account: { email: 'alice@example.org' } } as const
const redirect_uri = 'https://photos.example.com/callback'
const client = { destination: { client_name: 'Photo Album', host: 'photos.example.com' } }
const waitingSignUp = {
  ...client,
  transaction: 'a-transaction',
  sign_in: '/login',
  name: 'carol@example.net',
}
const payment = {
  ...{ type: 'payment', amount: 1250.5, currency: 'EUR', creditor: 'Merchant A of a long name, Ltd.' },
  ...{ purpose: 'Invoice 4711', actions: ['initiate', 'status'] },
}
const details = [
  shownDetail(payment, 'Pay {amount} {currency} to {creditor}'),
  shownDetail({ type: 'calendar', day: '2026-12-24' }, 'See your calendar of {day}'),
]
const alice = { name: 'Alice Liddell', detail: 'alice', email: 'alice@example.com' }
// The picture of the gallery itself: no other origin can be reached.
const documented = {
  ...client.destination,
  logo_uri: '/logo.svg',
  policy_uri: 'https://photos.example.com/privacy',
  tos_uri: 'https://photos.example.com/terms',
}
const since = Date.parse('2026-03-09T12:00:00Z')
const described = {
  host: 'photos.example.com',
  is_local: false,
  history: { state: 'first' },
  others: [],
} as const
const unchanged = { ...described, history: { state: 'unchanged', since } } as const
const changed = {
  ...described,
  history: {
    state: 'changed',
    since,
    aspects: ['client_name', 'recipient', 'redirect_uris', 'pages'],
    former_name: 'Photo Book',
  },
} as const
const onDevice = {
  destination: { client_name: 'Code Helper', host: 'localhost:4711' },
  described: { ...described, host: 'helper.example.com', is_local: true },
} as const
const selfRegistered = {
  registered_at: '2026-11-22T08:00:00.000Z',
  is_local: false,
  history: { state: 'first' },
  others: ['https://albums.example.net', 'http://localhost', 'com.example.photos:'],
} as const
const linked = { client_name: 'Photo Album', client_uri: 'https://photos.example.com/' }
const refused = { request_id: '1c0f6c8e-4a0b-4b39-9f0e-0a1d7d3c5b52', at: Date.UTC(2026, 10, 22, 12, 0) }
const scopes = ['openid', 'profile', 'email', 'offline_access', 'album.write', 'api.read']
const scope_texts = new Map([['album.write', 'Add pictures to your albums']])

const DEVICE_SEEN = Date.UTC(2026, 10, 22, 12, 3)
const device = { user_code: 'WDJB-MJHT', address: '203.0.113.7', asked_at: DEVICE_SEEN - 180_000 }

const ask = { message: 'Invoice 4711', address: '203.0.113.7', asked_at: DEVICE_SEEN - 180_000 }
const askDone = (outcome: AskOutcome) => (view: View) =>
  askDonePage({ outcome, client_name: 'Photo Album' }, view)

const verification_uri = 'https://auth.example.com/device'
const verification_uri_complete = `${verification_uri}?user_code=WDJB-MJHT`
const shown = {
  ...{ user_code: 'WDJB-MJHT', verification_uri, verification_uri_complete, interval: 5 },
  qr: await qrModules(verification_uri_complete),
  account: { username: 'alice', password: 'wonderland' },
}

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40" viewBox="0 0 120 40">
<circle cx="20" cy="20" r="18" fill="#d1495b"/><rect x="48" y="12" width="68" height="16" rx="8" fill="#8d96a0"/></svg>`

const JWT = `eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.${'A'.repeat(300)}.${'B'.repeat(86)}`

/** The links that an operator can set. */
export const LINKS = {
  help_url: 'mailto:help@example.com',
  sign_up_url: 'https://example.com/join',
  forgot_password_url: '/reset',
  privacy_url: 'https://example.com/privacy',
  terms_url: 'https://example.com/terms',
  imprint_url: 'https://example.com/imprint',
} as const

const setUp = {
  uri: 'otpauth://totp/redmint:alice?issuer=redmint&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  key: 'JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP',
}
const RECOVERY_CODES = ['7K2QXM-0DJ3W8-RV5N1A-HT9BCE', 'P4ZG6S-YF1E7V-2MKQ0X-8D3JWN'] as const

function secondStepPage(view: View, problem?: 'failed', way: SecondStepWay = 'code'): string {
  const { language } = view
  const fields = secondStepFields(
    { way, has_failed: problem !== undefined, trusted_days: 30, addressOf: (other) => `?way=${other}` },
    language,
  )
  const title = say(language, way === 'code' ? 'second_step_title' : 'second_step_recovery_title')
  const lead = way === 'recovery' && { lead: say(language, 'second_step_recovery_lead') }
  const texts = { title, ...lead, problem: wrongText(way, language) }
  return loginPage({ ...form, ...client, ...(problem && { problem }), texts, fields }, view)
}

/** A view where people have passkeys and nothing else. */
const withPasskeysOnly = (view: View): View => ({
  ...view,
  theme: { ...view.theme, has_only_passkeys: true },
})

function onlyPasskeysPage(view: View, problem?: 'failed'): string {
  const part = { ...passkey, use: 'get', suggests: true, stay: false } as const
  const fields = passkeySignInFields(part, view.language)
  return loginPage({ ...form, ...client, ...(problem && { problem }), fields }, withPasskeysOnly(view))
}

/** Somebody of whom only a passkey counts. */
function confirming({ language }: View) {
  const button = html`<button class="main" name="method" value="passkey">${say(language, 'confirm_use_passkey')}</button>`
  const fields = html`${passkeyPart({ ...passkey, use: 'get', button }, language)}
${passkeysMissing(language)}`
  return { ...form, fields, account: { name: 'Alice Liddell', detail: 'alice' } }
}

/** A provider of each kind, as far as pages show it. */
const PROVIDERS = (Object.keys(PROVIDER_PRESETS) as ProviderKind[]).map((kind) => ({
  ...{ provider: kind, kind, issuer: 'https://login.example.org' },
  ...(kind === 'oidc' && { provider: 'acme', name: 'Acme' }),
}))

type Gallery = Readonly<Record<string, (view: View) => string>>

/** Each page by its name in URLs and screenshots. */
export const GALLERY: Gallery = {
  ...ACCOUNT_PAGES,
  login: (view) => loginPage({ ...form, ...client }, view),
  'login-stay': (view) => loginPage({ ...form, ...client, stay: true }, view),
  reset: (view) => choosePasswordPage({ ...choice, about: 'reset', second_step: false }, view),
  'reset-second-step': (view) =>
    choosePasswordPage({ ...choice, about: 'reset', second_step: true, problem: 'code' }, view),
  'reset-recovery': (view) =>
    choosePasswordPage(
      { ...choice, about: 'reset', second_step: true, way: 'recovery', problem: 'code' },
      view,
    ),
  welcome: (view) => choosePasswordPage({ ...joining, about: 'welcome', second_step: false }, view),
  'welcome-with-passkey': (view) =>
    choosePasswordPage({ ...joining, about: 'welcome', second_step: false, passkey }, view),
  'welcome-taken': (view) =>
    choosePasswordPage(
      { ...joining, about: 'welcome', second_step: false, username: 'alice', problem: 'taken' },
      view,
    ),
  'reset-with-passkey': (view) =>
    choosePasswordPage(
      { ...choice, about: 'reset', second_step: false, passkey: { ...passkey, use: 'get' } },
      view,
    ),
  'welcome-only-with-passkey': (view) =>
    choosePasskeyPage(
      { ...joining, about: 'welcome', second_step: false, username: 'alice', problem: 'taken', passkey },
      withPasskeysOnly(view),
    ),
  'renew-with-passkey': (view) =>
    choosePasskeyPage({ ...choice, about: 'reset', second_step: false, passkey }, withPasskeysOnly(view)),
  'renew-second-step-with-passkey': (view) =>
    choosePasskeyPage(
      { ...choice, about: 'reset', second_step: true, problem: 'code', passkey },
      withPasskeysOnly(view),
    ),
  'renew-done': (view) => linkEndPage({ about: 'reset', is_over: false }, withPasskeysOnly(view)),
  'renew-done-passkeys': (view) =>
    reviewPasskeysPage(
      { ...form, account: { username: 'alice' }, passkeys: KNOWN_PASSKEYS, now: KNOWN_AT },
      withPasskeysOnly(view),
    ),
  'forgot-passkey': (view) => forgotPasswordPage('/forgot-password', withPasskeysOnly(view)),
  'not-me-done-passkeys': (view) => linkEndPage({ about: 'not_me', is_over: false }, withPasskeysOnly(view)),
  'reset-done-passkeys': (view) =>
    reviewPasskeysPage(
      { ...form, account: { username: 'alice' }, passkeys: KNOWN_PASSKEYS, now: KNOWN_AT },
      view,
    ),
  'recovery-used': (view) =>
    recoveryUsedPage(
      { ...form, left: 7, passkeys: KNOWN_PASSKEYS, account_page: '/account', now: KNOWN_AT },
      view,
    ),
  'arrived-reset': (view) =>
    linkDonePage({ about: 'reset', name: 'Alice Liddell', offers_passkey: false, onward: undefined }, view),
  'arrived-welcome': (view) =>
    linkDonePage(
      {
        about: 'welcome',
        name: 'Alice Liddell',
        offers_passkey: true,
        onward: {
          client_name: 'Photo Album',
          host: 'photos.example.com',
          href: 'https://photos.example.com/',
        },
      },
      view,
    ),
  'forgot-waiting': (view) => forgotPasswordPage('/forgot-password', view, waitingSignUp),
  'welcome-invited-with-passkey': (view) =>
    choosePasswordPage(
      {
        ...joining,
        about: 'welcome',
        second_step: false,
        invited: { inviter: 'Ada Lind', ends_at: DEVICE_SEEN },
        account: { email: 'gustavo.pereira@example.com' },
        passkey,
      },
      view,
    ),
  'reset-done': (view) => linkEndPage({ about: 'reset', is_over: false }, view),
  'link-over': (view) => linkEndPage({ about: 'reset', is_over: true, refused }, view),
  'sign-up': (view) => signUpPage('/sign-up', view),
  'sign-up-done': (view) => signUpDonePage(view),
  'sign-up-waiting': (view) => signUpPage('/sign-up', view, waitingSignUp),
  'sign-up-done-waiting': (view) => signUpDonePage(view, waitingSignUp),
  'confirm-address': (view) =>
    linkQuestionPage(
      {
        ...form,
        about: 'address',
        account: { username: 'alice', email: 'alice@example.org' },
        signed_in: { name: 'bob' },
      },
      view,
    ),
  'confirm-address-done': (view) => linkEndPage({ about: 'address', is_over: false }, view),
  'not-me': (view) => linkQuestionPage({ ...form, about: 'not_me', account: { username: 'alice' } }, view),
  'not-me-done': (view) =>
    linkEndPage({ about: 'not_me', is_over: false, is_loss: true, is_suspended: true }, view),
  'login-confirms': (view) => loginPage({ ...form, ...client, username: 'alice', confirms: true }, view),
  'confirm-passkey': (view) => confirmPage({ ...confirming(view), next: 'own_address_change' }, view),
  'confirm-passkey-not-enough': (view) => confirmPage({ ...confirming(view), problem: 'not_enough' }, view),
  'welcome-done': (view) => linkEndPage({ about: 'welcome', is_over: false }, view),
  'login-name': (view) =>
    loginPage(
      {
        ...{ ...form, ...client, stay: false, asks_name_first: true, autofill: 'webauthn' },
        offers: [html`<button name="method" value="work">Your work account</button>`],
      },
      view,
    ),
  'login-only-with-passkey': (view) => onlyPasskeysPage(view),
  'login-only-failed-with-passkey': (view) => onlyPasskeysPage(view, 'failed'),
  'login-failed': (view) => loginPage({ ...form, ...client, username: 'alice', problem: 'failed' }, view),
  'login-offers': (view) =>
    loginPage(
      { ...form, ...client, offers: [html`<button name="method" value="work">Your work account</button>`] },
      view,
    ),
  'login-providers': (view) =>
    loginPage({ ...form, ...client, offers: [providerButtons(PROVIDERS, view.language)] }, view),
  'login-code': (view) =>
    loginPage(
      {
        ...form,
        ...client,
        problem: 'failed',
        fields: html`<label for="code">Code</label>
<input id="code" name="code" required autofocus>
<button class="main">Continue</button>`,
      },
      view,
    ),
  'login-throttled': (view) =>
    loginPage({ ...form, ...client, username: 'alice', problem: { retry_after_seconds: 40 } }, view),
  'second-step': (view) => secondStepPage(view),
  'second-step-wrong': (view) => secondStepPage(view, 'failed'),
  'second-step-recovery': (view) => secondStepPage(view, undefined, 'recovery'),
  'second-step-recovery-wrong': (view) => secondStepPage(view, 'failed', 'recovery'),
  'second-step-set-up': (view) => {
    const { language } = view
    const texts = { title: say(language, 'second_step_set_up_title') }
    return loginPage(
      { ...form, ...client, texts, fields: setUpFields({ ...setUp, has_failed: false }, language) },
      view,
    )
  },
  'second-step-codes': (view) => {
    const { language } = view
    const texts = { title: say(language, 'second_step_codes_title') }
    const fields = recoveryCodeFields({ codes: RECOVERY_CODES, sealed: 'sealed', file: '/sent' }, language)
    return loginPage({ ...form, ...client, texts, fields }, view)
  },
  'select-account': (view) =>
    selectAccountPage({ ...form, ...client, accounts: [{ id: 'session-1', ...alice }] }, view),
  'no-access': (view) => noAccessPage({ ...form, ...client, account: alice, contacts: [], refused }, view),
  'no-access-contacts': (view) =>
    noAccessPage(
      {
        ...form,
        ...client,
        account: alice,
        contacts: ['it@example.com', linked.client_uri, '+49-30-1234'],
        refused,
      },
      view,
    ),
  'no-access-device': (view) =>
    noAccessPage(
      {
        ...form,
        destination: { client_name: 'Living room' },
        account: alice,
        contacts: [],
        refused,
      },
      view,
    ),
  consent: (view) => consentPage({ ...form, ...client, scopes, scope_texts, account: alice }, view),
  'consent-self-registered': (view) =>
    consentPage({ ...form, ...client, described: selfRegistered, scopes, scope_texts, account: alice }, view),
  'consent-documents': (view) =>
    consentPage({ ...form, destination: documented, scopes: ['openid', 'email'], account: alice }, view),
  'consent-described': (view) => consentPage({ ...form, ...client, scopes, account: alice, described }, view),
  'consent-unchanged': (view) =>
    consentPage({ ...form, ...client, scopes, account: alice, described: unchanged }, view),
  'consent-changed': (view) =>
    consentPage({ ...form, ...client, scopes, account: alice, described: changed }, view),
  'consent-device': (view) => consentPage({ ...form, ...onDevice, scopes, account: alice }, view),
  'consent-details': (view) =>
    consentPage({ ...form, ...client, scopes: ['openid'], details, account: alice }, view),
  'login-device': (view) => loginPage({ ...form, destination: undefined }, view),
  device: (view) => deviceCodePage({}, view),
  'device-wrong': (view) => deviceCodePage({ user_code: 'WDJB-MJHT', problem: 'wrong', refused }, view),
  'device-limited': (view) =>
    deviceCodePage({ user_code: 'WDJB-MJHT', problem: { retry_after_seconds: 300 }, refused }, view),
  'device-consent': (view) =>
    deviceConsentPage(
      { ...form, ...client, device, now: DEVICE_SEEN, scopes, scope_texts, account: alice },
      view,
    ),
  'device-consent-rights': (view) =>
    deviceConsentPage(
      {
        ...form,
        ...client,
        device: { ...device, is_typed: true },
        is_wrong: true,
        refused,
        now: DEVICE_SEEN,
        scopes: ['redmint:read', 'redmint:write'],
        scope_texts,
        account: alice,
      },
      view,
    ),
  'device-allowed': (view) => deviceDonePage({ is_allowed: true }, view),
  'device-denied': (view) => deviceDonePage({ is_allowed: false }, view),
  'ask-consent': (view) =>
    askConsentPage({ ...form, ...client, ask, now: DEVICE_SEEN, scopes, scope_texts, account: alice }, view),
  'ask-consent-details': (view) =>
    askConsentPage(
      {
        ...form,
        ...client,
        ask: { ...ask, address: '2001:db8:85a3:8d3::/64' },
        now: DEVICE_SEEN,
        details,
        scopes: [],
        account: alice,
      },
      view,
    ),
  'ask-allowed': askDone('allowed'),
  'ask-denied': askDone('denied'),
  'ask-muted': askDone('muted'),
  'ask-answered': askDone('answered'),
  'ask-over': askDone('over'),
  'home-asked': (view) =>
    homePage({ issuer: ISSUER, account: alice, has_account_page: true }, { ...view, has_asks: true }),
  'consent-asked': (view) =>
    consentPage({ ...form, ...client, scopes, scope_texts, account: alice }, { ...view, has_asks: true }),
  logout: (view) => logoutPage({ ...form, account: alice }, view),
  'logout-done': (view) => loggedOutPage({ signed_in: false }, view),
  'logout-done-client': (view) => loggedOutPage({ signed_in: false, client: linked }, view),
  'logout-stayed': (view) => loggedOutPage({ signed_in: true }, view),
  'form-post': (view) =>
    formPostPage({ redirect_uri, parameters: { code: 'a-code', state: 'a state' } }, view),
  repeat: (view) => repeatPage({ action: '/oauth2/logout', fields: [['state', 'a state']] }, view),
  error: (view) =>
    errorPage(
      {
        error: invalidRequest(
          'request_malformed',
          'The redirect_uri is not one of those that the client registered.',
        ),
        ...refused,
      },
      view,
    ),
  'error-unknown-client': (view) =>
    errorPage(
      {
        error: invalidRequest('request_malformed', 'The client_id is unknown.', { page: 'unknown_client' }),
        ...refused,
      },
      view,
    ),
  'error-lapsed-client': (view) =>
    errorPage(
      {
        error: invalidRequest('request_malformed', 'The client_id is unknown.', { page: 'lapsed_client' }),
        ...refused,
      },
      view,
    ),
  'error-compared': (view) =>
    errorPage(
      {
        error: invalidRequest('request_malformed', 'The redirect_uri is not registered.', {
          compared: { sent: `${redirect_uri}/`, registered: [redirect_uri] },
        }),
        ...refused,
      },
      view,
    ),
  'error-expired': (view) => errorPage({ error: signInExpired(undefined, 'over'), ...refused }, view),
  'error-expired-client': (view) => errorPage({ error: signInExpired(linked, 'over'), ...refused }, view),
  'error-unavailable': (view) =>
    errorPage({ error: temporarilyUnavailable(undefined), ...refused, retry: true }, view),
  'error-account': (view) =>
    errorPage(
      { error: { ...temporarilyUnavailable(undefined), page: 'account' }, ...refused, retry: true },
      view,
    ),
  'error-logout': (view) =>
    errorPage(
      { error: { ...temporarilyUnavailable(undefined), page: 'logout' }, ...refused, retry: true },
      view,
    ),
  'error-client-away': (view) =>
    errorPage({ error: clientDocumentAway('did not arrive in time', 'time'), ...refused, retry: true }, view),
  'error-client-document': (view) =>
    errorPage({ error: unusableClientDocument('is longer than 5120 bytes', 'size'), ...refused }, view),
  home: (view) => homePage({ issuer: ISSUER }, view),
  'home-signed-in': (view) => homePage({ issuer: ISSUER, account: alice, has_account_page: true }, view),
  'home-demo': (view) =>
    homePage(
      {
        issuer: ISSUER,
        has_account_page: true,
        demo: {
          app: '/demo',
          device: '/demo/device',
          console: '/console',
          mail: '/demo/mail',
          docs: '/docs',
        },
      },
      view,
    ),
  'not-found': (view) => notFoundPage({ for_programs: false }, view),
  'not-allowed': (view) => notFoundPage({ for_programs: true }, view),
  'demo-link': (view) => demoLinkPage('help', view),
  demo: (view) => demoStartPage({ username: 'alice', password: 'wonderland', shows_mail: true }, view),
  'demo-problem': (view) =>
    demoStartPage(
      { username: 'alice', password: 'wonderland', shows_mail: true, problem: { error: 'access_denied' } },
      view,
    ),
  'demo-tokens': (view) =>
    demoPage(
      {
        id_token: {
          text: JWT,
          decoded: [
            { alg: 'ES256', typ: 'JWT' },
            { sub: 'alice', aud: 'demo-page', exp: DEVICE_SEEN / 1000 + 900 },
          ],
        },
        access_token: { text: 'dUnmnxbmQF8T93uD.mBEywYDFKvDHYc6HJaYI1GqBp5-TediFusQKuw4gz3E' },
        refresh_token: { text: 'dUnmnxbmQF8T93uD.cImrnQ7yAGuhKf0VC3BjcRCU4sp47wCzRuo7JuH3jmE' },
        scope: 'openid profile email',
        now: DEVICE_SEEN,
        last: { request: 'GET /userinfo', status: 200, json: { sub: 'alice', name: 'Alice Liddell' } },
      },
      view,
    ),
  'demo-device': (view) => demoDeviceStartPage({ username: 'alice', password: 'wonderland' }, view),
  'demo-device-problem': (view) =>
    demoDeviceStartPage(
      { username: 'alice', password: 'wonderland', problem: { error: 'expired_token' } },
      view,
    ),
  'demo-device-code': (view) => demoDeviceCodePage(shown, view),
  'demo-device-pending': (view) => {
    const last = { request: 'POST /oauth2/token', status: 400, json: { error: 'authorization_pending' } }
    return demoDeviceCodePage({ ...shown, last }, view)
  },
  'demo-device-tokens': (view) =>
    demoDeviceTokensPage(
      {
        id_token: { text: JWT, decoded: [{ alg: 'ES256', typ: 'JWT' }, { sub: 'alice' }] },
        access_token: { text: 'dUnmnxbmQF8T93uD.mBEywYDFKvDHYc6HJaYI1GqBp5-TediFusQKuw4gz3E' },
        scope: 'openid profile email',
        now: DEVICE_SEEN,
      },
      view,
    ),
  'error-fault': (view) => errorPage({ error: serverError(undefined), ...refused, retry: true }, view),
}

/** What the script of passkeys shows, without a passkey. */
const REVEAL = "for (const part of document.querySelectorAll('[data-passkey-options]')) part.hidden = false"

/** Pages with a form that is sent by a script. */
export const SENDS_ITSELF: ReadonlySet<string> = new Set(['form-post', 'repeat'])

function needsOf(name: string): PageNeeds {
  if (/^account(-done|-bare|-pending)?$/.test(name)) return { look: 'account' }
  if (/^(account-passkey|account-notices|confirm-passkey)/.test(name)) return { script_source: "'self'" }
  if (name === 'login-code' || name === 'login-name') return { script_source: SEND_ONCE_SOURCE }
  if (name.endsWith('-with-passkey')) return { script_source: `${SEND_ONCE_SOURCE} 'self'` }
  if (name.startsWith('login')) return { script_source: PASSWORD_SOURCE }
  if (
    /^(forgot|ask-consent|consent|device-consent|select-account|reset|sign-up|confirm|not-me|welcome|second-step)/.test(
      name,
    )
  )
    return { script_source: SEND_ONCE_SOURCE }
  return SENDS_ITSELF.has(name) ? { script_source: FORM_POST_SCRIPT_SOURCE } : {}
}

/** Error pages carry themselves for the language, as the service does. */
function viewOf(name: string, view: View): View {
  const { theme, language } = view
  return name.startsWith('error') ? { theme, language, kept: 'a-sealed-page' } : view
}

/**
 * Starts a gallery of pages: `/<page>?ui_locales=<language>`. Forms are sent to `/sent`; with `&stay` the page
 * `form-post` does not submit itself.
 */
export async function openGallery(given: Partial<Settings> = {}, gallery = GALLERY) {
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  const fastify = createInstance({ level: 'silent' })
  const sent: string[] = []
  const urlencoded = 'application/x-www-form-urlencoded'
  fastify.addContentTypeParser(urlencoded, { parseAs: 'string' }, (_request, body, done) => done(null, body))
  const settings = completeSettings({ issuer: ISSUER, sign_in: 'providers', ...LINKS, ...given })
  const languages = await loadLanguages(settings.languages_dir)
  await fastify.register(context, {
    context: completeContext(createGround({ settings, storage, languages }, fastify.log)),
    owns_storage: false,
  })
  await fastify.register(pages)
  await fastify.register(browser)
  await fastify.register(language)
  await fastify.register(securityHeaders)
  for (const [name, render] of Object.entries(gallery)) {
    fastify.get(`/${name}`, async (request, reply) => {
      const { stay } = request.query as { stay?: string }
      const needs = SENDS_ITSELF.has(name) && stay !== undefined ? {} : needsOf(name)
      reply.header('content-security-policy', fastify.theme.policyWith(needs))
      return reply.type('text/html; charset=utf-8').send(render(viewOf(name, request.view())))
    })
  }
  await fastify.register(icon, { also: ['/favicon.ico'] })
  for (const script of ['/oauth2/passkeys.js', '/oauth2/notices.js'])
    fastify.get(script, async (_request, reply) => reply.type('text/javascript').send(REVEAL))
  fastify.get('/logo.svg', async (_request, reply) => reply.type('image/svg+xml').send(LOGO))
  fastify.post('/sent', async (request, reply) => {
    sent.push(String(request.body))
    return reply.type('text/html; charset=utf-8').send('<!doctype html><title>sent</title>')
  })
  const address = await fastify.listen({ host: '127.0.0.1', port: 0 })
  const close = () => {
    // An open browser keeps connections for later requests.
    fastify.server.closeAllConnections()
    return fastify.close()
  }
  return { address, sent, close }
}
