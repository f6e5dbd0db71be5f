import { count } from '../../src/core/count.ts'
import { EXIT } from '../errors.ts'
import { type Report, table } from '../output.ts'
import type { Exported } from './export.ts'
import { KINDS } from './kind.ts'

const SECRET_NOTE =
  'The file is secret: it has hashes of passwords and of secrets, and with keys all that signs tokens. Delete it when it is imported.'
const NOT_MOVED = 'Sessions, grants, codes and tokens are not in it: people sign in anew.'

/** Reports an export. @param file `-`: its lines are on stdout, so nothing else may be there */
export function reportExport(file: string, { counts, left_out }: Exported): Report {
  const rows = KINDS.flatMap((kind) => (counts[kind] === undefined ? [] : [[kind, String(counts[kind])]]))
  return {
    text: [table(['KIND', 'RECORDS'], rows), '', SECRET_NOTE, NOT_MOVED].join('\n'),
    json: { file, counts, left_out: left_out.lines },
    ...(file === '-' && { is_silent: true }),
    ...(left_out.count > 0 && {
      exit: EXIT.refused,
      error: left_out.describe(`${count(left_out.count, 'record')} left out:`),
    }),
  }
}
