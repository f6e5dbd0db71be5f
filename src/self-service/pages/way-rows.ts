import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { agoTime, dayTime } from '../../pages/when.ts'
import { type AccountRow, line, rows, smallLink } from './account-layout.ts'
import type { OverviewProps } from './own-account.ts'

/** Where a passkey is all that people sign in with, an app protects links only: who has none needs none. */
const hasSecondStep = ({ has_second_step, has_only_passkeys, factors }: OverviewProps): boolean =>
  has_second_step && (!has_only_passkeys || factors.totp !== undefined)

/** By what somebody signs in: each way with its state, and the page where it is managed. */
export function wayRows(props: OverviewProps, view: View): Html {
  return rows([
    ...passkeyRows(props, view),
    ...passwordRows(props, view),
    ...(hasSecondStep(props) ? appRows(props, view) : []),
    ...providerRows(props, view),
  ])
}

/** The button beside the title; empty: there is none. */
export function passkeyAction({ has_passkeys, factors, base }: OverviewProps, { language }: View): Html | '' {
  if (!has_passkeys || factors.passkeys.size === 0) return ''
  return smallLink(`${base}/passkeys`, say(language, 'passkey_create'))
}

function passkeyRows({ has_passkeys, factors, base, now }: OverviewProps, { language }: View): AccountRow[] {
  if (!has_passkeys) return []
  const mark = icon('passkey')
  if (factors.passkeys.size === 0) {
    const name = html`<b>${say(language, 'own_passkeys')}</b>`
    const detail = html`<small>${say(language, 'own_passkeys_lead')}</small>`
    return [{ mark, name, detail, action: smallLink(`${base}/passkeys`, say(language, 'passkey_create')) }]
  }
  return [...factors.passkeys.values()].map((passkey) => {
    const name = say(language, 'own_passkey_called', { name: html`<bdi>${plainName(passkey.name)}</bdi>` })
    const label = say(language, 'own_manage_of', {
      name: say(language, 'own_passkey_called', { name: plainName(passkey.name) }),
    })
    const used = passkey.last_used_at
    const detail = line([
      say(language, passkey.backup_eligible ? 'own_passkey_synced' : 'own_passkey_here'),
      say(language, 'own_added_on', { day: dayTime(passkey.created_at, language) }),
      used === undefined ? undefined : say(language, 'own_last_used', { when: agoTime(used, now, language) }),
    ])
    const action = smallLink(`${base}/passkeys`, say(language, 'own_manage'), label)
    return { mark, name: html`<b>${name}</b>`, detail, action }
  })
}

function passwordRows(
  { user, has_passwords, change_password }: OverviewProps,
  { language }: View,
): AccountRow[] {
  if (!has_passwords) return []
  const name = html`<b>${say(language, 'own_password')}</b>`
  const mark = icon('lock')
  if (user.password_hash === undefined)
    return [{ mark, name, detail: html`<small>${say(language, 'own_no_password')}</small>` }]
  return [{ mark, name, action: smallLink(change_password, say(language, 'own_change_password')) }]
}

function appRows(
  { factors: { totp, recovery }, has_only_passkeys, base }: OverviewProps,
  { language }: View,
): AccountRow[] {
  const name = html`<b>${say(language, 'own_app')}</b>`
  const page = `${base}/second-step`
  if (totp === undefined) {
    const action = smallLink(page, say(language, 'own_second_step_set_up'))
    return [
      {
        mark: icon('phone'),
        name,
        detail: html`<small>${say(language, 'own_second_step_off')}</small>`,
        action,
      },
    ]
  }
  const asked = say(language, has_only_passkeys ? 'own_second_step_link' : 'own_second_step_on')
  const manage = (of: Html) =>
    smallLink(page, say(language, 'own_manage'), say(language, 'own_manage_of', { name: of }))
  const left = recovery?.digests.length ?? 0
  return [
    {
      mark: icon('phone'),
      name,
      detail: html`<small>${asked}</small>`,
      action: manage(say(language, 'own_app')),
    },
    {
      mark: icon('codes'),
      name: html`<b>${say(language, 'own_codes')}</b>`,
      detail: html`<small>${say(language, 'own_codes_left', { left })}</small>`,
      action: manage(say(language, 'own_codes')),
    },
  ]
}

function providerRows({ providers, base }: OverviewProps, { language }: View): AccountRow[] {
  const linked = providers.filter(({ is_linked }) => is_linked)
  const page = `${base}/providers`
  const mark = icon('link')
  const shown = linked.map(({ name }): AccountRow => {
    const called = plainName(name)
    const label = say(language, 'own_manage_of', { name: called })
    const action = smallLink(page, say(language, 'own_manage'), label)
    return {
      mark,
      name: html`<b><bdi>${called}</bdi></b>`,
      detail: html`<small>${say(language, 'own_linked')}</small>`,
      action,
    }
  })
  if (linked.length === providers.length) return shown
  const name = html`<b>${say(language, 'own_providers')}</b>`
  const detail = html`<small>${say(language, 'own_providers_lead')}</small>`
  const label = say(language, 'own_manage_of', { name: say(language, 'own_providers') })
  return [...shown, { mark, name, detail, action: smallLink(page, say(language, 'own_manage'), label) }]
}
