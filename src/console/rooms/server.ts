import type { Mails } from '../../admin/mail/mails.ts'
import type { Keys } from '../../admin/server/keys.ts'
import { notWell } from '../../admin/upkeep/look-at-servers.ts'
import { MAIL_WORDS, wordsOf } from '../../audit/sentence-words.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { actionOf } from '../action.ts'
import type { Desk } from '../desk.ts'
import { act, acts } from '../pages/actions.ts'
import { steps } from '../pages/consequence.ts'
import { line } from '../pages/fields.ts'
import { notice } from '../pages/notices.ts'
import { empty, panel, rows, sheet } from '../pages/panel.ts'
import { applicationLink, at, badge, code, facts, personLink, short, text, when } from '../pages/parts.ts'
import { settingWords } from '../pages/setting-words.ts'
import type { ConsoleAction, ConsolePage } from '../rows.ts'
import { askKnown, needRows, needsOf, needTitle } from './home-todo.ts'

const server: ConsolePage = {
  path: '/server',
  operation: 'read_server',
  async show(desk) {
    const [{ body }, known] = await Promise.all([desk.ask('read_server'), askKnown(desk)])
    const { redis, servers, disagreements } = body
    const { mails, keys } = known
    const needs = needsOf(desk, known, notWell(redis, disagreements))
    const well = redis.filter(({ level }) => level === 'ok')
    return {
      title: 'Health',
      section: 'health',
      head: {
        lead: html`${many(servers.length, 'server')}, version ${body.version}, storage ${text(body.storage)}`,
        actions: acts(
          desk,
          [{ path: '/lockouts', label: 'Lockouts', operation: 'list_limits' }],
          [
            { path: '/mails/test', label: 'Send a test mail', operation: 'test_mail' },
            { path: '/keys/rotate', label: 'Rotate the keys…', operation: 'rotate_keys' },
          ],
        ),
      },
      body: html`${
        needs.length === 0
          ? notice('good', html`<b>All is well.</b>`)
          : panel({ title: needTitle(needs) }, needRows(desk, needs, '/server'))
      }
${
  disagreements.length === 0
    ? ''
    : panel(
        { title: 'Settings in which servers disagree' },
        facts(
          disagreements.map(
            ({ setting, values }) =>
              [
                settingWords(setting),
                html`${text(values.map(({ value, hosts }) => `${value} at ${hosts.join(', ')}`))} <code class="quiet">${setting}</code>`,
              ] as const,
          ),
        ),
      )
}
${panel(
  { title: 'Servers' },
  servers.length === 0
    ? html`<p>None said so yet.</p>`
    : rows(
        servers.map(({ host, version, workers, started_at, seen_at }) => ({
          mark: icon('servers'),
          name: short(host),
          detail: html`version ${version}, ${many(workers, 'process', 'processes')}, started ${when(started_at, desk)}`,
          action: html`<span class="quiet">seen ${when(seen_at, desk)}</span>`,
        })),
      ),
)}
${mails === undefined ? '' : mailPanel(desk, mails.items)}
${keys === undefined ? '' : keyPanel(desk, keys)}
${
  well.length === 0
    ? ''
    : panel(
        { title: 'What is well' },
        html`<details class="more"><summary>${many(well.length, 'check')} of storage</summary>${steps(well.map(({ check, finding }) => ({ kind: 'stays', says: html`${text(finding)} <span class="quiet">${text(check)}</span>` })))}</details>`,
      )
}`,
    }
  },
}

function mailPanel(desk: Desk, items: Mails['items']): Html {
  const off = desk.off('list_mails')
  const refused = items.filter(({ state }) => state === 'refused').length
  return panel(
    {
      title: 'Mail',
      count: items.length === 0 ? undefined : `${items.length - refused} wait, ${refused} refused`,
    },
    items.length === 0
      ? html`<p>${off ?? 'No mail waits, and none was refused.'}</p>`
      : rows(
          items.map(({ kind, to, state, attempts, answer = '', created_at }) => ({
            mark: icon('mail'),
            name: html`${upper(wordsOf(MAIL_WORDS, kind, 'a mail'))} to ${short(to)}`,
            state: state === 'refused' ? badge('refused', 'bad') : badge('waits', 'warn'),
            detail: html`${answer === '' ? '' : html`The mail server said: ${text(answer)}. `}${many(attempts, 'try', 'tries')}`,
            action: html`<span class="quiet">${when(created_at, desk)}</span>`,
          })),
        ),
  )
}

