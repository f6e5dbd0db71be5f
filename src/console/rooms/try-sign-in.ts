import { redirectGrants } from '../../clients/record/grant-types.ts'
import { PATHS } from '../../core/paths.ts'
import { randomText } from '../../core/token-string.ts'
import { withQuery } from '../../core/uri.ts'
import { type Html, html } from '../../pages/html.ts'
import { s256Challenge } from '../../tokens/pkce.ts'
import type { Desk } from '../desk.ts'
import { at, badge, code, facts, link, part, short, text } from '../pages/parts.ts'
import { TRIED_PATH } from '../place.ts'
import type { ConsolePage } from '../rows.ts'
import type { ShownClient } from './application-kind.ts'
import { applicationTabs } from './application-tabs.ts'

const VERIFIER_BYTES = 32

/** Whether people sign in by an application. */
export const signsPeopleIn = ({ redirect_uris = [], grant_types }: ShownClient): boolean =>
  redirect_uris.length > 0 && (!Array.isArray(grant_types) || redirectGrants(grant_types).length > 0)

/**
 * Offers an authorization request of an application, to a redirect URI that it has: the console adds none. Nobody knows the
 * verifier of its challenge, so that nobody redeems the code that comes of it.
 */
const attempt: ConsolePage = {
  path: '/applications/:client_id/try',
  operation: 'read_client',
  async show(desk, { params }) {
    const { client_id = '' } = params
    const { body: application } = await desk.ask('read_client', { params: { client_id } })
    const { redirect_uris = [] } = application
    return {
      title: `Try the sign-in of ${application.client_name || client_id}`,
      section: 'applications',
      body: html`${applicationTabs(desk, client_id, '/try')}${
        signsPeopleIn(application)
          ? redirect_uris.map((uri) => one(desk, application, uri))
          : html`<p class="empty">Nothing to try here: nobody comes back to it from a page of a sign-in. A device signs people in by a code, and a machine nobody.</p>`
      }
${redirect_uris.includes(desk.tried_uri) ? '' : html`<p class="empty">To have the answer come back to the console, register ${code(desk.tried_uri)} as a redirect URI, try, and take it out again.</p>`}`,
    }
  },
}

function one(desk: Desk, application: ShownClient, uri: string): Html {
  const { client_id, allowed_scopes } = application
  const location = withQuery(desk.issuer + PATHS.authorize, {
    response_type: 'code',
    client_id,
    redirect_uri: uri,
    scope: Array.isArray(allowed_scopes) ? allowed_scopes.join(' ') : 'openid',
    state: client_id,
    code_challenge: s256Challenge(randomText(VERIFIER_BYTES)),
    code_challenge_method: 'S256',
  })
  const what =
    uri === desk.tried_uri
      ? html`The answer comes back to the console, which says what it was.`
      : html`The answer goes to the application. It did not ask for it, so it should refuse it: that it arrives there shows that the sign-in works.`
  return html`<section>
<h2>${code(uri)}</h2>
<p>You sign in as somebody who would use it. ${what} The code is redeemed by nobody, and ends by itself.</p>
<p><a class="button" href="${location}" target="_blank" rel="noopener noreferrer">Try the sign-in</a></p>
</section>
`
}

/** Says what came back of a sign-in that was tried. The code is neither shown nor redeemed. */
const tried: ConsolePage = {
  path: TRIED_PATH,
  operation: 'read_client',
  async show(desk, { query: { code: sent, error, error_description, iss, state } }) {
    const result =
      error !== undefined
        ? badge('was refused', 'bad')
        : sent === undefined
          ? badge('nothing came back')
          : badge('works', 'good')
    return {
      title: 'What came back',
      section: 'applications',
      body: html`<p>The sign-in ${result}</p>
${part(
  'The answer',
  facts([
    ['Code', sent === undefined ? 'none' : 'one came; it is not redeemed, and not shown'],
    ['Error', error === undefined ? 'none' : code(error)],
    ['What the error says', error_description === undefined ? undefined : text(error_description)],
    ['From this issuer', iss === desk.issuer ? badge('yes', 'good') : badge('no', 'bad')],
    ['Application', state ? link(desk, at`/applications/${state}`, short(state)) : undefined],
  ]),
)}`,
    }
  },
}

export const TRY_PAGES: readonly ConsolePage[] = [attempt, tried]
