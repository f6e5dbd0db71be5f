// npm run test:foreign: installs the clients of other projects into this folder, and runs their tests. Clients of a
// language whose tools are missing are left out, in words.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const run = (command: string, args: readonly string[], cwd = HERE) =>
  spawnSync(command, args, { cwd, stdio: 'inherit' }).status === 0
const has = (command: string, flag: string) => spawnSync(command, [flag], { stdio: 'ignore' }).status === 0
const pip = join(HERE, 'node_modules/.venv/bin/pip')

const copyJars = (project: string) => {
  const jars = `-DoutputDirectory=${join(HERE, 'node_modules/.java', project)}`
  const args = ['-B', '-q', '-f', `hosts/java/${project}/pom.xml`, 'dependency:copy-dependencies', jars]
  return run('mvn', [...args, '-DincludeScope=runtime'])
}

/** Per language: whether its tools are there, and how its clients are installed. */
const LANGUAGES = {
  javascript: {
    there: () => true,
    install: () => run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']),
  },
  python: {
    there: () => has('python3', '--version'),
    install: () =>
      run('python3', ['-m', 'venv', 'node_modules/.venv']) &&
      run(pip, ['install', '-q', '-r', 'requirements.txt']),
  },
  go: {
    there: () => has('go', 'version'),
    install: () => run('go', ['mod', 'download'], join(HERE, 'hosts/go')),
  },
  java: {
    there: () => has('mvn', '--version') && has('javac', '--version'),
    install: () => ['boot3', 'boot4', 'nimbus'].every(copyJars),
  },
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((language) => !Object.hasOwn(LANGUAGES, language))
if (unknown.length > 0) {
  console.error(`Not a language here: ${unknown.join(', ')}. There are ${Object.keys(LANGUAGES).join(', ')}.`)
  process.exit(2)
}
const files: string[] = []
for (const [language, { there, install }] of Object.entries(LANGUAGES)) {
  if (wanted.length > 0 && !wanted.includes(language)) continue
  if (!there()) {
    console.log(`Left out: the clients in ${language}, because its tools are not installed.`)
    continue
  }
  if (!install()) {
    console.error(`The clients in ${language} cannot be installed: see above.`)
    process.exit(1)
  }
  files.push(join(HERE, `${language}.foreign.ts`))
}
const options = ['--disable-coverage', '--allow-empty-coverage', '--jobs=1', '--timeout=600']
const root = join(HERE, '../../..')
if (files.length > 0) process.exitCode = run('npx', ['tap', ...options, ...files], root) ? 0 : 1
