import type { Limits } from '../../admin/limits.ts'
import type { Mails } from '../../admin/mail/mails.ts'
import type { Keys } from '../../admin/server/keys.ts'
import type { ThirdPartyFaults } from '../../admin/third-parties.ts'
import type { Upkeep } from '../../admin/upkeep/upkeep.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { applicationLink, link, text, when } from '../pages/parts.ts'

/** What the page of the start knows. */
export interface Known {
  readonly keys: Keys | undefined
  readonly mails: Mails | undefined
  readonly limits: Limits | undefined
  readonly upkeep: Upkeep | undefined
  readonly faults: ThirdPartyFaults | undefined
}

/** A key that signs for so long is due, in milliseconds. */
const KEY_AGE = 365 * 86_400_000
const NAMED = 5

/** What to do next: a sentence each, with a link to where it is done. */
export function toDo(desk: Desk, known: Known): Html[] {
  return [
    ...faults(desk, known),
    ...findings(known.upkeep),
    ...mails(desk, known),
    ...lockouts(desk, known),
    ...keys(desk, known),
    ...clients(desk, known),
  ]
}

/** When what takes a walk was looked at. */
export function lookedAt(desk: Desk, { clients, servers }: Upkeep): Html {
  const of = (at: string | undefined) => (at === undefined ? 'not yet' : when(at, desk))
  return html`<p class="hint">A server looks at all clients once a day (the last time: ${of(clients?.at)}), and at the servers and Redis once an hour (${of(servers?.at)}).</p>`
}

/** One line, whoever failed: the person or the client who met it made no mistake. */
function faults(desk: Desk, { faults: known }: Known): Html[] {
  const items = known?.items ?? []
  if (items.length === 0) return []
  const named = items
    .slice(0, NAMED)
    .map(
      ({ is, name, step, code, at, advice }, i) =>
        html`${i === 0 ? '' : '; '}${text([is, name].filter(Boolean).join(' '))} at ${step} (<code>${code}</code>, ${when(at, desk)}): <code>${advice}</code>`,
    )
  const rest = items.length > NAMED ? html`; and ${String(items.length - NAMED)} more` : ''
  return [html`What is not ours failed within an hour: ${named}${rest}.`]
}

function findings(upkeep: Upkeep | undefined): Html[] {
  return (upkeep?.servers?.findings ?? []).map(
    ({ check, finding, advice }) => html`${text(check)}: ${text(finding)}. ${text(advice)}`,
  )
}

function mails(desk: Desk, { mails: known }: Known): Html[] {
  const refused = known?.items.filter(({ state }) => state === 'refused') ?? []
  if (refused.length === 0) return []
  return [
    html`${link(desk, '/server', many(refused.length, 'mail was refused', 'mails were refused'))}: look at what the SMTP server said.`,
  ]
}

function lockouts(desk: Desk, { limits }: Known): Html[] {
  const locked = limits?.items.filter(({ username }) => username !== undefined) ?? []
  if (locked.length === 0) return []
  return [
    html`${link(desk, '/lockouts', many(locked.length, 'person is locked out', 'people are locked out'))}: lift it if they ask you.`,
  ]
}

function keys(desk: Desk, { keys: known }: Known): Html[] {
  const items = known?.items ?? []
  const unwrapped = items.filter(({ wrapped }) => !wrapped)
  const due = items.filter(
    ({ status, current_since }) =>
      status === 'current' && Date.parse(current_since ?? '') < desk.now - KEY_AGE,
  )
  const many_due = many(due.length, 'signing key signs', 'signing keys sign')
  return [
    ...(due.length > 0
      ? [
          html`${desk.may('read_server') ? link(desk, '/server', many_due) : many_due} for more than a year: rotate the keys.`,
        ]
      : []),
    ...(unwrapped.length > 0
      ? [
          html`${many(unwrapped.length, 'signing key is', 'signing keys are')} readable in storage: set <code>KEY_ENCRYPTION_KEY</code>.`,
        ]
      : []),
  ]
}

function clients(desk: Desk, { upkeep }: Known): Html[] {
  const { old_secrets, unused } = upkeep?.clients ?? {}
  const named = (found: typeof unused) =>
    html`${(found?.oldest ?? [])
      .slice(0, NAMED)
      .map(
        ({ client_id, since }) =>
          html`<li>${applicationLink(desk, client_id)}, since ${when(since, desk)}</li>\n`,
      )}`
  const some = (found: typeof unused, one: string, more: string, advice: string) =>
    found === undefined || found.count === 0
      ? []
      : [html`${many(found.count, one, more)}: ${advice} The oldest are:<ul>${named(found)}</ul>`]
  return [
    ...some(
      old_secrets,
      'application has a secret older than a year',
      'applications have secrets older than a year',
      'give them new ones.',
    ),
    ...some(
      unused,
      'application did not use its secret for 90 days',
      'applications did not use their secrets for 90 days',
      'disable what nobody needs.',
    ),
  ]
}

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`
