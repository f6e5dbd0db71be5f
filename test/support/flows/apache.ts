// Debian's Apache with mod_auth_openidc as a relying party on a free loopback port; it ends with the test.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isRefused } from '../half-sent.ts'
import { freePort, run } from '../process.ts'
import { until } from '../until.ts'

interface Registration {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string
  /** Whether it sends a code_challenge (RFC 7636); by default it does not use PKCE. */
  readonly pkce: boolean
}

interface Apache {
  /** A page that needs a sign-in and shows the name of the user. */
  readonly address: string
  readonly redirect_uri: string
  readonly backchannel_logout_uri: string
  /** The path of its own logout. */
  readonly logout: string
  /** A public page, the target after a logout. */
  readonly goodbye: string
  /** Configures its client registration, or these directives, and resolves when it listens. */
  start(settings: Registration | string): Promise<void>
}

// In Debian it is on the PATH of root only.
const PATH = `${process.env.PATH}:/usr/sbin`
const MODULES = 'mpm_event authn_core authz_core authz_user dir env include auth_openidc'.split(' ')

const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Apache</title>
<h1>Hello <!--#echo var="REMOTE_USER" --></h1>
<p id="name"><!--#echo var="OIDC_CLAIM_name" -->
<p id="email"><!--#echo var="OIDC_CLAIM_email" -->
`

/** An Apache that is not started yet: its client registration depends on its address. */
export async function prepareApache(t: Test): Promise<Apache> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'redmint-apache-'))
  // The pages must be readable for the user that Apache runs as.
  await chmod(folder, 0o755)
  const address = `http://127.0.0.1:${port}/`
  const redirect_uri = `${address}callback`
  const goodbye = `${address}goodbye.html`
  const log = join(folder, 'error.log')
  t.teardown(() => rm(folder, { recursive: true, force: true }))

  return {
    address,
    redirect_uri,
    backchannel_logout_uri: `${redirect_uri}?logout=backchannel`,
    logout: `${redirect_uri}?${new URLSearchParams({ logout: goodbye })}`,
    goodbye,
    async start(settings) {
      const openid = typeof settings === 'string' ? [settings] : directives(settings, redirect_uri)
      await writeFile(join(folder, 'index.html'), PAGE)
      await writeFile(
        join(folder, 'goodbye.html'),
        '<!doctype html><link rel="icon" href="data:,"><title>Goodbye</title>',
      )
      await writeFile(join(folder, 'httpd.conf'), configuration(folder, port, log, openid))
      // One process with threads, so that no child outlives the process that the test ends.
      const apache = run(t, 'apache2', ['-X', '-f', join(folder, 'httpd.conf')], { PATH })
      let over = false
      apache.ended.then(() => {
        over = true
      })
      await until('Apache listens', async () => {
        if (over)
          throw new Error(`apache2 ended:\n${apache.stderr}${await readFile(log, 'utf8').catch(() => '')}`)
        return !(await isRefused(port))
      })
    },
  }
}

function directives(
  { issuer, client_id, client_secret, pkce }: Registration,
  redirect_uri: string,
): string[] {
  return [
    `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
    `OIDCClientID "${client_id}"`,
    `OIDCClientSecret "${client_secret}"`,
    `OIDCRedirectURI ${redirect_uri}`,
    'OIDCCryptoPassphrase "a passphrase of this test"',
    'OIDCScope "openid profile email"',
    'OIDCRemoteUserClaim preferred_username',
    ...(pkce ? ['OIDCPKCEMethod S256'] : []),
  ]
}

function configuration(folder: string, port: number, log: string, openid: readonly string[]): string {
  const lines = [
    'ServerRoot /usr/lib/apache2',
    ...MODULES.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`),
    `Listen 127.0.0.1:${port}`,
    `ServerName 127.0.0.1:${port}`,
    'ThreadsPerChild 8',
    'MaxRequestWorkers 8',
    'ServerLimit 1',
    `DefaultRuntimeDir ${folder}`,
    `PidFile ${folder}/pid`,
    `ErrorLog ${log}`,
    `DocumentRoot ${folder}`,
    'DirectoryIndex index.html',
    'ForceType text/html',
    'SetOutputFilter INCLUDES',
    ...openid,
    // As root, Apache needs a user to switch to; otherwise it keeps its user.
    ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
    `<Directory ${folder}>`,
    'Options Includes',
    '</Directory>',
    '<Location />',
    'AuthType openid-connect',
    'Require valid-user',
    '</Location>',
    '<Location /goodbye.html>',
    'AuthType none',
    'Require all granted',
    '</Location>',
  ]
  return `${lines.join('\n')}\n`
}
