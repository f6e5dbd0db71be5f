// Who may use a client: the rule itself. test/proofs+weekly/system/access-by-group.test.ts has the places that ask it.
import t from 'tap'
import type { ClaimValue, CustomClaims } from '../../../../src/core/custom-claims.ts'
import { groupsOf, mayUse } from '../../../../src/users/client-access.ts'

const SETTINGS = { groups_claim: 'groups' }
const userIn = (groups: ClaimValue) => ({ custom_claims: { groups } })

t.test('L2: a missing rule lets everybody in, an empty one nobody', async (t) => {
  for (const user of [userIn(['staff']), userIn([]), { custom_claims: {} }, undefined]) {
    t.equal(mayUse({}, user, SETTINGS), true)
    t.equal(mayUse({ allowed_groups: [] }, user, SETTINGS), false)
  }
})

t.test('a rule lets in who is in one of its groups, character by character', async (t) => {
  const rule = { allowed_groups: ['staff', 'Human Resources'] }
  const cases: [ClaimValue, boolean][] = [
    [['staff'], true],
    [['other', 'Human Resources'], true],
    ['staff', true],
    ['Human Resources', true],
    ['Staff', false],
    ['staff Human', false],
    [['Human', 'Resources'], false],
    [[], false],
    ['', false],
  ]
  for (const [groups, expected] of cases) {
    t.equal(mayUse(rule, userIn(groups), SETTINGS), expected, JSON.stringify(groups))
  }
  t.equal(mayUse(rule, { custom_claims: {} }, SETTINGS), false, 'without the claim')
  t.equal(mayUse(rule, undefined, SETTINGS), false, 'without an account')
})

t.test('L2: a claim of another form names no group', async (t) => {
  const malformed: ClaimValue[] = [
    7,
    true,
    { staff: true },
    ['staff', 7],
    ['staff', ['admin']],
    [['staff']],
    [{ name: 'staff' }],
  ]
  for (const groups of malformed) {
    t.strictSame(groupsOf(userIn(groups), SETTINGS), [], JSON.stringify(groups))
    t.equal(mayUse({ allowed_groups: ['staff', 'true', '7'] }, userIn(groups), SETTINGS), false)
  }
})

t.test('the claim is a setting, and no name that objects inherit', async (t) => {
  const custom_claims: CustomClaims = { groups: ['staff'], roles: ['admin'] }
  t.strictSame(groupsOf({ custom_claims }, { groups_claim: 'roles' }), ['admin'])
  for (const groups_claim of ['constructor', 'toString', 'teams']) {
    t.strictSame(groupsOf({ custom_claims }, { groups_claim }), [], groups_claim)
  }
})
