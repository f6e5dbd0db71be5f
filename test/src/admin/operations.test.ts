// Suite: unit
// The table of operations: each is there under its name, and the compiler knows what is given to it and what it answers.
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { CallInput } from '../../../cli/calls.ts'
import { OPERATIONS } from '../../../src/admin/operations.ts'
import type { Desk, OperationInput } from '../../../src/console/desk.ts'

const FILE = new URL('../../../src/admin/operations.ts', import.meta.url)

t.test('no two areas have an operation of one name', async (t) => {
  const imports = readFileSync(FILE, 'utf8').matchAll(/^import \{ (\w+_OPERATIONS) \} from '(.+)'$/gm)
  const names: string[] = []
  for (const [, table = '', path = ''] of imports) {
    const area = (await import(new URL(path, FILE).href))[table]
    names.push(...Object.keys(area))
  }
  t.same(names.sort(), Object.keys(OPERATIONS).sort())
  for (const [name, operation] of Object.entries(OPERATIONS)) t.equal(operation.name, name)
})

/** Never called: what the compiler has to refuse. */
export async function refusals({ ask }: Desk): Promise<unknown> {
  const params = { username: 'alice' }
  const { body } = await ask('read_user', { params })
  // @ts-expect-error a name that no operation has
  await ask('read_users', { params })
  // @ts-expect-error a parameter that the path does not have
  await ask('read_user', { params: { user: 'alice' } })
  // @ts-expect-error a parameter is missing
  await ask('read_user')
  // @ts-expect-error a parameter of the query that there is not
  await ask('list_users', { query: { admins: 'true' } })
  // @ts-expect-error a body of another operation
  const asked: OperationInput<'test_mail'> = { body: { from: 'alice@example.com' } }
  // @ts-expect-error the same of the command
  const called: CallInput<'test_mail'> = { body: { from: 'alice@example.com' } }
  // @ts-expect-error a member that the answer does not have
  return [asked, called, body.last_sign_in]
}
