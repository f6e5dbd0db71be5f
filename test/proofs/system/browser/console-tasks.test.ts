// The commonest tasks of an operator, with as many people and applications as a company has: from Home, at most two clicks, and
// one text that is typed.
import t from 'tap'
import { setStage } from '../../../support/browser/stage.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { storeCrowd } from '../../../support/scene/crowd.ts'

// Nothing is sent.
const SMTP = { smtp_url: 'smtps://mail.example.com', mail_from: 'login@example.com' }
const stage = await setStage(t, {
  ...{ admin_api: 'on', console: 'on', audit: 'on', explain: { delay: 0 }, ...SMTP },
})
await stage.addUser('ada', { name: 'Ada Lind', email: 'ada@example.com' })
await stage.redis.cli('HSET', 'redmint:user:ada', 'admin', 'redmint:read redmint:write')
await stage.redis.cli('ZADD', 'redmint:names:user', '0', 'ada', '0', 'alice', '0', 'bob')
await storeCrowd(redisStorage(t, stage.redis))
const base = `${stage.issuer}/console`
const operator = await stage.welcome()
const { page } = operator
await page.goto(base)
await operator.signIn('ada')
await operator.sees('Home')

/** What an operator did since Home. Enter belongs to the text before it. */
const done = { clicks: 0, texts: 0 }
const click = (role: 'button' | 'link', name: string | RegExp) => {
  done.clicks += 1
  return page
    .getByRole('main')
    .getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) })
    .first()
    .click()
}
const menu = (name: string) => {
  done.clicks += 1
  return page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()
}
const type = async (selector: string, text: string) => {
  done.texts += 1
  await page.fill(selector, text)
}
const choose = async (selector: string, label: string) => {
  done.clicks += 1
  await page.selectOption(selector, { label })
}
/** The box at the top of each page. */
const search = async (text: string) => {
  await type('header .find input[type=search]', text)
  await page.press('header .find input[type=search]', 'Enter')
}

interface Task {
  readonly task: string
  readonly do: () => Promise<unknown>
  /** The title of the page that it ends with. */
  readonly sees: string
  /** What the page says then. */
  readonly says?: RegExp
  /** More than who or what it is about is to be typed. */
  readonly texts?: number
  /** Its fields are filled in besides. */
  readonly clicks?: number
}

const TASKS: readonly Task[] = [
  {
    task: 'find somebody by an address with dots',
    do: () => search('soren.angstrom@example.com'),
    sees: 'Søren Ångström',
  },
  {
    task: 'find somebody by a name, without its marks',
    async do() {
      await search('mueller gustavo')
      await click('link', /gustavo|Gustavo Müller/)
    },
    sees: 'Gustavo Müller-Lüdenscheidt',
  },
  {
    task: 'disable somebody',
    async do() {
      await search('zoe.wang@example.com')
      await click('link', 'Disable…')
      await click('button', /^Disable/)
    },
    sees: 'Zoë 王',
    says: /The person is disabled/,
  },
  {
    task: 'sign somebody out everywhere',
    async do() {
      await search('soren.angstrom@example.com')
      await click('link', 'Sign out everywhere')
      await click('button', /^(?:Sign out|End)/)
    },
    sees: 'Where Søren Ångström is signed in',
    says: /Sessions ended: 1/,
  },
  {
    task: 'make a link for a new password',
    async do() {
      await search('zoe.nguyen@example.com')
      await click('link', 'Make a reset link')
      await click('button', /^(?:Make|Show)/)
    },
    sees: 'The reset link',
  },
  {
    task: 'remove the passkeys and the app of somebody who lost them',
    async do() {
      await search('anna.ivanova@example.com')
      await click('link', 'Remove passkeys and app')
      await click('button', /^Remove/)
    },
    sees: 'Anna Иванова',
  },
  {
    task: 'invite somebody by mail',
    async do() {
      await click('link', 'Add person')
      await type('input[name=email]', 'nina.new@example.net')
      await click('button', 'Add person')
    },
    sees: 'Hand this link over',
  },
  {
    task: 'change a name',
    async do() {
      await search('gustavo.cohen@example.com')
      await click('link', 'Edit')
      await type('input[name=claim-name]', 'Gustavo Cohen')
      await page.press('input[name=claim-name]', 'Enter')
      await click('button', /^Save/)
    },
    sees: 'Gustavo Cohen',
    texts: 2,
  },
  {
    task: 'make a new secret for an application',
    async do() {
      await search('payroll-4')
      await click('link', 'Make a new secret')
      await click('button', /^Make/)
    },
    sees: 'The new secret',
  },
  {
    task: 'ask what would happen to somebody at an application',
    async do() {
      await menu('What if')
      await choose('select[name=client_id]', 'Intranet')
      await type('input[name=username]', 'zoe.garcia@example.com')
      await page.press('input[name=username]', 'Enter')
    },
    sees: 'zoe.garcia@example.com could use Intranet',
  },
  {
    task: 'add an application: its kind, its fields, done',
    async do() {
      await click('link', 'New application')
      await click('link', /^Express/)
      await page.fill('input[name=client_name]', 'Canteen')
      await page.fill('input[name=origin]', 'https://canteen.example.com')
      await click('button', 'Add application')
    },
    sees: 'Canteen is ready to connect',
    clicks: 3,
  },
]

for (const { task, sees, says, clicks = 2, texts = 1, ...given } of TASKS)
  t.test(task, async (t) => {
    await page.goto(base)
    await operator.sees('Home')
    Object.assign(done, { clicks: 0, texts: 0 })
    await given.do()
    await operator.sees(sees)
    if (says) t.match(await page.textContent('main'), says)
    t.ok(done.clicks <= clicks, `${done.clicks} clicks`)
    t.ok(done.texts <= texts, `${done.texts} texts`)
  })

t.test('find out why a request was refused, by the id that its page shows', async (t) => {
  const stranger = await stage.welcome()
  await stranger.page.goto(
    `${stage.issuer}/oauth2/authorize?client_id=shop&redirect_uri=https://x.example&response_type=code`,
  )
  const [id = ''] = /[\w-]{16,36}(?=<\/code>)/.exec(await stranger.page.content()) ?? []
  await page.goto(base)
  await operator.sees('Home')
  Object.assign(done, { clicks: 0, texts: 0 })
  await search(id)
  t.match(await page.textContent('h1'), /redirect URI that is not registered/)
  t.same(done, { clicks: 0, texts: 1 })
  t.same(operator.complaints, [])
})
