import { insertClient } from '../clients/new-client.ts'
import { CLIENT } from '../clients/record/client-kind.ts'
import type { ClientDefinition } from '../clients/record/client-record.ts'
import { secretHash } from '../clients/record/client-secret.ts'
import { DEVICE_CODE } from '../clients/record/grant-types.ts'
import type { Settings } from '../config/settings.ts'
import { hasPasswords } from '../config/sign-in-ways.ts'
import { ACT_AS } from '../core/admin-scopes.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Log } from '../core/log.ts'
import { ADMIN_PATH, consoleAt, PATHS } from '../core/paths.ts'
import { RESOURCE } from '../resources/resource-record.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { recordOf } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import { insertUser } from '../users/new-user.ts'
import type { UserStore } from '../users/sign-in-names.ts'
import { USER } from '../users/user-kind.ts'
import { formatUser } from '../users/user-record.ts'
import {
  DEMO_ADMIN,
  DEMO_AFTER_LOGOUT,
  DEMO_API,
  DEMO_APP,
  DEMO_CALLBACKS,
  DEMO_CLIENT_IDS,
  DEMO_DEVICE,
  DEMO_PAGE,
  DEMO_SERVICE,
  DEMO_SPA,
  DEMO_WEB,
} from './demo-clients.ts'
import { DEMO_CLAIMS, DEMO_PASSWORD, DEMO_PASSWORD_HASH, DEMO_USER } from './demo-user.ts'

const onThisMachine = {
  redirect_uris: DEMO_CALLBACKS,
  post_logout_redirect_uris: DEMO_AFTER_LOGOUT,
  allowed_scopes: ['openid', 'profile', 'email', 'offline_access', ...DEMO_API.scopes],
  grant_types: ['authorization_code', 'refresh_token'],
  demo: true,
} as const

const clientsOf = (issuer: string): readonly ClientDefinition[] => [
  {
    client_id: DEMO_SERVICE.client_id,
    client_secret_hash: secretHash(DEMO_SERVICE.client_secret),
    client_name: 'Demo service',
    redirect_uris: [],
    allowed_scopes: ['api.read', 'api.write'],
    grant_types: ['client_credentials'],
    is_public: false,
    demo: true,
  },
  {
    client_id: DEMO_APP.client_id,
    client_name: 'Demo app',
    redirect_uris: [DEMO_APP.redirect_uri],
    allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'api.read'],
    grant_types: ['authorization_code', 'refresh_token'],
    is_public: true,
    demo: true,
  },
  {
    client_id: DEMO_PAGE.client_id,
    client_name: 'Demo page',
    redirect_uris: [`${issuer}${DEMO_PAGE.callback}`],
    post_logout_redirect_uris: [`${issuer}${PATHS.demo}`],
    allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'api.read'],
    grant_types: ['authorization_code', 'refresh_token'],
    is_public: true,
    demo: true,
  },
  {
    client_id: DEMO_DEVICE.client_id,
    client_name: 'Demo device',
    redirect_uris: [],
    allowed_scopes: ['openid', 'profile', 'email', 'api.read'],
    grant_types: [DEVICE_CODE],
    is_public: true,
    demo: true,
  },
  {
    ...onThisMachine,
    client_id: DEMO_WEB.client_id,
    client_secret_hash: secretHash(DEMO_WEB.client_secret),
    client_name: 'Demo web application',
    is_public: false,
  },
  {
    ...onThisMachine,
    client_id: DEMO_SPA.client_id,
    client_name: 'Demo single-page application',
    is_public: true,
  },
]

const ADMINISTRATOR_SCOPES = ['redmint:read', 'redmint:write', ACT_AS] as const
const ADMINISTRATOR: ClientDefinition = {
  client_id: DEMO_ADMIN.client_id,
  client_secret_hash: secretHash(DEMO_ADMIN.client_secret),
  client_name: 'Demo administrator',
  redirect_uris: [],
  allowed_scopes: ADMINISTRATOR_SCOPES,
  grant_types: ['client_credentials'],
  is_public: false,
  demo: true,
}

/** Whether demo mode has an administrator: only where nobody but the operator reaches the server. */
function hasDemoAdministrator({ admin_api, demo }: Pick<Settings, 'admin_api' | 'demo'>): boolean {
  return admin_api === 'on' && demo === true
}

/** The settings that decide what demo mode registers and prints. */
type DemoSettings = Pick<
  Settings,
  'admin_api' | 'console' | 'console_origin' | 'demo' | 'issuer' | 'sign_in' | 'login_url'
>

interface DemoContext {
  storage: UserStore
  settings: DemoSettings
  log: Log
  report: ReportEvent
}

