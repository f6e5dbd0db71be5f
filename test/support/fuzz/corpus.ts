import { readFile } from 'node:fs/promises'

const FOLDER = new URL('corpus/', import.meta.url)

/** The kept inputs of a target by their names. To add one, write it to `corpus/<target>.json`. */
export async function corpusOf(target: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(new URL(`${target}.json`, FOLDER), 'utf8'))
}
