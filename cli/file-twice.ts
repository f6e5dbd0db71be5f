import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandRun } from './run.ts'

/** Does work that reads a file twice, so stdin, `-`, is kept in a file that only its owner can read. */
export async function withFile(
  run: CommandRun,
  file: string,
  work: (path: string) => Promise<void>,
): Promise<void> {
  if (file !== '-') return work(file)
  const folder = await mkdtemp(join(tmpdir(), 'redmint-import-'))
  try {
    const path = join(folder, 'file')
    await run.copyStdin(path)
    await work(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}
