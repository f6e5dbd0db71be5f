// The index of the names by which users sign in, as the commands keep it.
import t from 'tap'
import type { RecordStore } from '../../../src/storage/storage.ts'
import { SIGN_IN_NAME } from '../../../src/users/sign-in-names.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { changeUser, createUser, removeUser } from '../../support/records.ts'

/** The names in the index with their usernames, without subs. */
async function indexOf({ records }: RecordStore): Promise<Record<string, string[]>> {
  const names: [string, string[]][] = []
  for await (const { id, hash } of records.list(SIGN_IN_NAME)) {
    if (!id.startsWith('sub:')) names.push([id, Object.keys(hash).sort()])
  }
  return Object.fromEntries(names.sort())
}

const verified = (email: string) => ['--claim', `email=${email}`, '--claim', 'email_verified=true']

t.test('user add, update, import and remove keep the index of names', async (t) => {
  const { storage, redmint } = createCli()
  const done = async (args: string[], input?: string) => t.match(await redmint(args, input), { code: 0 })
  await done(['user', 'add', 'alice', ...verified('Alice@Example.com')])
  await done(['user', 'add', 'Bob', '--claim', 'email=bob@example.com'])
  await done(['user', 'add', 'carol@example.com', ...verified('carol@example.com')])
  t.strictSame(await indexOf(storage), { 'alice@example.com': ['alice'], bob: ['Bob'] })

  await done(['user', 'update', 'Bob', '--claim', 'email_verified=true'])
  await done(['user', 'update', 'alice', '--claim', 'email=alice@example.org'])
  t.strictSame(await indexOf(storage), {
    'alice@example.org': ['alice'],
    bob: ['Bob'],
    'bob@example.com': ['Bob'],
  })
  await done(['user', 'update', 'alice', '--remove-claim', 'email_verified'])
  await done(['user', 'disable', 'Bob'])

  const users = [
    { username: 'dave', claims: { email: 'office@example.com', email_verified: true } },
    { username: 'erin', claims: { email: 'Office@example.com', email_verified: true } },
  ]
  await done(['user', 'import', '-'], JSON.stringify(users))
  t.strictSame(await indexOf(storage), {
    bob: ['Bob'],
    'bob@example.com': ['Bob'],
    'office@example.com': ['dave', 'erin'],
  })
  await done(['user', 'remove', 'Bob', '--yes'])
  await done(['user', 'remove', 'dave', '--yes'])
  t.strictSame(await indexOf(storage), { 'office@example.com': ['erin'] })
})

t.test('apply keeps the index of names', async (t) => {
  const { storage, redmint } = createCli()
  const apply = async (email: string) => {
    const claims = { email, email_verified: true }
    const file = { label: 'staff', users: [{ username: 'alice', claims }] }
    t.match(await redmint(['apply', '-'], JSON.stringify(file)), { code: 0 })
  }
  await apply('Alice@Example.com')
  t.strictSame(await indexOf(storage), { 'alice@example.com': ['alice'] })
  await apply('alice@example.org')
  t.strictSame(await indexOf(storage), { 'alice@example.org': ['alice'] })
})

t.test('user remove takes the names away before the record, so that it can be repeated', async (t) => {
  const { storage, redmint } = createCli()
  await redmint(['user', 'add', 'alice', ...verified('alice@example.com')])
  const { take } = storage.records
  const found: object[] = []
  storage.records.take = async (kind, id, ...writes) => {
    found.push(await indexOf(storage))
    return take.call(storage.records, kind, id, ...writes) as never
  }
  t.match(await redmint(['user', 'remove', 'alice', '--yes']), { code: 0 })
  t.ok(found.length > 0)
  t.strictSame(
    found,
    found.map(() => ({})),
  )
})

