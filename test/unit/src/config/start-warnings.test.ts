import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { startWarnings } from '../../../../src/config/start-warnings.ts'
import type { Environment } from '../../../support/config/problems.ts'

const REDIS_URL = 'redis://r'
const KEY_ENCRYPTION_KEY = Buffer.alloc(32).toString('base64')
const production = { NODE_ENV: 'production', REDIS_URL }
const memory = /^Storage is memory: .*forgotten at exit\. Set REDIS_URL/
const unencrypted = /^Signing keys are stored unencrypted: .* Set KEY_ENCRYPTION_KEY/
const unhashed = /^Tokens are stored unhashed: .* Set TOKENS_AT_REST=hashed/
const here = /^Demo mode is on: .* for development/
const demo = /^Demo mode is public: .* can sign in as anyone\. Remove DEMO/

t.test('each thing that is unsafe has one line with what to do', async (t) => {
  const table: [environment: Environment, lines: RegExp[]][] = [
    [{}, [memory, here]],
    [{ REDIS_URL }, []],
    [{ REDIS_URL, ISUER: 'x' }, [/^ISUER is not .* did you mean ISSUER\?$/]],
    [{ REDIS_URL, DEMO: 'true' }, [here]],
    [{ REDIS_URL, DEMO: 'private', ISSUER: 'http://auth:3000' }, [/^Demo mode is private: /]],
    [{ REDIS_URL, DEMO: 'public' }, [demo]],
    [{ DEMO: 'public', HOST: '0.0.0.0' }, [memory, demo]],
    [production, [unencrypted, unhashed]],
    [{ ...production, KEY_ENCRYPTION_KEY }, [unhashed]],
    [{ ...production, TOKENS_AT_REST: 'hashed' }, [unencrypted]],
    [{ ...production, KEY_ENCRYPTION_KEY, TOKENS_AT_REST: 'hashed' }, []],
  ]
  for (const [environment, lines] of table) {
    const found = startWarnings(readConfig(environment), '24.22.1')
    t.equal(found.length, lines.length, JSON.stringify(environment))
    t.match(found, lines)
  }
})

t.test('a version of Node that lacks fixes is one more line, and the server starts', async (t) => {
  t.match(startWarnings(readConfig({ REDIS_URL }), '20.20.2'), [
    /^Node 20\.20\.2 gets no fixes any more\. Run 22/,
  ])
})
