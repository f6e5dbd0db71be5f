import type { Limits } from '../../admin/limits.ts'
import type { Mails } from '../../admin/mail/mails.ts'
import type { AnswerOf, BareName } from '../../admin/operations.ts'
import type { Keys } from '../../admin/server/keys.ts'
import type { ThirdPartyFaults } from '../../admin/third-parties.ts'
import type { Upkeep } from '../../admin/upkeep/upkeep.ts'
import type { ServersUpkeep } from '../../admin/upkeep/upkeep-record.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { Desk, OperationInput } from '../desk.ts'
import { type Act, act } from '../pages/actions.ts'
import { type Row, rows } from '../pages/panel.ts'
import { applicationLink, at, badge, text, when } from '../pages/parts.ts'
import { faultWords, partyWords } from './fault-words.ts'

/** What is known of the server, as far as the operator may know it. */
interface Known {
  readonly keys: Keys | undefined
  readonly mails: Mails | undefined
  readonly limits: Limits | undefined
  readonly upkeep: Upkeep | undefined
  readonly faults: ThirdPartyFaults | undefined
}

/** Something that needs an operator. */
interface Need {
  /** What is said of something that is broken now; absent: it will be. */
  readonly broken?: 'failing' | 'problem'
  readonly name: Html | string
  readonly detail: Html | string
  /** Where it is mended. */
  readonly action?: Act
}

/** A key that signs for so long is due, in milliseconds. */
const KEY_AGE = 365 * 86_400_000
const NAMED = 5

/** Asks for what may need an operator. @throws AdminError; StorageUnavailable */
export async function askKnown(desk: Desk): Promise<Known> {
  const [keys, mails, limits, upkeep, faults] = await Promise.all([
    asked(desk, 'list_keys'),
    asked(desk, 'list_mails'),
    asked(desk, 'list_limits'),
    asked(desk, 'read_upkeep'),
    asked(desk, 'list_third_party_faults'),
  ])
  return { keys, mails, limits, upkeep, faults }
}

/** Asks what the operator may know; undefined: nothing. @throws AdminError; StorageUnavailable */
export async function asked<Name extends BareName>(
  desk: Desk,
  name: Name,
  given = {} as OperationInput<Name>,
): Promise<AnswerOf<Name> | undefined> {
  return desk.may(name) ? (await desk.ask(name, given)).body : undefined
}

/**
 * What needs an operator, what is broken first: with none all is well, on each page that says so.
 * @param found what is not well with servers and Redis; absent: what was found when a server last looked
 */
export function needsOf(
  desk: Desk,
  known: Known,
  found: ServersUpkeep['findings'] = known.upkeep?.servers?.findings ?? [],
): readonly Need[] {
  const needs = [
    ...faults(desk, known),
    ...findings(found),
    ...mails(known),
    ...lockouts(known),
    ...keys(desk, known),
    ...clients(desk, known),
  ]
  const [now, later] = [needs.filter(({ broken }) => broken), needs.filter(({ broken }) => !broken)]
  return [...now, ...later]
}

/**
 * What needs an operator: a row each, with the button that leads to where it is mended.
 * @param here the path of the page itself, to which no button leads
 */
export const needRows = (desk: Desk, needs: readonly Need[], here = ''): Html =>
  rows(
    needs.map(
      ({ broken, name, detail, action }): Row => ({
        mark: broken ? icon('warning', 'bad') : icon('clock', 'warn'),
        name,
        state: broken ? badge(broken, 'bad') : '',
        detail,
        action: action === undefined || action.path === here ? '' : act(desk, action),
      }),
    ),
  )

/** The title of what needs an operator. */
export const needTitle = ({ length }: readonly Need[]): string =>
  length === 1 ? '1 thing needs you' : `${String(length)} things need you`

/** When what takes a walk was looked at. */
export function lookedAt(desk: Desk, { clients, servers }: Upkeep): Html {
  const of = (looked: string | undefined) => (looked === undefined ? 'not yet' : when(looked, desk))
  return html`Servers and Redis looked at ${of(servers?.at)}, applications ${of(clients?.at)}`
}

