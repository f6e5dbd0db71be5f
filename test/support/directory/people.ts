// A service whose people are in a directory, and browsers that visit it.
import type { Test } from 'tap'
import { completeSettings } from '../../../src/config/settings.ts'
import { readDirectoryOptions } from '../../../src/directory/read-options.ts'
import { requestUrl, signInOn, startWithPeople } from '../authorize/people.ts'
import { readUser } from '../records.ts'
import { codeRequest, ISSUER, type TestOptions } from '../service.ts'
import { BASE, READER, type Slapd } from '../slapd.ts'
import { asDeparture, type Departure, type Page } from '../visitor.ts'

/** The address of a request of a client that asks for no consent. */
export const OWN = requestUrl({ client_id: 'own' })

/** The settings with which a service asks a directory by TLS. */
export const settingsFor = ({ tls_port, ca_file }: Pick<Slapd, 'tls_port' | 'ca_file'>): TestOptions => ({
  sign_in: 'directory',
  ldap_url: `ldaps://localhost:${tls_port}`,
  ldap_ca_file: ca_file,
  ldap_base_dn: BASE,
  ldap_bind_dn: READER.dn,
  ldap_bind_password: READER.password,
})

/** Starts a service with a directory. */
export async function startWithDirectory(t: Test, options: TestOptions) {
  const service = await startWithPeople(t, options)
  return {
    ...service,
    user: (username: string) => readUser(service.storage, username),
    /** Signs in with a new browser. */
    async signIn(username: string, password: string, url = OWN) {
      const visitor = service.visitor()
      return signInOn(visitor, await visitor.page(url), username, password)
    },
    /** What the id_token says after a sign-in. */
    async claims(found: Page | Departure) {
      const code = asDeparture(found).told.get('code') ?? ''
      const { json } = await service.token(codeRequest(code, { client_id: 'own' }))
      const [, claims = ''] = String((json as { id_token?: string }).id_token).split('.')
      return JSON.parse(Buffer.from(claims, 'base64url').toString())
    },
  }
}

/** What a directory is asked with, by the settings of a service. */
export async function optionsOf(options: TestOptions) {
  const { directory_timing: timing, ...settings } = options
  const read = await readDirectoryOptions(completeSettings({ issuer: ISSUER, ...settings }))
  return { ...read, now: Date.now, ...(timing && { timing }) }
}
