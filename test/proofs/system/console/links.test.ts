// Where the pages lead: an operator with a part of the rights sees no link to what he may not open.
import t from 'tap'
import { operationOf } from '../../../../src/console/desk.ts'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { AREAS, hasScope } from '../../../../src/core/admin-scopes.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { placeOf, withRecords } from '../../../support/scene/operators.ts'
import { signInAndAgree } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

/** The places of the console, those with fixed names first: `/people/new` is no person. */
const PLACES = [...CONSOLE_PAGES, ...CONSOLE_ACTIONS]
  .map(({ path, operation }) => ({
    path,
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    scope: operation === undefined ? undefined : operationOf(operation).scope,
  }))
  .sort((one, other) => Number(one.path.includes(':')) - Number(other.path.includes(':')))

t.test('each link of a page leads to what its reader may open', async (t) => {
  const { operator, storage, visitor, get } = await scene(t, {
    with: ['console'],
    explain: { delay: 1 },
    sign_in_failures: 2,
    keepers: { every: 20 },
  })
  await withRecords(storage)
  const ada = await operator()
  await signInAndAgree(visitor())
  await ada.submit(await ada.page('/console/invitations/new'), { groups: '', uses: '1', days: '7' })
  const guesser = visitor()
  const page = await guesser.page('/console')
  for (let i = 0; i < 4; i += 1) await guesser.submit(page, { username: 'bob', password: 'wrong' })
  await get('/oauth2/authorize?client_id=web&redirect_uri=https://app.example.com/x&response_type=code')
  const refused = async () => (await ada.page('/console/explain')).text.includes('/console/explain?id=')
  await until('the refusal is kept', refused)
  const listed = async () => (await ada.page('/console/sessions')).text.includes('/people/alice/sessions')
  await until('the session is listed', listed)
  const lockouts = await ada.page('/console/lockouts')
  t.match(lockouts.text, '/console/people/bob"', 'there is a lockout')
  t.match((await ada.page('/console/people/alice/consents')).text, '/withdraw', 'there is a consent')

  const rights = ['redmint:read', ...AREAS.map((area) => `redmint:${area}:read`)]
  for (const [i, right] of rights.entries()) {
    await createAdministrator(storage, `reader-${i}`, right)
    const reader = await operator(`reader-${i}`)
    const scopes = new Set([right])
    let links = 0
    for (const { path, scope } of PLACES) {
      if (scope !== undefined && !hasScope(scopes, scope)) {
        t.equal((await reader.request('GET', placeOf(path))).status, 403, `${right}: ${path}`)
        continue
      }
      const shown = asPage(await reader.open(placeOf(path)))
      for (const [, to = ''] of shown.text.matchAll(/(?:href|action)="\/console(\/[^"?]*)/g)) {
        const place = PLACES.find(({ pattern }) => pattern.test(to))
        links += 1
        if (place?.scope !== undefined && !hasScope(scopes, place.scope))
          t.fail(`${right}: ${path} leads to ${to}, which takes ${place.scope}`)
      }
    }
    t.ok(links > 0, right)
  }
})
