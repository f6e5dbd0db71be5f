import type { Passwords } from '../accounts/passwords.ts'
import { USER } from '../accounts/user-kind.ts'
import { CLIENT } from '../clients/client-kind.ts'
import { type ClientDefinition, formatClient, secretHash } from '../clients/client-record.ts'
import type { Log } from '../core/log.ts'
import { PATHS } from '../core/paths.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { RecordStore } from '../storage/storage.ts'
import { s256Challenge } from '../tokens/pkce.ts'

/** The confidential client of demo mode; its secret is public. */
export const DEMO_SERVICE = { client_id: 'demo-service', client_secret: 'demo-service-secret' } as const

/** The public client of demo mode. */
export const DEMO_APP = { client_id: 'demo-app', redirect_uri: 'http://127.0.0.1/callback' } as const

/** The username, the public password and the e-mail address of the user of demo mode. */
export const DEMO_USER = 'alice'
export const DEMO_PASSWORD = 'wonderland'
export const DEMO_EMAIL = 'alice@example.com'

const CLIENTS: readonly ClientDefinition[] = [
  {
    client_id: DEMO_SERVICE.client_id,
    client_secret_hash: secretHash(DEMO_SERVICE.client_secret),
    client_name: 'Demo service',
    redirect_uris: [],
    allowed_scopes: ['api.read', 'api.write'],
    grant_types: ['client_credentials'],
    is_public: false,
  },
  {
    client_id: DEMO_APP.client_id,
    client_name: 'Demo app',
    redirect_uris: [DEMO_APP.redirect_uri],
    allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'api.read'],
    grant_types: ['authorization_code', 'refresh_token'],
    is_public: true,
  },
]

interface DemoContext {
  storage: RecordStore
  passwords: Pick<Passwords, 'hash'>
  log: Log
}

/** Registers the demo clients and the demo user unless they exist. If storage is unreachable, it logs a warning. */
export async function registerDemo({ storage, passwords, log }: DemoContext): Promise<void> {
  const user = {
    sub: DEMO_USER,
    password_hash: await passwords.hash(DEMO_PASSWORD),
    name: 'Alice Demo',
    email: DEMO_EMAIL,
    email_verified: 'true',
  }
  try {
    await Promise.all([
      ...CLIENTS.map((client) =>
        storage.records.create({ kind: CLIENT, id: client.client_id, hash: formatClient(client) }),
      ),
      storage.records.create({ kind: USER, id: DEMO_USER, hash: user }),
    ])
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn(
      { err: error },
      'The demo clients are not registered: storage does not answer. Restart to register them.',
    )
  }
}

// The example of RFC 7636 Appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

/** Returns commands to paste into a shell: they get a token by each grant and call the API; and a link to sign in. */
export function demoCommands(issuer: string): string {
  const authorize = (scope: string, shortcut: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: DEMO_APP.client_id,
      redirect_uri: DEMO_APP.redirect_uri,
      scope,
      state: 'demo',
      code_challenge: s256Challenge(VERIFIER),
      code_challenge_method: 'S256',
      ...shortcut,
    })
    return `${issuer}${PATHS.authorize}?${query}`
  }
  const shortcut = authorize('openid api.read', { subject: DEMO_USER })
  const page = authorize('openid profile email offline_access api.read')
  return `
# A token for a service (client credentials):
curl -s -w '\\n' -u ${DEMO_SERVICE.client_id}:${DEMO_SERVICE.client_secret} -d grant_type=client_credentials ${issuer}${PATHS.token}

# A code for the user ${DEMO_USER}, then the tokens for it (authorization code with PKCE):
CODE=$(curl -s -o /dev/null -w '%{redirect_url}' '${shortcut}' | sed 's/.*[?&]code=\\([^&]*\\).*/\\1/')
TOKENS=$(curl -s -d grant_type=authorization_code -d client_id=${DEMO_APP.client_id} -d redirect_uri=${DEMO_APP.redirect_uri} -d code_verifier=${VERIFIER} -d code=$CODE ${issuer}${PATHS.token}); echo "$TOKENS"

# The demo API and the user information, with the access token:
ACCESS_TOKEN=$(echo "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -w '\\n' -H "Authorization: Bearer $ACCESS_TOKEN" ${issuer}/api/resource
curl -s -w '\\n' -H "Authorization: Bearer $ACCESS_TOKEN" ${issuer}${PATHS.userinfo}

# Or open this in a browser and sign in as ${DEMO_USER} with the password ${DEMO_PASSWORD}. No server answers at the redirect URI: copy the code from the address bar.
# ${page}
`
}
