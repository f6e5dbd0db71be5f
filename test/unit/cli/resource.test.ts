import t from 'tap'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

const API = 'https://api.example.com'

t.test('lint tells errors from likely mistakes', async (t) => {
  const { storage, redmint } = createCli()
  const put = (id: string, hash: Record<string, string>) => storage.records.put({ kind: RESOURCE, id, hash })
  await put('https://fine.example/x', { scopes: 'a' })
  t.match(await redmint(['resource', 'lint']), { code: 0, stdout: '1 resource: 0 errors, 0 warnings.' })
  await put(`${API}/`, { resource_name: 'with the slash of an empty path', scopes: 'a' })
  t.match(await redmint(['resource', 'lint']), { code: 0 })
  await put('https://open.example/x', { scopse: 'a' })
  const found = parsed<{ findings: { field: string; level: string }[] }>(
    await redmint(['resource', 'lint', '--json']),
  )
  t.match(found.findings, [
    { level: 'warning', field: 'scopse', problem: /did you mean scopes/ },
    { level: 'warning', field: 'scopes', problem: /every client/ },
  ])
  await put('https://Upper.example/x', { scopes: 'a' })
  await put('https://other.example/x', { scopes: 'a', resource: 'https://else.example/x' })
  await put('https://long.example/x', { access_token_ttl: '1h' })
  const { code, stdout } = await redmint(['resource', 'lint'])
  t.equal(code, 1)
  for (const text of [/upper\.example\/x/, /another resource/, /access_token_ttl must be/])
    t.match(stdout, text)
})

t.test('a file declares resources', async (t) => {
  const { storage, redmint } = createCli()
  const declare = (resources: object[]) => JSON.stringify({ label: 'team', resources })
  const file = declare([{ resource: `${API}/`, scopes: ['a', 'b'], access_token_ttl: 60 }])
  t.match(await redmint(['apply', '-'], file), { code: 0, stdout: /created +resource/ })
  t.match(await redmint(['apply', '-'], file), { code: 0, stdout: /unchanged/ })
  t.match((await storage.records.read(RESOURCE, API))?.hash, { scopes: 'a b', managed_by: 'team' })
  await redmint(['resource', 'disable', API])
  t.match(await redmint(['apply', '-'], declare([{ resource: API }])), {
    code: 0,
    stdout: /scopes: a b -> none/,
  })
  t.match((await storage.records.read(RESOURCE, API))?.hash, { disabled: 'true', scopes: undefined })
  for (const [resources, problem] of [
    [[{ resource: API }, { resource: `${API}/` }], /twice/],
    [[{ resource: 'api' }], /absolute URI/],
    [[{ resource: API, scopse: [] }], /did you mean scopes/],
    [[{ resource: API, access_token_ttl: 'long' }], /access_token_ttl/],
    [[{ resource: API, managed_by: 'me' }], /managed_by cannot be declared: redmint sets it/],
  ] as const) {
    t.match(await redmint(['apply', '-'], declare([...resources])), { code: 1, stderr: problem })
  }
  t.match(await redmint(['apply', '-', '--prune', '--yes'], declare([])), {
    code: 0,
    stdout: /removed +resource/,
  })
  t.equal(await storage.records.read(RESOURCE, API), undefined)
})
