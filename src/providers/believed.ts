import { type EmailAddress, readEmail } from '../core/email-address.ts'
import { isObject } from '../core/json.ts'
import { readGroupsClaim } from './groups-claim.ts'
import { authTimeOf } from './id-token-times.ts'
import type { Provider } from './provider-record.ts'
import { ProviderFailure, type UpstreamUser, upstreamLink } from './upstream.ts'

/** How much is kept of a text about the sign-in there. */
const MAX_SEEN = 200

type Claims = Readonly<Record<string, unknown>>

/** The claims that are taken over at each sign-in. Never an address: a change there changes nothing here. */
export const PROFILE = ['name', 'given_name', 'family_name', 'locale'] as const

/**
 * Returns what redmint believes of an id_token, whose signature, issuer, audience and times are checked.
 * @param more what its user information endpoint says of the same subject: of the sign-in that says nothing
 * @throws ProviderFailure if it does not say who somebody is, or which groups, all of them
 */
export function believedOf(provider: Provider, id_token: Claims, more: Claims = {}): UpstreamUser {
  const { acr, amr } = id_token
  const auth_time = authTimeOf(id_token)
  const claims = { ...more, ...id_token }
  const { groups_claim } = provider
  const said = groups_claim === undefined ? undefined : readGroupsClaim(groups_claim, wholeOf(id_token, more))
  return {
    link: upstreamLink(provider, subjectOf(provider, id_token)),
    email: addressOf(provider, aboutAddress(id_token, more)),
    profile: Object.fromEntries(
      PROFILE.flatMap((name) => {
        const value = claims[name]
        return typeof value === 'string' && value !== '' ? [[name, value]] : []
      }),
    ),
    groups: said?.groups,
    ...(said?.is_there === false && { lacks_groups: true as const }),
    seen: {
      ...(typeof acr === 'string' && { acr: acr.slice(0, MAX_SEEN) }),
      ...(Array.isArray(amr) && {
        amr: amr
          .filter((one) => typeof one === 'string')
          .join(' ')
          .slice(0, MAX_SEEN),
      }),
      ...(auth_time !== undefined && { auth_time }),
    },
  }
}

// What one of the two says is elsewhere is not whole in the other.
function wholeOf(id_token: Claims, more: Claims): Claims {
  const names = [more, id_token].map(({ _claim_names }) => (isObject(_claim_names) ? _claim_names : {}))
  return { ...more, ...id_token, _claim_names: Object.assign({}, ...names) }
}

// Entra: `sub` differs from client to client, and `oid` alone is not unique.
function subjectOf({ kind, issuer }: Provider, { sub, tid, oid }: Claims): string {
  if (kind !== 'microsoft') {
    if (typeof sub === 'string' && sub !== '') return sub
    throw new ProviderFailure('broken', 'userinfo', 'NO_SUBJECT')
  }
  const [, tenant] = new URL(issuer).pathname.split('/')
  if (typeof tid !== 'string' || tid === '' || tid !== tenant) {
    throw new ProviderFailure('broken', 'userinfo', 'OTHER_TENANT')
  }
  if (typeof oid === 'string' && oid !== '') return oid
  throw new ProviderFailure('broken', 'userinfo', 'NO_SUBJECT')
}

// What one of the two says of an address is said of no other one.
function aboutAddress(id_token: Claims, more: Claims): Claims {
  const is_other = id_token.email !== undefined && more.email !== undefined && more.email !== id_token.email
  return is_other ? id_token : { ...more, ...id_token }
}

/** The address that a provider verified, if its word counts. */
function addressOf(provider: Provider, claims: Claims): EmailAddress | undefined {
  const email = typeof claims.email === 'string' ? readEmail(claims.email) : undefined
  return email !== undefined && isVerified(provider, email, claims) ? email : undefined
}

function isVerified({ kind, email_domains }: Provider, email: EmailAddress, claims: Claims): boolean {
  const domain = domainOf(email)
  // An administrator of any tenant can write any address: it counts if Microsoft saw the proof of the domain, or if the
  // operator named the domain for this tenant.
  if (kind === 'microsoft') return isTrue(claims.xms_edov) || email_domains.includes(domain)
  // Apple and Cognito write the text.
  const { email_verified } = claims
  if (email_verified !== true && email_verified !== 'true') return false
  // Of other addresses Google knows only that they were the person's once.
  return kind !== 'google' || domain === 'gmail.com' || claims.hd === domain
}

// Entra writes it in each of these ways.
const isTrue = (value: unknown) => value === true || value === 1 || value === '1' || value === 'true'

/** Returns the domain of an address. */
export const domainOf = ({ key }: EmailAddress): string => key.slice(key.indexOf('@') + 1)