/** Users and an index as redis-cli can leave them. */
async function startWithFaults() {
  const cli = createCli()
  const { storage, redmint } = cli
  await createUser(storage, 'alice', { sub: 'a', email: 'alice@example.com', email_verified: 'true' })
  await createUser(storage, 'Bob', { sub: 'b' })
  await redmint(['user', 'add', 'carol', ...verified('carol@example.com')])
  await changeUser(storage, 'carol', { set: { email: 'office@example.com' } })
  await redmint(['user', 'add', 'dave', ...verified('office@example.com')])
  await redmint(['user', 'add', 'erin', ...verified('erin@example.com')])
  await removeUser(storage, 'erin')
  return cli
}

t.test('user lint names what is missing in the index, stale, and shared', async (t) => {
  const { redmint } = await startWithFaults()
  const of = (username: string, problem: RegExp) => ({
    level: 'warning',
    username,
    field: 'sign-in-name',
    problem,
  })
  const missing = (name: string) => new RegExp(`^"${name}" is not in the index.*: run redmint user reindex$`)
  const stale = (name: string) => new RegExp(`^"${name}" is in the index, but.*: run redmint user reindex$`)
  const ofCarol = [
    of('carol', missing('office@example.com')),
    of('carol', stale('carol@example.com')),
    of('carol', /^"office@example.com" also belongs to "dave": only/),
  ]
  const all = await redmint(['user', 'lint', '--json'])
  t.equal(all.code, 0, 'servers accept the records')
  t.match(parsed<{ findings: object[] }>(all).findings, [
    of('Bob', missing('bob')),
    of('alice', missing('alice@example.com')),
    ...ofCarol,
    of('dave', /^"office@example.com" also belongs to "carol": only/),
    of('erin', stale('erin@example.com')),
    of('erin', stale('sub:.{22}')),
  ])
  t.equal(parsed<{ findings: object[] }>(all).findings.length, 8, 'and the sub of erin')
  t.match(parsed(await redmint(['user', 'lint', 'Bob', '--json'])), { findings: [of('Bob', missing('bob'))] })
  // A look at one user sees what is under the names that the user has.
  t.match(parsed(await redmint(['user', 'lint', 'dave', '--json'])), { users: 1, warnings: 0 })
  t.match(parsed(await redmint(['user', 'lint', 'carol', '--json'])), {
    findings: [of('carol', missing('office@example.com')), of('carol', /also belongs to "dave"/)],
  })
})

t.test('user reindex repairs the index, and shared names stay shared', async (t) => {
  const { storage, redmint } = await startWithFaults()
  const first = await redmint(['user', 'reindex'])
  t.match(first, { code: 0, stdout: 'The index fits the users: 5 names added, 3 removed.' })
  t.strictSame(await indexOf(storage), {
    'alice@example.com': ['alice'],
    bob: ['Bob'],
    'office@example.com': ['carol', 'dave'],
  })
  t.strictSame(parsed(await redmint(['user', 'reindex', '--json'])), { added: 0, removed: 0 })
  t.match(parsed<{ findings: object[] }>(await redmint(['user', 'lint', '--json'])).findings, [
    { username: 'carol', problem: /also belongs to "dave"/ },
    { username: 'dave', problem: /also belongs to "carol"/ },
  ])
})

t.test('user add and update say who else has a name, also before an address is verified', async (t) => {
  const { redmint } = createCli()
  const warningsOf = async (...args: string[]) => {
    const result = await redmint(['user', ...args, '--json'])
    t.equal(result.code, 0, result.stderr)
    return parsed<{ warnings?: string[] }>(result).warnings
  }
  const address = ['--claim', 'email=Office@example.com']
  t.equal(await warningsOf('add', 'alice', ...verified('office@example.com')), undefined)
  t.strictSame(await warningsOf('add', 'bob', ...address), [
    '"office@example.com" also belongs to "alice": if it is verified here, too, neither signs in by it.',
  ])
  t.strictSame(await warningsOf('update', 'bob', '--claim', 'email_verified=true'), [
    '"office@example.com" also belongs to "alice": only the username typed as it is stored signs in.',
  ])
  t.equal(await warningsOf('update', 'bob', '--claim', 'email=bob@example.com'), undefined)
  const { stdout } = await redmint(['user', 'update', 'bob', ...address])
  t.match(stdout, /^Warning: "office@example\.com" also belongs to "alice"/m)
})
