import { SECRETS_NOTE } from '../../src/admin/clients/secret.ts'
import { count } from '../../src/core/count.ts'
import { EXIT, Refusal } from '../errors.ts'
import { type Report, table } from '../output.ts'
import type { OnConflict } from './conflicts.ts'
import type { NewSecret } from './from/incoming.ts'
import type { Told } from './from/told.ts'
import { type Interrupted, type MoveTally, OUTCOMES } from './import.ts'
import { KINDS } from './kind.ts'

const ON_CONFLICT =
  'For records that are here with other fields: --on-conflict keep keeps them, --on-conflict replace replaces them.'

/** Returns the refusal of an import of which nothing is written. */
export function refuseImport({ refused }: MoveTally, on_conflict: OnConflict): Refusal {
  const hints = [
    ...(on_conflict === 'refuse' && refused.lines.some((line) => line.includes(' is here already'))
      ? [ON_CONFLICT]
      : []),
    '--skip-refused imports the others.',
  ]
  return new Refusal(
    [refused.describe(`Nothing was written. ${count(refused.count, 'problem')}:`), ...hints].join('\n'),
  )
}

/** Reports what an import would do. */
export function reportPlan(tally: MoveTally): Report {
  return {
    text: [totalsTable(tally), ...changedLines(tally, 'would be changed'), '', 'Nothing was written.'].join(
      '\n',
    ),
    json: { dry_run: true, ...jsonOf(tally) },
    ...refusedOf(tally, 'refused'),
  }
}

/** Reports an import. */
export function reportImport(tally: MoveTally): Report {
  return {
    text: [totalsTable(tally), ...changedLines(tally, 'changed'), ...tally.left.lines].join('\n'),
    json: { dry_run: false, ...jsonOf(tally), ...tally.left.json },
    ...refusedOf(tally, 'not imported'),
  }
}

/** Reports an import that was broken off. */
export function reportInterrupted({ tally, message }: Interrupted): Report {
  return {
    ...reportImport(tally),
    exit: EXIT.storage,
    error: `The import was broken off: storage does not answer: ${message}.\nRun the same command again: what is written is found unchanged, and the rest follows.`,
  }
}

/** Adds to a report that the records are of another issuer, which applications and people know. */
export function withIssuer(report: Report, of_file: string | undefined, here: string | undefined): Report {
  if (of_file === undefined || here === undefined || of_file === here) return report
  const text = `The file is of ${of_file}, and the issuer here is ${here}: give applications the new address, or set ISSUER to the old one. Tokens of the old one are not valid here.`
  return { ...report, text: `${report.text}\n\n${text}`, json: { ...report.json, issuer_of_file: of_file } }
}

/** Adds to a report what became of each field of another system, and the secrets that were made. */
export function withTold(report: Report, told: Told, secrets: readonly NewSecret[]): Report {
  const rows = secrets.map(({ client_id, client_secret }) => [client_id, client_secret])
  const made = rows.length === 0 ? [] : ['', table(['CLIENT_ID', 'CLIENT_SECRET'], rows), '', SECRETS_NOTE]
  return {
    ...report,
    text: [...told.lines, '', report.text, ...made].join('\n'),
    json: { ...report.json, ...told.json, secrets },
  }
}

function totalsTable({ counts }: MoveTally): string {
  const rows = [...KINDS, 'unknown' as const].flatMap((kind) => {
    const numbers = counts[kind]
    return numbers === undefined ? [] : [[kind, ...OUTCOMES.map((outcome) => String(numbers[outcome]))]]
  })
  return table(['KIND', ...OUTCOMES.map((outcome) => outcome.toUpperCase())], rows)
}

function changedLines({ changed }: MoveTally, what: string): string[] {
  return changed.count === 0 ? [] : ['', changed.describe(`${count(changed.count, 'record')} ${what}:`)]
}

function jsonOf({ counts, refused, changed, total }: MoveTally): object {
  return { total, kinds: counts, changed: changed.lines, refused: refused.lines }
}

function refusedOf({ refused }: MoveTally, what: string): Pick<Report, 'exit' | 'error'> {
  if (refused.count === 0) return {}
  return {
    exit: EXIT.refused,
    error: refused.describe(`${count(refused.count, 'problem')}, so records are ${what}:`),
  }
}