/** Registers the demo clients and the demo user unless they exist. If storage is unreachable, it logs a warning. */
export async function registerDemo({ storage, settings, log, report }: DemoContext): Promise<void> {
  const context = { storage, report }
  const clients = [...clientsOf(settings.issuer), ...(hasDemoAdministrator(settings) ? [ADMINISTRATOR] : [])]
  const user = formatUser({
    sub: DEMO_USER,
    password_hash: DEMO_PASSWORD_HASH,
    demo: true,
    claims: DEMO_CLAIMS,
    // The user of the demonstration is its operator, too; src/admin/door/caller.ts says where that counts.
    ...(hasDemoAdministrator(settings) && settings.console === 'on' && { admin: ADMINISTRATOR_SCOPES }),
  })
  try {
    await Promise.all([
      ...clients.map((client) => insertClient(context, client)),
      insertUser(context, DEMO_USER, user),
      insertApi(context),
      // Nothing of it is public, so it may stay after demo mode.
      ...(hasDemoAdministrator(settings) ? [commandClient(context)] : []),
    ])
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn(
      { err: error },
      'The demo clients are not registered: storage does not answer. Restart to register them.',
    )
  }
}

// It may stay after demo mode: nothing of it is public.
async function insertApi({ storage, report }: Pick<DemoContext, 'storage' | 'report'>): Promise<void> {
  const { resource, scopes } = DEMO_API
  const event: SecurityEvent = { event: 'resource_changed', resource }
  const hash = { resource, resource_name: 'Your API', scopes: scopes.join(' '), access_token_format: 'jwt' }
  const write = { kind: RESOURCE, id: resource, hash }
  await commit({ report }, [event], {}, (told) => storage.records.create({ ...write, told }))
}

// Loaded only where the admin API is.
async function commandClient(context: Pick<DemoContext, 'storage' | 'report'>): Promise<void> {
  const { registerCommandClient } = await import('../admin/command-client.ts')
  await registerCommandClient(context)
}

/**
 * Returns a line for each record that demo mode left in storage, with the command that removes it. Returns no line if
 * storage does not answer: the use of such a record is logged, too.
 */
export async function demoLeftovers({ records }: RecordStore): Promise<string[]> {
  try {
    const ids = DEMO_CLIENT_IDS
    const [user, ...clients] = await Promise.all([
      records.read(USER, DEMO_USER),
      ...ids.map((client_id) => records.read(CLIENT, client_id)),
    ])
    return [
      ...ids.filter((_, index) => recordOf(clients[index])?.demo).map((id) => leftover('client', id)),
      ...(recordOf(user)?.demo ? [leftover('user', DEMO_USER)] : []),
    ]
  } catch (error) {
    if (error instanceof StorageUnavailable) return []
    throw error
  }
}

function leftover(noun: string, name: string): string {
  return `The ${noun} "${name}" of demo mode is in storage, and is refused. Remove it: redmint ${noun} remove ${name}`
}

// The example of RFC 7636 Appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

/**
 * Returns commands to paste into a shell: they get a token by each grant and call the API, and the admin API if there is an
 * administrator; and a link to sign in.
 */
export function demoCommands(settings: DemoSettings): string {
  const { issuer } = settings
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
  return `
# A token for a service (client credentials):
curl -s -w '\\n' -u ${DEMO_SERVICE.client_id}:${DEMO_SERVICE.client_secret} -d grant_type=client_credentials ${issuer}${PATHS.token}

# A code for the user ${DEMO_USER}, then the tokens for it (authorization code with PKCE):
CODE=$(curl -s -o /dev/null -w '%{redirect_url}' '${shortcut}' | sed 's/.*[?&]code=\\([^&]*\\).*/\\1/')
TOKENS=$(curl -s -d grant_type=authorization_code -d client_id=${DEMO_APP.client_id} -d redirect_uri=${DEMO_APP.redirect_uri} -d code_verifier=${VERIFIER} -d code=$CODE ${issuer}${PATHS.token}); echo "$TOKENS"

# The demo API and the user information, with the access token:
ACCESS_TOKEN=$(echo "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -w '\\n' -H "Authorization: Bearer $ACCESS_TOKEN" ${issuer}${PATHS.demo_resource}
curl -s -w '\\n' -H "Authorization: Bearer $ACCESS_TOKEN" ${issuer}${PATHS.userinfo}
${hasDemoAdministrator(settings) ? adminCommands(issuer) : ''}
# Or try it in a browser: open ${issuer}${PATHS.demo}${hasPasswords(settings) ? ` and sign in as ${DEMO_USER} with the password ${DEMO_PASSWORD}` : ''}.
${settings.console === 'on' ? `# The console for operators is at ${consoleAt(settings)}, for the user ${DEMO_USER}.\n` : ''}`
}

function adminCommands(issuer: string): string {
  const { client_id, client_secret } = DEMO_ADMIN
  const api = issuer + ADMIN_PATH
  return `
# Where the user ${DEMO_USER} is signed in, as operators see it by the admin API:
ADMIN_TOKEN=$(curl -s -u ${client_id}:${client_secret} -d grant_type=client_credentials -d resource=${api} ${issuer}${PATHS.token} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')
curl -s -w '\\n' -H "Authorization: Bearer $ADMIN_TOKEN" ${api}/users/${DEMO_USER}/sessions

# The same by the command, which needs no sign-in here:
npx redmint user sessions ${DEMO_USER} --server ${issuer}
`
}
