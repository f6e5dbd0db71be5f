import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { problemsOf } from '../../../support/config/problems.ts'

t.test('every variable can have the prefix REDMINT_', async (t) => {
  const values: Record<string, string> = {
    REDIS_URL: 'redis://r',
    ISSUER: 'https://auth.example.com',
    HOST: '0.0.0.0',
    PORT: '8080',
    NODE_ENV: 'production',
    DEMO: 'false',
    CODE_TTL: '7',
  }
  const prefixed = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`REDMINT_${name}`, value]),
  )
  t.same(readConfig(prefixed), readConfig(values))
  for (const name of Object.keys(ENVIRONMENT.properties)) {
    // The value is invalid for many of them: what counts is that the name is known.
    const problems = problemsOf({ [`REDMINT_${name}`]: 'x' })
    t.notOk(
      problems.some((problem) => problem.includes('is not a variable')),
      name,
    )
  }
  t.match(problemsOf({ REDMINT_PORT: 'x' }), [/^PORT must be a whole number/])
  t.equal(readConfig({ PORT: '8080', REDMINT_PORT: '8080' }).port, 8080, 'the same value twice')
  t.equal(readConfig({ PORT: '8080', REDMINT_PORT: ' ' }).port, 8080, 'a blank one counts as absent')
})

t.test('two values for one variable are refused, without showing them', async (t) => {
  const problem = 'REDIS_URL and REDMINT_REDIS_URL have different values: remove one of them'
  t.same(problemsOf({ REDIS_URL: 'redis://:hush@r', REDMINT_REDIS_URL: 'redis://:hush@s' }), [problem])
  t.same(problemsOf({ REDMINT_REDIS_URL: 'redis://:hush@r', REDIS_URL: 'redis://:hush@s' }), [problem])
})

t.test('an unknown variable with the prefix is refused, with the nearest name', async (t) => {
  const table: [name: string, hint: RegExp][] = [
    ['REDMINT_ISUER', /: did you mean REDMINT_ISSUER\?$/],
    ['REDMINT_REDIS_URLL', /: did you mean REDMINT_REDIS_URL\?$/],
    ['REDMINT_HOSTNAME', /: did you mean REDMINT_HOST\?$/],
    ['redmint_issuer', /: did you mean REDMINT_ISSUER\?$/],
    ['REDMINT_COLOUR_OF_THE_SKY', /: remove it; docs\/configuration\.md has all variables$/],
    ['REDMINT_', /: remove it/],
    ['REDMINT___proto__', /: remove it/],
  ]
  for (const [name, hint] of table) {
    const problems = problemsOf({ [name]: 'hush' })
    t.match(problems, [hint], name)
    t.ok(problems[0]?.startsWith(`${name} is not a variable of redmint: `))
  }
  const both = { REDMINT_ISUER: 'https://auth.example.com', REDMINT_PROT: '1', PORT: 'x' }
  t.match(problemsOf(both), [/^REDMINT_ISUER /, /^REDMINT_PROT /, /^PORT /], 'all are reported at once')
})

t.test('a misspelled variable without the prefix is a warning with the nearest name', async (t) => {
  const table: [name: string, meant: string][] = [
    ['REDIS_URLL', 'REDIS_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['REDISURL', 'REDIS_URL'],
    ['redis_url', 'REDIS_URL'],
    ['ISUER', 'ISSUER'],
    ['ISSUER_', 'ISSUER'],
    ['DEMMO', 'DEMO'],
    ['KEY_ENCRYPTON_KEY', 'KEY_ENCRYPTION_KEY'],
    ['TOKEN_AT_REST', 'TOKENS_AT_REST'],
    ['REDMNT_ISSUER', 'REDMINT_ISSUER'],
  ]
  for (const [name, meant] of table) {
    const { warnings } = readConfig({ [name]: 'hush' })
    t.same(warnings, [`${name} is not a variable of redmint: did you mean ${meant}?`])
  }
  t.same(readConfig({ ISUER: ' ' }).warnings, [], 'a blank one counts as absent')
  t.match(
    problemsOf({ NODE_ENV: 'production', REDIS_URLL: 'redis://r' }),
    [/^NODE_ENV is production, which needs Redis/, /^REDIS_URLL is not .*: did you mean REDIS_URL\?$/],
    'with the problems that it may have caused',
  )
})

t.test('variables of other programs are not warned of', async (t) => {
  const names =
    'HOME HOSTNAME HOSTTYPE PATH PWD USER LOGNAME SHELL TERM LANG LC_ALL TZ EDITOR DEBUG CI DISPLAY'
  const services = 'REDIS_HOST REDIS_SERVICE_HOST REDIS_PORT REDIS_PORT_6379_TCP KUBERNETES_SERVICE_HOST'
  const node = 'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION YARN_VERSION UV_THREADPOOL_SIZE'
  const npm = 'npm_config_cache npm_package_name npm_lifecycle_event npm_node_execpath npm_command INIT_CWD'
  const others = `${names} ${services} ${node} ${npm}`.split(' ')
  t.same(readConfig(Object.fromEntries(others.map((name) => [name, 'x']))).warnings, [])
})

t.test('what Kubernetes sets for a Service whose name begins with redmint is ignored', async (t) => {
  const variables = {
    REDMINT_SERVICE_HOST: '10.0.0.11',
    REDMINT_SERVICE_PORT: '80',
    REDMINT_SERVICE_PORT_HTTP: '80',
    REDMINT_PORT: 'tcp://10.0.0.11:80',
    REDMINT_PORT_80_TCP: 'tcp://10.0.0.11:80',
    REDMINT_PORT_80_TCP_PROTO: 'tcp',
    REDMINT_PORT_80_TCP_PORT: '80',
    REDMINT_PORT_80_TCP_ADDR: '10.0.0.11',
    REDMINT_REDIS_SERVICE_HOST: '10.0.0.12',
    REDMINT_REDIS_PORT: 'tcp://10.0.0.12:6379',
    REDMINT_REDIS_PORT_6379_TCP_ADDR: '10.0.0.12',
    REDMINT_DNS_PORT: 'udp://10.0.0.13:53',
  }
  t.same(readConfig(variables), readConfig({}))
  t.equal(readConfig({ ...variables, PORT: '8080' }).port, 8080)
})
