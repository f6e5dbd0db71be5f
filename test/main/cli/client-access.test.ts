// The command and the groups that may use a client: flags, show, files, lint.
import t from 'tap'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { recordFinding } from '../../support/record-finding.ts'
import { changeClient, createClient, createUser, readClient } from '../../support/records.ts'

const MISSING =
  'is missing, so everybody may use the client, and other clients have it: name groups, or set everybody to true'
const REDIRECT = ['--redirect-uri', 'https://a.example/cb']
const FILE = (allowed_groups: string) => `
label: team
clients:
  - client_id: wiki
    is_public: true
    grant_types: [authorization_code]
    redirect_uris: [https://wiki.example/cb]
${allowed_groups}`

t.test('L2: --allow-group sets groups, nobody or everybody, and show says which', async (t) => {
  const { storage, redmint } = createCli()
  const stored = async () => (await readClient(storage, 'c'))?.allowed_groups
  const shown = async () => (await redmint(['client', 'show', 'c'])).stdout
  const update = async (...flags: string[]) =>
    t.match(await redmint(['client', 'update', 'c', ...flags]), { code: 0 })
  const groups = ['--allow-group', 'Human Resources', '--allow-group', '100%', '--allow-group', '100%']
  t.match(await redmint(['client', 'add', 'c', ...REDIRECT, ...groups]), { code: 0 })
  t.equal(await stored(), 'Human%20Resources 100%25')
  t.match(await shown(), /^allowed_groups +Human%20Resources\n +100%25$/m)
  t.match(parsed(await redmint(['client', 'show', 'c', '--json'])), {
    allowed_groups: ['Human Resources', '100%'],
  })

  await update('--allow-group', '')
  t.equal(await stored(), '')
  t.match(await shown(), /^allowed_groups +nobody$/m)
  t.match(parsed(await redmint(['client', 'show', 'c', '--json'])), { allowed_groups: [] })
  await update('--allow-group', '', '--allow-group', 'staff')
  t.equal(await stored(), 'staff', 'an empty variable opens nothing')

  await update('--clear-allow-groups')
  t.equal(await stored(), undefined)
  t.match(await shown(), /^allowed_groups +everybody$/m)
  await redmint(['client', 'add', 'd', ...REDIRECT])
  t.notOk('allowed_groups' in ((await readClient(storage, 'd')) ?? {}), 'by default there is no rule')
  await redmint(['client', 'add', 'e', ...REDIRECT, '--allow-group', ''])
  t.equal((await readClient(storage, 'e'))?.allowed_groups, '')
})

t.test('L2: apply tells nobody and everybody apart, and takes no null', async (t) => {
  const { storage, redmint } = createCli()
  const apply = async (groups: string) => {
    const result = await redmint(['apply', '-', '--json'], FILE(groups))
    t.equal(result.code, 0, result.stderr)
    const [record] = parsed<{ records: { action: string; differences: object[] }[] }>(result).records
    const differences = record?.differences.filter(
      (found) => 'field' in found && found.field === 'allowed_groups',
    )
    return {
      action: record?.action,
      differences,
      stored: (await readClient(storage, 'wiki'))?.allowed_groups,
    }
  }
  const from = (from: string, to: string) => [{ field: 'allowed_groups', from, to }]
  t.strictSame(await apply(''), { action: 'create', differences: [], stored: undefined })
  t.strictSame(await apply('    allowed_groups: []'), {
    action: 'change',
    differences: from('everybody', 'nobody'),
    stored: '',
  })
  t.strictSame(await apply('    allowed_groups: []'), { action: 'unchanged', differences: [], stored: '' })
  t.strictSame(await apply('    allow-group: [nobody, Human Resources]'), {
    action: 'change',
    differences: from('nobody', 'nobody Human%20Resources'),
    stored: 'nobody Human%20Resources',
  })
  t.strictSame(await apply('    allowed_groups: nobody'), {
    action: 'change',
    differences: from('nobody Human%20Resources', 'nobody'),
    stored: 'nobody',
  })
  t.match(await apply('    allowed_groups: []'), { action: 'change', stored: '' }, 'no group of that name')
  t.strictSame(await apply(''), {
    action: 'change',
    differences: from('nobody', 'everybody'),
    stored: undefined,
  })
  const refused = await redmint(['apply', '-'], FILE('    allowed_groups:'))
  t.match(refused, {
    code: 1,
    stderr: 'allowed_groups is null: leave it out for everybody, or give [] for nobody',
  })
})

t.test('L2: import keeps an empty rule, and a record with a malformed one is malformed', async (t) => {
  const { storage, redmint } = createCli()
  const client = {
    client_id: 'c',
    is_public: true,
    grant_types: ['authorization_code'],
    redirect_uris: ['https://a.example/'],
  }
  t.match(await redmint(['client', 'import', '-'], JSON.stringify([{ ...client, allowed_groups: [] }])), {
    code: 0,
  })
  t.equal((await readClient(storage, 'c'))?.allowed_groups, '')
  const malformed = await redmint(
    ['client', 'import', '-'],
    JSON.stringify([{ ...client, client_id: 'd', allowed_groups: '50%' }]),
  )
  t.match(malformed, { code: 1, stderr: 'is not percent-encoded: write %25 for a percent sign' })
})

