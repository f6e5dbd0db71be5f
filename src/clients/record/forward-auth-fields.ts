import { boolean, uris } from '../../core/field-kinds.ts'
import { ROOT_PATHS } from '../../core/paths.ts'
import type { FieldReader } from '../../core/record-hash.ts'
import { isLoopbackHost, isUrl } from '../../core/uri.ts'

/** The fields of clients that stand for applications behind a proxy. */
export const FORWARD_AUTH_FIELDS = {
  /** The hosts of an application that knows no OpenID Connect; absent: it is none. */
  forward_auth_hosts: uris({
    label: 'Hosts behind a proxy',
    check: (host) =>
      originOfHost(host) === undefined
        ? 'is not a host as in a URL: in lower case, with a port that is not the default'
        : undefined,
    flag: {
      group: 'sign_in',
      name: 'forward-auth-host',
      value: 'host',
      help: 'the host of an application behind a proxy that [asks redmint who the user is](forward-auth.md); repeatable',
      clear: 'answer no proxy',
    },
    docs: 'the hosts of an application behind a proxy that [asks redmint who the user is](forward-auth.md), separated by single spaces',
  }),
  /** A preflight has no credentials (Fetch, CORS protocol). */
  forward_auth_preflights: boolean({
    label: 'Let CORS preflights pass',
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: '`true`: CORS preflights pass to its [application](forward-auth.md#scripts-and-apps) without a sign-in',
    },
    docs: '`true`: CORS preflights pass to its [application](forward-auth.md#scripts-and-apps) without a sign-in; missing: `false`',
  }),
  forward_auth_bearer: boolean({
    label: 'Access tokens count as a sign-in',
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: "`true`: at its [application](forward-auth.md#scripts-and-apps) a person's access token counts as a sign-in",
    },
    docs: "`true`: at its [application](forward-auth.md#scripts-and-apps) a person's access token for it counts as a sign-in; missing: `false`",
  }),
}

/** The origin of an application: https, on loopback http. Undefined: the host is not in the form that URLs have. */
export function originOfHost(host: string): string | undefined {
  if (!/^[a-z0-9.:[\]-]+$/.test(host) || !isUrl(`https://${host}`)) return undefined
  const scheme = isLoopbackHost(new URL(`https://${host}`).hostname) ? 'http' : 'https'
  const url = new URL(`${scheme}://${host}`)
  return url.host === host ? url.origin : undefined
}

/** The redirect URI of an application: the proxy passes its path on to redmint. */
export const callbackOf = (origin: string) => origin + ROOT_PATHS.forward_callback

/** What redmint needs of a client whose codes it redeems itself, and whose sign-ins must end with the session. */
export function checkForwardAuth(
  client: {
    readonly forward_auth_hosts?: readonly string[]
    readonly redirect_uris?: readonly string[]
    readonly allowed_scopes?: readonly string[]
    readonly is_public?: boolean | undefined
    readonly logout_ends_tokens?: boolean
  },
  fields: FieldReader,
): void {
  const { forward_auth_hosts = [], redirect_uris = [], allowed_scopes = [] } = client
  if (forward_auth_hosts.length === 0) return
  const because = 'because it has forward_auth_hosts'
  if (client.is_public !== true) fields.fail('is_public', `must be true, ${because}`)
  if (client.logout_ends_tokens !== true) fields.fail('logout_ends_tokens', `must be true, ${because}`)
  if (!allowed_scopes.includes('openid')) fields.fail('allowed_scopes', `must have openid, ${because}`)
  for (const origin of forward_auth_hosts.map(originOfHost)) {
    if (origin === undefined || redirect_uris.includes(callbackOf(origin))) continue
    fields.fail('redirect_uris', `must have ${callbackOf(origin)}, ${because}`)
  }
}
