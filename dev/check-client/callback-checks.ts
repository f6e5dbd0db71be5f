import { type Check, type CheckTexts, found, type Outcome, PASSED, skipped } from '../report/report.ts'
import { type Told, toldBy } from './issuer-answer.ts'
import { inWords, type RelyingParty } from './relying-party.ts'

type Changed = (parameters: Told) => Told

/** A text that no client has as its state. */
const OTHER = 'another-value-of-somebody-else'

const without = (parameters: Told, ...names: string[]) => parameters.filter(([name]) => !names.includes(name))
const replaced = (name: string, value: string): Changed => {
  const pair: readonly [string, string] = [name, value]
  return (parameters) => [...without(parameters, name), pair]
}
const added =
  (name: string, value: string): Changed =>
  (parameters) => [...parameters, [name, value]]

/** A check that the client does not sign in by a changed answer of the issuer. */
function refuses(
  texts: CheckTexts & { readonly of?: string; readonly found: string },
  ...changes: readonly Changed[]
): Check<RelyingParty> {
  const { of, found: what, ...check } = texts
  const run = async (party: RelyingParty): Promise<Outcome> => {
    if (of !== undefined && !party.requests[0]?.has(of)) return skipped(`The client sends no ${of}.`)
    for (const change of changes) {
      const { is_signed_in } = await party.signIn({ answer: change })
      if (is_signed_in) return found(what)
    }
    return PASSED
  }
  return { ...check, run }
}

const STATE_FIXES = {
  openid_client: 'Give authorizationCodeGrant the expectedState of this browser.',
  auth_js: "checks: ['pkce', 'state', 'nonce'] of the provider.",
  spring: 'Leave the AuthorizationRequestRepository as it is: it keeps the request in the session.',
  authlib: 'Call authorize_access_token(), which compares state, instead of fetch_access_token().',
  go_oidc: 'Compare r.URL.Query().Get("state") with the cookie that the handler of the sign-in set.',
} as const

const MIX_UP =
  'A client of several issuers that sends a code to the wrong one gives it away (RFC 9207 §2.4, RFC 9700 §4.4); one of a single issuer is not at risk.'

const ISSUER_FIXES = {
  openid_client: 'Give authorizationCodeGrant the URL as it came: it compares iss.',
  auth_js: 'Nothing: it compares iss.',
  spring: 'It does not look: give each issuer a redirect URI of its own, as {registrationId} in it does.',
  authlib: 'It does not look: compare request.args["iss"] with the issuer before authorize_access_token().',
  go_oidc: 'Compare r.FormValue("iss") with the issuer before Exchange.',
} as const

