// What a file gives: no right at the admin API, whoever reads it. A file of redmint itself restores an installation.
import t from 'tap'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { readClient, readUser } from '../../support/records.ts'

const RIGHTS = 'redmint:write redmint:read'
const OWN_IDS = ['redmint-command', 'redmint-console', 'demo-admin', 'demo-service', 'demo-app', 'demo-page']
const keycloak = (clientId: string) => ({
  realm: 'r',
  clients: [
    {
      clientId,
      enabled: true,
      protocol: 'openid-connect',
      publicClient: false,
      secret: 'a-secret-that-is-long-enough-for-anybody',
      serviceAccountsEnabled: true,
      defaultClientScopes: RIGHTS.split(' '),
      optionalClientScopes: ['orders', 'redmint:users:write'],
    },
  ],
})
const hydra = (client_id: string) => [
  {
    client_id,
    scope: `${RIGHTS} redmint:users:write orders redmint:made-up`,
    grant_types: ['client_credentials'],
    client_secret: 'a-secret-that-is-long-enough-for-anybody',
  },
]
const authelia = (client_id: string) => `
identity_providers:
  oidc:
    clients:
      - client_id: ${client_id}
        client_secret: $plaintext$a-secret-that-is-long-enough-for-anybody
        grant_types: [client_credentials]
        scopes: [orders, 'redmint:write', 'redmint:read', 'redmint:users:write']
`
const auth0 = (client_id: string) => [
  { client_id, app_type: 'non_interactive', grant_types: ['client_credentials'], scope: RIGHTS },
]

/** Every reader of files of other systems, with a client of an id. */
const READERS: Readonly<Record<string, (client_id: string) => string>> = {
  authelia,
  auth0: (id) => JSON.stringify(auth0(id)),
  hydra: (id) => JSON.stringify(hydra(id)),
  keycloak: (id) => JSON.stringify(keycloak(id)),
}

interface AuditEntries {
  records: { id: string; fields: { fate: string; field: string; detail: string }[] }[]
  left_out: { name: string; left_behind: string }[]
}

for (const [system, write] of Object.entries(READERS)) {
  t.test(`a client of ${system} gets no right, and what is lost has a line of its own`, async (t) => {
    const { redmint, storage } = createCli()
    for (const flags of [['--dry-run'], []]) {
      const answer = await redmint(['import', '-', '--from', system, ...flags, '--json'], write('h1'))
      t.match(answer, { code: 0 })
      const { records } = parsed<AuditEntries>(answer)
      const lost =
        records[0]?.fields.filter(({ detail }) => detail.includes('a right at the admin API')) ?? []
      if (system !== 'auth0') {
        t.ok(lost.length >= 3, 'one line for each')
        t.ok(lost.every(({ fate }) => fate === 'lost'))
      }
    }
    const { allowed_scopes = '' } = (await readClient(storage, 'h1')) ?? {}
    t.notMatch(allowed_scopes, /redmint:/)
    if (system !== 'auth0') t.match(allowed_scopes, /orders/, 'the others are taken')
  })

  t.test(`a client of ${system} with an id of redmint is left out`, async (t) => {
    const { redmint, storage } = createCli()
    for (const id of OWN_IDS) {
      const answer = await redmint(['import', '-', '--from', system, '--json'], write(id))
      t.match(parsed<AuditEntries>(answer).left_out, [
        { name: id, left_behind: /id that redmint uses itself/ },
      ])
      t.equal(await readClient(storage, id), undefined)
    }
  })
}

t.test('a list of clients gives no right that a client does not have', async (t) => {
  const { redmint, storage } = createCli()
  const client = (allowed_scopes: string) =>
    JSON.stringify([
      { client_id: 'app', is_public: false, grant_types: 'client_credentials', allowed_scopes },
    ])
  const first = await redmint(['client', 'import', '-', '--json'], client(`orders ${RIGHTS}`))
  t.match(parsed(first), { clients: [{ client_id: 'app', lost: RIGHTS.split(' ') }] })
  t.match(await readClient(storage, 'app'), { allowed_scopes: 'orders' })
  await redmint(['client', 'update', 'app', '--scope', 'orders', '--scope', 'redmint:read'])
  const again = await redmint(['client', 'import', '-', '--update'], client(`orders ${RIGHTS}`))
  t.match(again.stdout, /lost {5}client "app" scope: redmint:write is a right at the admin API/)
  t.match(await readClient(storage, 'app'), { allowed_scopes: 'orders redmint:read' }, 'what it has stays')
  const own = JSON.stringify([{ client_id: 'redmint-command', is_public: true }])
  t.match(await redmint(['client', 'import', '-'], own), { code: 1, stderr: /redmint uses itself/ })
})

t.test('a list of users gives no right', async (t) => {
  const { redmint, storage } = createCli()
  const user = JSON.stringify([{ username: 'mallory', admin: RIGHTS }])
  const dry = await redmint(['user', 'import', '-', '--dry-run'], user)
  t.match(dry.stdout, /lost {5}user "mallory" admin: redmint:write/)
  t.match(parsed(await redmint(['user', 'import', '-', '--json'], user)), {
    lost: [{ username: 'mallory', right: 'redmint:write' }, { right: 'redmint:read' }],
  })
  t.equal((await readUser(storage, 'mallory'))?.admin, undefined)
})
