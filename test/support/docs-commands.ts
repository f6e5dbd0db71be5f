// Which test runs the commands of each page, and what those of the pages without a test of their own need.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from './markdown.ts'

/** What the commands of a page meet. */
export interface Preparation {
  /** Commands that come before those of the page. */
  readonly before?: readonly string[]
  /** Files that the page names: those of test/support/ in their place. */
  readonly files?: Readonly<Record<string, string>>
  /** Commands that do not run here, each by its beginning, with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

const FIXTURES = 'test/support/cli/move/fixtures'
const APP = '--scope "openid profile" --redirect-uri https://a.example.com/cb'
const NO_MAIL = 'it needs an SMTP server: test/proofs/docs/production.test.ts'

/** The pages whose commands test/main/docs/commands.test.ts runs, on storage in memory. */
export const RUN_HERE: Readonly<Record<string, Preparation>> = {
  'docs/access-by-group.md': { before: ['redmint user add alice', `redmint client add wiki ${APP}`] },
  'docs/act-as.md': {
    before: [
      ...['alice', 'ada'].map((name) => `redmint user add ${name}`),
      `redmint client add shop ${APP.replace('profile', 'orders.read')}`,
      'redmint resource add https://orders.example.com --scope orders.read',
    ],
  },
  'docs/client-keys.md': {},
  'docs/console.md': { except: { 'redmint serve': 'test/main/system/newcomer.test.ts uses the console' } },
  'docs/details.md': {
    before: [`redmint client add shop ${APP}`],
    files: { 'payment.json': 'test/support/payment.json' },
  },
  'docs/invitations.md': {
    before: [
      'redmint user add alice --email alice@example.com',
      `redmint client add shop ${APP} --client-uri https://a.example.com`,
    ],
    except: { 'redmint user invite --email bob@example.com --send': NO_MAIL },
  },
  'docs/openid.md': {
    before: [
      'redmint user add alice',
      `redmint client add argo-cd ${APP}`,
      'redmint client add billing --scope api.read',
    ],
  },
  'docs/operations.md': {
    before: [
      ...['demo-service', 'demo-admin'].map((id) => `redmint client add ${id} --scope api.read`),
      ...['demo-web', 'demo-spa', 'demo-app', 'demo-page', 'demo-device'].map(
        (id) => `redmint client add ${id} ${APP}`,
      ),
      'redmint user add alice',
    ],
    except: { node: 'test/proofs/system/package/ builds and starts it' },
  },
  'docs/other-servers.md': {},
  'docs/signals-received.md': {
    before: [
      'redmint provider add acme --issuer https://accounts.example.org --client-id x',
      'redmint issuer add https://idp.example.com',
    ],
  },
  'docs/own-login.md': {},
  'docs/previews.md': {},
  'docs/replace/auth0.md': {
    files: {
      'users.ndjson': `${FIXTURES}/auth0-users.ndjson`,
      'hashes.ndjson': `${FIXTURES}/auth0-passwords.ndjson`,
      'clients.json': `${FIXTURES}/auth0-clients.json`,
    },
  },
  'docs/replace/hydra.md': {
    files: { 'clients.json': `${FIXTURES}/hydra-clients.json` },
  },
  'docs/second-step.md': { before: ['redmint user add alice'] },
  'docs/signals.md': {},
  'docs/signed-responses.md': { before: [`redmint client add shop ${APP}`] },
  'docs/status-list.md': {},
}

/** The pages whose commands another test runs, and which. */
export const RUN_BY: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'test/main/docs/contributing.test.ts',
  'README.md': 'test/main/docs/readme.test.ts',
  'docs/acting.md': 'test/proofs/docs/acting.test.ts',
  'docs/admin-api.md': 'test/proofs/docs/admin-api.test.ts',
  'docs/audit.md': 'test/main/docs/audit.test.ts',
  'docs/backup.md': 'test/proofs/docs/backup.test.ts',
  'docs/cli.md': 'test/main/docs/cli.test.ts',
  'docs/conformance.md': 'test/main/docs/conformance.test.ts',
  'docs/dev.md': 'test/proofs/dev/dev-command.test.ts',
  'docs/asks.md': 'test/proofs/system/flows/asks.test.ts',
  'docs/device.md': 'test/main/system/flows/device.test.ts',
  'docs/directory.md': 'test/unit/docs/settings.test.ts',
  'docs/dpop.md': 'test/main/docs/dpop.test.ts',
  'docs/embedding.md': 'test/proofs/system/package/package.test.ts',
  'docs/fapi.md': 'test/proofs/docs/fapi.test.ts',
  'docs/forward-auth.md': 'test/main/cli/forward-auth.test.ts',
  'docs/keyspace.md': 'test/main/docs/keyspace.test.ts',
  'docs/mail.md': 'test/unit/docs/settings.test.ts',
  'docs/mcp.md': 'test/main/docs/mcp.test.ts',
  'docs/mutual-tls.md': 'test/proofs/system/deploy/mutual-tls.test.ts',
  'docs/performance.md': 'test/unit/bench/pages.test.ts',
  'docs/production.md': 'test/proofs/docs/production.test.ts',
  'docs/pushed-requests.md': 'test/proofs/docs/pushed-requests.test.ts',
  'docs/registration.md': 'test/proofs/docs/registration.test.ts',
  'docs/replace/keycloak.md': 'test/foreign/keycloak.foreign.ts',
  'docs/resource-servers.md': 'test/proofs/docs/resource-servers.test.ts',
  'docs/resources.md': 'test/proofs/docs/resources.test.ts',
  'docs/start/connect-an-agent.md': 'test/proofs/docs/start.test.ts',
  'docs/start/protect-an-api.md': 'test/proofs/docs/start.test.ts',
  'docs/start/sign-in-people.md': 'test/proofs/docs/start.test.ts',
  'docs/testing/check-api.md': 'test/proofs/dev/check-commands.test.ts',
  'docs/testing/check-client.md': 'test/proofs/dev/check-commands.test.ts',
  'docs/testing/control.md': 'test/main/dev/docs.test.ts',
  'docs/testing/go.md': 'test/foreign/testing.foreign.ts',
  'docs/testing/node.md': 'test/foreign/testing.foreign.ts',
  'docs/testing/playwright.md': 'test/proofs/docs/testing.test.ts',
  'docs/testing/python.md': 'test/foreign/testing.foreign.ts',
  'docs/trusted-issuers.md': 'test/main/docs/trusted-issuers.test.ts',
  'examples/mcp/README.md': 'test/foreign/mcp.foreign.ts',
  'examples/approve/README.md': 'test/foreign/approve.foreign.ts',
  'examples/own-login/README.md': 'test/proofs/system/flows/own-login.test.ts',
  'examples/second-factor/README.md': 'test/proofs/system/flows/second-factor.test.ts',
}

