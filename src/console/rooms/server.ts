import { parseJson } from '../../core/json.ts'
import { html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import { line } from '../pages/fields.ts'
import {
  at,
  badge,
  code,
  facts,
  link,
  offers,
  part,
  personLink,
  short,
  table,
  text,
  when,
} from '../pages/parts.ts'
import type { ConsoleAction, ConsolePage } from '../rows.ts'
import { withoutMarks } from '../without-marks.ts'

const settings: ConsolePage = {
  path: '/settings',
  operation: 'read_settings',
  async show(desk) {
    const { body } = await desk.ask('read_settings')
    const rows = body.items.map(({ name, value, source, variable, docs }) => [
      code(variable ?? name),
      value === undefined ? 'a secret' : text(parseJson(value) ?? value),
      source === 'default' ? 'default' : badge(source),
      text(withoutMarks(docs ?? '')),
    ])
    return {
      title: 'Settings',
      section: 'settings',
      body: html`<ul class="tabs"><li>${link(desk, '/server', 'Servers, Redis, mail and keys')}</li><li>${link(desk, '/lockouts', 'Lockouts')}</li></ul>
<p class="empty">They are read when the server starts: change them where it is started. <code>docs/configuration.md</code> has all of them.</p>
${table('The settings of the server that answers', ['Setting', 'Value', 'From', 'What it means'], rows, 'None.')}`,
    }
  },
}

const server: ConsolePage = {
  path: '/server',
  operation: 'read_server',
  async show(desk) {
    const [{ body }, mails, keys] = await Promise.all([
      desk.ask('read_server'),
      desk.may('list_mails') ? desk.ask('list_mails') : undefined,
      desk.may('list_keys') ? desk.ask('list_keys') : undefined,
    ])
    const no_mail = desk.off('list_mails')
    // The offers would say it once more.
    const says_why = no_mail !== undefined && mails?.body.items.length === 0
    return {
      title: 'Servers, Redis, mail and keys',
      section: 'health',
      body: html`${part(
        'Servers',
        html`${facts([
          ['Issuer', code(body.issuer)],
          ['Version', body.version],
          ['Storage', text(body.storage)],
        ])}${table(
          'Servers that run',
          ['Host', 'Version', 'Workers', 'Started', 'Seen'],
          body.servers.map(({ host, version, workers, started_at, seen_at }) => [
            short(host),
            version,
            String(workers),
            when(started_at, desk),
            when(seen_at, desk),
          ]),
          'None said so yet.',
        )}${table(
          'Settings in which they disagree',
          ['Setting', 'Values'],
          body.disagreements.map(({ setting, values }) => [setting, text(values)]),
          'They agree in all settings.',
        )}`,
      )}
${part(
  'Redis',
  table(
    'As redmint doctor sees it',
    ['Check', 'Result', 'Finding', 'What to do'],
    body.redis.map(({ check, level, finding, advice = '' }) => [
      check,
      badge(level, level === 'ok' ? 'good' : 'bad'),
      text(finding),
      text(advice),
    ]),
    'Storage is in memory: nothing to examine.',
  ),
)}
${
  mails === undefined
    ? ''
    : part(
        'Mail',
        html`${table(
          'Mails that wait or were refused',
          ['Kind', 'To', 'State', 'Attempts', 'What the server said', 'Since'],
          mails.body.items.map(({ kind, to, state, attempts, answer = '', created_at }) => [
            kind,
            short(to),
            badge(state, state === 'refused' ? 'bad' : 'plain'),
            String(attempts),
            text(answer),
            when(created_at, desk),
          ]),
          no_mail ?? 'None waits, and none was refused.',
        )}${says_why ? '' : offers(desk, [{ path: '/mails/test', label: 'Send a test mail', operation: 'test_mail' }], 'redmint:server:write')}`,
      )
}
${
  keys === undefined
    ? ''
    : part(
        'Signing keys',
        html`${table(
          'Keys',
          ['Key', 'Algorithm', 'State', 'Created', 'Published until'],
          keys.body.items.map(({ kid, alg, status, created_at, published_until }) => [
            code(kid),
            alg,
            badge(status, status === 'current' ? 'good' : 'plain'),
            when(created_at, desk),
            published_until === undefined ? '' : when(published_until, desk),
          ]),
          'None yet: the first server that starts makes them.',
        )}${keys.body.next_rotation_at === undefined ? '' : html`<p>Servers rotate them by themselves: ${when(keys.body.next_rotation_at, desk)}.</p>\n`}${offers(desk, [{ path: '/keys/rotate', label: 'Rotate now', operation: 'rotate_keys' }], 'redmint:keys:write')}`,
      )
}`,
    }
  },
}

const lockouts: ConsolePage = {
  path: '/lockouts',
  operation: 'list_limits',
  async show(desk) {
    const { body } = await desk.ask('list_limits')
    const rows = body.items.map(({ id, counter, kind, username, client_id, address, until }) => [
      counter,
      username === undefined ? short(client_id ?? kind) : personLink(desk, username),
      code(address ?? ''),
      when(until, desk),
      desk.may('lift_limit') ? link(desk, at`/lockouts/${id}/lift`, 'Lift') : '',
    ])
    return {
      title: 'Lockouts',
      section: 'settings',
      body: table(
        'Lockouts in force, those that end last at the top',
        ['Counter', 'Who', 'Address', 'Until', 'What you can do'],
        rows,
        'Nobody is locked out.',
      ),
    }
  },
}

export const SERVER_PAGES: readonly ConsolePage[] = [settings, server, lockouts]

export const SERVER_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    section: 'settings',
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
<p><a class="button" href="${desk.base}/server">Back to servers, Redis, mail and keys</a></p>`,
    }),
  }),
  actionOf({
    section: 'settings',
    back: '/lockouts',
    path: '/lockouts/:id/lift',
    operation: 'lift_limit',
    title: () => 'Lift this lockout?',
    lead: () => html`<p>This one counter is forgotten, on all servers within a second. Others stay.</p>`,
    verb: 'Lift it',
    done: 'unlocked',
    count: () => 1,
  }),
  actionOf({
    section: 'settings',
    back: '/server',
    path: '/keys/rotate',
    operation: 'rotate_keys',
    title: () => 'Rotate the signing keys?',
    lead: () =>
      html`<p>New keys sign from now on. The old ones stay published until all that they signed has expired.</p>`,
    verb: 'Rotate',
    done: 'keys_rotated',
  }),
]