/** A person or a client who met a fault made no mistake. */
function faults(desk: Desk, { faults: known }: Known): Need[] {
  const items = known?.items ?? []
  const rest = items.length - NAMED
  return items.slice(0, NAMED).map((fault, i) => {
    const { party, name = '', code, advice } = fault
    const more = i === NAMED - 1 && rest > 0 ? `, and ${rest} more fail` : ''
    return {
      broken: 'failing' as const,
      name: html`${partyWords(fault)} fails${more}`,
      detail: html`${faultWords(fault)}, ${when(fault.at, desk)}. <code>${code}</code>, <code>${advice}</code>`,
      ...(party === 'provider' && {
        action: {
          path: '/providers',
          label: 'See provider',
          operation: 'list_providers',
          says: `See the provider ${name}`,
        },
      }),
      ...(party === 'client_keys' && {
        action: { path: at`/applications/${name}`, label: 'See application', operation: 'read_client' },
      }),
      ...(party === 'mail_server' && {
        action: { path: '/server', label: 'See mail', operation: 'read_server' },
      }),
    }
  })
}

const findings = (found: ServersUpkeep['findings']): Need[] =>
  found.map(({ check, level, finding, advice }) => ({
    ...(level === 'problem' && { broken: 'problem' as const }),
    name: text(finding),
    detail: html`${text(check)}. ${text(advice)}`,
    action: { path: '/server', label: 'See health', operation: 'read_server' },
  }))

function mails({ mails: known }: Known): Need[] {
  const refused = known?.items.filter(({ state }) => state === 'refused') ?? []
  if (refused.length === 0) return []
  return [
    {
      name: many(refused.length, 'mail was refused', 'mails were refused'),
      detail: 'Look at what the mail server said.',
      action: { path: '/server', label: 'See mails', operation: 'list_mails' },
    },
  ]
}

function lockouts({ limits }: Known): Need[] {
  const locked = limits?.items.filter(({ username }) => username !== undefined) ?? []
  if (locked.length === 0) return []
  return [
    {
      name: many(locked.length, 'person is locked out', 'people are locked out'),
      detail: 'After too many wrong answers. Lift it if they ask you.',
      action: { path: '/lockouts', label: 'See lockouts', operation: 'list_limits' },
    },
  ]
}

function keys(desk: Desk, { keys: known }: Known): Need[] {
  const items = known?.items ?? []
  const unwrapped = items.filter(({ wrapped }) => !wrapped)
  const due = items.filter(
    ({ status, current_since }) =>
      status === 'current' && Date.parse(current_since ?? '') < desk.now - KEY_AGE,
  )
  return [
    ...(due.length > 0
      ? [
          {
            name: `${many(due.length, 'signing key signs', 'signing keys sign')} for more than a year`,
            detail:
              'New keys sign from then on; the old ones stay published until what they signed has expired.',
            action: { path: '/keys/rotate', label: 'Rotate the keys…', operation: 'rotate_keys' as const },
          },
        ]
      : []),
    ...(unwrapped.length > 0
      ? [
          {
            name: `${many(unwrapped.length, 'signing key is', 'signing keys are')} readable in storage`,
            detail: html`Set <code>KEY_ENCRYPTION_KEY</code>, and start the servers again.`,
          },
        ]
      : []),
  ]
}

function clients(desk: Desk, { upkeep }: Known): Need[] {
  const { old_secrets, unused } = upkeep?.clients ?? {}
  const named = (found: typeof unused) =>
    (found?.oldest ?? [])
      .slice(0, NAMED)
      .map(
        ({ client_id, since }, i) =>
          html`${i === 0 ? '' : ', '}${applicationLink(desk, client_id)} since ${when(since, desk)}`,
      )
  const some = (found: typeof unused, one: string, more: string, advice: string): Need[] =>
    found === undefined || found.count === 0
      ? []
      : [
          {
            name: many(found.count, one, more),
            detail: html`${advice} The oldest: ${named(found)}.`,
            action: { path: '/applications', label: 'See applications', operation: 'list_clients' },
          },
        ]
  return [
    ...some(
      old_secrets,
      'application has a secret older than a year',
      'applications have secrets older than a year',
      'Give them new ones; the old one can stay valid for a day.',
    ),
    ...some(
      unused,
      'application did not use its secret for 90 days',
      'applications did not use their secrets for 90 days',
      'Disable what nobody needs.',
    ),
  ]
}

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`
