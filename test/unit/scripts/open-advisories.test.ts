// What `npm audit --json`, the advisories of GitHub and the list of releases of Node say, in the form of their answers.
import t from 'tap'
import { openAdvisory, openFloors, overdue, readAudit } from '../../../scripts/open-advisories.ts'

const URL_OF = 'https://github.com/advisories/'
/** The report of version 2: a package with two advisories, one that depends on it, and one that is merely low. */
const AUDIT = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    minimist: {
      name: 'minimist',
      severity: 'critical',
      isDirect: false,
      via: [
        {
          source: 1096465,
          name: 'minimist',
          dependency: 'minimist',
          title: 'Prototype Pollution in minimist',
          url: `${URL_OF}GHSA-vh95-rmgr-6w4m`,
          severity: 'moderate',
          cwe: ['CWE-1321'],
          cvss: { score: 5.6, vectorString: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:L' },
          range: '<0.2.1',
        },
        {
          source: 1097678,
          name: 'minimist',
          dependency: 'minimist',
          title: 'Prototype Pollution in minimist',
          url: `${URL_OF}GHSA-xvch-5gv4-984h`,
          severity: 'critical',
          cwe: ['CWE-1321'],
          cvss: { score: 9.8, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
          range: '<0.2.4',
        },
      ],
      effects: ['mkdirp'],
      range: '<=0.2.3',
      nodes: ['node_modules/minimist'],
      fixAvailable: true,
    },
    mkdirp: {
      name: 'mkdirp',
      severity: 'critical',
      isDirect: true,
      via: ['minimist'],
      effects: [],
      range: '0.4.1 - 0.5.1',
      nodes: ['node_modules/mkdirp'],
      fixAvailable: true,
    },
  },
  metadata: { vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 2, total: 2 } },
})

t.test('an audit names its severe advisories once, and none is no good news', async (t) => {
  const [found, ...more] = readAudit(AUDIT)
  t.strictSame(more, [])
  t.strictSame(found, {
    id: 'GHSA-xvch-5gv4-984h',
    severity: 'critical',
    title: 'Prototype Pollution in minimist',
    packages: ['minimist'],
  })
  t.strictSame(readAudit(AUDIT.replaceAll('critical', 'low')), [])
  t.strictSame(readAudit(JSON.stringify({ auditReportVersion: 2, vulnerabilities: {} })), [])
  t.throws(() => readAudit('{"message":"405 Method Not Allowed"}'), /did not say what is known/)
  t.throws(() => readAudit(''), SyntaxError)
})

t.test('what is open for more than three days, or nobody knows since when, is too much', async (t) => {
  const [advisory] = readAudit(AUDIT)
  if (advisory === undefined) throw new Error('none')
  const isLate = (published_at: string) =>
    overdue([openAdvisory(advisory, published_at)], new Date('2026-11-29T12:00:00Z')).length === 1
  t.notOk(isLate('2026-11-29T11:00:00Z'))
  t.notOk(isLate('2026-11-26T12:00:00Z'))
  t.ok(isLate('2026-11-26T11:59:59Z'))
  t.ok(isLate('2022-03-18T00:01:09Z'))
  t.ok(isLate('undefined'), 'an answer without a date')
})

t.test('a release of Node with fixes above the floor is open since its date', async (t) => {
  const floors = { 22: [23, 4], 24: [22, 1] } as const
  const release = (version: string, security: boolean) => ({ version, date: '2027-01-13', security })
  const names = (...releases: Parameters<typeof release>[]) =>
    openFloors(
      releases.map((one) => release(...one)),
      floors,
    ).map(({ line }) => line.split(',')[0])
  t.strictSame(names(['v24.22.1', true], ['v24.21.9', true], ['v22.23.4', true]), [])
  t.strictSame(names(['v24.22.2', false], ['v24.30.0', false]), [], 'without fixes of security')
  t.strictSame(names(['v20.99.0', true], ['v23.99.0', true]), [], 'a line that the floors do not name')
  t.strictSame(names(['v24.22.2', true], ['v24.23.0', true], ['v22.24.0', true]), [
    'Node v24.22.2',
    'Node v24.23.0',
    'Node v22.24.0',
  ])
  const [one] = openFloors([release('v24.23.0', true)], floors)
  t.strictSame(one?.known_since, new Date('2027-01-13'))
})
