// The Dockerfile as data, and what .dockerignore lets through.
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readText } from '../markdown.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** An instruction: `COPY`, and what follows it. */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

/** A stage of the image: what it begins with, its name if it has one, and its instructions. */
export interface Stage {
  readonly from: string
  readonly name: string | undefined
  readonly instructions: readonly Instruction[]
}

/** Returns the stages of the Dockerfile, the last of which is the image. */
export async function readDockerfile(): Promise<Stage[]> {
  const text = (await readText('Dockerfile')).replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n/g, '')
  const stages: { from: string; name: string | undefined; instructions: Instruction[] }[] = []
  for (const line of text.split('\n')) {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    if (name === 'FROM') {
      const [, from = '', as] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
      stages.push({ from, name: as, instructions: [] })
    } else if (name !== '') stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}

/** Returns the files and folders of the root that the engine gets. */
export async function dockerContext(): Promise<string[]> {
  const patterns = (await readText('.dockerignore')).matchAll(/^!(.+)$/gm)
  const inRoot = await readdir(ROOT)
  return [...patterns].flatMap(([, pattern = '']) =>
    pattern.startsWith('*') ? inRoot.filter((name) => name.endsWith(pattern.slice(1))) : [pattern],
  )
}
