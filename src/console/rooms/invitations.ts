import { type Html, html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import type { Desk } from '../desk.ts'
import { type Act, act, acts, mayOnlySee } from '../pages/actions.ts'
import { chipInput, chipList } from '../pages/chips.ts'
import { consequence, steps } from '../pages/consequence.ts'
import { line, more, pair } from '../pages/fields.ts'
import { empty, sheet } from '../pages/panel.ts'
import { at, older, short, table, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ConsolePage, ConsoleRequest } from '../rows.ts'
import { goesOnTo, handOver, mailText } from './hand-over.ts'
import { knownGroups, linesIn } from './known-groups.ts'

const list: ConsolePage = {
  path: '/invitations',
  operation: 'list_user_invitations',
  async show(desk, { query: { cursor } }) {
    const { body } = await desk.ask('list_user_invitations', { query: { cursor } })
    // What ended, or was used up, waits for nobody.
    const waiting = body.items.filter(
      ({ uses_left, expires_at }) => uses_left > 0 && Date.parse(expires_at) > desk.now,
    )
    const rows = waiting.map(({ id, email, groups, uses_left, expires_at, by }) => [
      html`<b>${email === undefined ? 'Whoever has the link' : short(email)}</b><br><small class="quiet">made by ${short(makerOf(by))}</small>`,
      chipList(groups),
      uses_left === 1 ? 'one person' : `${uses_left} people`,
      when(expires_at, desk),
      act(desk, {
        path: at`/invitations/${id}/withdraw`,
        label: 'Withdraw',
        operation: 'delete_user_invitation',
        says: `Withdraw the invitation of ${email ?? 'whoever has the link'}`,
      }),
    ])
    const invite: Act = {
      path: '/invitations/new',
      label: 'Invite',
      operation: 'create_user_invitation',
      icon: 'plus',
      is_main: true,
    }
    const is_empty = rows.length === 0 && body.next === undefined
    const columns = [
      'For',
      'Groups',
      'Who can use it',
      'Until',
      { label: 'Action', is_number: true, is_silent: true },
    ] as const
    return {
      title: 'Invitations',
      section: 'invitations',
      head: {
        lead: 'Links with which people make an account, and that wait for them.',
        actions: is_empty ? '' : acts(desk, [invite]),
      },
      body: html`${refusedText(desk)}${
        is_empty
          ? empty(
              'mail',
              'No invitation waits',
              'Who gets an invitation makes an account of their own, in the groups that you choose.',
              acts(desk, [invite]),
            )
          : sheet(
              table(
                'Invitations that wait, with who made them',
                columns,
                rows,
                'None here: go on with Next.',
              ),
              older(desk, '/invitations', {}, body.next, 'Next'),
            )
      }`,
    }
  },
}

/** Why nobody can be invited here, or what it takes. */
function refusedText(desk: Desk): Html | '' {
  const why = desk.refusal('create_user_invitation')
  if (!desk.may('create_user_invitation'))
    return mayOnlySee(desk, ['create_user_invitation'], 'redmint:users:write')
  return why === undefined ? '' : html`<p class="empty">${why}</p>\n`
}

/** Who made an invitation: `user ada`, `client console` or `command`. */
function makerOf(by: string): string {
  const [kind = '', ...name] = by.split(' ')
  return kind === 'command' || name.length === 0 ? 'the command' : name.join(' ')
}

const create: ConsoleAction = {
  path: '/invitations/new',
  operation: 'create_user_invitation',
  ask: async (desk, { form }) => ({
    title: 'Invite',
    section: 'invitations',
    lead: html`<p>Whoever opens the link makes an account in these groups.</p>`,
    fields: html`${handOver(desk, form.send ?? 'true')}${line({ name: 'email', label: 'E-mail address', value: form.email, hint: 'Only this person can use it; empty: whoever has the link.' }, 'email')}${chipInput(
      {
        name: 'groups',
        label: 'Groups',
        known: await knownGroups(desk),
        chosen: linesIn(form.groups),
        another: 'Another group',
      },
    )}${await goesOnTo(desk, form.client)}${more(
      'More: many people, and for how long',
      pair(
        line({
          name: 'uses',
          label: 'How many people',
          value: form.uses ?? '1',
          hint: 'More than one: without an address.',
        }),
        line({ name: 'days', label: 'Days until it ends', value: form.days ?? '7' }),
      ),
      (form.uses ?? '1') !== '1',
    )}`,
    verb: 'Invite',
    back: '/invitations',
  }),
  async act(desk, { form }) {
    const groups = linesIn(form.groups)
    const body = {
      ...(form.email && { email: form.email }),
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(form.client && { client: form.client }),
      ...(form.uses && { uses: Number(form.uses) }),
      ...(form.days && { days: Number(form.days) }),
      // A link for many is handed over.
      ...(form.send === 'true' && form.email && { send: true }),
    }
    const { body: invited } = await desk.ask('create_user_invitation', { body })
    const { mail } = invited
    return {
      title: 'The invitation',
      section: 'invitations',
      body: html`<p>Hand this link over. It ends ${when(invited.expires_at, desk)}, and is not shown again.</p>
<pre tabindex="0">${text(invited.url)}</pre>
${mailText(mail)}<p class="buttons"><a class="button main" href="${desk.base}/invitations">All invitations</a><a class="button" href="${desk.base}/invitations/new">Invite another</a></p>`,
    }
  },
}

/** What withdrawing does: one that is among the first is told by whom it is for. @throws AdminError; StorageUnavailable */
async function withdrawn(desk: Desk, { params }: ConsoleRequest): Promise<Html> {
  const found = desk.may('list_user_invitations')
    ? (await desk.ask('list_user_invitations')).body.items.find(({ id }) => id === params.id)
    : undefined
  const { email, uses_left, expires_at } = found ?? {}
  const whose = email === undefined ? '' : html` of ${short(email)}`
  return html`${consequence([uses_left === undefined ? undefined : { number: String(uses_left), says: uses_left === 1 ? 'person could still use it' : 'people could still use it' }])}${steps(
    [
      {
        kind: 'ends',
        says: html`The link${whose} is of no use any more${expires_at === undefined ? '' : html`; it would end ${when(expires_at, desk)}`}. A mail that has it leads nowhere.`,
      },
      { kind: 'stays', says: 'Accounts that came of it stay.' },
    ],
  )}`
}

const withdraw = actionOf({
  section: 'invitations',
  back: '/invitations',
  path: '/invitations/:id/withdraw',
  operation: 'delete_user_invitation',
  title: () => 'Withdraw this invitation?',
  top: withdrawn,
  verb: 'Withdraw',
  done: 'invitation_removed',
})

export const INVITATION_PAGES: readonly ConsolePage[] = [list]
export const INVITATION_ACTIONS: readonly ConsoleAction[] = [create, withdraw]