function keyPanel(desk: Desk, { items, next_rotation_at }: Keys): Html {
  return panel(
    {
      title: 'Signing keys',
      count: String(items.length),
      foot:
        next_rotation_at === undefined
          ? ''
          : html`<span>Servers rotate them by themselves: ${when(next_rotation_at, desk)}</span>`,
    },
    items.length === 0
      ? html`<p>None yet: the first server that starts makes them.</p>`
      : html`<details class="more"><summary>Each of them</summary>${rows(
          items.map(({ kid, alg, status, created_at, published_until }) => ({
            mark: icon('key'),
            name: html`${alg}, ${wordsOf(KEY_STATES, status, status)}`,
            detail: html`made ${when(created_at, desk)}${published_until === undefined ? '' : html`, published until ${when(published_until, desk)}`} · ${code(kid)}`,
          })),
        )}</details>`,
  )
}

const KEY_STATES = {
  current: 'signs now',
  next: 'signs next',
  previous: 'only checked',
  retired: 'only checked',
}
const upper = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
const many = (count: number, one: string, more = `${one}s`) => `${String(count)} ${count === 1 ? one : more}`

const lockouts: ConsolePage = {
  path: '/lockouts',
  operation: 'list_limits',
  async show(desk) {
    const { body } = await desk.ask('list_limits')
    const { items } = body
    return {
      title: 'Lockouts',
      section: 'health',
      head: {
        path: [['Health', '/server'], ['Lockouts']],
        lead: 'Who is refused after too many wrong answers; those that end last at the top.',
      },
      body:
        items.length === 0
          ? empty(
              'lock',
              'Nobody is locked out',
              'After too many wrong answers a name or an address is refused for a while. Here it can be lifted.',
            )
          : sheet(
              rows(
                items.map(({ id, counter, kind, username, client_id, address, until }) => ({
                  mark: icon('lock'),
                  name:
                    username !== undefined
                      ? personLink(desk, username)
                      : client_id !== undefined
                        ? applicationLink(desk, client_id)
                        : wordsOf(LOCKED, kind, 'Somebody'),
                  detail: html`${address === undefined ? 'from anywhere' : html`from ${code(address)}`}, until ${when(until, desk)} · ${code(counter)}`,
                  action: act(desk, {
                    path: at`/lockouts/${id}/lift`,
                    label: 'Lift…',
                    operation: 'lift_limit',
                  }),
                })),
              ),
            ),
    }
  },
}

/** Whom a lockout is about that names nobody who is known. */
const LOCKED: Readonly<Record<string, string>> = {
  user: 'A name that nobody has',
  address: 'An address',
  client: 'An application that is not registered',
}

export const SERVER_PAGES: readonly ConsolePage[] = [server, lockouts]

export const SERVER_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    section: 'health',
    back: '/server',
    path: '/mails/test',
    operation: 'test_mail',
    title: () => 'Send a test mail?',
    lead: () => html`<p>It is sent at once, and you see what the mail server says.</p>`,
    fields: (_desk, { form }) => line({ name: 'to', label: 'To', value: form.to, required: true }),
    verb: 'Send',
    asks: ({ form: { to = '' } }) => ({ body: { to } }),
    shows: (desk, _given, { sent, answer }) => ({
      title: sent ? 'The mail server took it' : 'The mail was not sent',
      body: html`<p>What the mail server said:</p>
<pre tabindex="0">${text(answer)}</pre>
<p><a class="button" href="${desk.base}/server">Back to Health</a></p>`,
    }),
  }),
  actionOf({
    section: 'health',
    back: '/lockouts',
    path: '/lockouts/:id/lift',
    operation: 'lift_limit',
    title: () => 'Lift this lockout?',
    top: () =>
      steps([
        { kind: 'next', says: 'This one counter is forgotten, on all servers within a second.' },
        { kind: 'stays', says: 'Others stay.' },
      ]),
    verb: 'Lift it',
    done: 'unlocked',
    count: () => 1,
  }),
  actionOf({
    section: 'health',
    back: '/server',
    path: '/keys/rotate',
    operation: 'rotate_keys',
    title: () => 'Rotate the signing keys?',
    top: () =>
      steps([
        { kind: 'next', says: 'New keys sign from now on.' },
        { kind: 'stays', says: 'The old ones stay published until all that they signed has expired.' },
      ]),
    verb: 'Rotate',
    done: 'keys_rotated',
  }),
]
