// Every page that a link opens, and every mail about an account, names the account.
import t from 'tap'
import { newLink } from '../../../../src/core/link.ts'
import { MAIL_KINDS, type MailKind } from '../../../../src/mail/mail-kinds.ts'
import { renderMail } from '../../../../src/mail/render-mail.ts'
import { giveInvitation } from '../../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../../src/self-service/reset-password.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { languages } from '../../../support/languages.ts'
import { addressFor, scene } from '../../../support/scene.ts'

const NEW = 'new@example.net'
const BY = { kind: 'command', id: '' } as const

/** What the page of a link says of whom it is about. */
function namedOn(text: string) {
  const [, list = ''] = /<dl>([\s\S]*?)<\/dl>/.exec(text) ?? []
  return [...list.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, value]) => value?.replace('<wbr>', ''))
}

t.test('each kind of link says whose account it is about, and who else is signed in', async (t) => {
  const { confirmed, mails, post, redmint, visitor } = await scene(t, { with: ['mail'], sign_up: 'open' })
  const alice = await confirmed('/account/address')
  const bob = visitor()
  await bob.submit(await bob.page('/account'), { username: 'bob', password: PASSWORD })
  await alice.browser.submit(alice.page, { email: NEW })
  await post('/forgot-password', { username: 'bob' })
  await post('/sign-up', { email: 'carol@example.net' })
  const arrived = await mails(4)
  const linkFrom = (to: string, path: string) =>
    arrived.find((mail) => mail.to === to && mail.link.startsWith(path))?.link ?? ''
  const below = (url = 'none:') => new URL(url).pathname + new URL(url).search
  const invited = async (email?: string) =>
    below(
      (await giveInvitation(redmint, { uses: 1, days: 1, groups: [], by: BY, ...(email && { email }) })).url,
    )
  const LINKS: readonly [kind: string, link: string, named: readonly string[]][] = [
    ['a forgotten password', linkFrom(addressFor('bob'), '/reset-password'), ['bob']],
    ['another address', linkFrom(NEW, '/confirm-address'), ['alice', NEW]],
    ['"This was not me"', linkFrom(addressFor('alice'), '/not-me'), ['alice']],
    ['open sign-up', linkFrom('carol@example.net', '/welcome'), ['carol@example.net']],
    ['an invitation of an address', await invited('dave@example.net'), ['dave@example.net']],
    ['an invitation of anybody', await invited(), []],
    [
      'a new password that an operator allows',
      below((await giveResetLink(redmint, 'alice'))?.url),
      ['alice'],
    ],
  ]
  for (const [kind, link, named] of LINKS) {
    const page = await visitor().page(link)
    t.equal(page.status, 200, kind)
    t.same(namedOn(page.text), named, kind)
    t.notMatch(page.text, /Signed in as/, kind)
    if (link.startsWith('/reset-password'))
      t.match(
        page.text,
        `name="username" value="${named[0]}" autocomplete="username"`,
        'for password managers',
      )
    for (const [username, browser] of [
      ['alice', alice.browser],
      ['bob', bob],
    ] as const) {
      const { text } = await browser.page(link)
      const is_told = /Signed in as[\s\S]*another account than the one/.test(text)
      t.equal(is_told, !named.includes(username), `${kind} in the browser of ${username}`)
    }
  }
})

const settings = { issuer: 'https://auth.example.com', service_name: 'Example', accent_color: '#0f766e' }
/** Mails to an address of which nobody knows yet, or must say, whose account it has. */
const OF_NO_ACCOUNT: readonly MailKind[] = [
  'invitation',
  'sign_up',
  'known_address',
  'known_address_passkey',
  'test',
]

t.test('each mail about an account names it, and a name that a stranger reads is no address', async (t) => {
  const link = `${settings.issuer}/x?link=${newLink('t'.repeat(16)).text}`
  const account = 'www.evil.example'
  for (const kind of MAIL_KINDS.filter((one) => !OF_NO_ACCOUNT.includes(one))) {
    const { text, html } = renderMail({ settings, languages }, { kind, language: 'en', link, account })
    const shown = kind === 'verify_address' ? 'www evil example' : account
    for (const body of [text, html]) t.ok(body.includes(shown), kind)
    t.equal(text.includes(account), kind !== 'verify_address', kind)
  }
})
