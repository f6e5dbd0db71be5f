// The table of ways to rights is whole: what the code has has a row. test/unit/docs/security.test.ts checks that its tests exist.
import t from 'tap'
import { SYSTEMS } from '../../../cli/move/from/systems.ts'
import { OPERATIONS } from '../../../src/admin/operations.ts'
import { GRANT_TYPE_NAMES } from '../../../src/clients/record/grant-types.ts'
import { readText, tableRows } from '../../support/markdown.ts'

const [, ...rows] = tableRows(await readText('docs/security/ways-to-rights.md'))
const named = rows.flatMap(([clause = '']) => [...clause.matchAll(/`([^`]+)`/g)].map(([, name]) => name))

t.test('the table has every grant, flow, import and operation', async (t) => {
  const writing = Object.values(OPERATIONS)
    .filter(({ method }) => method !== 'GET')
    .map(({ name }) => name)
  for (const name of [...GRANT_TYPE_NAMES, ...SYSTEMS, ...writing]) {
    t.equal(named.filter((other) => other === name).length, 1, name)
  }
})