t.test(
  'L6: lint finds rules that match nobody, and clients without a rule where others have one',
  async (t) => {
    const { storage, redmint } = createCli()
    const findings = async (...client: string[]) => {
      const found = parsed<{ findings: { client_id: string; field: string; problem: string }[] }>(
        await redmint(['client', 'lint', ...client, '--json']),
      )
      return found.findings.flatMap(({ client_id, field, problem }) =>
        field === 'allowed_groups' ? [`${client_id} ${problem}`] : [],
      )
    }
    const record = {
      is_public: 'true',
      grant_types: 'authorization_code',
      redirect_uris: 'https://a.example/',
      refresh_tokens: 'never',
    }
    const add = (client_id: string, more: object = {}) =>
      createClient(storage, client_id, { ...record, client_id, ...more })
    await createUser(storage, 'alice', { sub: '1', 'claim:groups': '["staff"]' })
    await createUser(storage, 'broken', { sub: '', 'claim:groups': '["admins"]' })
    await add('open')
    await add('own', { registered_at: '2026-11-22T08:00:00.000Z' })
    await redmint(['client', 'add', 'job'])
    t.strictSame(await findings(), [], 'no client has a rule')

    await add('right', { allowed_groups: 'admins staff' })
    t.strictSame(await findings(), [`open ${MISSING}`])
    await add('wrong', { allowed_groups: 'admins Staff' })
    await add('closed', { allowed_groups: '' })
    await add('machine', {
      allowed_groups: 'staff',
      grant_types: 'client_credentials',
      redirect_uris: '',
      is_public: 'false',
    })
    t.strictSame((await findings()).sort(), [
      'closed is empty, so nobody may use the client',
      'machine is not used, because no grant of grant_types has a user',
      `open ${MISSING}`,
      'wrong names no group of any user, so nobody may use the client',
    ])
    t.strictSame(await findings('open'), [`open ${MISSING}`], 'also if it alone is asked about')
    t.strictSame(await findings('wrong'), ['wrong names no group of any user, so nobody may use the client'])

    await add('wiki')
    const { stdout } = await redmint(['client', 'lint'])
    t.match(
      stdout,
      /^warning +2 clients +allowed_groups is missing, .*: open, wiki$/m,
      'one sentence, one line',
    )
  },
)

t.test(
  'everybody is said by each way, ends the warning of lint and of doctor, and opens nothing',
  async (t) => {
    const { storage, redmint } = createCli()
    const stored = async () => {
      const { allowed_groups, everybody } = (await readClient(storage, 'c')) ?? {}
      return [allowed_groups, everybody]
    }
    const warnings = async () => {
      const { findings } = parsed<{ findings: { field: string; problem: string }[] }>(
        await redmint(['client', 'lint', '--json']),
      )
      const doctor = await recordFinding('clients', storage)
      t.equal(doctor?.level, findings.length === 0 ? 'ok' : 'warning', 'doctor agrees')
      return findings.map(({ field, problem }) => `${field} ${problem}`)
    }
    const update = async (...flags: string[]) =>
      t.match(await redmint(['client', 'update', 'c', ...flags]), { code: 0 })
    await createUser(storage, 'alice', { sub: '1', 'claim:groups': '["staff"]' })
    await redmint(['client', 'add', 'other', ...REDIRECT, '--allow-group', 'staff'])
    await redmint(['client', 'add', 'c', ...REDIRECT])
    t.strictSame(await warnings(), [`allowed_groups ${MISSING}`])

    await update('--everybody', 'true')
    t.strictSame([await stored(), await warnings()], [[undefined, 'true'], []])
    t.match((await redmint(['client', 'show', 'c'])).stdout, /^everybody +true$/m)
    await update('--allow-group', 'staff')
    t.strictSame([await stored(), await warnings()], [['staff', undefined], []], 'groups replace it')
    await update('--everybody', 'true')
    t.strictSame(await stored(), [undefined, 'true'], 'and it replaces groups')
    await update('--everybody', 'false')
    t.strictSame(await stored(), [undefined, 'false'])

    const both = ['--everybody', 'true', '--allow-group', 'staff']
    t.match(await redmint(['client', 'update', 'c', ...both]), { code: 1, stderr: /say who may use it once/ })
    t.match(await redmint(['client', 'add', 'd', ...REDIRECT, ...both]), {
      code: 1,
      stderr: /say who may use it once/,
    })
    const file = JSON.stringify([{ client_id: 'c', everybody: true, allowed_groups: ['staff'] }])
    t.match(await redmint(['client', 'import', '-', '--update'], file), {
      code: 1,
      stderr: /say who may use it once/,
    })
    t.match(await redmint(['apply', '-'], FILE('    everybody: true\n    allowed_groups: [staff]')), {
      code: 1,
    })
    t.match(await redmint(['apply', '-'], FILE('    everybody: true')), { code: 0 })
    t.equal((await readClient(storage, 'wiki'))?.everybody, 'true')

    // By hand both can be there: the groups decide, as for a server that does not know the field.
    await changeClient(storage, 'c', { set: { allowed_groups: 'staff', everybody: 'true' } })
    t.match(await warnings(), [
      'everybody is not used, because allowed_groups says who may use the client: remove one',
    ])
    t.match(
      await redmint(['client', 'update', 'c', '--name', 'C']),
      { code: 0 },
      'other fields can be changed',
    )
  },
)
