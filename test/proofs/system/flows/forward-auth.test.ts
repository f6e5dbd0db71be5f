// An application that knows no OpenID Connect behind nginx, Caddy and HAProxy, configured as docs/forward-auth.md says.
import t from 'tap'
import { PROXIES } from '../../../support/application-proxy.ts'
import { testProxy } from '../../../support/flows/forward-auth-suite.ts'

for (const [name, proxy] of Object.entries(PROXIES)) testProxy(t, name, proxy)
