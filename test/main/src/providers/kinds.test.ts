// What the kinds of providers have of their own: fake servers of GitHub, Microsoft and Google.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { believedOf } from '../../../../src/providers/believed.ts'
import { callbackOf } from '../../../../src/providers/callback.ts'
import { sealClientSecret } from '../../../../src/providers/client-secret.ts'
import { examineProvider } from '../../../../src/providers/examine.ts'
import {
  formatProvider,
  type ProviderDefinition,
  parseProvider,
} from '../../../../src/providers/provider-record.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { federate, leave, type Meddle } from '../../../support/providers/federation.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { ISSUER } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const GITHUB = { kind: 'github', issuer: 'https://github.com', scope: ['user:email'] } as const
const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })

function recordOf(definition: Omit<ProviderDefinition, 'provider' | 'client_id'>) {
  const parsed = parseProvider('acme', formatProvider({ provider: 'acme', client_id: 'x', ...definition }))
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems))
  return parsed.record
}

/** A GitHub with one person. */
function gitHub(more: { user?: unknown; emails?: unknown; token?: unknown } = {}) {
  const {
    user = { id: 583231, login: 'octocat', name: 'Octo Cat', email: 'public@example.com' },
    emails = [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'octo@example.com', primary: true, verified: true },
    ],
    token = { access_token: 'gho_1', token_type: 'bearer' },
  } = more
  const asked: string[] = []
  const now: Meddle = async (url) => {
    asked.push(url.origin + url.pathname)
    if (url.pathname.endsWith('/access_token')) return json(token)
    if (url.pathname.endsWith('/user')) return json(user)
    return Array.isArray(emails) ? json(emails) : json({}, 404)
  }
  return { now, asked }
}

t.test('F5 GitHub: a number says who it is, and only a primary and verified address counts', async (t) => {
  const meddle = gitHub()
  const { person, claims, user, log, provide } = await federate(
    t,
    { ...GITHUB, creates_users: true },
    {},
    meddle,
  )
  const comeFrom = async (more: Record<string, string> = { code: 'a-code' }) => {
    const octo = person()
    const { location } = await leave(octo)
    t.match(location.href, /^https:\/\/github\.com\/login\/oauth\/authorize\?.*code_challenge_method=S256/)
    const state = location.searchParams.get('state') ?? ''
    return octo.here.open(`/sign-in/acme/callback?${new URLSearchParams({ state, ...more })}`)
  }
  const { sub } = await claims(await comeFrom())
  const link = linkOf('https://github.com', '583231')
  t.match(await user('octo@example.com'), {
    sub,
    linked_subjects: link,
    email_verified: 'true',
    name: 'Octo Cat',
  })
  t.strictSame(meddle.asked.slice(1).sort(), [
    'https://api.github.com/user',
    'https://api.github.com/user/emails',
  ])
  meddle.now = gitHub({ user: { id: 583231, login: 'renamed' } }).now
  t.equal((await claims(await comeFrom())).sub, sub, 'another login')
  meddle.now = gitHub({
    user: { id: 2, login: 'octocat' },
    emails: [{ email: 'x@example.com', primary: true, verified: false }],
  }).now
  const other = await claims(await comeFrom())
  t.not(other.sub, sub, 'another person with the login')
  meddle.now = gitHub({ user: { id: 3 }, emails: null }).now
  t.ok((await claims(await comeFrom())).sub, 'without an address')
  for (const [wrong, said] of [
    [{ token: { error: 'bad_verification_code' } }, 'provider_broken'],
    [{ user: { id: '583231' } }, 'provider_broken'],
    [{ user: { login: 'octocat' } }, 'provider_broken'],
  ] as const) {
    meddle.now = gitHub(wrong).now
    t.equal(alertOn(asPage(await comeFrom())), en.messages[said], JSON.stringify(wrong))
  }
  const denied = await comeFrom({ error: 'access_denied' })
  t.equal(alertOn(asPage(denied)), en.messages.provider_denied)
  t.notMatch(log.join(''), /gho_1/)
  await provide('acme', { ...GITHUB, email_domains: ['example.org'], creates_users: true })
  meddle.now = gitHub({ user: { id: 9 } }).now
  t.equal(alertOn(asPage(await comeFrom())), en.messages.provider_domain)
})

