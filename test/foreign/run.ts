// npm run test:foreign: installs the clients and tools of other projects into this folder, and runs their tests. A group
// whose tools are missing is left out, in words.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const run = (command: string, args: readonly string[], cwd = HERE) =>
  spawnSync(command, args, { cwd, stdio: 'inherit' }).status === 0
const has = (command: string, flag: string) => spawnSync(command, [flag], { stdio: 'ignore' }).status === 0
const PROXY = 'github.com/oauth2-proxy/oauth2-proxy/v7'
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.0'
// From 2.10.0 to 2.11.1, forward_auth keeps a header of the sender where that of the answer is empty (GHSA-7r4p-vjf4-gxv4).
const CADDY = 'github.com/caddyserver/caddy/v2/cmd/caddy@v2.10.2'
const KEYCLOAK = 'org.keycloak:keycloak-quarkus-dist:26.7.3:zip'
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack'
const pip = join(HERE, 'node_modules/.venv/bin/pip')

const copyJars = (project: string) => {
  const jars = `-DoutputDirectory=${join(HERE, 'node_modules/.java', project)}`
  const args = ['-B', '-q', '-f', `hosts/java/${project}/pom.xml`, 'dependency:copy-dependencies', jars]
  return run('mvn', [...args, '-DincludeScope=runtime'])
}

// The redmint that these clients meet runs on Node 20; some package of theirs names a newer one.
let npm_installed: boolean | undefined
const npmInstall = () => {
  npm_installed ??= run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--engine-strict=false'])
  return npm_installed
}

/** Two versions of one package, so each is in a folder of its own. */
const installMcp = (version: string) =>
  run('python3', [
    ...['-m', 'pip', 'install', '-q', '--upgrade', '--target', `node_modules/.mcp${version}`],
    ...['-r', `hosts/mcp/${version}.txt`],
  ])

/** The groups of clients: whether the tools of each are there, and how it is installed. */
const GROUPS = {
  javascript: {
    there: () => true,
    install: npmInstall,
  },
  mcp: {
    there: () => true,
    install: npmInstall,
  },
  approve: {
    there: () => true,
    install: npmInstall,
  },
  enterprise: {
    there: () => true,
    install: npmInstall,
  },
  'mcp-clients': {
    there: () => has('python3', '--version'),
    install: () => npmInstall() && ['1', '2'].every(installMcp),
  },
  providers: {
    there: () => true,
    install: npmInstall,
  },
  production: {
    there: () =>
      has('redis-server', '--version') &&
      spawnSync('haproxy', ['-v'], { stdio: 'ignore', env: { PATH: `${process.env.PATH}:/usr/sbin` } })
        .status === 0,
    install: () => true,
  },
  // The examples of examples/testing/: Maven and Go fetch what theirs need.
  testing: {
    there: () =>
      has('python3', '--version') &&
      has('go', 'version') &&
      has('mvn', '--version') &&
      has('javac', '--version'),
    install: () =>
      npmInstall() &&
      run('python3', ['-m', 'venv', 'node_modules/.testing']) &&
      run('node_modules/.testing/bin/pip', [
        ...['install', '-q', '-r', '../../examples/testing/python/requirements.txt'],
      ]),
  },
  'check-client': {
    there: () =>
      has('python3', '--version') &&
      has('go', 'version') &&
      has('mvn', '--version') &&
      has('javac', '--version'),
    install: () => npmInstall() && ['boot3', 'boot4'].every(copyJars),
  },
  python: {
    there: () => has('python3', '--version'),
    install: () =>
      run('python3', ['-m', 'venv', 'node_modules/.venv']) &&
      run(pip, ['install', '-q', '-r', 'requirements.txt']),
  },
  'own-login': {
    there: () => has('python3', '--version'),
    // Its standard library is all.
    install: () => true,
  },
  go: {
    there: () => has('go', 'version'),
    install: () => run('go', ['mod', 'download'], join(HERE, 'hosts/go')),
  },
  signals: {
    there: () => has('cargo', '--version'),
    install: () =>
      run(
        'cargo',
        ['build', '--locked', '--target-dir', join(HERE, 'node_modules/.rust')],
        join(HERE, 'hosts/signals'),
      ),
  },
  nginx: {
    there: () => has('nginx', '-v') && has('go', 'version'),
    install: () =>
      run('go', ['build', '-o', join(HERE, 'node_modules/.go/'), PROXY], join(HERE, 'hosts/nginx')),
  },
  caddy: {
    there: () => has('go', 'version'),
    install: () => run('env', [`GOBIN=${join(HERE, 'node_modules/.go')}`, 'go', 'install', CADDY]),
  },
  kubernetes: {
    there: () => has('kubectl', 'help') && has('go', 'version'),
    install: () => run('go', ['mod', 'download'], join(HERE, 'hosts/kubernetes')),
  },
  helm: {
    there: () => has('kubectl', 'help') && has('go', 'version'),
    install: () =>
      run('env', [`GOBIN=${join(HERE, 'node_modules/.go')}`, 'go', 'install', HELM]) &&
      run(
        'go',
        ['build', '-o', join(HERE, 'node_modules/.go/'), './manifests'],
        join(HERE, 'hosts/kubernetes'),
      ),
  },
  keycloak: {
    there: () => has('mvn', '--version') && has('jq', '--version'),
    install: () => {
      const folder = join(HERE, 'node_modules/.keycloak')
      mkdirSync(folder, { recursive: true })
      // The plugin keeps notes of its own where it is called.
      return run('mvn', ['-B', '-q', UNPACK, `-Dartifact=${KEYCLOAK}`, `-DoutputDirectory=${folder}`], folder)
    },
  },
  java: {
    there: () => has('mvn', '--version') && has('javac', '--version'),
    install: () => ['boot3', 'boot4', 'nimbus'].every(copyJars),
  },
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((group) => !Object.hasOwn(GROUPS, group))
if (unknown.length > 0) {
  console.error(`Not a group of clients: ${unknown.join(', ')}. There are ${Object.keys(GROUPS).join(', ')}.`)
  process.exit(2)
}
const files: string[] = []
for (const [group, { there, install }] of Object.entries(GROUPS)) {
  if (wanted.length > 0 && !wanted.includes(group)) continue
  if (!there()) {
    console.log(`Left out: ${group}, because its tools are not installed.`)
    continue
  }
  if (!install()) {
    console.error(`The clients of the group ${group} cannot be installed: see above.`)
    process.exit(1)
  }
  files.push(join(HERE, `${group}.foreign.ts`))
}
const options = ['--disable-coverage', '--allow-empty-coverage', '--jobs=1', '--timeout=3600']
const root = join(HERE, '../..')
if (files.length > 0) process.exitCode = run('npx', ['tap', ...options, ...files], root) ? 0 : 1
