import { html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import { choice, line, lines } from '../pages/fields.ts'
import { at, link, offers, older, short, table, text, when } from '../pages/parts.ts'
import { lineEnds } from '../record-form.ts'
import type { ConsoleAction, ConsolePage } from '../rows.ts'

const list: ConsolePage = {
  path: '/invitations',
  operation: 'list_user_invitations',
  async show(desk, { query: { cursor } }) {
    const { body } = await desk.ask('list_user_invitations', { query: { cursor } })
    const rows = body.items.map(({ id, email, groups, uses_left, expires_at, by }) => [
      email === undefined ? 'whoever has the link' : short(email),
      short(groups.join(', ')),
      uses_left === 0 ? 'used' : String(uses_left),
      when(expires_at, desk),
      short(by),
      desk.may('delete_user_invitation') ? link(desk, at`/invitations/${id}/withdraw`, 'Withdraw') : '',
    ])
    return {
      title: 'Invitations',
      section: 'invitations',
      body: html`${table('Invitations that have not ended', ['To', 'Groups', 'Uses left', 'Ends', 'By', 'What you can do'], rows, 'No invitation waits.')}
${older(desk, '/invitations', {}, body.next)}
${offers(desk, [{ path: '/invitations/new', label: 'New invitation', operation: 'create_user_invitation' }], 'redmint:users:write')}`,
    }
  },
}

const create: ConsoleAction = {
  path: '/invitations/new',
  operation: 'create_user_invitation',
  ask: async (desk, { form }) => ({
    title: 'New invitation',
    section: 'invitations',
    lead: html`<p>Whoever opens the link makes an account in these groups. The link is shown once.</p>`,
    fields: html`${line({ name: 'email', label: 'E-mail address', value: form.email, hint: 'Only this person can use it; empty: whoever has the link' })}${lines({ name: 'groups', label: 'Groups', value: form.groups, hint: 'One in each line' })}${line({ name: 'client', label: 'Application to go on to', value: form.client, hint: 'Its client id; empty: the account page' })}${line({ name: 'uses', label: 'How many people', value: form.uses ?? '1' })}${line({ name: 'days', label: 'Days until it ends', value: form.days ?? '7' })}${
      // Where no test mail can be sent, no link can.
      desk.refusal('test_mail') === undefined
        ? choice({ name: 'send', label: 'The link', value: form.send ?? '' }, [
            ['', 'is shown to me'],
            ['true', 'is sent by mail, too'],
          ])
        : ''
    }`,
    verb: 'Invite',
    back: '/invitations',
  }),
  async act(desk, { form }) {
    const groups = lineEnds(form.groups ?? '')
      .split('\n')
      .map((group) => group.trim())
      .filter((group) => group !== '')
    const body = {
      ...(form.email && { email: form.email }),
      ...(groups.length > 0 && { groups }),
      ...(form.client && { client: form.client }),
      ...(form.uses && { uses: Number(form.uses) }),
      ...(form.days && { days: Number(form.days) }),
      ...(form.send === 'true' && { send: true }),
    }
    const { body: invited } = await desk.ask('create_user_invitation', { body })
    const { mail } = invited
    return {
      title: 'The invitation',
      section: 'invitations',
      body: html`<p>Hand this link over. It ends ${when(invited.expires_at, desk)}, and is not shown again.</p>
<pre tabindex="0">${text(invited.url)}</pre>
${mail === undefined ? '' : html`<p>${mail.sent ? 'It was sent by mail.' : html`It was not sent: ${text(mail.answer)}`}</p>\n`}<p><a class="button" href="${desk.base}/invitations">All invitations</a></p>`,
    }
  },
}

const withdraw = actionOf({
  section: 'invitations',
  back: '/invitations',
  path: '/invitations/:id/withdraw',
  operation: 'delete_user_invitation',
  title: () => 'Withdraw this invitation?',
  lead: () => html`<p>Its link is of no use any more. Accounts that came of it stay.</p>`,
  verb: 'Withdraw',
  done: 'invitation_removed',
})

export const INVITATION_PAGES: readonly ConsolePage[] = [list]
export const INVITATION_ACTIONS: readonly ConsoleAction[] = [create, withdraw]
