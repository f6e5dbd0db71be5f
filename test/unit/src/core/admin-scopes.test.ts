import t from 'tap'
import { ACT_AS, ADMIN_SCOPES, commonScopes, hasScope } from '../../../../src/core/admin-scopes.ts'

t.test('a sum gives the rights of its verb only', async (t) => {
  const reader = new Set(['redmint:read'])
  t.equal(hasScope(reader, 'redmint:keys:read'), true)
  t.equal(hasScope(reader, 'redmint:keys:write'), false)
  t.equal(hasScope(new Set(['redmint:write']), 'redmint:keys:read'), false)
  t.equal(hasScope(new Set(['redmint:users:read']), 'redmint:read'), false)
  t.equal(hasScope(new Set(['redmint:users:read']), 'redmint:clients:read'), false)
})

t.test('several holders have in common what each of them has', async (t) => {
  t.same(commonScopes(['redmint:read'], ['redmint:read', 'redmint:write']), ['redmint:read'])
  t.same(commonScopes(['redmint:read'], ['redmint:users:read', 'redmint:users:write']), [
    'redmint:users:read',
  ])
  t.same(commonScopes(['redmint:users:read'], ['redmint:users:write']), [])
  t.same(commonScopes(['openid', 'redmint:other'], ['openid', 'redmint:other']), [])
  t.same(commonScopes(ADMIN_SCOPES), ['redmint:read', 'redmint:write', ACT_AS], 'no sum gives the last one')
})
