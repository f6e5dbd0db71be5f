// Programs in Java: compiled with the libraries that Maven copied.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Connected, HERE } from './connected.ts'

/** Starts what start.spring.io makes beside the printed files: an application in their package. */
export async function startSpring(app: Connected, boot: string, name: string): Promise<void> {
  const source = `src/main/java/com/example/${name}`
  const main = await readFile(join(HERE, 'hosts/java/Application.java'), 'utf8')
  await writeFile(
    join(app.folder, source, 'Application.java'),
    main.replace('com.example', `com.example.${name}`),
  )
  const files = (await readdir(join(app.folder, source))).map((file) => join(source, file))
  const java = await compile(app, boot, files)
  await app.start('java', [...java, `com.example.${name}.Application`], { SERVER_PORT: String(app.port) })
}

/** Compiles files with the libraries of a project, and returns the arguments of java. */
export async function compile(app: Connected, project: string, files: readonly string[]): Promise<string[]> {
  const libraries = join(HERE, 'node_modules/.java', project)
  const jars = (await readdir(libraries)).map((name) => join(libraries, name))
  const path = ['classes', 'src/main/resources', ...jars].join(delimiter)
  await app.run('javac', ['-parameters', '-d', 'classes', '-cp', path, ...files])
  return ['-cp', path]
}
