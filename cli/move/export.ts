import { settledHost } from '../../src/factors/passkeys/settled-host.ts'
import { readRestoreMark } from '../../src/keys/restore-mark.ts'
import { Refusal } from '../errors.ts'
import { Problems } from '../problems.ts'
import type { CommandContext, Progress } from '../run.ts'
import { type Content, KINDS, type KindOfRecord } from './kind.ts'
import { endLine, headerLine, NeedsPassphrase, recordLine } from './move-file.ts'
import { allKeys } from './moved-keys.ts'
import { MOVED_KINDS } from './moved-kinds.ts'
import { newSealer } from './passphrase.ts'

/** What an export takes along. */
export interface ExportOptions {
  readonly passphrase?: string
  readonly with_keys: boolean
}

/** Where an export goes: lines of text, in order. */
export type WriteText = (text: string) => Promise<unknown>

/** Lines that are written at once. */
const LINES = 200

/** What was exported: how many records of each kind, and which were left out. */
export interface Exported {
  readonly counts: Readonly<Partial<Record<KindOfRecord, number>>>
  readonly left_out: Problems
}

/**
 * Exports everything that can be moved to another installation, line by line. Memory does not grow with it.
 * @throws Refusal if a record has a secret, and there is no passphrase; StoredKeyError
 */
export async function exportAll(
  context: CommandContext,
  { passphrase, with_keys }: ExportOptions,
  writeText: WriteText,
  progress: Progress,
): Promise<Exported> {
  const { storage, config, guesses_issuer, now } = context
  const made = passphrase === undefined ? undefined : await newSealer(passphrase)
  const left_out = new Problems()
  const counts: Partial<Record<KindOfRecord, number>> = {}
  const passkey_host = await settledHost({ storage })
  const not_before = with_keys ? await readRestoreMark(storage) : 0
  let lines = [
    headerLine({
      ...(!guesses_issuer && { issuer: config.settings.issuer }),
      ...(passkey_host !== undefined && { passkey_host }),
      exported_at: new Date(now()).toISOString(),
      ...(not_before > 0 && { not_before }),
      ...(made && { passphrase: made.header }),
    }),
  ]
  const flush = async () => {
    await writeText(lines.map((line) => `${line}\n`).join(''))
    lines = []
  }
  let total = 0
  for (const kind of KINDS) {
    if (kind === 'signing-key' && !with_keys) continue
    const all =
      kind === 'signing-key'
        ? allKeys(context)
        : MOVED_KINDS[kind].all(context, (of, id, why) => left_out.add(`${of} "${id}": ${why}`))
    for await (const { id, content } of all) {
      lines.push(lineOf(kind, id, content, made?.sealer))
      counts[kind] = (counts[kind] ?? 0) + 1
      total += 1
      progress.at(total)
      if (lines.length >= LINES) await flush()
    }
  }
  progress.end()
  lines.push(endLine(counts))
  await flush()
  return { counts, left_out }
}

function lineOf(
  kind: KindOfRecord,
  id: string,
  content: Content,
  sealer: Parameters<typeof recordLine>[3],
): string {
  try {
    return recordLine(kind, id, content, sealer)
  } catch (error) {
    if (!(error instanceof NeedsPassphrase)) throw error
    throw new Refusal(
      `The ${kind} "${id}" has ${kind === 'provider' ? 'a secret that' : 'an authenticator app, whose secret'} leaves only under a passphrase: give one with --passphrase-file. The export is not complete.`,
    )
  }
}
