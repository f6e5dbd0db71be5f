import type { FactorsAnswer } from '../../admin/factors/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { panel, type Row, rows } from '../pages/panel.ts'
import { at, badge, short, text, when } from '../pages/parts.ts'
import type { ShownUser } from '../pages/person.ts'

/** The ways to sign in of a person: the commonest call is "I cannot sign in". */
export function waysPanel(desk: Desk, person: ShownUser, factors: FactorsAnswer): Html {
  const shown = [
    password(desk, person),
    ...factors.passkeys.map((passkey): Row => {
      const used =
        passkey.last_used_at === undefined ? 'not used yet' : html`used ${when(passkey.last_used_at, desk)}`
      return {
        mark: icon('passkey'),
        name: html`Passkey “${short(passkey.name)}”`,
        detail: html`${passkey.synced ? 'synced' : 'on one device'}, ${used}`,
      }
    }),
    ...app(desk, factors),
    ...(person.linked_subjects ?? []).map(
      (subject): Row => ({ mark: icon('link'), name: 'An account elsewhere', detail: text(subject) }),
    ),
  ]
  return panel(
    {
      title: 'Ways to sign in',
      action: lost(desk, person, factors),
      foot: html`<span>${secondStep(desk, person)}</span>`,
    },
    html`${rows(shown)}${noResets(desk)}`,
  )
}

/** For whoever lost what the sign-in asks for; empty: there is nothing to lose. */
const lost = (desk: Desk, { username }: ShownUser, { totp, passkeys }: FactorsAnswer): Html | '' =>
  totp === undefined && passkeys.length === 0
    ? ''
    : act(desk, {
        path: at`/people/${username}/reset-factors`,
        label: 'Remove passkeys and app',
        operation: 'reset_factors',
        is_red: true,
      })

/** Why this server makes no links for a new password. */
function noResets(desk: Desk): Html | '' {
  const why = desk.may('create_reset_link') ? desk.refusal('create_reset_link') : undefined
  return why === undefined ? '' : html`\n<p class="empty">${why}</p>`
}

function password(desk: Desk, { username, password: state }: ShownUser): Row {
  const reset = {
    path: at`/people/${username}/reset-link`,
    label: 'Make a reset link',
    operation: 'create_reset_link',
  } as const
  const is_set = state === 'set'
  return {
    mark: icon('lock'),
    name: 'Password',
    detail: is_set ? 'set' : state === undefined ? 'none' : text(state),
    action: act(desk, reset),
  }
}

function app(desk: Desk, { totp, recovery_codes }: FactorsAnswer): Row[] {
  if (totp === undefined) return []
  const left =
    recovery_codes === undefined ? 'no recovery codes' : `recovery codes left: ${recovery_codes.left}`
  return [
    {
      mark: icon('phone'),
      name: 'Authenticator app',
      state: totp.limited ? badge('too many wrong codes', 'bad') : '',
      detail: html`since ${when(totp.created_at, desk)}, ${left}`,
    },
  ]
}

/** Whether a sign-in with a password takes a second step. */
function secondStep({ second_factor }: Desk, person: ShownUser): string {
  if (second_factor === 'off') return 'A second step is off at this server'
  const is_demanded = second_factor === 'required' || person.second_factor === 'required'
  return is_demanded ? 'A second step is demanded' : 'A second step is asked for if it is set up'
}