t.test('GitHub is examined with a code that it never gave', async (t) => {
  const meddle = gitHub({ token: { error: 'bad_verification_code' } })
  const { redmint } = await federate(t, GITHUB, {}, meddle)
  const provider = recordOf(GITHUB)
  const client_secret_sealed = await sealClientSecret(redmint, provider, 'secret')
  const { storage, settings, now } = redmint
  const fetch = async (url: string) => (await meddle.now(new URL(url), '')) ?? json({})
  const about = async (record = { ...provider, client_secret_sealed }) =>
    (await examineProvider({ storage, settings, now, fetch }, record)).map(
      ({ about, result }) => `${about} ${result}`,
    )
  t.strictSame(await about(), ['callback unknown', 'secret ok'])
  meddle.now = gitHub({ token: { error: 'incorrect_client_credentials' } }).now
  t.strictSame(await about(), ['callback unknown', 'secret wrong'])
  t.strictSame(await about(provider as never), ['callback unknown', 'secret wrong'], 'no secret')
  t.equal(callbackOf({ issuer: ISSUER }, 'acme'), `${ISSUER}/sign-in/acme/callback`)
})

t.test(
  'F4 Microsoft: tid and oid say who it is, and an address counts where somebody vouches for it',
  async (t) => {
    const tid = '11111111-2222-3333-4444-555555555555'
    const issuer = `https://login.microsoftonline.com/${tid}/v2.0`
    const provider = recordOf({ kind: 'microsoft', issuer })
    const claims = { sub: 'pairwise', tid, oid: 'the-person', email: 'ann@example.com' }
    t.match(believedOf(provider, claims), { link: `${issuer}#the-person`, email: undefined })
    t.equal(
      believedOf(provider, { ...claims, email_verified: true }).email,
      undefined,
      'Entra does not say that',
    )
    for (const xms_edov of [true, 1, '1', 'true'])
      t.equal(believedOf(provider, { ...claims, xms_edov }).email?.text, 'ann@example.com')
    for (const xms_edov of [false, 0, '0', 'false', null])
      t.equal(believedOf(provider, { ...claims, xms_edov }).email, undefined)
    const named = recordOf({ kind: 'microsoft', issuer, email_domains: ['example.com'] })
    t.equal(believedOf(named, claims).email?.text, 'ann@example.com')
    t.equal(believedOf(named, { ...claims, email: 'ann@example.org' }).email, undefined)
    for (const wrong of [{ tid: 'other' }, { tid: undefined }, { oid: undefined }, { oid: '' }])
      t.throws(
        () => believedOf(provider, { ...claims, ...wrong }),
        { message: 'provider broken' },
        JSON.stringify(wrong),
      )
    for (const tenant of ['common', 'organizations', 'consumers', '{tenantid}'])
      t.throws(
        () => recordOf({ kind: 'microsoft', issuer: `https://login.microsoftonline.com/${tenant}/v2.0` }),
        /tenant/,
      )
  },
)

t.test('Google: the address of another domain counts only for its organisation', async (t) => {
  const provider = recordOf({ kind: 'google', issuer: 'https://accounts.google.com' })
  const email = (more: object) =>
    believedOf(provider, { sub: '1', email_verified: true, ...more }).email?.text
  t.equal(email({ email: 'ann@gmail.com' }), 'ann@gmail.com')
  t.equal(email({ email: 'ann@example.com' }), undefined)
  t.equal(email({ email: 'ann@example.com', hd: 'example.com' }), 'ann@example.com')
  t.equal(email({ email: 'ann@gmail.com', email_verified: 'true' }), 'ann@gmail.com')
  t.equal(email({ email: 'ann@gmail.com', email_verified: 'false' }), undefined)
  t.throws(() => believedOf(provider, {}), { message: 'provider broken' })
})
