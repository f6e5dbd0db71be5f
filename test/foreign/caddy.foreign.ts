// The version of Caddy that copies no empty header, before applications as docs/forward-auth.md says.
import { join } from 'node:path'
import t from 'tap'
import { caddyAt } from '../support/application-proxy.ts'
import { testProxy } from '../support/flows/forward-auth-suite.ts'
import { HERE } from './connected.ts'

testProxy(t, 'Caddy 2.10.2', caddyAt(join(HERE, 'node_modules/.go/caddy')))
