// How a service asks a directory.
import { completeSettings } from '../../../src/config/settings.ts'
import { readDirectoryOptions } from '../../../src/directory/read-options.ts'
import { requestUrl } from '../scene/requests.ts'
import { ISSUER, type TestOptions } from '../service.ts'
import { BASE, READER, type Slapd } from '../slapd.ts'

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

/** What a directory is asked with, by the settings of a service. */
export async function optionsOf(options: TestOptions) {
  const { directory_timing: timing, ...settings } = options
  const read = await readDirectoryOptions(completeSettings({ issuer: ISSUER, ...settings }))
  return { ...read, now: Date.now, ...(timing && { timing }) }
}
