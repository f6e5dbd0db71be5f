// The newest versions with which the pages of docs/connect/ were walked: newest.txt has them, and a walk that passes writes them.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = new URL('./newest.txt', import.meta.url)
/** A line: a package, its version, and the day of the walk. */
const LINE = /^(\S+) (\S+) (\d{4}-\d{2}-\d{2})$/

/** Writes the versions of the packages in a folder, of those that newest.txt names. */
export async function noteVersions(folder: string): Promise<void> {
  const found = new Map([...(await ofNpm(folder)), ...(await ofPython(folder)), ...(await ofGo(folder))])
  const today = new Date().toISOString().slice(0, 10)
  const lines = (await readFile(FILE, 'utf8')).split('\n').map((line) => {
    const [, name = ''] = LINE.exec(line) ?? []
    const version = found.get(name.toLowerCase())
    return version === undefined ? line : `${name} ${version} ${today}`
  })
  await writeFile(FILE, lines.join('\n'))
}

type Versions = [name: string, version: string][]

async function ofNpm(folder: string): Promise<Versions> {
  const manifest = JSON.parse(await textOf(folder, 'package.json', '{}'))
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  return Promise.all(
    names.map(async (name) => {
      const { version } = JSON.parse(await textOf(folder, `node_modules/${name}/package.json`, '{}'))
      return [name, String(version)] as [string, string]
    }),
  )
}

/** The shell of the page wrote what it installed. */
async function ofPython(folder: string): Promise<Versions> {
  const frozen = await textOf(folder, '.venv/versions.txt')
  return [...frozen.matchAll(/^(\S+)==(\S+)$/gm)].map(([, name = '', version = '']) => [
    name.toLowerCase(),
    version,
  ])
}

async function ofGo(folder: string): Promise<Versions> {
  const modules = await textOf(folder, 'go.mod')
  return [...modules.matchAll(/^(?:require )?\s*(\S+) v?(\d\S*)/gm)].map(([, name = '', version = '']) => [
    name.replace(/\/v\d+$/, ''),
    version,
  ])
}

const textOf = (folder: string, file: string, absent = '') =>
  readFile(join(folder, file), 'utf8').catch(() => absent)
