// Follows a page whose chapters are numbered steps, as somebody who pastes its commands, and compares what they print with it.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { blocks, readText, section } from './markdown.ts'
import { paste } from './paste.ts'
import { exported, nodeArgs, ROOT, TYPESCRIPT } from './process.ts'

const command = (...words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')

/** What the page calls, as shell scripts: the ports of a test need no root, and nothing is fetched. */
const PROGRAMS = {
  npx: 'exec "$@"',
  npm: ':',
  // What it imports of redmint are sources.
  node: `exec ${command(process.execPath, TYPESCRIPT)} "$@"`,
  sudo: 'exec "$@"',
}

/** The steps of a page, in a folder of their own. */
export interface StepsOfPage {
  /** How many there are. */
  readonly steps: number
  readonly folder: string
  /**
   * Runs the commands of a step, and once its last block has run, compares what they printed with the page.
   * @param from the first block of commands
   * @returns what these blocks printed
   */
  readonly step: (step: number, from?: number, to?: number) => Promise<string>
}

/**
 * Prepares a folder with the command. Processes whose ids the page writes to files end with the test.
 * @param replaced what of the page is another text here: ports, addresses
 * @param redmint the words of the command; by default of the clone
 */
export async function prepareSteps(
  t: Test,
  path: string,
  replaced: readonly (readonly [RegExp, string])[],
  redmint: readonly string[] = [process.execPath, ...nodeArgs('cli.ts')],
): Promise<StepsOfPage> {
  const page = await readText(path)
  const headings = [...page.matchAll(/^## (\d+\. .*)$/gm)].map(([, heading = '']) => heading)
  const folder = await mkdtemp(join(tmpdir(), 'redmint-page-'))
  await mkdir(join(folder, 'bin'))
  const programs = { redmint: `exec ${command(...redmint)} "$@"`, ...PROGRAMS }
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, 'bin', name), 0o755)
  }
  await installPackages(folder)
  t.teardown(async () => {
    const pids = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.pid'))
    for (const name of pids) {
      try {
        process.kill(Number(await readFile(join(folder, name), 'utf8')), 'SIGKILL')
      } catch {}
    }
    await rm(folder, { recursive: true, force: true })
  })
  // A busy machine takes longer than the page waits.
  const all = [...replaced, [/--retry 60\b/g, '--retry 600'] as const]
  const here = (text: string) => all.reduce((some, [from, to]) => some.replace(from, to), text)
  const begin = [
    `PATH='${folder}/bin':$PATH:/usr/sbin`,
    `cd '${folder}'`,
    // The next step is pasted into the shell of the one before.
    '[ ! -e shell.sh ] || . ./shell.sh',
    '[ ! -e redmint.env ] || { set -a; . ./redmint.env; . ./redmint.secrets.env; set +a; }',
    '',
  ].join('\n')
  const end = `\n{ declare -p SECRET TOKEN 2>/dev/null; printf 'cd %q\\n' "$PWD"; } > '${folder}/shell.sh' || true`
  const outputs = new Map<number, string>()
  const printedBy = (step: number) => outputs.get(step) ?? ''
  return {
    steps: headings.length,
    folder,
    async step(step, from = 0, to) {
      const text = section(page, headings[step - 1] ?? '')
      const commands = blocks(text, 'sh').slice(from, to).map(here)
      t.not(commands.length, 0, `step ${step} has commands`)
      // No proxy waits long, and the SMTP server of the test speaks no TLS.
      const environment = { SHUTDOWN_DELAY: '1', SMTP_TLS: 'off', LOG_LEVEL: 'warn' }
      const shell = await paste(t, begin + commands.join('\n') + end, environment)
      const { code } = await shell.ended
      t.equal(code, 0, `step ${step} ends well`)
      if (code !== 0) t.comment(shell.stdout + shell.stderr)
      outputs.set(step, printedBy(step) + shell.stdout)
      if (to === undefined)
        for (const line of blocks(text, 'text').flatMap((block) => here(block).trimEnd().split('\n')))
          t.ok(patternOf(line).test(printedBy(step)), `step ${step} prints ${line}`)
      return shell.stdout
    },
  }
}

/** Puts where programs of the folder find them: redmint as it is here, and packages that it needs itself. */
async function installPackages(folder: string): Promise<void> {
  const redmint = join(folder, 'node_modules/redmint')
  await mkdir(redmint, { recursive: true })
  const source = JSON.stringify(exported('resource-server'))
  const exports = { './resource-server': './guard.js', './testing': './testing.js' }
  await writeFile(join(redmint, 'package.json'), JSON.stringify({ type: 'module', exports }))
  await writeFile(join(redmint, 'guard.js'), `export * from ${source}\nexport { default } from ${source}\n`)
  await writeFile(join(redmint, 'testing.js'), `export * from ${JSON.stringify(exported('testing'))}\n`)
  await symlink(join(ROOT, 'node_modules/fastify'), join(folder, 'node_modules/fastify'))
}

/** A line of the page, in which "…" stands for anything, and a space for any number. */
const patternOf = (line: string) =>
  new RegExp(
    line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ +/g, ' +'))
      .join('.*'),
  )
