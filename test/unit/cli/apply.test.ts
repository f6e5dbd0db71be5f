// `redmint apply` with operations that a server has no time for.
import t from 'tap'
import { applyDeclaration } from '../../../cli/apply/apply.ts'
import { readDeclaration } from '../../../cli/apply/declaration.ts'
import type { Calls } from '../../../cli/calls.ts'
import { AdminError } from '../../../src/admin/operation/problem.ts'

t.test('it waits for a server that has too many requests, and asks again', async (t) => {
  const waited: number[] = []
  const asked: string[] = []
  const answer = async (name: string) => {
    asked.push(name)
    // Each is refused once.
    if (asked.filter((one) => one === name).length === 1)
      throw new AdminError('too_many_requests', 'Too many requests.')
    return name.startsWith('list_') ? { items: [] } : { difference: [] }
  }
  const calls = { now: 0, call: answer, plan: answer } as unknown as Calls
  const declaration = await readDeclaration('label: a\nresources: [{resource: "https://a.example"}]', {})
  const report = await applyDeclaration(
    calls,
    declaration,
    {},
    {
      confirm: async () => true,
      progress: () => ({ at() {}, end() {} }),
      wait: async (seconds) => void waited.push(seconds),
    },
  )
  t.match(report.json, { total: 1, created: 1 })
  const names = ['replace_resource', 'replace_resource', 'list_clients', 'list_clients', 'replace_resource']
  t.strictSame(asked, names)
  t.strictSame(waited, [60, 60])
})