/** Checks of what comes to the redirect URI. */
export const CALLBACK_CHECKS: readonly Check<RelyingParty>[] = [
  refuses(
    {
      id: 'answer-of-another-issuer',
      title: 'Refuses the answer of another issuer',
      level: 'advice',
      about: MIX_UP,
      fix: 'Compare the parameter iss of the answer with the issuer that the person was sent to.',
      fixes: ISSUER_FIXES,
      found: 'The client signs in although iss in the answer names another issuer.',
    },
    replaced('iss', 'https://issuer.example'),
  ),
  refuses(
    {
      id: 'answer-without-issuer',
      title: 'Refuses an answer without iss of an issuer that sends it',
      level: 'advice',
      about: `${MIX_UP} The metadata say that each answer has iss.`,
      fix: 'Demand iss where the metadata have authorization_response_iss_parameter_supported.',
      fixes: ISSUER_FIXES,
      found: 'The client signs in although the answer has no iss.',
    },
    (parameters) => without(parameters, 'iss'),
  ),
  refuses(
    {
      id: 'state-wrong',
      title: 'Refuses an answer with another state',
      level: 'refuse',
      about:
        'Who can bring an answer of his own to a browser signs it in to his account, and reads what is typed there (RFC 6749 §10.12).',
      fix: 'Compare state with the value that this browser was sent with, before the code is redeemed.',
      fixes: STATE_FIXES,
      of: 'state',
      found: 'The client signs in although state is not the one that it sent.',
    },
    replaced('state', OTHER),
  ),
  refuses(
    {
      id: 'state-missing',
      title: 'Refuses an answer without state',
      level: 'refuse',
      about: 'A check that counts only what is there is left out by leaving it out (RFC 6749 §10.12).',
      fix: 'Refuse an answer whose state is absent or empty.',
      fixes: STATE_FIXES,
      of: 'state',
      found: 'The client signs in although the answer has no state.',
    },
    (parameters) => without(parameters, 'state'),
    replaced('state', ''),
  ),
  refuses(
    {
      id: 'state-repeated',
      title: 'Refuses an answer with two values of state',
      level: 'advice',
      about:
        'A parameter must not come twice (RFC 6749 §3.1): what one layer checks may be another value than the next one uses.',
      fix: 'Refuse an answer in which a parameter comes twice.',
      of: 'state',
      found: 'The client signs in although the answer has two values of state.',
    },
    added('state', OTHER),
    (parameters) => [['state', OTHER], ...parameters],
  ),
  refuses(
    {
      id: 'code-missing',
      title: 'Does not sign in without a code',
      level: 'refuse',
      about: 'state says only that this browser began a sign-in, not that it ended well (RFC 6749 §4.1.2).',
      fix: 'Sign in by what the token endpoint answers, and nothing else.',
      found: 'The client signs in although the answer has no code.',
    },
    (parameters) => without(parameters, 'code'),
  ),
  refuses(
    {
      id: 'code-wrong',
      title: 'Does not sign in by a code that the issuer refuses',
      level: 'refuse',
      about: 'The token endpoint answers invalid_grant, and nobody is known then (RFC 6749 §5.2).',
      fix: 'Treat each answer of the token endpoint but 200 as a failed sign-in.',
      found: 'The client signs in although the token endpoint refused the code.',
    },
    replaced('code', 'a-code-that-nobody-was-given'),
  ),
  {
    id: 'answer-in-another-browser',
    title: 'Refuses the answer to a sign-in that began in another browser',
    level: 'refuse',
    about:
      'A link with the answer of somebody else signs the browser in to his account: login CSRF (RFC 6749 §10.12, RFC 9700 §4.7).',
    fix: 'Keep state, nonce and the code verifier in the session of the browser, not in a store for all.',
    fixes: STATE_FIXES,
    run: async (party) => {
      const answer = await party.authorize(await party.start(party.newBrowser()))
      const victim = party.newBrowser()
      await victim.deliver(answer)
      if (await party.isSignedIn(victim))
        return found('A browser that began no sign-in is signed in by a link.')
      const other = party.newBrowser()
      await party.start(other)
      await other.deliver(answer)
      return (await party.isSignedIn(other))
        ? found('A browser with a sign-in of its own is signed in by the answer to another one.')
        : PASSED
    },
  },
  {
    id: 'code-of-another',
    title: 'Refuses the code of another sign-in',
    level: 'refuse',
    about:
      'A stolen code that is brought in a sign-in of one’s own opens the account of its owner (RFC 9700 §4.5): PKCE and nonce stop it, if they are of this browser.',
    fix: 'Send the code verifier, and compare the nonce, of the sign-in that this browser began.',
    run: async (party) => {
      const stolen = await party.authorize(await party.start(party.newBrowser()))
      const code = toldBy(stolen, party.meddler).get('code') ?? ''
      const { is_signed_in } = await party.signIn({ answer: replaced('code', code) })
      return is_signed_in ? found('The client signs in by the code of another sign-in.') : PASSED
    },
  },
  {
    id: 'error-answer',
    title: 'Neither signs in nor begins anew when the issuer answers with an error',
    level: 'survive',
    about:
      'Somebody who says no to consent, or may not use the application, is sent round and round if the client begins anew (RFC 6749 §4.1.2.1).',
    fix: 'Show a page with the error and a link to try again.',
    fixes: {
      spring: 'Let the failureUrl of oauth2Login be a page that needs no sign-in.',
      auth_js: 'Let pages.error be a page that needs no sign-in.',
    },
    run: async (party) => {
      for (const error of ['access_denied', 'server_error', 'login_required']) {
        const { is_signed_in, landing } = await party.signIn({
          answer: (parameters) => [...without(parameters, 'code'), ['error', error]],
        })
        if (is_signed_in) return found(`The client signs in although the issuer answers ${error}.`, 'refuse')
        if (landing.at === 'other_side')
          return found(
            `The client begins anew at once when the issuer answers ${error}: people never get out.`,
          )
      }
      return PASSED
    },
  },
  refuses(
    {
      id: 'error-with-code',
      title: 'Does not sign in by an answer that has an error and a code',
      level: 'advice',
      about: 'An answer is one or the other (RFC 6749 §4.1.2, §4.1.2.1): no issuer sends both.',
      fix: 'Look at error first.',
      found: 'The client signs in although the answer has an error.',
    },
    added('error', 'access_denied'),
  ),
  {
    id: 'error-markup',
    title: 'Shows the description of an error as text',
    level: 'refuse',
    about:
      'Everybody can make a link with an error_description: in a page as it came it is a script of a stranger on your site (OWASP ASVS 1.2.1).',
    fix: 'Escape what came in the answer, or show a text of your own.',
    run: async (party) => {
      const markup = '<img src=x onerror=alert(1)>'
      const { landing } = await party.signIn({
        answer: (parameters) => [
          ...without(parameters, 'code'),
          ['error', 'access_denied'],
          ['error_description', markup],
        ],
      })
      return landing.at === 'page' && landing.page.text.includes(markup)
        ? found('The page has the description as markup.')
        : PASSED
    },
  },
  {
    id: 'callback-twice',
    title: 'Survives an answer that is opened twice',
    level: 'survive',
    about:
      'People reload, press back, and browsers open an address twice. A code that is redeemed again ends all tokens that came of it (RFC 6749 §4.1.2).',
    fix: 'Forget state when it is used, and show those who are signed in already where they wanted to go.',
    fixes: { auth_js: 'Give pages.error a page of yours: its own has status 500. The session stays.' },
    run: async (party) => {
      const { browser, answer } = await party.signIn()
      const landing = await browser.deliver(answer)
      const code = toldBy(answer, party.meddler).get('code')
      const redeemed = party.meddler
        .tokenRequests('authorization_code')
        .filter(({ form }) => form.code === code)
      if (redeemed.length > 1) return found('The client redeems the code twice, which ends its tokens.')
      if (!(await party.isSignedIn(browser))) return found('The person is signed out by the second time.')
      return landing.at === 'page' && landing.page.status >= 500
        ? found(`The person stays signed in, but the second time ${inWords(landing)}.`, 'advice')
        : PASSED
    },
  },
  {
    id: 'two-tabs',
    title: 'Lets two tabs sign in at the same time',
    level: 'advice',
    about: 'Who opens two links of a mail begins two sign-ins: with one place for state the first one fails.',
    fix: 'Keep the values of each sign-in by its state.',
    fixes: {
      spring: 'An AuthorizationRequestRepository of yours that keeps several: its own keeps the last one.',
      auth_js: 'Nothing helps: it has one cookie each for state, nonce and PKCE.',
    },
    run: async (party) => {
      const browser = party.newBrowser()
      const first = await party.authorize(await party.start(browser))
      await party.authorize(await party.start(browser))
      await browser.deliver(first)
      return (await party.isSignedIn(browser)) ? PASSED : found('The tab that began first is not signed in.')
    },
  },
]
