import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'

const runs = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0

/**
 * Makes sure that redis-server and redis-cli can be started, installing them where Debian lets us.
 * REDIS_SERVER, the path of a redis-server, goes before the PATH; its folder is put on it for redis-cli.
 * @throws an Error whose message says what to install
 */
export function findRedis(): void {
  const server = process.env.REDIS_SERVER
  if (server) {
    process.env.PATH = `${dirname(server)}${delimiter}${process.env.PATH}`
    if (runs(server, '--version') && runs('redis-cli', '--version')) return
    throw new Error(`REDIS_SERVER is ${server}, which does not run, or there is no redis-cli beside it.`)
  }
  const present = () => runs('redis-server', '--version') && runs('redis-cli', '--version')
  if (present()) return
  const root = rootCommand()
  if (existsSync('/etc/debian_version') && root) install(root)
  if (present()) return
  throw new Error(
    'The tests need redis-server and redis-cli on the PATH: install them (apt-get install redis-server, ' +
      'brew install redis) or set REDIS_SERVER to the path of a redis-server.',
  )
}

/** What to put before a command that needs root, or undefined when we cannot be root. */
function rootCommand(): string[] | undefined {
  if (process.getuid?.() === 0) return []
  return runs('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined
}

/** Installs the Debian package without letting it start its service: neither through systemd nor through init.d. */
function install(root: readonly string[]): void {
  const asRoot = (...command: string[]) => {
    const [program = '', ...args] = [
      ...root,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'RUNLEVEL=1',
      ...command,
    ]
    spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  }
  console.log('redis-server is missing: installing it with apt-get')
  const systemd = existsSync('/run/systemd/system')
  if (systemd) asRoot('systemctl', 'mask', '--runtime', 'redis-server.service')
  asRoot('apt-get', 'update', '-qq')
  asRoot('apt-get', 'install', '-qq', '-y', '--no-install-recommends', 'redis-server')
  if (systemd) asRoot('systemctl', 'unmask', '--runtime', 'redis-server.service')
}
