import { readRestoreMark, writeRestoreMark } from '../../src/keys/restore-mark.ts'
import { UsageError } from '../errors.ts'
import { withFile } from '../file-twice.ts'
import type { Report } from '../output.ts'
import type { CommandContext, CommandRun } from '../run.ts'
import type { OnConflict } from './conflicts.ts'
import type { System } from './from/systems.ts'
import { Interrupted, planImport, type Source, writeImport } from './import.ts'
import {
  refuseImport,
  reportImport,
  reportInterrupted,
  reportPlan,
  withIssuer,
  withTold,
} from './import-report.ts'
import { readHeader, sealerOfFile } from './move-file.ts'
import { ownSource } from './own-source.ts'
import { readPassphrase } from './passphrase.ts'

/** The flags of `import`. */
export interface ImportFlags {
  json?: true
  passphraseFile?: string
  onConflict: OnConflict
  dryRun?: true
  skipRefused?: true
  withoutPasskeys?: true
  from?: System
  passwords?: string
}

/** The command `import`. */
export async function runImport(run: CommandRun, file: string, flags: ImportFlags): Promise<void> {
  checkFlags(flags)
  await withFile(run, file, (path) =>
    flags.from === undefined ? importOwn(run, path, flags) : importForeign(run, path, flags.from, flags),
  )
}

/** @throws UsageError if flags do not fit together */
function checkFlags({ from, passwords, passphraseFile, withoutPasskeys }: ImportFlags): void {
  if (passwords !== undefined && from !== 'auth0')
    throw new UsageError('--passwords is for files of Auth0: give --from auth0 as well.')
  if (from !== undefined && (passphraseFile !== undefined || withoutPasskeys))
    throw new UsageError(
      '--passphrase-file and --without-passkeys are for exports of redmint: leave them out with --from.',
    )
}

async function importOwn(run: CommandRun, path: string, flags: ImportFlags): Promise<void> {
  const passphrase =
    flags.passphraseFile === undefined ? undefined : await readPassphrase(flags.passphraseFile)
  const header = await readHeader(path)
  const sealer = await sealerOfFile(header, passphrase)
  await run.execute(flags, async (context) => {
    const source = await ownSource(context, path, header, sealer, flags.withoutPasskeys === true)
    const here = context.guesses_issuer ? undefined : context.config.settings.issuer
    const report = withIssuer(await importFrom(run, context, source, flags), header.issuer, here)
    if (!flags.dryRun && header.not_before !== undefined) await keepMark(context, header.not_before)
    return report
  })
}

async function importForeign(
  run: CommandRun,
  path: string,
  system: System,
  flags: ImportFlags,
): Promise<void> {
  // An export of redmint needs none of it.
  const { foreignSource } = await import('./from/source.ts')
  await run.execute(flags, async (context) => {
    const { source, told, secrets } = foreignSource(context, system, path, flags.passwords)
    return withTold(await importFrom(run, context, source, flags), told(), secrets)
  })
}

async function importFrom(
  run: CommandRun,
  context: CommandContext,
  source: Source,
  flags: ImportFlags,
): Promise<Report> {
  const planned = await planImport(context, source, flags.onConflict, run.progress('Checked'))
  if (flags.dryRun) return reportPlan(planned)
  if (planned.refused.count > 0 && !flags.skipRefused) throw refuseImport(planned, flags.onConflict)
  try {
    return reportImport(
      await writeImport(context, source, flags.onConflict, run.progress('Imported', planned.total)),
    )
  } catch (error) {
    if (error instanceof Interrupted) return reportInterrupted(error)
    throw error
  }
}

/** What the other installation refuses stays refused, now that its keys verify here. */
async function keepMark({ storage }: CommandContext, not_before: number): Promise<void> {
  if (not_before > (await readRestoreMark(storage))) await writeRestoreMark(storage, not_before)
}
