import { open, unlink } from 'node:fs/promises'
import { UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandContext, CommandRun } from '../run.ts'
import { type ExportOptions, exportAll } from './export.ts'
import { reportExport } from './export-report.ts'
import { readPassphrase } from './passphrase.ts'

/** The flags of `export`. */
export interface ExportFlags {
  json?: true
  withKeys?: true
  passphraseFile?: string
}

/** The command `export`. */
export async function runExport(run: CommandRun, file: string, flags: ExportFlags): Promise<void> {
  if (flags.withKeys && flags.passphraseFile === undefined)
    throw new UsageError('Signing keys leave only under a passphrase: give --passphrase-file as well.')
  if (file === '-' && flags.json) throw new UsageError('The export itself is on stdout: leave --json out.')
  const passphrase =
    flags.passphraseFile === undefined ? {} : { passphrase: await readPassphrase(flags.passphraseFile) }
  const options: ExportOptions = { ...passphrase, with_keys: flags.withKeys === true }
  await run.execute(flags, (context) =>
    file === '-' ? toStdout(run, context, options) : toFile(run, context, options, file),
  )
}

async function toStdout(run: CommandRun, context: CommandContext, options: ExportOptions): Promise<Report> {
  const exported = await exportAll(context, options, (text) => run.writeText(text), run.progress('Exported'))
  return reportExport('-', exported)
}

async function toFile(
  run: CommandRun,
  context: CommandContext,
  options: ExportOptions,
  path: string,
): Promise<Report> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'exists already' : `cannot be written: ${error.code}`
    throw new UsageError(`The file ${path} ${why}.`)
  })
  try {
    const exported = await exportAll(
      context,
      options,
      (text) => file.appendFile(text),
      run.progress('Exported'),
    )
    await file.sync()
    return reportExport(path, exported)
  } catch (error) {
    // A part of an export is as secret as the whole, and of no use.
    await unlink(path)
    throw error
  } finally {
    await file.close()
  }
}
