import { html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { chipInput } from '../pages/chips.ts'
import { line, more, pair } from '../pages/fields.ts'
import { at, short, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ShownPage } from '../rows.ts'
import { handOver, mailText } from './hand-over.ts'
import { knownGroups, linesIn } from './known-groups.ts'

/** Returns a username made from an address: what is before its `@`. */
export const usernameFrom = (email: string): string =>
  email.slice(0, Math.max(0, email.lastIndexOf('@'))).toLowerCase()

/** Adds a person, who comes in by a link that is shown once. */
const add: ConsoleAction = {
  path: '/people/new',
  operation: 'create_user',
  ask: async (desk, { form }) => ({
    title: 'Add person',
    head: { path: [['People', '/people'], ['Add']] },
    section: 'people',
    lead: html`<p>The account is made now. The next page shows a link once: with it the person chooses how to sign in.</p>`,
    fields: html`${handOver(desk, form.send ?? 'true')}${pair(
      line({
        name: 'name',
        label: 'Name',
        note: 'optional',
        value: form.name,
        hint: 'The person can change it.',
      }),
      line(
        { name: 'email', label: 'E-mail address', value: form.email, hint: 'You vouch that it is theirs.' },
        'email',
      ),
    )}${chipInput({
      name: 'groups',
      label: 'Groups',
      known: await knownGroups(desk),
      chosen: linesIn(form.groups),
      another: 'Another group',
    })}${more(
      'More',
      line({
        name: 'username',
        label: 'Username',
        value: form.username,
        placeholder: 'made from the address',
        hint: 'Needed if there is no address.',
      }),
      form.username !== undefined,
    )}`,
    verb: 'Add person',
    back: '/people',
  }),
  async act(desk, { form }) {
    const { name = '', email = '' } = form
    const username = form.username || usernameFrom(email)
    const groups = linesIn(form.groups)
    const claims = {
      ...(name !== '' && { name }),
      ...(email !== '' && { email, email_verified: true }),
      ...(groups.length > 0 && { [desk.groups_claim]: groups }),
    }
    await desk.ask('create_user', { body: { username, claims } })
    return (
      linkOf(desk, username, email === '' ? '' : form.send) ?? {
        to: at`/people/${username}`,
        done: 'created',
      }
    )
  },
}

/** The link with which somebody new comes in; undefined: nobody signs in with what it sets up, or the operator may not. */
function linkOf(desk: Desk, username: string, send = ''): Promise<ShownPage> | undefined {
  if (!desk.may('create_reset_link') || desk.refusal('create_reset_link') !== undefined) return undefined
  return desk
    .ask('create_reset_link', { params: { username }, query: { send } })
    .then(({ body: { url, expires_at, mail } }) => ({
      title: 'Hand this link over',
      section: 'people',
      head: { path: [['People', '/people'], [username, at`/people/${username}`], ['Link']] },
      body: html`<p>${short(username)} was added. With this link the person chooses how to sign in. It works once, ends ${when(expires_at, desk)}, and is not shown again.</p>
<pre tabindex="0">${text(url)}</pre>
${mailText(mail)}<p class="buttons"><a class="button main" href="${desk.base}${at`/people/${username}`}">To the person</a><a class="button" href="${desk.base}/people/new">Add another</a></p>`,
    }))
}

export const ADD_PERSON: readonly ConsoleAction[] = [add]
