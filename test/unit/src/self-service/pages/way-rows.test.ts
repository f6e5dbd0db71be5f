// What the account page says of each way to sign in.
import t from 'tap'
import { NO_FACTORS } from '../../../../../src/factors/factors-record.ts'
import type { View } from '../../../../../src/pages/layout.ts'
import { en } from '../../../../../src/pages/messages/en.ts'
import { passkeyFacts } from '../../../../../src/pages/passkey-list.ts'
import { createTheme } from '../../../../../src/pages/theme.ts'
import type { OverviewProps } from '../../../../../src/self-service/pages/own-account.ts'
import { wayRows } from '../../../../../src/self-service/pages/way-rows.ts'
import { builtIn } from '../../../../../src/texts/built-in.ts'

const NOW = Date.UTC(2026, 10, 29, 12)
const ADDED = '2026-11-03T23:30:00.000Z'
const passkey = { id: 'p1', name: 'Phone', created_at: Date.parse(ADDED) }
const theme = createTheme({ service_name: 'x', accent_color: '#0f766e' }, { languages: [en] })

function rowsOf(more: { last_used_at?: number }, view: View): string {
  const factors = { ...NO_FACTORS, passkeys: new Map([['p1', { ...passkey, ...more }]]) }
  const has = { has_passkeys: true, has_passwords: false, has_second_step: false, has_only_passkeys: true }
  const props = { ...has, factors, providers: [], base: '/account', now: NOW }
  return String(wayRows(props as unknown as OverviewProps, view))
}

t.test('a passkey says on which day it was added, and when it was used', async (t) => {
  const english: View = { theme, language: en }
  const added = `added on <time datetime="${ADDED}" title="${ADDED}">November 3, 2026</time>`
  const used = rowsOf({ last_used_at: NOW - 7_200_000 }, english)
  t.match(used, added)
  t.match(used, /last used <time [^>]*>2 hours ago</)
  const never = rowsOf({}, english)
  t.match(never, added)
  t.notMatch(never, 'last used')
  t.match(rowsOf({}, { theme, language: builtIn('de') }), /hinzugefügt am <time [^>]*>3\. November 2026</)
  t.match(String(passkeyFacts({ ...passkey, is_synced: true }, NOW, en)), added, 'also where it is managed')
})
