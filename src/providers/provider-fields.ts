import { boolean, oneOf, seconds, text, words } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { MANAGED_BY } from '../core/managed-by.ts'
import { isScopeToken } from '../core/scope.ts'
import { issuerProblem } from '../issuers/issuer-url.ts'
import { groupsClaimProblem } from './groups-claim.ts'

/** What people have an account at. `oidc`: any OpenID Provider. */
export const PROVIDER_KINDS = ['google', 'apple', 'microsoft', 'github', 'gitlab', 'oidc'] as const

/** How a secret is sent to a token endpoint. */
const TOKEN_AUTH_METHODS = ['client_secret_basic', 'client_secret_post'] as const

/**
 * All fields of the record of a provider. The type Provider, parsing, formatting, the command-line flags, apply and lint
 * use this table.
 */
export const PROVIDER_FIELDS = {
  provider: text({
    label: 'Name in addresses',
    required: true,
    setBy: '<provider>',
    docs: 'its name in addresses, the same as in the key; may be missing',
  }),
  kind: oneOf(PROVIDER_KINDS, {
    label: 'Kind',
    choice_labels: {
      google: 'Google',
      apple: 'Apple',
      microsoft: 'Microsoft',
      github: 'GitHub',
      gitlab: 'GitLab',
      oidc: 'Any OpenID Provider',
    },
    default: 'oidc',
    flag: {
      value: 'kind',
      help: 'what it is (default: the name of the provider if that is a kind, else `oidc`)',
    },
    docs: 'what it is: `google`, `apple`, `microsoft`, `github`, `gitlab`, or `oidc` for any other OpenID Provider; default: `oidc`',
  }),
  name: text({
    label: 'Name on pages',
    check: (name) => (name.length <= 64 ? undefined : 'has more than 64 characters'),
    flag: {
      value: 'text',
      help: 'what pages call it (default: by the kind, or its host)',
      clear: 'call it by its kind',
    },
    docs: 'what pages call it; default: the name of the kind, or the host of the issuer',
  }),
  issuer: text({
    label: 'Issuer',
    required: true,
    check: issuerProblem,
    flag: { value: 'url', help: 'its issuer; Google and GitLab have one each' },
    docs: 'its issuer, an `https` URL as in its discovery document: another one there is refused (OpenID Connect Discovery §4.3)',
  }),
  client_id: text({
    label: 'Client id there',
    required: true,
    flag: { value: 'id', help: 'the client_id that it gave redmint' },
    docs: 'the `client_id` that it gave redmint',
  }),
  client_secret_sealed: text({
    label: 'Secret',
    setBy: '`redmint provider secret`',
    docs: 'the secret that it gave redmint, at Apple the private key, sealed with the key in `provider-key:secret` for this provider, `issuer` and `client_id`: after a change of one of them it has to be set again',
  }),
  token_endpoint_auth_method: oneOf(TOKEN_AUTH_METHODS, {
    label: 'How the secret is sent',
    choice_labels: { client_secret_basic: 'In a header', client_secret_post: 'In the form' },
    flag: {
      value: 'method',
      help: 'how redmint sends the secret, if the discovery document does not say it rightly',
      clear: 'send the secret as the discovery document says',
    },
    docs: 'how redmint sends the secret; missing: by Basic, or in the form if the discovery document names that and not Basic (OpenID Connect Discovery §3)',
  }),
  team_id: text({
    label: 'Team at Apple',
    check: appleIdProblem,
    flag: { value: 'id', help: 'of Apple: the team that the key belongs to' },
    docs: 'of `apple` alone: the team that its key belongs to, ten letters and digits',
  }),
  key_id: text({
    label: 'Key at Apple',
    check: appleIdProblem,
    flag: { value: 'id', help: 'of Apple: the name of the key' },
    docs: 'of `apple` alone: the name of its key, ten letters and digits',
  }),
  scope: words({
    label: 'What it is asked for',
    default: ['openid', 'profile', 'email'],
    check: (name) => (isScopeToken(name) ? undefined : 'is not a scope name (RFC 6749 §3.3)'),
    flag: {
      value: 'names',
      help: 'what redmint asks it for; repeatable, or separated by spaces (default: `openid profile email`)',
      clear: 'ask for `openid profile email`',
    },
    docs: 'what redmint asks it for, separated by single spaces; default: `openid profile email`',
  }),
  creates_users: boolean({
    label: 'Newcomers get an account',
    default: false,
    flag: { value: 'boolean', help: '`true`: who comes from it for the first time gets an account' },
    docs: '`true`: who comes from it for the first time gets an account; default: `false`, they are refused',
  }),
  links_by_email: boolean({
    label: 'Joined by the e-mail address',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: somebody whose address both sides verified is the account with this address',
    },
    docs: '`true`: somebody whose address it and redmint have verified is the account with this address; default: `false`, people link the two when they are signed in',
  }),
  email_domains: words({
    label: 'Domains of e-mail addresses',
    default: [],
    check: domainProblem,
    flag: {
      name: 'email-domain',
      value: 'domain',
      help: 'only verified addresses of this domain get an account or are linked by address; repeatable',
      clear: 'allow all domains',
    },
    docs: 'the domains of verified addresses that get an account or are linked by address, separated by single spaces; missing: all',
  }),
  groups_claim: text({
    label: 'Claim with the groups',
    check: groupsClaimProblem,
    flag: {
      value: 'claim',
      help: 'the claim with the groups of its people, such as `groups` or `realm_access.roles`; of GitHub `orgs` or `teams`',
      clear: 'take no groups from it',
    },
    docs: 'the claim with the groups of a person, with dots for one inside of another (`realm_access.roles`), or at GitHub `orgs` or `teams`; missing: redmint takes none',
  }),
  groups_ttl: seconds({
    label: 'Groups count for (seconds)',
    default: 604_800,
    min: 60,
    max: 31_622_400,
    flag: {
      value: 'seconds',
      help: 'how long the groups that it said count without another sign-in by it, at most 31622400 (default: 604800, a week)',
      clear: 'let them count for a week',
    },
    docs: 'how long, in seconds, the groups that it said of a person [count without another sign-in by it](providers.md#groups-have-an-end), 60 to 31622400; default: `604800`, a week',
  }),
  signals: boolean({
    label: 'Its signals end sessions',
    default: false,
    flag: {
      value: 'boolean',
      help: '`true`: what it says is over ends sessions that began by it, at `<ISSUER>/signals/<provider>`',
    },
    docs: '`true`: its [signals](signals-received.md) end sessions that began by it; default: `false`',
  }),
  signals_audience: text({
    label: 'Audience of its signals',
    flag: {
      value: 'text',
      help: 'the audience of its signals (default: the client id there)',
      clear: 'expect the client id there',
    },
    docs: 'the `aud` of its signals; default: `client_id`',
  }),
  disabled: boolean({
    label: 'Disabled',
    default: false,
    flag: { value: 'boolean', help: '`true`: nobody can sign in by it or link it' },
    docs: '`true`: nobody can sign in by it or link it; default: `false`',
  }),
  managed_by: MANAGED_BY,
} satisfies FieldTable

function appleIdProblem(id: string): string | undefined {
  return /^[A-Z0-9]{10}$/.test(id) ? undefined : 'must have ten capital letters and digits'
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`)

function domainProblem(domain: string): string | undefined {
  return domain.length <= 253 && DOMAIN.test(domain)
    ? undefined
    : 'is not a domain in lower case, such as example.com'
}
