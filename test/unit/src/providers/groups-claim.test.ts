// In which forms providers say groups: a part is never taken for the whole, and what is not understood not for none.
import t from 'tap'
import { groupsClaimProblem, readGroupsClaim } from '../../../../src/providers/groups-claim.ts'

const READ: readonly [
  form: string,
  name: string,
  claims: Record<string, unknown>,
  groups: readonly string[],
][] = [
  ['an array', 'groups', { groups: ['staff', 'admins'] }, ['staff', 'admins']],
  ['the same twice', 'groups', { groups: ['staff', 'staff'] }, ['staff']],
  ['a text', 'groups', { groups: 'staff' }, ['staff']],
  ['a text with spaces', 'groups', { groups: 'staff  admins ' }, ['staff', 'admins']],
  ['a text with commas', 'groups', { groups: 'Domain Users, admins' }, ['Domain Users', 'admins']],
  ['JSON in a text', 'groups', { groups: '["staff","a b"]' }, ['staff', 'a b']],
  ['an empty text', 'groups', { groups: '' }, []],
  ['inside of another', 'realm_access.roles', { realm_access: { roles: ['staff'] } }, ['staff']],
  ['deeper', 'a.b.c', { a: { b: { c: 'x' } } }, ['x']],
  ['objects with names', 'groups', { groups: [{ id: 1, name: 'staff' }, { name: 'b' }] }, ['staff', 'b']],
  [
    'a name with dots is that of a claim first',
    'https://example.com/groups',
    { 'https://example.com/groups': ['staff'] },
    ['staff'],
  ],
  [
    'marks that say no',
    'groups',
    { groups: ['staff'], hasgroups: false, groups_truncated: 'false' },
    ['staff'],
  ],
  ['another claim elsewhere', 'groups', { groups: ['staff'], _claim_names: { address: 'src1' } }, ['staff']],
]

for (const [form, name, claims, groups] of READ)
  t.test(`read as meant: ${form}`, async (t) =>
    t.strictSame(readGroupsClaim(name, claims), { groups, is_there: true }),
  )

const MISSING = [
  ['groups', {}],
  ['groups', { groups: null }],
  ['a.b', {}],
  ['a.b', { a: {} }],
  ['__proto__', {}],
  ['constructor.name', {}],
] as const

for (const [name, claims] of MISSING)
  t.test(`missing: ${name} in ${JSON.stringify(claims)}`, async (t) =>
    t.strictSame(readGroupsClaim(name, claims), { groups: [], is_there: false }),
  )

const REFUSED: readonly [why: string, name: string, claims: Record<string, unknown>, code: string][] = [
  ['Microsoft from 201 on', 'groups', { _claim_names: { groups: 'src1' } }, 'GROUPS_INCOMPLETE'],
  ['with a part', 'groups', { groups: ['a'], _claim_names: { groups: 'src1' } }, 'GROUPS_INCOMPLETE'],
  ['inside of one elsewhere', 'a.b', { a: { b: ['x'] }, _claim_names: { a: 's' } }, 'GROUPS_INCOMPLETE'],
  ['hasgroups', 'groups', { hasgroups: true }, 'GROUPS_INCOMPLETE'],
  ['hasgroups as a text', 'groups', { hasgroups: 'true' }, 'GROUPS_INCOMPLETE'],
  ['cut', 'roles', { roles: ['a'], roles_truncated: true }, 'GROUPS_INCOMPLETE'],
  ['overage', 'groups', { groups: ['a'], groups_overage: 'true' }, 'GROUPS_INCOMPLETE'],
  ['an object', 'groups', { groups: { admins: {} } }, 'GROUPS_NOT_UNDERSTOOD'],
  ['a number', 'groups', { groups: 7 }, 'GROUPS_NOT_UNDERSTOOD'],
  ['numbers', 'groups', { groups: ['a', 7] }, 'GROUPS_NOT_UNDERSTOOD'],
  ['an empty name', 'groups', { groups: ['a', ''] }, 'GROUPS_NOT_UNDERSTOOD'],
  ['objects without names', 'groups', { groups: [{ id: 1 }] }, 'GROUPS_NOT_UNDERSTOOD'],
  ['broken JSON in a text', 'groups', { groups: '[a, b' }, 'GROUPS_NOT_UNDERSTOOD'],
  ['a path through a list', 'a.b', { a: ['b'] }, 'GROUPS_NOT_UNDERSTOOD'],
]

for (const [why, name, claims, code] of REFUSED)
  t.test(`refused: ${why}`, async (t) =>
    t.throws(() => readGroupsClaim(name, claims), { problem: 'broken', code }),
  )

t.test('the name of a claim', async (t) => {
  for (const name of ['groups', 'realm_access.roles', 'https://example.com/groups', 'cognito:groups'])
    t.equal(groupsClaimProblem(name), undefined, name)
  for (const name of ['.roles', 'a..b', 'a.', 'a b', 'x'.repeat(257)]) t.ok(groupsClaimProblem(name), name)
})
