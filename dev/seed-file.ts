import { readFile } from 'node:fs/promises'
import { UsageError } from '../cli/errors.ts'

/** The file of the seed in the working directory. */
const SEED_FILE = 'redmint.dev.yaml'

/** Returns the text of the file of a seed; undefined: none was named, and the usual one does not exist. @throws UsageError */
export async function readSeed(file: string | undefined): Promise<string | undefined> {
  try {
    return await readFile(file ?? SEED_FILE, 'utf8')
  } catch (error) {
    if (file === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UsageError(`The seed ${file ?? SEED_FILE} cannot be read: ${(error as Error).message}.`)
  }
}
