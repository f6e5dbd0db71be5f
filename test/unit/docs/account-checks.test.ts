// Each check of accounts, factors, recovery and the console has a row with a test that names it, and each known mistake of others has one.
import t from 'tap'
import { readText, tableRows } from '../../support/markdown.ts'
import { namedTests } from '../../support/named-tests.ts'

const CHECKS = 'docs/security/account-recovery.md'
const CONSOLE = 'docs/security/console.md'
const MISTAKES = 'docs/security/account-advisories.md'
const ADVISORIES = 'docs/security/advisories.md'
/** How many checks there are about: the account page, passkeys, the second step, recovery, mail. */
const SECTIONS = { A: 11, B: 13, C: 10, D: 11, E: 9 }
const NUMBERS = Object.entries(SECTIONS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
)

const NUMBERS_OF_CONSOLE = Array.from({ length: 7 }, (_, index) => `H${index + 1}`)

/** Mistakes that were published elsewhere. */
const KNOWN = `
  GHSA-hp74-gm6m-2qm5 CVE-2026-3429 AthenaNetworks/mymate#42 keycloak#31107 kratos#3047 kratos#1548 GHSA-2vg6-77g8-24mp
  CVE-2025-53942 CVE-2026-16103 contao#7510 parse-server#5104 CVE-2026-8830 keycloak#50719 w3c/webauthn#1571
  CVE-2026-37982 ES2605-2daaff2c web-auth/webauthn-framework#846 keycloak#50053 better-auth#10387 zitadel#6452
  VilnaCRM#314 keycloak#26177 keycloak#26180 keycloak#46164 CVE-2026-18963 CVE-2023-49097 GHSA-93m4-mfpg-c3xf
  GHSA-mwmh-7px9-4c23 GHSA-pfrf-9r5f-73f5 flask-security#258 CVE-2026-49443 CVE-2026-54730 supabase/auth#1214
  better-auth#9690 keycloak#45388 GHSA-mm7p-fcc7-pg87 GHSA-vvjj-xcjg-gr5g GHSA-268h-hp4c-crq3 GHSA-7rqj-j65f-68wh
  GHSA-fmh4-wcc4-5jm3 CVE-2025-64708 CVE-2024-49757 GHSA-25rw-g6ff-fmg8 pocket-id#1401`
  .trim()
  .split(/\s+/)
  .concat([
    'sokosumi PR #4798',
    'webauthn-rs PR #284',
    'rubygems PR #6125',
    'Infisical PR #6112',
    'monize PR #155',
    'HRT-Tracker PR #66',
    'recovery_code_service.go',
    'The second factor of better-auth as documented',
    'Gladys PR #3120',
  ])

/** What was published in 2026 about others, and what redmint is built on. */
const PUBLISHED = `
  CVE-2026-111497 CVE-2026-105482 CVE-2026-105483 CVE-2026-106069 CVE-2026-106072 CVE-2026-105481 CVE-2026-106074
  CVE-2026-110872 CVE-2026-90776 CVE-2026-82853 CVE-2026-82854 CVE-2026-33806 CVE-2026-23479 CVE-2026-23631
  CVE-2026-25243 CVE-2026-90997 CVE-2026-1035 CVE-2026-50631 CVE-2026-53517 CVE-2026-126280 CVE-2026-9802
  CVE-2026-8922 CVE-2026-79651 CVE-2026-17526 CVE-2026-105302 CVE-2026-107623 CVE-2026-96547 CVE-2026-16089
  CVE-2026-16093 CVE-2026-35563 CVE-2026-18569 CVE-2026-105207 CVE-2026-105211 CVE-2026-105215 CVE-2026-109373
  CVE-2026-119128 CVE-2026-114607 CVE-2026-110862 CVE-2026-134312 CVE-2026-134315 CVE-2026-134316 CVE-2026-134320
  CVE-2026-110863 CVE-2026-110864 CVE-2026-67332 CVE-2026-115770 CVE-2026-76835 CVE-2026-88011 CVE-2026-68079
  CVE-2026-68481 CVE-2026-63687 CVE-2026-71575 CVE-2026-97468 CVE-2026-58425 CVE-2026-73309 CVE-2026-123542
  CVE-2026-124981 CVE-2026-90942 CVE-2026-43640 CVE-2026-54072 CVE-2026-82466 CVE-2026-49265 CVE-2026-41213
  CVE-2026-53431 CVE-2026-65635 CVE-2026-54885 CVE-2026-15617 CVE-2026-104850 CVE-2026-116684 CVE-2026-115413`
  .trim()
  .split(/\s+/)

const MISTAKES_OF_CONSOLE = ['GHSA-6rx5-m2rc-hmf7', 'CVE-2026-42849', 'pocket-id PR #1397']

const rowsOf = async (page: string) => tableRows(await readText(page)).slice(1)
const has = (text: string, number: string) => new RegExp(`\\b${number}\\b`).test(text)

t.test('each check has a row, in order', async (t) => {
  const clauses = (await rowsOf(CHECKS)).map(([clause = '']) => clause.split(' ')[0])
  t.strictSame(clauses, NUMBERS)
  const of_console = (await rowsOf(CONSOLE)).map(([clause = '']) => clause)
  t.strictSame(
    of_console.slice(0, NUMBERS_OF_CONSOLE.length).map((clause) => clause.split(' ')[0]),
    NUMBERS_OF_CONSOLE,
  )
  for (const id of MISTAKES_OF_CONSOLE)
    t.ok(
      of_console.some((clause) => clause.includes(id)),
      id,
    )
})

t.test('each check that holds has a test with its number in the name', async (t) => {
  for (const [clause = '', state, , tests = ''] of [
    ...(await rowsOf(CHECKS)),
    ...(await rowsOf(CONSOLE)).slice(0, NUMBERS_OF_CONSOLE.length),
  ]) {
    const [number = ''] = clause.split(' ')
    if (state === 'no') continue
    t.ok(
      namedTests(`| ${tests} |`).some(({ title }) => has(title, number)),
      clause,
    )
  }
})

t.test('each known mistake has a row, and each page is linked from the threat model', async (t) => {
  const clauses = (await rowsOf(MISTAKES)).map(([clause = '']) => clause)
  for (const id of KNOWN)
    t.ok(
      clauses.some((clause) => clause.includes(id)),
      id,
    )
  const others = (await rowsOf(ADVISORIES)).map(([clause = '']) => clause)
  for (const id of PUBLISHED) t.equal(others.filter((clause) => has(clause, id)).length, 1, id)
  const threats = await readText('docs/threat-model.md')
  for (const page of [CHECKS, MISTAKES, ADVISORIES, CONSOLE])
    t.match(threats, page.replace('docs/', ''), page)
})