/** The pages whose commands no test runs as they are, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'deploy/README.md':
    'it needs Docker and a cluster; real helm and kubectl render its files in test/foreign/helm.foreign.ts',
  'docs/client-id-metadata.md':
    'its clients come by themselves; test/main/src/clients/ has such a client disabled',
  'docs/explain.md': 'its ids are of refusals of another server; test/main/system/explain/ explains its own',
  'docs/moving.md': 'a line of jq over an export, whose format test/main/cli/move/ holds',
  'docs/providers.md': 'it needs an account at each provider; test/foreign/providers.foreign.ts adds others',
  'docs/releasing.md': 'it verifies what is published',
  'docs/reliability.md': 'minutes of chaos, which test/proofs/system/proof/ begins the same way',
  'docs/testing/dotnet.md': 'it needs .NET',
  'docs/tracing.md': 'it needs a collector; test/weekly/ sends spans of a real SDK to one',
  'docs/webfinger.md': 'it asks the host example.com; test/main/routes/ asks the route',
  'examples/opentelemetry/README.md': 'it needs a collector; test/weekly/ sends spans of a real SDK to one',
  'test/README.md': 'they are the commands that run the tests',
}

/** The pages that have commands in a shell, without those of a framework: test/unit/cli/connect.test.ts has these. */
export async function pagesWithCommands(): Promise<string[]> {
  const folders = [
    '.',
    'docs',
    'docs/replace',
    'docs/security',
    'docs/start',
    'docs/testing',
    'deploy',
    'test',
  ]
  const examples = (await readdir('examples')).map((name) => join('examples', name))
  const found: string[] = []
  for (const folder of [...folders, ...examples])
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      if (name.endsWith('.md') && /^```(sh|console|bash|shell)$/m.test(await readText(path))) found.push(path)
    }
  return found.sort()
}
