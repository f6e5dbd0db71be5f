// Organisations and teams of GitHub as groups.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { gitHubGroups } from '../../../../src/providers/github-groups.ts'
import {
  formatProvider,
  type ProviderDefinition,
  parseProvider,
} from '../../../../src/providers/provider-record.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { federate, leave, type Meddle } from '../../../support/providers/federation.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { asPage } from '../../../support/visitor.ts'

const GITHUB = {
  kind: 'github',
  issuer: 'https://github.com',
  scope: ['read:user', 'read:org'],
  creates_users: true,
} as const
const team = (login: string, slug: string) => ({ slug, name: 'Any name', organization: { login } })

t.test('groups follow at each sign-in, and nobody comes in whose groups cannot be read', async (t) => {
  let teams: unknown = [team('Acme', 'ops'), team('Acme', 'web'), team('other', 'all')]
  let scope: string | undefined = 'read:user,read:org'
  const meddle: { now: Meddle } = {
    now: async ({ pathname }) => {
      const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })
      if (pathname.endsWith('/access_token')) return json({ access_token: 'x', token_type: 'bearer', scope })
      if (pathname === '/user') return json({ id: 7 })
      return pathname === '/user/teams' && teams !== null ? json(teams) : json([], 403)
    },
  }
  const { person, user, provide, setFields } = await federate(
    t,
    { ...GITHUB, groups_claim: 'teams' },
    {},
    meddle,
  )
  await setFields('bob', { linked_subjects: linkOf(GITHUB.issuer, '7') })
  const groups = async () => JSON.parse((await user('bob'))?.['claim:groups'] ?? 'null')
  const come = async () => {
    const octo = person()
    const { location } = await leave(octo)
    const state = location.searchParams.get('state') ?? ''
    return octo.here.open(`/sign-in/acme/callback?${new URLSearchParams({ state, code: 'c' })}`)
  }
  await come()
  t.strictSame(await groups(), ['acme', 'acme/ops', 'acme/web', 'other', 'other/all'])
  teams = [team('acme', 'ops')]
  await come()
  t.strictSame(await groups(), ['acme', 'acme/ops'], 'who left a team')
  for (const wrong of [null, {}, [team('acme', 'a b')], [team('a/b', 'x')], [{ slug: 'x' }], ['acme']]) {
    teams = wrong
    t.equal(alertOn(asPage(await come())), en.messages.provider_broken, JSON.stringify(wrong))
  }
  teams = []
  for (const granted of ['read:user', '', undefined, 'xread:org']) {
    scope = granted
    t.equal(alertOn(asPage(await come())), en.messages.provider_denied, `scope ${granted}`)
  }
  await provide('acme', { ...GITHUB, scope: ['read:user'] })
  t.ok('location' in (await come()), 'a record without groups needs no such scope')
})

t.test('pages are read to their end, which is near', async (t) => {
  const asked: string[] = []
  const pages = (count: number) => async (path: string) => {
    asked.push(path)
    const page = Number(new URL(path, 'https://x.example').searchParams.get('page'))
    const full = Array.from({ length: 100 }, (_, i) => ({ login: `org-${page}-${i}` }))
    return page <= count ? full : full.slice(0, 3)
  }
  const groups = await gitHubGroups({ groups_claim: 'orgs' }, 'read:org', pages(2))
  t.equal(groups?.length, 203)
  t.strictSame(
    asked,
    [1, 2, 3].map((page) => `/user/orgs?per_page=100&page=${page}`),
  )
  asked.length = 0
  const endless = gitHubGroups({ groups_claim: 'orgs' }, 'read:org', pages(1000))
  await t.rejects(endless, { code: 'TOO_MANY_GROUPS' })
  t.equal(asked.length, 10)
  t.equal(await gitHubGroups({}, '', pages(1)), undefined)
})

t.test('a record says at once that its scope is missing', async (t) => {
  const problems = (more: Partial<ProviderDefinition>) => {
    const record = { provider: 'github', client_id: 'x', ...GITHUB, ...more }
    const parsed = parseProvider('github', formatProvider(record))
    return parsed.ok ? [] : parsed.problems.map(({ field }) => field)
  }
  t.strictSame(problems({ groups_claim: 'teams' }), [])
  t.strictSame(problems({ groups_claim: 'groups' }), ['groups_claim'])
  t.strictSame(problems({ groups_claim: 'constructor' }), ['groups_claim'])
  t.strictSame(problems({ groups_claim: 'orgs', scope: ['read:user'] }), ['scope'])
})
