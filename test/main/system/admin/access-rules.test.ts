// A client without a rule where others have one: the command, the API, the console and doctor say the same of it.
import t from 'tap'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { recordFinding } from '../../../support/record-finding.ts'
import {
  changeClient,
  createClient,
  createUser,
  listClients,
  removeClient,
} from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'

const FIELDS = {
  is_public: 'true',
  redirect_uris: 'https://app.example.com/cb',
  allowed_scopes: 'openid',
  grant_types: 'authorization_code',
  refresh_tokens: 'never',
}
const CLIENTS = {
  plain: {},
  ruled: { allowed_groups: 'staff' },
  open: { everybody: 'true' },
  self: { registered_at: '2026-11-28T10:00:00.000Z' },
}
const SAYS = 'so everybody may use the client, and other clients have it'

interface Finding {
  readonly client_id?: string
  readonly detail?: string
  readonly problem?: string
}

t.test('all four say the same of a client without a rule', async (t) => {
  const { storage, call, tokenOf, operator } = await scene(t, { with: ['console'] })
  for await (const { client_id } of listClients(storage)) await removeClient(storage, client_id)
  for (const [client_id, more] of Object.entries(CLIENTS))
    await createClient(storage, client_id, { ...FIELDS, client_id, client_name: client_id, ...more })
  await createUser(storage, 'zoe', { sub: 'zoe', 'claim:groups': '["staff"]' })
  const rights = { token: await tokenOf('redmint:clients:read') }
  const { redmint } = createCli({ storage })
  const ada = await operator()
  const ids = Object.keys(CLIENTS)
  const said = (found: readonly Finding[], client_id = '') =>
    found
      .filter(({ detail, problem }) => `${detail ?? ''}${problem ?? ''}`.includes(SAYS))
      .map((one) => one.client_id ?? client_id)
  const each = async (find: (client_id: string) => Promise<string[]>) =>
    (await Promise.all(ids.map(find))).flat()
  const command = async (...args: string[]) =>
    said(parsed<{ findings: Finding[] }>(await redmint(['client', 'lint', ...args, '--json'])).findings)
  const pages = async () => {
    const found: Finding[] = []
    let next: string | undefined
    do {
      const cursor = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`
      const { json } = await call('GET', `/lint/clients?limit=1${cursor}`, rights)
      found.push(...(json.items as Finding[]))
      next = json.next as string | undefined
    } while (next !== undefined)
    return said(found).filter((id) => ids.includes(id))
  }
  const ways = {
    'the command': async () => (await command()).filter((id) => ids.includes(id)),
    'the command of one': () => each((id) => command(id)),
    'the API, page by page': pages,
    'the API of one': () =>
      each(async (id) => {
        const { json } = await call('GET', `/clients/${id}/lint`, rights)
        return said(json.findings as Finding[], id)
      }),
    'the console': () =>
      each(async (id) => ((await ada.page(`/console/applications/${id}`)).text.includes(SAYS) ? [id] : [])),
    doctor: async () => {
      const { finding = '' } = (await recordFinding('clients', storage)) ?? {}
      return ids.filter((id) => new RegExp(`\\b${id}\\b`).test(finding))
    },
  }
  for (const [way, find] of Object.entries(ways)) t.strictSame(await find(), ['plain'], way)

  await changeClient(storage, 'ruled', { set: {}, unset: ['allowed_groups'] })
  await changeClient(storage, 'ruled', { set: { everybody: 'true' } })
  for (const [way, find] of Object.entries(ways)) t.strictSame(await find(), [], `${way}: nobody has a rule`)
})
