import { VERSION } from '../../src/core/version.ts'
import { type CheckReport, type CheckTexts, type Result, type Verdict, verdictOf } from './report.ts'

// SARIF 2.1.0 §3.27.9 and §3.27.10: only what fails has a level.
const KINDS = {
  passed: { kind: 'pass', level: 'none' },
  failed: { kind: 'fail', level: 'error' },
  advice: { kind: 'fail', level: 'note' },
  skipped: { kind: 'notApplicable', level: 'none' },
} as const satisfies Record<Verdict, object>

/** Returns a report as SARIF 2.1.0, which code scanning shows. */
export function sarifReport({ command, url, results, stopped }: CheckReport): string {
  const locations = [{ physicalLocation: { artifactLocation: { uri: url } } }]
  const run = {
    tool: {
      driver: {
        name: `redmint dev ${command}`,
        semanticVersion: VERSION,
        rules: results.map(({ check }) => rule(check)),
      },
    },
    results: results.map((result, ruleIndex) => ({
      ruleId: result.check.id,
      ruleIndex,
      ...KINDS[verdictOf(result)],
      message: { text: message(result) },
      locations,
    })),
    invocations: [
      {
        executionSuccessful: stopped === undefined,
        ...(stopped !== undefined && {
          toolExecutionNotifications: [{ level: 'error', message: { text: stopped } }],
        }),
      },
    ],
  }
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [run],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

const rule = ({ id, title, about, fix }: CheckTexts) => ({
  id,
  shortDescription: { text: `${title}.` },
  fullDescription: { text: about },
  help: { text: fix },
})

function message({ check, outcome }: Result): string {
  if (outcome.is === 'found') return `${outcome.found} ${check.fix}`
  return outcome.is === 'skipped' ? outcome.why : `${check.title}.`
}
