// Third parties: whose fault it is, by which reason, what to do, and who reads of it.
import t from 'tap'
import { CHECK_NAMES } from '../../../../src/admin/doctor/examine.ts'
import { REASONS, type Reason } from '../../../../src/core/reasons.ts'
import {
  adviceOf,
  codeFrom,
  factsOf,
  isOfThirdParty,
  notedFault,
  PARTIES,
  partyOf,
} from '../../../../src/core/third-parties.ts'
import { LANGUAGES, textOf } from '../../../../src/explain/texts.ts'
import { readText } from '../../../support/markdown.ts'

/** Party, reasons, what to do, and who reads of it: the start of the console with `doctor`, a check of its own, an alert. */
const TABLE = [
  ['provider', 'upstream_failed', 'redmint provider test a', 'home', '', 'RedmintThirdPartyFails'],
  ['directory', 'directory_away', 'redmint directory test', 'home', 'directory', 'RedmintThirdPartyFails'],
  ['own_page', 'own_page_failed', 'redmint explain --last 20', '', 'own pages', 'RedmintThirdPartyFails'],
  ['client_keys', 'client_keys_away', 'redmint client keys show a', 'home', '', 'RedmintThirdPartyFails'],
  [
    'client_document',
    'client_document_away client_document_unusable',
    'redmint explain --last 20',
    '',
    '',
    '',
  ],
  ['issuer_keys', 'issuer_keys_away', 'redmint issuer show a', 'home', '', 'RedmintThirdPartyFails'],
  ['mail_server', '', 'redmint mail list', 'home', 'SMTP server', 'RedmintMailQueue'],
  ['audit_webhook', '', 'redmint doctor', 'home', 'audit webhook', 'RedmintAuditWebhook'],
  ['logout_notices', '', 'redmint client show a', 'home', 'logout notices', 'RedmintLogoutQueue'],
  ['ask_pings', '', 'redmint client show a', 'home', '', ''],
]

t.test('the table: party, reasons, advice, readers', async (t) => {
  const found = PARTIES.map((party) => {
    const { reasons, is_noted, check = '', alert = '' } = partyOf(party)
    return [party, reasons.join(' '), adviceOf({ party, name: 'a' }), is_noted ? 'home' : '', check, alert]
  })
  t.strictSame(found, TABLE)
})

t.test('each reason is that of one party, and its texts have the advice and blame nobody else', async (t) => {
  const all = PARTIES.flatMap((party) => partyOf(party).reasons)
  t.equal(new Set(all).size, all.length)
  for (const party of PARTIES)
    for (const reason of partyOf(party).reasons)
      for (const language of LANGUAGES)
        t.match(textOf(reason, language).advice, partyOf(party).advice, `${reason} in ${language}`)
  // Those of ours, and of an API that asks redmint.
  const ours: Reason[] = ['storage_away', 'proofs_away', 'issuer_away']
  const away = (Object.keys(REASONS) as Reason[]).filter((reason) => /_(away|failed)$/.test(reason))
  t.strictSame(away.filter((reason) => !isOfThirdParty(reason)).sort(), ours.sort())
})

t.test('each check is one of doctor, and each alert a rule that reads its reasons', async (t) => {
  const rules = await readText('deploy/prometheus/rules.yml')
  const alerts = await readText('docs/alerts.md')
  for (const party of PARTIES) {
    const { check, alert, reasons } = partyOf(party)
    if (check !== undefined) t.ok(CHECK_NAMES.includes(check), party)
    if (alert === undefined) continue
    const [, rule = ''] = rules.split(`alert: ${alert}\n`)
    const [own = ''] = rule.split('- alert:')
    t.not(own, '', alert)
    t.match(alerts, `### ${alert}`)
    for (const reason of reasons) t.match(own, reason, alert)
  }
})

t.test('only a whole fault is noted, and none that a stranger names', async (t) => {
  const fault = { party: 'provider', name: 'acme', step: 'keys', code: 'CERT_HAS_EXPIRED' } as const
  t.strictSame(notedFault('upstream_failed', factsOf(fault)), fault)
  t.equal(notedFault('upstream_denied', factsOf(fault)), undefined)
  t.equal(notedFault('directory_away', factsOf(fault)), undefined)
  t.equal(notedFault('upstream_failed'), undefined)
  t.equal(notedFault('upstream_failed', { party: 'provider' }), undefined)
  const document = { party: 'client_document', step: 'document', code: 'time' } as const
  t.equal(notedFault('client_document_away', factsOf(document)), undefined)
})

t.test('a code is one of redmint or of Node.js, and no text of somebody else', async (t) => {
  t.equal(codeFrom(undefined, 'ECONNREFUSED'), 'ECONNREFUSED')
  t.equal(codeFrom('a sentence of a stranger', 'HTTP_503'), 'HTTP_503')
  t.equal(codeFrom('a sentence', 503, '503', undefined), 'unknown')
})
