// The image without an engine: the steps of the Dockerfile, run in folders instead of containers, with the Node of this machine.
import { cp, mkdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from '../build.ts'
import { succeed } from '../package/install.ts'
import { ROOT } from '../process.ts'
import { dockerContext, type Instruction, readDockerfile } from './dockerfile.ts'

/** What the image holds. */
export interface Image {
  /** The folder that is `/` in the image. */
  readonly root: string
  /** The folder in which it starts. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** The words of CMD. */
  readonly command: readonly string[]
}

/** Runs the steps of the Dockerfile; the folders go with the test. */
export async function makeImage(t: Test): Promise<Image> {
  const context = await temporaryFolder(t, 'context')
  for (const name of await dockerContext())
    await cp(join(ROOT, name), join(context, name), { recursive: true })
  const stages = new Map<string, Image>()
  let image: Image | undefined
  for (const { from, name = 'image', instructions } of await readDockerfile()) {
    const root = await temporaryFolder(t, name)
    const base = stages.get(from)
    if (base !== undefined) await cp(base.root, root, { recursive: true, verbatimSymlinks: true })
    image = await runSteps(t, root, { context, stages, base, instructions })
    stages.set(name, image)
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage')
  return image
}

interface Surroundings {
  readonly context: string
  readonly stages: ReadonlyMap<string, Image>
  /** The stage that this one goes on from; undefined: an image of others. */
  readonly base: Image | undefined
  readonly instructions: readonly Instruction[]
}

async function runSteps(
  t: Test,
  root: string,
  { context, stages, base, instructions }: Surroundings,
): Promise<Image> {
  // A stage has the folder, the environment and the command of the one before.
  let folder = base === undefined ? root : join(root, relative(base.root, base.folder))
  let environment = base?.environment ?? {}
  let command = base?.command ?? []
  for (const { name, rest } of instructions) {
    if (name === 'WORKDIR') {
      folder = join(root, rest)
      await mkdir(folder, { recursive: true })
    } else if (name === 'ENV') {
      environment = { ...environment, ...Object.fromEntries(rest.split(' ').map((one) => one.split('='))) }
    } else if (name === 'CMD') {
      command = JSON.parse(rest)
    } else if (name === 'COPY') {
      const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? []
      const from = stage === undefined ? context : (stages.get(stage)?.root ?? 'no such stage')
      await copyAll(from, paths.split(' '), folder)
    } else if (name === 'RUN') {
      await mkdir(join(root, 'usr/local/bin'), { recursive: true })
      // The folders of the image are below its root.
      const line = rest.replaceAll(/ (\/(?:app|usr)\/)/g, (_, path) => ` ${root}${path}`)
      await succeed(t, folder, 'sh', '-c', line)
    }
  }
  return { root, folder, environment, command }
}

/** Copies as COPY does: a file into a folder that ends with a slash, and what is in a folder. */
async function copyAll(from: string, paths: readonly string[], folder: string): Promise<void> {
  const target = paths.at(-1) ?? '.'
  for (const path of paths.slice(0, -1)) {
    const source = join(from, path)
    const is_folder = (await stat(source)).isDirectory()
    const place = resolve(folder, target.endsWith('/') && !is_folder ? join(target, path) : target)
    await mkdir(dirname(place), { recursive: true })
    await cp(source, place, { recursive: true, verbatimSymlinks: true })
  }
}
