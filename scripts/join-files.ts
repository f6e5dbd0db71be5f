import { basename } from 'node:path'
import type { Metafile, OutputFile } from 'esbuild'
import { rollup } from 'rollup'

/** What each server loads; what it loads later finds that there. */
const SERVER = 'app.ts'
/** What requires packages, in the one file where esbuild puts it, needs this. */
const REQUIRES = 'typeof require'
const REQUIRE = `import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)\n`

/** A file of a bundle. */
export interface BundleFile {
  /** The sources in it, as paths from the root of the repository. */
  readonly inputs: readonly string[]
  /** The files that it imports, at once or later, and the packages. */
  readonly imports: readonly string[]
}

/**
 * Joins the files of a bundle and writes them. esbuild makes a file for each set of entries and `import()`s that load something:
 * several hundreds, each of which costs a start a fetch, memory, and a look at all that it imports. What each server loads is
 * joined here, whatever loads it besides.
 * @returns which sources are in which file
 */
export async function joinFiles(
  outdir: string,
  outputFiles: readonly OutputFile[],
  { outputs }: Metafile,
): Promise<ReadonlyMap<string, BundleFile>> {
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const named = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const [server = ''] = [...named].find(([, { entryPoint }]) => entryPoint === SERVER) ?? []
  const of_server = loadedBy(server, named)
  const entries = [...named.keys()].filter(isEntry)
  const loaded = new Map(entries.map((name) => [name, loadedBy(name, named)]))
  const groupOf = (name: string) =>
    entries
      .filter((entry) => loaded.get(entry)?.has(name))
      .map((entry) => basename(entry, '.js'))
      .join('-')
  const joined = await rollup({
    input: entries,
    external: (id) => !id.startsWith('.') && !texts.has(id),
    // esbuild has left out what nobody uses.
    treeshake: false,
    plugins: {
      name: 'files-of-esbuild',
      resolveId: (id) => (texts.has(basename(id)) ? basename(id) : null),
      load: (id) => {
        const text = texts.get(id) ?? null
        return text?.includes(REQUIRES) ? REQUIRE + text : text
      },
    },
  })
  const { output } = await joined.write({
    dir: outdir,
    format: 'es',
    entryFileNames: ({ name }) => `${name}.js`,
    chunkFileNames: ({ name }) => `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].js`,
    // What is run is not part of a group: nothing may wait for its end.
    manualChunks: (id) => (of_server.has(id) && !isEntry(id) ? `of-${groupOf(id)}` : undefined),
    // Or each file imports all that the others import.
    hoistTransitiveImports: false,
  })
  await joined.close()
  const files = output.filter((file) => file.type === 'chunk')
  return new Map(
    files.map(({ fileName, moduleIds, imports, dynamicImports }) => [
      fileName,
      {
        inputs: moduleIds.flatMap((id) => Object.keys(named.get(id)?.inputs ?? {})),
        imports: [...imports, ...dynamicImports],
      },
    ]),
  )
}

/** The files of entries have no hash in their names. */
const isEntry = (name: string) => !/-[A-Z0-9]{8}\.js$/.test(name)

/** Returns the file and all that an import of it loads at once. */
function loadedBy(name: string, named: ReadonlyMap<string, Metafile['outputs'][string]>): Set<string> {
  const loaded = new Set<string>()
  const load = (one: string) => {
    if (loaded.has(one)) return
    loaded.add(one)
    for (const { path, kind } of named.get(one)?.imports ?? [])
      if (kind === 'import-statement' && named.has(basename(path))) load(basename(path))
  }
  load(name)
  return loaded
}
