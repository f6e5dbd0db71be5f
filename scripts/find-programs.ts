import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Suite } from './suites.ts'

const runs = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0

// Checks that Apache can load mod_auth_openidc, whose package installs both.
const APACHE_CHECK = ['-t', '-d', '/usr/lib/apache2', '-f', '/dev/null', '-C', 'ErrorLog /dev/null'].concat(
  ['mpm_event', 'auth_openidc'].flatMap((name) => ['-C', `LoadModule ${name}_module modules/mod_${name}.so`]),
)

/** A program, its Debian package, and with which arguments it only says that it runs. */
type Program = readonly [string, string, ...string[]]

/** The programs that the tests run. The commands in the docs need curl and openssl. */
const PROGRAMS: readonly Program[] = [
  ['redis-server', 'redis-server', '--version'],
  ['redis-cli', 'redis-tools', '--version'],
  ['curl', 'curl', '--version'],
  ['openssl', 'openssl', 'version'],
]
const BROWSER: Program = [process.env.CHROMIUM || 'chromium', 'chromium', '--version']
const HAPROXY: Program = ['haproxy', 'haproxy', '-v']
/** What the proofs run besides. */
const PROGRAMS_OF_PROOFS: readonly Program[] = [
  BROWSER,
  HAPROXY,
  ['nginx', 'nginx-light', '-v'],
  ['caddy', 'caddy', 'version'],
  ['slapd', 'slapd', '-VV'],
  ['ldapmodify', 'ldap-utils', '-VV'],
]
/** What the weekly proofs run besides. */
const PROGRAMS_OF_THE_WEEK: readonly Program[] = [
  BROWSER,
  HAPROXY,
  ['apache2', 'libapache2-mod-auth-openidc', ...APACHE_CHECK],
  ['prometheus', 'prometheus', '--version'],
  ['promtool', 'prometheus', '--version'],
]

/** The services that these packages start on installation. */
const SERVICES = [
  'redis-server.service',
  'haproxy.service',
  'prometheus.service',
  'nginx.service',
  'caddy.service',
  'slapd.service',
]
// The folder of haproxy and apache2 in Debian, which is not on the PATH of every user.
const SBIN = '/usr/sbin'

/** What a suite runs besides PROGRAMS. */
const MORE: Partial<Record<Suite, readonly Program[]>> = {
  proofs: PROGRAMS_OF_PROOFS,
  weekly: PROGRAMS_OF_THE_WEEK,
  node: [BROWSER],
}

const missing = (suite: Suite) =>
  [...PROGRAMS, ...(MORE[suite] ?? [])].filter(([program, , ...args]) => !runs(program, ...args))
const packagesOf = (programs: ReturnType<typeof missing>) => [...new Set(programs.map(([, name]) => name))]

/**
 * Checks that the programs of a suite can be started. Installs missing ones on Debian, where it can become root: in CI
 * (CI=true), or after the user said yes. REDIS_SERVER is the path of a redis-server; its folder goes to the front of the
 * PATH, also for redis-cli. CHROMIUM is the path of a browser with another name than chromium.
 * @throws Error whose message names the programs to install
 */
export async function findPrograms(suite: Suite): Promise<void> {
  const server = process.env.REDIS_SERVER
  if (server) {
    if (!runs(server, '--version')) throw new Error(`REDIS_SERVER is ${server}, which does not run.`)
    process.env.PATH = `${dirname(server)}${delimiter}${process.env.PATH}`
  }
  process.env.PATH = `${process.env.PATH}${delimiter}${SBIN}`
  const root = rootCommand()
  const packages = packagesOf(missing(suite))
  if (packages.length > 0 && existsSync('/etc/debian_version') && root && (await mayInstall(packages))) {
    install(root, packages)
  }
  const absent = missing(suite)
  if (absent.length === 0) return
  throw new Error(
    `The tests need ${absent.map(([program]) => program).join(', ')} on the PATH. On Debian: apt-get install ` +
      `${packagesOf(absent).join(' ')}. Elsewhere REDIS_SERVER and CHROMIUM may be the paths of programs.`,
  )
}

/** Whether packages may be installed for the whole system: asks at a terminal, and takes no answer for a no. */
async function mayInstall(packages: readonly string[]): Promise<boolean> {
  const command = `apt-get install ${packages.join(' ')}`
  if (process.env.CI === 'true') {
    console.log(`Installs what the tests need for the whole system: ${command}`)
    return true
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(
    `The tests need programs that are not installed. May they be, for the whole system (${command})? [y/N] `,
  )
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** Returns the prefix of a command that needs root, or undefined if this process cannot become root. */
function rootCommand(): string[] | undefined {
  if (process.getuid?.() === 0) return []
  return runs('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined
}

/** Installs Debian packages and prevents them from starting their services, by systemd or by init.d. */
function install(root: readonly string[], packages: readonly string[]): void {
  const asRoot = (...command: string[]) => {
    const [program = '', ...args] = [
      ...root,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'RUNLEVEL=1',
      ...command,
    ]
    const { status, stderr } = spawnSync(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    })
    if (status !== 0) console.error(stderr)
  }
  const systemd = existsSync('/run/systemd/system')
  if (systemd) asRoot('systemctl', 'mask', '--runtime', ...SERVICES)
  asRoot('apt-get', 'update', '-qq')
  asRoot('apt-get', 'install', '-qq', '-y', '--no-install-recommends', ...packages)
  if (systemd) asRoot('systemctl', 'unmask', '--runtime', ...SERVICES)
}
