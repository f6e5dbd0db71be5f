import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { Provider } from './provider-record.ts'
import { ProviderFailure, type UpstreamUser, upstreamLink } from './upstream.ts'

/** How much is kept of a text about the sign-in there. */
const MAX_SEEN = 200

type Claims = Readonly<Record<string, unknown>>

/** The claims that are taken over at each sign-in. Never an address: a change there changes nothing here. */
const PROFILE = ['name', 'given_name', 'family_name', 'locale'] as const

/**
 * Returns what redmint believes of an id_token, whose signature, issuer and audience are checked.
 * @throws ProviderFailure if it does not say who somebody is
 */
export function believedOf(provider: Provider, claims: Claims): UpstreamUser {
  const { acr, amr, auth_time } = claims
  return {
    link: upstreamLink(provider, subjectOf(provider, claims)),
    email: addressOf(provider, claims),
    profile: Object.fromEntries(
      PROFILE.flatMap((name) => {
        const value = claims[name]
        return typeof value === 'string' && value !== '' ? [[name, value]] : []
      }),
    ),
    groups: groupsOf(provider, claims),
    seen: {
      ...(typeof acr === 'string' && { acr: acr.slice(0, MAX_SEEN) }),
      ...(Array.isArray(amr) && {
        amr: amr
          .filter((one) => typeof one === 'string')
          .join(' ')
          .slice(0, MAX_SEEN),
      }),
      ...(typeof auth_time === 'number' && { auth_time }),
    },
  }
}

// Entra: `sub` differs from client to client, and `oid` alone is not unique.
function subjectOf({ kind, issuer }: Provider, { sub, tid, oid }: Claims): string {
  if (kind !== 'microsoft') {
    if (typeof sub === 'string' && sub !== '') return sub
    throw new ProviderFailure('broken', 'NO_SUBJECT')
  }
  const [, tenant] = new URL(issuer).pathname.split('/')
  if (typeof tid !== 'string' || tid === '' || tid !== tenant) {
    throw new ProviderFailure('broken', 'OTHER_TENANT')
  }
  if (typeof oid === 'string' && oid !== '') return oid
  throw new ProviderFailure('broken', 'NO_SUBJECT')
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
  // Apple writes the text, too.
  const { email_verified } = claims
  if (email_verified !== true && !(kind === 'apple' && email_verified === 'true')) return false
  // Of other addresses Google knows only that they were the person's once.
  return kind !== 'google' || domain === 'gmail.com' || claims.hd === domain
}

// Entra writes it in each of these ways.
const isTrue = (value: unknown) => value === true || value === 1 || value === '1' || value === 'true'

/** Returns the domain of an address. */
export const domainOf = ({ key }: EmailAddress): string => key.slice(key.indexOf('@') + 1)

// A claim that is missing or of another form names no group: nobody keeps one that the provider does not say.
function groupsOf({ groups_claim }: Provider, claims: Claims): readonly string[] | undefined {
  if (groups_claim === undefined) return undefined
  const claim = claims[groups_claim]
  return Array.isArray(claim) && claim.every((group) => typeof group === 'string') ? claim : []
}
